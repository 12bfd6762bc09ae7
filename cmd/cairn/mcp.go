package main

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/cli"
	"github.com/cairn-kb/cairn/internal/mcpserver"
)

// watchEvery is how soon a client hears that a page it subscribed to changed.
// Asking takes microseconds.
const watchEvery = time.Second

// serveMCP puts the MCP server and the command line together.
func serveMCP(ctx context.Context, s cli.MCPSession) error {
	server := mcpserver.New(mcpserver.Options{
		Memory: s.Memory, Sets: s.Sets, ReadOnly: s.ReadOnly, Dir: s.Dir, Space: s.Space, Version: s.Version,
	})
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	watching, stop := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() { server.Watch(watching, ticks.C) })
	defer watcher.Wait()
	defer stop()
	in, ok := s.Stdin.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(s.Stdin)
	}
	return server.Run(ctx, in, s.Stdout)
}
