package lspclient

import (
	"context"
	"fmt"
	"path"
	"slices"

	"lspbridge/limits/confine"
)

// DiagnosticFiles lists the files of the workspace that a build of it reads, as
// its servers see that, sorted, and says in skipped what is left out: one reason
// each with its count. It starts servers that know what is built.
func (p *Pool) DiagnosticFiles(ctx context.Context) (files []confine.File, skipped []string, err error) {
	langs, err := p.Languages(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range langs {
		s := p.servers[l.Server]
		sess, err := s.session(ctx)
		if err != nil {
			// Each of its files will say so.
			sess = nil
		}
		counts := map[string]int{}
		var out map[confine.File]bool
		if sess != nil && sess.goBuild != nil {
			outside, err := sess.goBuild.unseen(ctx, p)
			if err != nil {
				return nil, nil, err
			}
			out = outside.unbuilt
		}
		p.disk.each(func(f confine.File) bool {
			entry, _, ok := p.o.Catalog.For(path.Base(f.Rel))
			if !ok || entry.Name != l.Server || inTestdata(f) {
				return true
			}
			switch {
			case sess == nil:
			case sess.goBuild != nil && path.Ext(f.Rel) != ".go":
				return true // its faults stop the load, and are told with the files
			case sess.goBuild != nil && ignoredByGo(f):
				return true
			case out[f]:
				counts["not built for "+sess.goBuild.target()]++
				return true
			case entry.Quirks.CompileCommands && isHeader(f.Rel):
				return true // read with what includes it
			case entry.Quirks.CompileCommands && len(sess.project.units) > 0 && !sess.project.files[f]:
				counts["outside compile_commands.json"]++
				return true
			}
			files = append(files, f)
			return true
		})
		for _, reason := range sortedKeys(counts) {
			skipped = append(skipped, fmt.Sprintf("%s %s", count(counts[reason], "file"), reason))
		}
	}
	slices.SortFunc(files, compareFiles)
	return files, skipped, nil
}
