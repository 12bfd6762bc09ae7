package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
)

// Commit commits what other programs wrote in a guarded space; see guard.Engine.Commit.
func (s Spaces) Commit(ctx context.Context, req CommitRequest) (GitCommit, error) {
	return s.guard.Commit(ctx, req)
}

// Pull brings in what a remote has; see guard.Engine.Pull.
func (s Spaces) Pull(ctx context.Context, req PullRequest) (GitPull, error) {
	return s.guard.Pull(ctx, req)
}

// Push pushes what a guarded space has committed; see guard.Engine.Push.
func (s Spaces) Push(ctx context.Context) (GitPush, error) { return s.guard.Push(ctx) }

// AddSource keeps what pages are made from; see source.Engine.Add.
func (s Spaces) AddSource(ctx context.Context, req SourceRequest) (KeptSource, error) {
	return (&ingest.SourceEngine{Spaces: s.registry, Actor: s.actor, Now: s.guard.Now, Keep: s.guard.Keep}).Add(ctx, req)
}
