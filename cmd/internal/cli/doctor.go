package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/servers"
	"lspbridge/tools"
)

func (a *app) doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say whether the workspace can be served, and what is missing",
		Long: `Say whether the workspace can be served, and what is missing: trust, language
servers, compile databases. No language server is started. The exit code is 4
where the workspace cannot be served.`,
		Example: `  lspbridge doctor
  lspbridge doctor --workspace ~/src/app --format json`,
		Args: takes(),
	}
	place := addPlaceFlags(cmd)
	format := choiceFlag(cmd, "format", string(output.Text), "form of the answer", string(output.Text), string(output.JSON))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		d, err := a.diagnose(cmd.Context(), place)
		if err != nil {
			return err
		}
		if err := a.printReport(output.Format(format.value), d, d.write); err != nil {
			return err
		}
		if len(d.Problems) > 0 {
			return exitStatus(exitServer)
		}
		return nil
	}
	return cmd
}

// A diagnosis is what doctor finds. It is for the person at this machine: it
// names paths.
type diagnosis struct {
	Version   string        `json:"version"`
	System    string        `json:"system"`
	Go        foundProgram  `json:"go"`
	Roots     []rootReport  `json:"roots"`
	Trusted   bool          `json:"trusted"`
	Languages []language    `json:"languages"`
	Servers   []foundServer `json:"servers"`
	Limits    []limitReport `json:"limits"`
	Files     []string      `json:"files"` // that lspbridge reads and writes
	Problems  []problem     `json:"problems"`
	Notes     []string      `json:"notes"`
}

// A problem keeps the workspace from being served.
type problem struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

type foundProgram struct {
	Version string `json:"version,omitempty"`
	Path    string `json:"path,omitempty"`
}

type rootReport struct {
	Name             string   `json:"name"`
	Path             string   `json:"path"`
	Canonical        string   `json:"canonical"`
	CompileDatabases []string `json:"compile_databases"` // relative to the root
	ClangdConfig     bool     `json:"clangd_config"`     // a .clangd that clangd reads
}

type language struct {
	Server string `json:"server"`
	Files  int    `json:"files"`
}

type limitReport struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
	Maximum string `json:"maximum"`
	Help    string `json:"help"`
}

// diagnose looks at everything a question would need.
func (a *app) diagnose(ctx context.Context, f *placeFlags) (*diagnosis, error) {
	budget, err := f.budget()
	if err != nil {
		return nil, err
	}
	s, err := a.open(&startFlags{placeFlags: f}, budget)
	if err != nil {
		return nil, err
	}
	defer s.close()
	d := &diagnosis{
		Version: a.version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Languages: []language{}, Problems: []problem{}, Notes: []string{},
	}
	for _, row := range budget.Rows() {
		d.Limits = append(d.Limits, limitReport(row))
	}
	d.Files = a.ownFiles()
	for _, r := range s.workspace.Roots() {
		d.Roots = append(d.Roots, d.root(r))
	}
	if err := s.trusted(); err != nil {
		d.problem(err)
	} else {
		d.Trusted = true
	}
	d.Go = a.findGo()
	if d.Servers, err = findServers(ctx, s.finder, s.catalog); err != nil {
		return nil, err
	}
	languages, err := s.pool.Languages(ctx)
	if err != nil {
		return nil, err
	}
	d.languages(languages)
	return d, nil
}

// root looks at one root folder.
func (d *diagnosis) root(r confine.Root) rootReport {
	report := rootReport{Name: r.Name, Path: r.Shown, Canonical: r.Canonical, CompileDatabases: []string{}}
	found, err := servers.FindCompileDatabases(r.Canonical)
	if err != nil {
		d.Notes = append(d.Notes, fmt.Sprintf("%s: %v", r.Name, err))
	}
	for _, path := range found {
		if rel, err := filepath.Rel(r.Canonical, path); err == nil {
			report.CompileDatabases = append(report.CompileDatabases, filepath.ToSlash(rel))
		}
	}
	report.ClangdConfig = exists(filepath.Join(r.Canonical, ".clangd"))
	return report
}

// languages judges the servers that the workspace has files for.
func (d *diagnosis) languages(list []lspclient.Language) {
	if len(list) == 0 {
		d.problem(failure(tools.ClassServer, "", "add its language server to servers.json", "no file of a known language is in the workspace"))
	}
	for _, l := range list {
		d.Languages = append(d.Languages, language(l))
		i := slices.IndexFunc(d.Servers, func(s foundServer) bool { return s.Name == l.Server })
		if i >= 0 && !d.Servers[i].Installed {
			s := d.Servers[i]
			d.problem(failure(tools.ClassServer, "", s.Hint, "%s is missing: the workspace has %d of its files", s.Name, l.Files))
		}
		if l.Server == "gopls" && d.Go.Path == "" {
			d.problem(failure(tools.ClassServer, "", "install Go: https://go.dev/dl", "go is not on PATH, and gopls needs it"))
		}
		if l.Server == "clangd" && !slices.ContainsFunc(d.Roots, func(r rootReport) bool { return len(r.CompileDatabases) > 0 }) {
			d.Notes = append(d.Notes, "no compile_commands.json is found: clangd knows the include paths and flags of no file, and only files that were asked about are searched")
		}
	}
	for _, r := range d.Roots {
		if r.ClangdConfig {
			d.Notes = append(d.Notes, fmt.Sprintf("clangd reads %s/.clangd in a trusted workspace", r.Name))
		}
	}
}

func (d *diagnosis) problem(err error) {
	var known *tools.Error
	if errors.As(err, &known) {
		d.Problems = append(d.Problems, problem{known.Message, known.Hint})
		return
	}
	d.Problems = append(d.Problems, problem{Message: err.Error()})
}

// maxVersionBytes bounds the file VERSION of GOROOT.
const maxVersionBytes = 4 << 10

// findGo looks up the go that language servers and --install use. Its version is
// read, not asked: a go in a workspace may switch to another toolchain.
func (a *app) findGo() foundProgram {
	root := a.toolchain().goroot
	path := filepath.Join(root, "bin", executable("go"))
	if root == "" || !exists(path) {
		return foundProgram{}
	}
	p := foundProgram{Path: path}
	if data, err := readBounded(filepath.Join(root, "VERSION"), maxVersionBytes); err == nil {
		first, _, _ := strings.Cut(string(data), "\n")
		p.Version = strings.TrimPrefix(first, "go")
	}
	return p
}

// ownFiles are the files and folders that lspbridge keeps outside of
// workspaces.
func (a *app) ownFiles() []string {
	var list []string
	if a.env.Config != "" {
		list = append(list, filepath.Join(a.env.Config, programName, serversFile))
	}
	for _, dir := range []string{a.stateDir(), a.cacheDir()} {
		if dir != "" {
			list = append(list, dir)
		}
	}
	return list
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
