package lspclient

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/servers"
)

// maxWidenings bounds how often files are looked for that others name: each may
// name more.
const maxWidenings = 8

// syncFor is [disk.sync] for a server. Files that are of its project since others
// name them, whatever their ending, are known then too: a header without one, a
// list of macros, a configuration that others extend.
func (p *Pool) syncFor(ctx context.Context, entry servers.Server) (seq uint64, err error) {
	for range maxWidenings {
		if seq, err = p.disk.sync(ctx); err != nil {
			return 0, err
		}
		var names []string
		switch {
		case entry.Quirks.CompileCommands:
			names = p.includes.newNames(ctx, p.disk)
		case entry.Quirks.Projects.Scripts:
			names = p.extended(entry.Quirks.Projects)
		}
		if !p.disk.track(names) {
			break
		}
	}
	return seq, nil
}

// widens reports whether files that others name matter to a server.
func widens(entry servers.Server) bool {
	return entry.Quirks.CompileCommands || entry.Quirks.Projects.Scripts
}

// namedTexts sums, by the absolute path of each unit, the files that it includes
// whose endings no server has.
func (p *Pool) namedTexts() map[string][]byte {
	var files []confine.File
	p.disk.mu.Lock()
	for f := range p.disk.files {
		if p.disk.named[path.Base(f.Rel)] {
			files = append(files, f)
		}
	}
	p.disk.mu.Unlock()
	slices.SortFunc(files, compareFiles)
	out := map[string][]byte{}
	for _, f := range files {
		text, _, err := p.o.Workspace.Read(f, max(p.o.Limits.FileBytes, searchedBytes))
		if err != nil {
			continue
		}
		sum := sha256.Sum256(text)
		for _, user := range p.includes.users(p.life, p.disk, []confine.File{f}) {
			abs := p.o.Workspace.Abs(user)
			out[abs] = append(append(out[abs], f.Rel...), sum[:]...)
		}
	}
	return out
}

// extended returns the base names of the configurations that others extend.
func (p *Pool) extended(rules servers.Projects) []string {
	var files []confine.File
	p.disk.mu.Lock()
	for f := range p.disk.files {
		if name := path.Base(f.Rel); slices.Contains(rules.Configs, name) || path.Ext(name) == ".json" && p.disk.named[name] {
			files = append(files, f)
		}
	}
	p.disk.mu.Unlock()
	var names []string
	for _, f := range files {
		text, _, err := p.o.Workspace.Read(f, p.o.Limits.FileBytes)
		if err != nil {
			continue
		}
		var said struct{ Extends json.RawMessage }
		if text, err = hujson.Standardize(text); err != nil || json.Unmarshal(text, &said) != nil {
			continue
		}
		var one string
		var several []string
		if json.Unmarshal(said.Extends, &one) == nil {
			several = []string{one}
		} else if json.Unmarshal(said.Extends, &several) != nil {
			continue
		}
		for _, base := range several {
			if strings.HasPrefix(base, ".") {
				if path.Ext(base) != ".json" {
					base += ".json"
				}
				names = append(names, path.Base(base))
			}
		}
	}
	return names
}
