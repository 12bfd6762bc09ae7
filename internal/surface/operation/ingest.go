package operation

import (
	"context"
	"encoding/json"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
)

// ingestPage is a page of a plan.
type ingestPage struct {
	Slug        string             `json:"slug"`
	Content     *string            `json:"content,omitempty" jsonschema:"the whole page"`
	Truth       *string            `json:"compiled_truth,omitempty" jsonschema:"above the line"`
	Append      string             `json:"timeline_append,omitempty" jsonschema:"entries: - **date** | source — text"`
	Frontmatter map[string]any     `json:"frontmatter,omitempty"`
	Expected    *int               `json:"expected_version,omitempty" jsonschema:"version you read"`
	Assertions  []plannedAssertion `json:"assertions,omitempty"`
	Links       []plannedLink      `json:"links,omitempty"`
	Entries     []plannedEntry     `json:"timeline_entries,omitempty"`
	Tags        []string           `json:"tags,omitempty"`
}

type plannedAssertion struct {
	Subject    string   `json:"subject"`
	Predicate  string   `json:"predicate"`
	Object     string   `json:"object"`
	ValidFrom  string   `json:"valid_from,omitempty"`
	ValidUntil string   `json:"valid_until,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"`
	AssertedBy string   `json:"asserted_by,omitempty"`
	Source     string   `json:"source_ref,omitempty"`
	Evidence   string   `json:"evidence_text,omitempty"`
	Supersedes int64    `json:"supersedes_id,omitempty"`
}

type plannedLink struct {
	To         string `json:"to"`
	Type       string `json:"relationship,omitempty"`
	Context    string `json:"context,omitempty"`
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
}

type plannedEntry struct {
	Date    string `json:"date"`
	Summary string `json:"summary"`
	Source  string `json:"source,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// planOf reads pages as app takes them. What is wrong with one is said as it is of a
// plan in a file.
func planOf(pages []ingestPage) ([]ingest.Page, error) {
	if len(pages) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(pages)
	if err != nil {
		return nil, err
	}
	return ingest.ReadPlan(text)
}

type ingestInput struct {
	Content string       `json:"content,omitempty" jsonschema:"of the source; absent: only the pages"`
	Name    string       `json:"name,omitempty" jsonschema:"of its file"`
	Type    string       `json:"source_type,omitempty"`
	Ref     string       `json:"source_ref,omitempty" jsonschema:"what it is cited as"`
	Date    string       `json:"date,omitempty" jsonschema:"day that it is of (default today)"`
	Pages   []ingestPage `json:"pages,omitempty" jsonschema:"what you made of it"`
	Force   bool         `json:"force,omitempty" jsonschema:"write truths that say nothing new, too"`
	Space   string       `json:"space,omitempty"`
	Message string       `json:"message,omitempty" jsonschema:"why"`
	DryRun  bool         `json:"dry_run,omitempty" jsonschema:"only return the diff"`
	Diff    bool         `json:"diff,omitempty"`
}

func (in ingestInput) dryRun() bool { return in.DryRun }

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
	req := ingest.Request{Force: in.Force}
	req.WriteOptions = api.WriteOptions{Message: in.Message, DryRun: in.DryRun, Diff: in.Diff}
	if in.Content != "" {
		req.Source = &ingest.Source{Text: []byte(in.Content), Name: in.Name, Type: in.Type, Ref: in.Ref, Date: in.Date}
	}
	var err error
	if req.Pages, err = planOf(in.Pages); err != nil {
		return ingested{}, err
	}
	r, err := ingest.Ingest(ctx, a, req)
	if err != nil {
		return ingested{}, err
	}
	w, err := wrote(ctx, a, r.Written, nil, writeOptions{})
	return ingested{r.Source, r.Left, r.There, r.Known, w}, err
}, oneOf("source_type", ingest.Types()...), within("pages", atLeast("expected_version", 0)))
