package textpos

// PathURI returns the file URI of an absolute path (RFC 8089), percent-encoded
// so that gopls, clangd and others read the same path back.
func PathURI(path string) (string, error) { panic("todo") }

// URIPath returns the cleaned absolute path of a file URI. It decodes once, and
// refuses another scheme, a host other than localhost, a NUL, and text that is
// not UTF-8.
func URIPath(uri string) (string, error) { panic("todo") }

// Scheme returns the lower-case scheme of uri, "" when it has none.
func Scheme(uri string) string { panic("todo") }
