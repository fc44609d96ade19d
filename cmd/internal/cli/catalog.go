package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"lspbridge/lspclient/servers"
)

// programName names the bridge's folders below the user's.
const programName = "lspbridge"

// serversFile is the user's own list of language servers, in the config folder.
const serversFile = "servers.json"

// maxServersBytes bounds servers.json.
const maxServersBytes = 1 << 20

// catalog returns the language servers known to a run: the built-in ones, those
// of the user's servers.json, and what --setting changed.
func (a *app) catalog(f *placeFlags, log *slog.Logger) (servers.Catalog, error) {
	c, err := a.loadServers(f.servers)
	if err != nil {
		return c, err
	}
	for _, note := range c.Notes {
		log.Info(note)
	}
	for _, s := range f.settings {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return c, usage("write --setting SERVER.NAME=VALUE, as in gopls.buildFlags='[\"-tags=x\"]'", "the setting %q has no value", s)
		}
		if c, err = c.Setting(name, value); err != nil {
			return c, usage("", "%v", err)
		}
	}
	return c, nil
}

// loadServers merges a servers.json over the built-in servers: the one named,
// which must be there, or the one in the user's config folder, if it is there.
func (a *app) loadServers(named string) (servers.Catalog, error) {
	c := servers.Builtin()
	path, shown := named, named
	if named == "" {
		if a.env.Config == "" {
			return c, nil
		}
		path, shown = filepath.Join(a.env.Config, programName, serversFile), serversFile
	} else {
		full, err := a.abs(named)
		if err != nil {
			return c, err
		}
		path = full
	}
	data, err := readBounded(path, maxServersBytes)
	if named == "" && errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, usage("", "%s cannot be read: %v", shown, reason(err))
	}
	c, err = c.Load(shown, data)
	if err != nil {
		return c, usage("", "%v", err)
	}
	return c, nil
}

// readBounded reads a regular file of at most limit bytes. It does not wait for
// the writer of a FIFO.
func readBounded(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, nil
}

// reason is the cause of a file error without the path, which the message names
// already.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
