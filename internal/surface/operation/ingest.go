package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
)

type ingestInput struct {
	Content string            `json:"content,omitempty" jsonschema:"of the source; absent: only the pages"`
	Name    string            `json:"name,omitempty" jsonschema:"of its file"`
	Type    string            `json:"source_type,omitempty"`
	Ref     string            `json:"source_ref,omitempty" jsonschema:"what it is cited as"`
	Date    string            `json:"date,omitempty" jsonschema:"day that it is of (default today)"`
	Pages   []api.PlannedPage `json:"pages,omitempty" jsonschema:"what you made of it"`
	Force   bool              `json:"force,omitempty" jsonschema:"write truths that say nothing new, too"`
	Space   string            `json:"space,omitempty"`
	Message string            `json:"message,omitempty" jsonschema:"why"`
	DryRun  bool              `json:"dry_run,omitempty" jsonschema:"only return the diff"`
	Diff    bool              `json:"diff,omitempty"`
}

func (in ingestInput) Dry() bool { return in.DryRun }

// ingested is the answer of an ingest.
type ingested struct {
	Source *ingest.Kept       `json:"source,omitempty"`
	Left   []ingest.Left      `json:"left_out,omitempty" jsonschema:"truths that say nothing new: force writes them"`
	There  int                `json:"there,omitempty" jsonschema:"entries, links and assertions that existed already"`
	Known  []ingest.Mentioned `json:"known,omitempty" jsonschema:"pages that the source mentions, with its lines"`
	written
}

var ingestSource = define(Operation{
	Name: "ingest", Title: "Ingest a source", Group: more, Route: Route{"POST", "/ingest"},
	Description: "Keep a source and write the pages that you made of it, all of them or none. Without pages: keeps it and answers which known pages it mentions, with their versions.",
	Destructive: true, first: true,
}, func(ctx context.Context, a *memory.Session, in ingestInput) (ingested, error) {
	a = a.In(in.Space)
	req := ingest.Request{Force: in.Force, Pages: in.Pages}
	req.WriteOptions = api.WriteOptions{Message: in.Message, DryRun: in.DryRun, Diff: in.Diff}
	if in.Content != "" {
		req.Source = &ingest.Source{Text: []byte(in.Content), Name: in.Name, Type: in.Type, Ref: in.Ref, Date: in.Date}
	}
	r, err := ingest.Ingest(ctx, a, req)
	if err != nil {
		return ingested{}, err
	}
	w, err := wrote(ctx, a, r.Written, nil, wait{})
	return ingested{r.Source, r.Left, r.There, r.Known, w}, err
}, OneOf("source_type", ingest.Types()...), Within("pages", AtLeast("expected_version", 0), object("frontmatter")))
