package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/app"
)

type rememberInput struct {
	Text  string   `json:"text" jsonschema:"one thing, in a few sentences"`
	Title string   `json:"title,omitempty" jsonschema:"default: the first sentence"`
	Type  string   `json:"type,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Links []string `json:"links,omitempty" jsonschema:"refs of related pages"`
	Space string   `json:"space,omitempty"`
	New   bool     `json:"new,omitempty" jsonschema:"even if a page has this title"`
	writeOptions
}

type similar struct {
	brief
	Score   float64 `json:"score" jsonschema:"how similar: 1 is the same"`
	Snippet string  `json:"snippet"`
}

type rememberAnswer struct {
	written
	Existing []brief   `json:"existing,omitempty" jsonschema:"pages of this title: nothing was written, edit one of them"`
	Similar  []similar `json:"similar" jsonschema:"pages about the same: if the new page says nothing else, edit one of them and have edit delete the new one"`
}

var remember = define(Operation{
	Name: "remember", Title: "Remember something", Group: core, Route: Route{"POST", "/remember"},
	Description: "Store something worth knowing next time as a page: a decision, fact, preference, lesson. Returns similar pages to merge with. Never store credentials.",
	first:       true,
}, func(ctx context.Context, a *app.App, in rememberInput) (rememberAnswer, error) {
	r, err := a.In(in.Space).Remember(ctx, app.RememberRequest{
		WriteOptions: in.options(), Text: in.Text, Title: in.Title, Type: in.Type, Tags: in.Tags, Links: in.Links, New: in.New,
	})
	w, err := wrote(ctx, a, r.Written, err, in.writeOptions)
	out := rememberAnswer{written: w, Similar: []similar{}}
	for _, p := range r.Existing {
		out.Existing = append(out.Existing, briefly(p))
	}
	for _, h := range r.Similar {
		out.Similar = append(out.Similar, similar{briefly(h.Page), short(h.Score), h.Snippet})
	}
	return out, err
}, atLeast("expected_version", 0))
