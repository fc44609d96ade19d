package cli

import (
	"lspbridge/limits/confine"
	"lspbridge/tools"
)

// redactor hides the folders of this machine in what servers say.
func (a *app) redactor(ws *confine.Workspace, chain toolchain) *tools.Redactor {
	var folders []tools.Folder
	for _, r := range ws.Roots() {
		shown := ""
		if len(ws.Roots()) > 1 {
			shown = r.Name
		}
		folders = append(folders, tools.Folder{Path: r.Canonical, Shown: shown})
		if r.Shown != r.Canonical {
			folders = append(folders, tools.Folder{Path: r.Shown, Shown: shown})
		}
	}
	return tools.NewRedactor(append(folders,
		tools.Folder{Path: chain.goroot, Shown: "$GOROOT"},
		tools.Folder{Path: chain.modcache, Shown: "$GOMODCACHE"},
		tools.Folder{Path: a.cacheDir(), Shown: "$CACHE"},
		tools.Folder{Path: a.env.Home, Shown: "~"},
	)...)
}
