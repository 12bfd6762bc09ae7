package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory"
)

type sessionsInput struct {
	Project string `json:"project,omitempty" jsonschema:"directory in which they ran, or its name"`
	Since   string `json:"since,omitempty" jsonschema:"date or phrase"`
	Client  string `json:"client,omitempty"`
	Limit   int    `json:"limit,omitempty" jsonschema:"default 20"`
	Offset  int    `json:"offset,omitempty"`
}

var listSessions = define(Operation{
	Name: "sessions", Title: "Past sessions", Group: more, Route: Route{"GET", "/sessions"},
	Description: "Past sessions of agents in their clients' transcripts, newest first: project, request, files, commits, open steps, how to resume.",
	ReadOnly:    true, Idempotent: true,
	nothing: listAnswer[api.PastSession]{List: api.List[api.PastSession]{Items: []api.PastSession{}}},
}, func(ctx context.Context, a *memory.Session, in sessionsInput) (listAnswer[api.PastSession], error) {
	l, err := sessions.List(ctx, a, sessions.ListRequest{
		Project: in.Project, Since: in.Since, Client: in.Client, Limit: cmp.Or(in.Limit, 20), Offset: in.Offset,
	})
	return listed(a, l.List, nil), err
}, Between("limit", 1, 1000), AtLeast("offset", 0))
