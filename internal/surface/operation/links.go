package operation

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

type linkInput struct {
	Do linking `json:"do,omitempty" jsonschema:"default add"`
	api.LinkRequest
	wait
}

// relationWritten is the answer of what writes a relation.
type relationWritten struct {
	ID int64 `json:"id,omitempty" jsonschema:"of a relation that was added, for link_close"`
	written
}

// linking is what to do with a relation.
type linking string

const (
	addLink    linking = "add"
	closeLink  linking = "close"
	removeLink linking = "remove"
)

var linkPages = define(Operation{
	Name: "link", Title: "Link two pages", Group: more, Route: Route{"POST", "/links"},
	Description: "Add a typed relation between two pages, close it (it held until a date), or remove it.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in linkInput) (relationWritten, error) {
	req := in.LinkRequest
	req.Type = cmp.Or(in.Type, "relates_to")
	do := links.Add
	switch in.Do {
	case closeLink:
		do = links.Close
	case removeLink:
		do = links.Remove
		if in.Type == "*" {
			req.Type = ""
		}
	}
	w, err := do(ctx, a, req)
	out, err := wrote(ctx, a, w, err, in.wait)
	return relationWritten{w.Relation, out}, err
}, OneOf("do", addLink, closeLink, removeLink), AtLeast("expected_version", 0))

type linkCloseInput struct {
	ID    int64  `json:"id" jsonschema:"of the relation, from links"`
	Until string `json:"until,omitempty" jsonschema:"date to which it held (default today)"`
	writeOptions
}

var linkClose = define(Operation{
	Name: "link_close", Title: "End a relation", Group: more, Route: Route{"POST", "/links/close"},
	Description: "End the relation with an id: it held until a date.",
}, func(ctx context.Context, a *memory.Session, in linkCloseInput) (written, error) {
	w, err := links.Close(ctx, a, api.LinkRequest{WriteOptions: in.WriteOptions, ID: in.ID, Until: in.Until})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("id", 1), AtLeast("expected_version", 0))

type linksAnswer struct {
	api.LinkList
	Notes []string `json:"notes,omitempty"`
}

var listLinks = define(Operation{
	Name: "links", Title: "Links of a page", Group: more, Route: Route{"GET", "/links"},
	Description: "Links and relations from or to a page, with when they hold and the ids by which link_close ends them. Without ref: those of the space that lead to no page, or may mean several.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in api.LinksRequest) (out linksAnswer, err error) {
	if in.Limit == 0 {
		in.Limit = 20
	}
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: in.Ref != ""}); err != nil {
		return out, err
	}
	if in.Ref == "" {
		for _, asked := range []struct{ name, value string }{{"way", string(in.Way)}, {"temporal", string(in.Temporal)}, {"at", in.At}, {"as_of", in.AsOf}} {
			if asked.value != "" {
				return out, misuse{asked.name, fmt.Errorf("%s needs ref, the page", asked.name)}
			}
		}
		out.List, err = links.Unresolved(ctx, a, in.Limit, in.Offset)
		return out, err
	}
	out.LinkList, err = links.List(ctx, a, in)
	out.Notes = append(out.Notes, a.Notes()...)
	return out, err
}, OneOf("way", api.Out, api.In), OneOf("temporal", api.Current, api.Historical, api.AllTimes), Length("lines", 1, 2), Between("limit", 1, 1000), AtLeast("offset", 0))

type unlinkedInput struct {
	Ref    string `json:"ref,omitempty" jsonschema:"page to search the text of (default: all of the space)"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int    `json:"offset,omitempty"`
}

type unlinkedAnswer struct {
	api.List[api.UnlinkedName]
	Notes []string `json:"notes,omitempty"`
}

var listUnlinked = define(Operation{
	Name: "unlinked", Title: "Unlinked names", Group: more, Route: Route{"GET", "/links/unlinked"},
	Description: "Names of pages that occur in texts as plain words, without a link to them: candidates for links.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in unlinkedInput) (out unlinkedAnswer, err error) {
	if in.Limit == 0 {
		in.Limit = 20
	}
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{}); err != nil {
		return out, err
	}
	out.List, err = links.UnlinkedIn(ctx, a, in.Ref, links.UnlinkedRequest{Limit: in.Limit, Offset: in.Offset})
	out.Notes = append(out.Notes, a.Notes()...)
	return out, err
}, Between("limit", 1, 1000), AtLeast("offset", 0))

type mentionsInput struct {
	Ref    string `json:"ref"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int    `json:"offset,omitempty"`
}

