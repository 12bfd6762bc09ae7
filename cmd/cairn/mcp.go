package main

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
)

// watchEvery is how soon a client hears that a page it subscribed to changed.
// Asking takes microseconds.
const watchEvery = time.Second

// restEvery is how often to ask whether the client is silent, so that memory
// can be given back.
const restEvery = 10 * time.Second

// serveMCP puts the MCP server and the command line together.
func serveMCP(ctx context.Context, s command.MCPSession) error {
	server := mcpserver.New(mcpserver.Options{
		Memory: s.Memory, Sets: s.Sets, ReadOnly: s.ReadOnly, Dir: s.Dir, Space: s.Space, Agent: s.Agent, Skills: s.Skills, Version: s.Version, HasInstructions: s.HasInstructions,
	})
	stop := watch(ctx, server)
	defer stop()
	stopResting := rest(ctx, s.Memory)
	defer stopResting()
	in, ok := s.Stdin.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(s.Stdin)
	}
	return server.Run(ctx, in, s.Stdout)
}

// watch lets the server look for changes until stop returns.
func watch(ctx context.Context, server *mcpserver.Server) (stop func()) {
	return ticking(ctx, watchEvery, server.Watch)
}

// rest lets the memory rest while nobody asks it, until stop returns.
func rest(ctx context.Context, memory interface{ RestIfIdle(context.Context) }) (stop func()) {
	return ticking(ctx, restEvery, func(ctx context.Context, ticks <-chan time.Time) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks:
				memory.RestIfIdle(ctx)
			}
		}
	})
}

// ticking runs do, with a tick every so often, until stop returns.
func ticking(ctx context.Context, every time.Duration, do func(context.Context, <-chan time.Time)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ticks := time.NewTicker(every)
	var work sync.WaitGroup
	work.Go(func() { do(ctx, ticks.C) })
	return func() {
		cancel()
		work.Wait()
		ticks.Stop()
	}
}
