package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/curate"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type curateInput struct {
	Kinds  []api.CurationKind `json:"kinds,omitempty" jsonschema:"only these: duplicate, contested, stale, orphan, broad, large, source, untouched"`
	Space  string             `json:"space,omitempty"`
	Limit  int                `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int                `json:"offset,omitempty"`
}

var curateOperation = define(Operation{
	Name: "curate", Title: "List pages worth a look", Group: more, Route: Route{"GET", "/curate"},
	Description: "Pages that somebody should look at, longest unreviewed first, with the reasons: duplicates, contested, stale, unlinked, too broad, too large or untouched for long; and sources that no page names. Propose what to do: a person decides.",
	ReadOnly:    true, Idempotent: true,
	nothing: api.Curation{List: api.List[api.CurationItem]{Items: []api.CurationItem{}}, Kinds: map[api.CurationKind]int{}},
}, func(ctx context.Context, a *memory.Session, in curateInput) (api.Curation, error) {
	a = a.In(in.Space)
	notes, err := read.Freshen(ctx, a, read.FreshenRequest{})
	if err != nil {
		return api.Curation{}, err
	}
	out, err := curate.List(ctx, a, curate.Request{Kinds: in.Kinds, Limit: cmp.Or(in.Limit, 20), Offset: in.Offset})
	out.Notes = append(notes, out.Notes...)
	return out, err
}, Between("limit", 1, 1000), AtLeast("offset", 0))

type curateDecideInput struct {
	api.CurationDecision
	wait
}

var curateDecide = define(Operation{
	Name: "curate_decide", Title: "Merge, split, replace and stamp pages", Group: more, Route: Route{"POST", "/curate"},
	Description: "Does what a person decided of pages, in one write; links follow, and old ids still resolve. Agents are refused: propose it to the user.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in curateDecideInput) (partly, error) {
	w, err := curate.Decide(ctx, a, in.CurationDecision)
	return wrotePartly(ctx, a, w, err, in.wait)
}, OneOf("do", curate.Verbs()...))
