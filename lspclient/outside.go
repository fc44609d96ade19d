package lspclient

import (
	"io"
	"os"

	"lspbridge/lspclient/textpos"
)

// readOutside reads a file outside the workspace, nil when it is no regular file
// of at most max bytes. A server chose the path, and whoever wrote the code may
// have chosen it for the server: what is read here serves to count columns and
// is never shown.
func readOutside(abs string, max int64) *textpos.Mapper {
	// Not even opened unless regular: opening a device can have an effect.
	if info, err := os.Stat(abs); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.OpenFile(abs, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > max {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil || int64(len(text)) > max {
		return nil
	}
	return textpos.NewMapper(text)
}
