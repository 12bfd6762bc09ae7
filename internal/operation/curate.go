package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/app"
)

type curateInput struct {
	Kinds  []app.CurationKind `json:"kinds,omitempty" jsonschema:"only these: duplicate, contested, stale, orphan, broad, large, source, untouched"`
	Space  string             `json:"space,omitempty"`
	Limit  int                `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int                `json:"offset,omitempty"`
}

var curate = define(Operation{
	Name: "curate", Title: "List what is worth a look", Group: more, Route: Route{"GET", "/curate"},
	Description: "Pages that somebody should look at, with the reasons: duplicates, contested, stale, unlinked, too broad, too large or untouched for long; and sources that no page names. What nobody looked at for longest comes first. Propose what to do: a person decides.",
	ReadOnly:    true, Idempotent: true,
	nothing: app.Curation{List: app.List[app.CurationItem]{Items: []app.CurationItem{}}, Kinds: map[app.CurationKind]int{}},
}, func(ctx context.Context, a *app.App, in curateInput) (app.Curation, error) {
	a = a.In(in.Space)
	notes, err := a.Freshen(ctx, app.FreshenRequest{})
	if err != nil {
		return app.Curation{}, err
	}
	out, err := a.Upkeep().Curate(ctx, app.CurateRequest{Kinds: in.Kinds, Limit: cmp.Or(in.Limit, 20), Offset: in.Offset})
	out.Notes = append(notes, out.Notes...)
	return out, err
}, between("limit", 1, 1000), atLeast("offset", 0))
