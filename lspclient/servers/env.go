package servers

// Environ returns the environment of a language server: the allow-list of
// DESIGN section 4 taken from environ ("NAME=value" each), more names, PATH
// without relative entries and without those below avoid, TMPDIR set to tmp,
// XDG_CONFIG_HOME to config with GOENV at the user's real file, and
// GOPACKAGESDRIVER=off. The result is sorted and has no name twice.
func Environ(environ, more, avoid []string, tmp, config string) []string { panic("todo") }
