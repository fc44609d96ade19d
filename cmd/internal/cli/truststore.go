package cli

import (
	"errors"

	"lspbridge/cmd/internal/trust"
	"lspbridge/limits/confine"
	"lspbridge/tools"
)

// trustStore is the user's list of trusted workspaces.
func (a *app) trustStore() (*trust.Store, error) {
	dir := a.stateDir()
	if dir == "" {
		return nil, failure(tools.ClassRefused, "no_state_folder", "set HOME or XDG_STATE_HOME, or trust for one run with --trust", "there is no folder for the list of trusted workspaces")
	}
	return trust.New(dir), nil
}

// checkTrust returns nil when all roots are trusted.
func (a *app) checkTrust(roots []confine.Root) error {
	store, err := a.trustStore()
	if err != nil {
		return err
	}
	err = store.Check(roots)
	var untrusted *trust.UntrustedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &untrusted):
		return failure(tools.ClassRefused, "untrusted",
			"a language server may run build tools of the workspace; look at what it holds and run: "+untrusted.Command(), "%s", untrusted.Why())
	default:
		return failure(tools.ClassRefused, "untrusted", "", "%v", err)
	}
}
