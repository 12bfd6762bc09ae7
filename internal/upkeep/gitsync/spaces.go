package gitsync

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/presets"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

// AddSpace adds a directory or a space in the database, with the pages of its
// preset; see presets.Add and Provision.
func AddSpace(ctx context.Context, sess *memory.Session, req space.AddRequest) (api.Space, error) {
	if branch, remotes := git.Unborn(sess.Spaces.Place.Absolute(req.Root)); branch != "" && !req.Database && !req.Init {
		// A database space would lose the policy file of the directory.
		return api.Space{}, kb.Errorf(kb.Conflict, "%s is a clone without a checked-out branch: there is no branch %s, and its remote has %s", req.Root, branch, strings.Join(remotes, ", ")).
			WithHint("Nothing was changed. Check one out first: git switch NAME").With("branches", remotes)
	}
	return Provision(ctx, sess, req, func(ctx context.Context, req space.AddRequest) (api.Space, error) { return presets.Add(ctx, sess, req) })
}

// CreateSpace creates a directory and adds it, within the permissions of an agent;
// see space.Create.
func CreateSpace(ctx context.Context, sess *memory.Session, req space.AddRequest) (api.Space, error) {
	return space.Create(ctx, sess.Spaces, req, sess.Actor, func(ctx context.Context, req space.AddRequest) (api.Space, error) { return AddSpace(ctx, sess, req) })
}

// AddSource stores a source; see ingest.AddSource.
func AddSource(ctx context.Context, sess *memory.Session, req api.SourceRequest) (api.Source, error) {
	return ingest.AddSource(ctx, sess, req, Keep)
}

// Merge merges three versions of a file for git; see MergeFile.
func Merge(ctx context.Context, req MergeRequest) (bool, error) {
	return MergeFile(ctx, memory.Codecs(), req)
}
