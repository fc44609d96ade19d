package cli

import (
	"context"
	"errors"
	"slices"

	"lspbridge/lspclient/servers"
	"lspbridge/tools"
)

// installMissing installs the language servers that a question about file, or
// about the whole workspace, needs, where they are missing and lspbridge can
// install them. An untrusted workspace installs nothing: its question will be
// refused anyway.
func (a *app) installMissing(ctx context.Context, s *session, file string) error {
	if s.trusted() != nil {
		return nil
	}
	names, err := s.needed(ctx, file)
	if err != nil {
		return err
	}
	for _, server := range s.catalog.Servers {
		if server.Module == "" || !slices.Contains(names, server.Name) {
			continue
		}
		if err := a.installServer(ctx, s.finder, server); err != nil {
			return err
		}
	}
	return nil
}

// needed names the servers that a question needs.
func (s *session) needed(ctx context.Context, file string) ([]string, error) {
	if file != "" {
		f, err := s.workspace.File(file)
		if err != nil {
			return nil, nil // the tool says what is wrong with the file
		}
		name, _, _ := s.pool.ServerFor(f)
		return []string{name}, nil
	}
	languages, err := s.pool.Languages(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range languages {
		names = append(names, l.Server)
	}
	return names, nil
}

// installServer installs one server unless an acceptable program is there. What
// is done is always explained: the user asked for it, and it takes a while.
func (a *app) installServer(ctx context.Context, finder servers.Finder, server servers.Server) error {
	_, _, err := finder.FindAny(ctx, server)
	var missing *servers.NotFoundError
	if err == nil {
		return nil
	} else if !errors.As(err, &missing) {
		return err
	}
	if _, err := finder.Install(ctx, server, a.note); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return failure(tools.ClassServer, "not_installed", server.InstallHint, "%v", err)
	}
	return nil
}
