package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/memory"
)

type newInput struct {
	Template string            `json:"template" jsonschema:"person, company, decision, commitment, action, original, concept, deal, meeting, or one of the space's own"`
	Title    string            `json:"title"`
	Set      map[string]string `json:"set,omitempty" jsonschema:"keys of the metadata, such as due or owner"`
	Space    string            `json:"space,omitempty"`
	writeOptions
}

var newPage = define(Operation{
	Name: "new_page", Title: "Make a page of a template", Group: more, Route: Route{"POST", "/new"},
	Description: "Make a page of a template, in the directory for its type. Edit it then.",
	first:       true,
}, func(ctx context.Context, a *memory.Session, in newInput) (written, error) {
	a = a.In(in.Space)
	w, err := day.New(ctx, a, day.NewRequest{WriteOptions: in.WriteOptions, Template: in.Template, Title: in.Title, Set: in.Set})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0))
