package operation

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
)

type captureInput struct {
	api.CaptureRequest
	wait
}

type linked struct {
	Type  string  `json:"type"`
	Ref   string  `json:"ref"`
	Score float64 `json:"score,omitempty" jsonschema:"of a link that was made by itself: how near the page is"`
}

type captured struct {
	Ref      string     `json:"ref"`
	Space    string     `json:"space"`
	Tags     []string   `json:"tags"`
	Links    []linked   `json:"links" jsonschema:"that the page was given"`
	Similar  []similar  `json:"similar" jsonschema:"pages about the same: if the new page says nothing else, do one of calls"`
	Existing []existing `json:"existing,omitempty" jsonschema:"page with this text or title: nothing was written"`

	Calls []ingest.Call `json:"calls,omitempty" jsonschema:"to do with the text instead: delete the page if one is named, then capture the same text with these arguments"`
}

type captureAnswer struct {
	written
	captured
	Each []captured `json:"each,omitempty"`
}

func (r captureAnswer) short() any {
	r.written = r.written.shortened()
	r.captured = r.captured.shortened()
	r.Each = slices.Clone(r.Each)
	for i, c := range r.Each {
		r.Each[i] = c.shortened()
	}
	return r
}

func (c captured) shortened() captured {
	c.Existing, c.Similar = slices.Clone(c.Existing), slices.Clone(c.Similar)
	for i, p := range c.Existing {
		c.Existing[i].Title = ShortTitle(p.Ref, p.Title)
	}
	for i, p := range c.Similar {
		c.Similar[i].Title = ShortTitle(p.Ref, p.Title)
	}
	return c
}

var captureText = define(Operation{
	Name: "capture", Title: "Capture knowledge", Group: capturings, Route: Route{"POST", "/capture"},
	Description: "Store a decision or a finding, as a new page or as an addition to an existing one. Finds tags, lists similar pages and links near ones, according to the space's policy. Never store credentials.",
	first:       true,
}, func(ctx context.Context, a *memory.Session, in captureInput) (captureAnswer, error) {
	r, err := ingest.Capture(ctx, a, in.CaptureRequest)
	w, err := wrote(ctx, a, r.Written, err, in.wait)
	out := captureAnswer{written: w, captured: capturedOf(r.Captured)}
	for _, c := range r.Each {
		out.Each = append(out.Each, capturedOf(c))
	}
	return out, err
}, AtLeast("expected_version", 0))

func capturedOf(c ingest.Captured) captured {
	out := captured{Ref: c.Ref, Space: c.Space, Tags: c.Tags, Links: []linked{}, Similar: similarOf(c), Calls: c.Calls}
	for _, l := range c.Links {
		out.Links = append(out.Links, linked{l.Type, l.Ref, short(l.Score)})
	}
	out.Existing = existingOf(c)
	return out
}

type contextInput struct {
	About  string `json:"about,omitempty" jsonschema:"text: pages near to it come first"`
	Recent bool   `json:"recent,omitempty" jsonschema:"the newest pages of all spaces that allow it"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default: what the space's policy says"`
	Space  string `json:"space,omitempty"`
}

var contextBrief = define(Operation{
	Name: "context", Title: "Load context", Group: capturings, Route: Route{"GET", "/brief"},
	Description: "Present knowledge of this directory's space: active pages with summaries, contradictions, stale pages with reasons.",
	ReadOnly:    true, Idempotent: true,
	nothing: api.Brief{},
}, func(ctx context.Context, a *memory.Session, in contextInput) (api.Brief, error) {
	return brief.ComposeContext(ctx, a.In(in.Space), brief.GistRequest{About: in.About, Recent: in.Recent, Limit: in.Limit, DryRun: true})
}, Between("limit", 1, 1000))

type injectInput struct {
	Flow  string `json:"flow,omitempty" jsonschema:"such as routine.evening_review; default: an ordinary session"`
	Space string `json:"space,omitempty"`
}

var injectPages = define(Operation{
	Name: "inject", Title: "What a session begins with", Group: vaults, Route: Route{"GET", "/inject"},
	Description: "The pages that the space's policy gives to a session or a flow, as they are on the disk now, each in its tag: such as the user, the rules and today.",
	ReadOnly:    true, Idempotent: true,
	nothing: api.Injected{},
}, func(ctx context.Context, a *memory.Session, in injectInput) (api.Injected, error) {
	return brief.Inject(ctx, a.In(in.Space), in.Flow)
})
