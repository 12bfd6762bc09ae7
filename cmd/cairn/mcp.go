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
		Memory: s.Memory, Sets: s.Sets, ReadOnly: s.ReadOnly, Dir: s.Dir, Space: s.Space, Skills: s.Skills, Version: s.Version,
	})
	stop := watch(ctx, server)
	defer stop()
	in, ok := s.Stdin.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(s.Stdin)
	}
	return server.Run(ctx, in, s.Stdout)
}

// watch lets the server look for changes until stop returns.
func watch(ctx context.Context, server *mcpserver.Server) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ticks := time.NewTicker(watchEvery)
	var watcher sync.WaitGroup
	watcher.Go(func() { server.Watch(ctx, ticks.C) })
	return func() {
		cancel()
		watcher.Wait()
		ticks.Stop()
	}
}
