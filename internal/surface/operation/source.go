package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

type sourceInput struct {
	URL    string `json:"url"`
	Text   string `json:"text,omitempty" jsonschema:"the part that matters, 16 KB at most"`
	Title  string `json:"title,omitempty"`
	Name   string `json:"name,omitempty" jsonschema:"of the file that the text is from"`
	Full   bool   `json:"full,omitempty" jsonschema:"the text is all of the source, and is kept whole"`
	Space  string `json:"space,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
}

var addSource = define(Operation{
	Name: "source_add", Title: "Keep a source", Group: more, Route: Route{"POST", "/sources"},
	Description: "Keeps what a page is made from, with address, day and excerpt, in the space's directory of sources. Fetches nothing and replaces nothing. Name the answer's path in the source of pages made from it.",
}, func(ctx context.Context, a *memory.Session, in sourceInput) (api.Source, error) {
	return gitsync.AddSource(ctx, a.In(in.Space), ingest.SourceRequest{URL: in.URL, Title: in.Title, Text: []byte(in.Text), Name: in.Name, Full: in.Full, DryRun: in.DryRun})
})
