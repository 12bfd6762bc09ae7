package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

type commitInput struct {
	Refs    []string `json:"refs,omitempty" jsonschema:"only these pages"`
	All     bool     `json:"all,omitempty" jsonschema:"all of the space"`
	Space   string   `json:"space,omitempty"`
	Message string   `json:"message,omitempty"`
	DryRun  bool     `json:"dry_run,omitempty"`
}

var commitFiles = define(Operation{
	Name: "commit", Title: "Commit edits of other programs", Group: more, Route: Route{"POST", "/commit"},
	Description: "Commits edits of other programs in a guarded space, and makes deferred commits. Documents with fatal faults are skipped and listed.",
}, func(ctx context.Context, a *memory.Session, in commitInput) (api.GitCommit, error) {
	return gitsync.Commit(ctx, a.In(in.Space), gitsync.Request{Refs: in.Refs, All: in.All, DryRun: in.DryRun, Message: in.Message})
})

type indexInput struct {
	Space string `json:"space,omitempty"`
	Check bool   `json:"check,omitempty" jsonschema:"only say which files are not up to date"`
}

var makeIndex = define(Operation{
	Name: "index", Title: "Make the index files of a space", Group: more, Route: Route{"POST", "/index"},
	Reads: []string{"space"}, Dry: "check",
	Description: "Regenerates the index files of a space, if its policy has some: tables of its pages by type. Writes do so by themselves; this is for edits by other programs.",
	Idempotent:  true,
}, func(ctx context.Context, a *memory.Session, in indexInput) (api.IndexFiles, error) {
	return change.UpdateIndexFiles(ctx, a.In(in.Space), in.Check)
})

type pullInput struct {
	Space  string   `json:"space,omitempty"`
	Ours   []string `json:"ours,omitempty" jsonschema:"paths that stay as they are here, of those that conflict"`
	Theirs []string `json:"theirs,omitempty" jsonschema:"paths to take from the remote"`
	DryRun bool     `json:"dry_run,omitempty"`
}

var pullCommits = define(Operation{
	Name: "pull", Title: "Pull a guarded space", Group: more, Route: Route{"POST", "/pull"},
	Description: "Brings in the commits of the branch that a guarded space's branch follows, with a merge of pages where both sides have commits. Nothing changes where there are conflicts or both together would break a rule; the answer lists these, with what each side did.",
}, func(ctx context.Context, a *memory.Session, in pullInput) (api.GitPull, error) {
	return gitsync.Pull(ctx, a.In(in.Space), gitsync.PullRequest{DryRun: in.DryRun, Ours: in.Ours, Theirs: in.Theirs})
})

type pushInput struct {
	Space string `json:"space,omitempty"`
}

var pushCommits = define(Operation{
	Name: "push", Title: "Push a guarded space", Group: more, Route: Route{"POST", "/push"},
	Description: "Pushes the commits of a guarded space to the branch that its branch follows. Nothing is forced.",
}, func(ctx context.Context, a *memory.Session, in pushInput) (api.GitPush, error) {
	return gitsync.Push(ctx, a.In(in.Space))
})
