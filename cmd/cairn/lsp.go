package main

import (
	"context"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/lsp"
)

// serveLSP puts the language server and the command line together.
func serveLSP(ctx context.Context, s command.LSPSession) error {
	defer rest(ctx, s.Memory)()
	return lsp.New(lsp.Options{Memory: s.Memory, Caller: s.Caller, Version: s.Version, Web: s.Web}).Run(ctx, s.Stdin, s.Stdout)
}
