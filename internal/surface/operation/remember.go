package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
)

type rememberInput struct {
	Text  string   `json:"text" jsonschema:"one thing, few sentences"`
	Title string   `json:"title,omitempty" jsonschema:"default: first sentence"`
	Type  string   `json:"type,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Links []string `json:"links,omitempty"`

	Summary string            `json:"summary,omitempty"`
	Set     map[string]string `json:"set,omitempty"`

	Space string `json:"space,omitempty"`
	New   bool   `json:"new,omitempty" jsonschema:"even if a page has the title"`

	// Not those of other writes: there is no page whose version is expected.
	Message string `json:"message,omitempty" jsonschema:"why"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"only return the diff"`
	Diff    bool   `json:"diff,omitempty"`
	wait
}

// Dry reports whether nothing may be changed.
func (in rememberInput) Dry() bool { return in.DryRun }

type similar struct {
	briefPage
	Score   float64 `json:"score" jsonschema:"how similar: 1 is the same"`
	Snippet string  `json:"snippet" jsonschema:"its first sentence"`
}

type existing struct {
	briefPage
	Text *string `json:"text,omitempty" jsonschema:"of a page with this title that says something else: edit it, or pass new"`
}

type rememberAnswer struct {
	written
	Existing []existing `json:"existing,omitempty" jsonschema:"page with this text or title: nothing was written"`
	Similar  []similar  `json:"similar" jsonschema:"pages about the same: if the new page says nothing else, edit one of them and have edit delete the new one"`
}

var remember = define(Operation{
	Name: "remember", Title: "Remember something", Group: core, Route: Route{"POST", "/remember"},
	Description: "Store a decision, fact, preference or lesson for next time. A title that exists returns its page, nothing written. Returns similar pages. Never store credentials.",
	first:       true,
}, func(ctx context.Context, a *memory.Session, in rememberInput) (rememberAnswer, error) {
	r, err := ingest.Capture(ctx, a.In(in.Space), api.CaptureRequest{
		WriteOptions: api.WriteOptions{Message: in.Message, DryRun: in.DryRun, Diff: in.Diff}, Text: in.Text, Title: in.Title, Type: in.Type, Tags: in.Tags, Links: in.Links, Summary: in.Summary, Set: in.Set, Keep: in.New, Heading: true,
	})
	w, err := wrote(ctx, a, r.Written, err, in.wait)
	out := rememberAnswer{written: w, Similar: similarOf(r.Captured)}
	out.Existing = existingOf(r.Captured)
	return out, err
})

// similarOf lists the pages that are similar to the captured text.
func similarOf(c ingest.Captured) []similar {
	out := []similar{}
	for _, h := range c.Similar {
		out = append(out, similar{briefly(h.Page), short(h.Score), h.Snippet})
	}
	return out
}

// existingOf lists the pages that have the captured text or title.
func existingOf(c ingest.Captured) (out []existing) {
	for _, p := range c.Existing {
		out = append(out, existing{briefly(p.Page), p.Text})
	}
	return out
}
