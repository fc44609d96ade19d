package cli

import (
	"log/slog"

	"lspbridge/cmd/internal/terminal"
)

// logger returns the log of a run. Lines go to standard error; they never hold
// arguments of a question, text of a file or secrets, which is the duty of those
// who log.
func (a *app) logger(level string) *slog.Logger {
	var l slog.Level
	// The flag allows only slog's own words.
	_ = l.UnmarshalText([]byte(level))
	return slog.New(slog.NewTextHandler(logWriter{a}, &slog.HandlerOptions{Level: l}))
}

// logWriter takes the progress line away before a line of the log is written.
type logWriter struct{ a *app }

func (w logWriter) Write(line []byte) (int, error) {
	w.a.progress.Clear()
	out := line
	if w.a.env.StderrTerminal {
		out = []byte(terminal.Sanitize(string(line)))
	}
	if _, err := w.a.env.Stderr.Write(out); err != nil {
		return 0, err
	}
	return len(line), nil
}
