package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"lspbridge/cmd/internal/cli"
	"lspbridge/lspclient/supervise"
)

func main() {
	supervise.Main()
	// The answer goes to standard output and nothing else does: what a library
	// prints by mistake goes to standard error.
	stdout := os.Stdout
	os.Stdout = os.Stderr
	// A second signal ends the program at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Run(ctx, os.Args[1:], environment(stdout)))
}
