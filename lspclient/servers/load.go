package servers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"
)

// fileBytes is the largest servers.json.
const fileBytes = 1 << 20

// maxStartup is the longest startupTimeout, in milliseconds.
const maxStartup = 10 * 60 * 1000

// Load returns c with the entries of a servers.json merged over it by name. name
// is used in errors only.
//
// The file is JSON with comments and trailing commas: one object, a member for
// each server, in the shape that .lsp.json files have. An entry of a known name
// changes the members it gives: command, args and extensionToLanguage as a
// whole, env, initializationOptions and settings key by key. Members for other
// programs are noted and ignored; any other unknown member is an error.
func (c Catalog) Load(name string, data []byte) (Catalog, error) {
	loaded, err := c.load(data)
	if err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	return loaded, nil
}

func (c Catalog) load(data []byte) (Catalog, error) {
	if len(data) > fileBytes {
		return c, fmt.Errorf("%d bytes, the most is %d", len(data), fileBytes)
	}
	standard, err := hujson.Standardize(bytes.Clone(data))
	if err != nil {
		return c, err
	}
	entries, err := membersOf(standard)
	if err != nil {
		return c, err
	}
	c = c.clone()
	var added []Server
	for _, e := range entries {
		if e.key == "$schema" {
			continue
		}
		i := c.index(e.key)
		s := Server{Name: e.key, Executes: ExecutesBuild}
		if i >= 0 {
			s = c.Servers[i]
		}
		s.Origin = OriginUser
		ignored, err := s.apply(e.value)
		if err != nil {
			return c, fmt.Errorf("%s: %w", e.key, err)
		}
		for _, key := range ignored {
			c.Notes = append(c.Notes, fmt.Sprintf("servers.json: %s: %s is ignored", e.key, key))
		}
		added = append(added, s)
		if i >= 0 {
			c.Servers = slices.Delete(c.Servers, i, i+1)
		}
	}
	err = disjoint(added)
	if err != nil {
		return c, err
	}
	c.Servers = append(added, c.Servers...)
	return c, nil
}

// disjoint refuses two entries for one kind of file: which of them serves it
// would depend on their order.
func disjoint(entries []Server) error {
	owner := map[string]string{}
	for _, s := range entries {
		keys := slices.Concat(slices.Collect(maps.Keys(s.Extensions)), slices.Collect(maps.Keys(s.FileNames)))
		slices.Sort(keys)
		for _, key := range keys {
			if other, taken := owner[key]; taken {
				return fmt.Errorf("%s and %s both serve %s files", other, s.Name, key)
			}
			owner[key] = s.Name
		}
	}
	return nil
}

// apply lays one entry over s and returns the members that it ignored.
func (s *Server) apply(entry json.RawMessage) (ignored []string, err error) {
	members, err := membersOf(entry)
	if err != nil {
		return nil, err
	}
	var ran, classed bool // the program was changed; its class was given
	for _, m := range members {
		err = nil
		switch m.key {
		case "command":
			ran = true
			err = s.setCommand(m.value)
		case "args":
			ran = true
			s.Args = nil
			err = decode(m.value, &s.Args)
		case "env":
			ran = true
			err = s.setEnv(m.value)
		case "extensionToLanguage":
			s.Extensions = nil
			err = decode(m.value, &s.Extensions)
			if err == nil {
				err = checkExtensions(s.Extensions)
			}
		case "initializationOptions":
			s.InitializationOptions, err = merge(s.InitializationOptions, m.value)
		case "settings":
			if _, ok := objectOf(m.value); !ok {
				err = errors.New("want an object of sections")
				break
			}
			s.Settings, err = merge(s.Settings, m.value)
		case "startupTimeout":
			err = s.setStartup(m.value)
		case "transport":
			var transport string
			err = decode(m.value, &transport)
			if err == nil && transport != "stdio" {
				err = fmt.Errorf("%q is not supported, only stdio is", transport)
			}
			ignored = append(ignored, m.key)
		case "shutdownTimeout", "restartOnCrash", "maxRestarts":
			ignored = append(ignored, m.key)
		case "lspbridge":
			classed, err = s.applyOwn(m.value)
		default:
			err = errors.New("unknown key")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.key, err)
		}
	}
	if ran && !classed {
		s.Executes = ExecutesBuild // what is known of the built-in program may not hold
	}
	switch {
	case s.Name == "":
		return nil, errors.New("an entry needs a name")
	case len(s.Commands) == 0:
		return nil, errors.New("command is missing")
	case len(s.Extensions) == 0 && len(s.FileNames) == 0:
		return nil, errors.New("extensionToLanguage is missing")
	}
	return ignored, nil
}

func (s *Server) setCommand(value json.RawMessage) error {
	var command string
	err := decode(value, &command)
	if err != nil {
		return err
	}
	switch {
	case command == "" || strings.ContainsRune(command, 0):
		return fmt.Errorf("%q is no program", command)
	case !filepath.IsAbs(command) && strings.ContainsAny(command, `/\`):
		return fmt.Errorf("%q is relative; want a name on PATH or an absolute path", command)
	}
	s.Commands = []string{command}
	s.Module = "" // what --install builds is not what was named here
	return nil
}

func (s *Server) setEnv(value json.RawMessage) error {
	var env map[string]string
	err := decode(value, &env)
	if err != nil {
		return err
	}
	merged := maps.Clone(s.Env)
	if merged == nil {
		merged = map[string]string{}
	}
	for name, value := range env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return fmt.Errorf("%q is no environment variable", name)
		}
		merged[name] = value
	}
	s.Env = merged
	return nil
}

func (s *Server) setStartup(value json.RawMessage) error {
	var ms float64
	err := decode(value, &ms)
	if err != nil {
		return err
	}
	if ms <= 0 || ms > maxStartup {
		return fmt.Errorf("%v is not between 1 and %d milliseconds", ms, maxStartup)
	}
	s.StartupTimeout = time.Duration(ms * float64(time.Millisecond))
	return nil
}

func checkExtensions(extensions map[string]string) error {
	for extension, language := range extensions {
		if !strings.HasPrefix(extension, ".") || len(extension) < 2 || strings.ContainsAny(extension, `/\`) {
			return fmt.Errorf("%q is no extension with its dot", extension)
		}
		if language == "" {
			return fmt.Errorf("%q has no language", extension)
		}
	}
	return nil
}
