package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/transcript"
	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory"
)

type distilInput struct {
	Project string `json:"project,omitempty" jsonschema:"directory in which they ran, or its name"`
	Since   string `json:"since,omitempty" jsonschema:"date or phrase"`
	Client  string `json:"client,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Space   string `json:"space,omitempty" jsonschema:"for which pages are planned"`
	Limit   int    `json:"limit,omitempty" jsonschema:"pages (default 50)"`
}

type distilAnswer struct {
	api.Distilled
	Notes []string `json:"notes,omitempty"`
}

var distilSessions = define(Operation{
	Name: "distil", Title: "Distil past sessions", Group: more, Route: Route{"GET", "/sessions/distil"},
	Description: "Turns of past sessions that look like decisions, corrections, preferences and lessons, by rules, as pages for ingest. Check each against its evidence; drop and merge before you ingest. Writes nothing.",
	ReadOnly:    true, Idempotent: true,
	nothing: distilAnswer{Distilled: api.Distilled{Pages: []api.DistilledPage{}, Evidence: []api.SaidEvidence{}}},
}, func(ctx context.Context, a *memory.Session, in distilInput) (distilAnswer, error) {
	a = a.In(in.Space)
	req := sessions.DistilRequest{ListRequest: sessions.ListRequest{Project: in.Project, Since: in.Since, Client: in.Client, Limit: cmp.Or(in.Limit, 50)}}
	if in.Kind != "" {
		req.Kinds = []string{in.Kind}
	}
	d, err := sessions.Distil(ctx, a, req)
	return distilAnswer{d, a.Notes()}, err
}, OneOf("kind", kindsOfDistil()...), Between("limit", 1, 1000))

func kindsOfDistil() (out []string) {
	for _, k := range transcript.Kinds() {
		out = append(out, string(k))
	}
	return out
}
