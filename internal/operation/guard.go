package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/app"
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
	Description: "Commits what other programs wrote in a guarded space, and writes whose commits wait. Documents with fatal faults stay as they are, and are named.",
}, func(ctx context.Context, a *app.App, in commitInput) (app.GitCommit, error) {
	return a.In(in.Space).Spaces().Commit(ctx, app.CommitRequest{Refs: in.Refs, All: in.All, DryRun: in.DryRun, Message: in.Message})
})

type pushInput struct {
	Space string `json:"space,omitempty"`
}

var pushCommits = define(Operation{
	Name: "push", Title: "Push a guarded space", Group: more, Route: Route{"POST", "/push"},
	Description: "Pushes the commits of a guarded space to the branch that its branch follows. Nothing is forced.",
}, func(ctx context.Context, a *app.App, in pushInput) (app.GitPush, error) {
	return a.In(in.Space).Spaces().Push(ctx)
})