var listMentions = define(Operation{
	Name: "mentions", Title: "Mentions of a page", Group: more, Route: Route{"GET", "/mentions/{ref...}"},
	Description: "Pages that name a page in their text and do not link to it, with the line: candidates for links.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in mentionsInput) (listAnswer[api.Mention], error) {
	if in.Limit == 0 {
		in.Limit = 20
	}
	notes, err := read.Freshen(ctx, a, read.FreshenRequest{})
	if err != nil {
		return listAnswer[api.Mention]{}, err
	}
	list, err := links.Mentions(ctx, a, in.Ref, in.Limit, in.Offset)
	return listed(a, list, notes), err
}, Between("limit", 1, 1000), AtLeast("offset", 0))

type graphAnswer struct {
	api.Graph
	Notes []string `json:"notes,omitempty"`
}

// Drawing is the graph of the answer.
func (a graphAnswer) Drawing() api.Graph { return a.Graph }

// Said are the notes of the answer.
func (a graphAnswer) Said() []string { return a.Notes }

var graphAround = define(Operation{
	Name: "graph", Title: "Pages around a page", Group: more, Route: Route{"GET", "/graph/{ref...}"},
	Description: "Pages that links lead to from a page and from there on, nearest first, with the links between them, and the number of omitted pages.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in api.GraphRequest) (out graphAnswer, err error) {
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: true}); err != nil {
		return out, err
	}
	out.Graph, err = links.AroundRef(ctx, a, in)
	out.Notes = append(out.Notes, a.Notes()...)
	return out, err
}, OneOf("direction", api.Out, api.In, api.Both), OneOf("temporal", api.Current, api.Historical, api.AllTimes),
	Between("depth", 1, links.MaxDepth), Between("limit", 1, links.MaxNodes))

type mapInput struct {
	Projects []string `json:"projects,omitempty" jsonschema:"that the pages name, all of them"`
	Tags     []string `json:"tags,omitempty"`
	Status   []string `json:"status,omitempty"`
	Type     []string `json:"type,omitempty" jsonschema:"of pages"`
	After    string   `json:"after,omitempty" jsonschema:"pages of this day or later"`
	Before   string   `json:"before,omitempty" jsonschema:"pages of an earlier day"`
	Space    string   `json:"space,omitempty"`
	AsOf     string   `json:"as_of,omitempty" jsonschema:"date or time: the pages and links of that state"`
	Limit    int      `json:"limit,omitempty" jsonschema:"pages (default 1000)"`
}

var drawMap = define(Operation{
	Name: "map", Title: "Pages and the links between them", Group: more, Route: Route{"GET", "/map"},
	Description: "The pages of a space, or those of a project, tag or status, and the links between them that hold today, and the number of omitted pages.",
	ReadOnly:    true, Idempotent: true,
	nothing: graphAnswer{Graph: api.Graph{Nodes: []api.GraphNode{}, Links: []api.GraphLink{}}},
}, func(ctx context.Context, a *memory.Session, in mapInput) (out graphAnswer, err error) {
	a = a.In(in.Space)
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{}); err != nil {
		return out, err
	}
	out.Graph, err = links.MapPages(ctx, a, links.MapPagesRequest{
		Projects: in.Projects, Limit: in.Limit, AsOf: in.AsOf, Within: retrieve.Within{Tags: in.Tags, Statuses: in.Status, Types: in.Type, After: in.After, Before: in.Before},
	})
	out.Notes = append(out.Notes, a.Notes()...)
	return out, err
}, Between("limit", 1, links.MaxMap))
