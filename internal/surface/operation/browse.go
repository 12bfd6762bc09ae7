package operation

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// view is a way to look around.
type view string

const (
	viewPages      view = "pages"
	viewTags       view = "tags"
	viewTree       view = "tree"
	viewRecent     view = "recent"
	viewTasks      view = "tasks"
	viewLinks      view = "links"
	viewBacklinks  view = "backlinks"
	viewNeighbours view = "neighbours"
)

// ofLinks reports whether the view shows links, which may lead into other spaces
// and come from there.
func (v view) ofLinks() bool { return v == viewLinks || v == viewBacklinks || v == viewNeighbours }

// sinceSession asks for the changes since the caller's last session.
const sinceSession = "session"

// typeFile is the type of a place that is a file and not a page.
const typeFile = "file"

// sorts limits by what pages are sorted.
var sorts = OneOf("sort", "slug", "title", "updated", "created")

type browseInput struct {
	What   view     `json:"what,omitempty" jsonschema:"default pages"`
	Ref    string   `json:"ref,omitempty" jsonschema:"for links, backlinks, neighbours"`
	Path   string   `json:"path,omitempty" jsonschema:"directory, for tree, pages, tasks"`
	Type   []string `json:"type,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Where  []string `json:"where,omitempty" jsonschema:"as in recall"`
	Since  string   `json:"since,omitempty" jsonschema:"date, or for recent (default 7 days) session: your last"`
	Open   bool     `json:"open,omitempty" jsonschema:"tasks"`
	Due    string   `json:"due,omitempty" jsonschema:"tasks: by this day"`
	Sort   string   `json:"sort,omitempty" jsonschema:"of pages"`
	Space  string   `json:"space,omitempty" jsonschema:"* for all"`
	Limit  int      `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int      `json:"offset,omitempty"`

	depth int // of a tree, for tools that show more of it
}

// place is one line of what browse answers.
type place struct {
	Ref    string `json:"ref,omitempty" jsonschema:"of the page; absent for a directory and a link that leads nowhere"`
	Title  string `json:"title,omitempty"`
	Type   string `json:"type,omitempty"`
	Path   string `json:"path,omitempty"`
	Tag    string `json:"tag,omitempty"`
	Pages  *int   `json:"pages,omitempty" jsonschema:"below a directory, or with a tag"`
	Date   string `json:"date,omitempty"`
	Link   string `json:"link,omitempty" jsonschema:"relation"`
	Way    string `json:"way,omitempty" jsonschema:"in or out"`
	Target string `json:"target,omitempty" jsonschema:"as written, where that says more: Name#Heading^block|alias, ! before an embed"`
	Line   int    `json:"line,omitempty"`
	Change string `json:"change,omitempty"`
	Actor  string `json:"actor,omitempty"`
	Write  int64  `json:"write,omitempty"`
	Task   string `json:"task,omitempty"`
	State  string `json:"state,omitempty"`
	Due    string `json:"due,omitempty"`

	page api.Page // that it is, for tools that say more of it
}

type browseAnswer struct {
	Space string   `json:"space,omitempty"`
	Items []place  `json:"items"`
	Total int      `json:"total"`
	Next  string   `json:"next,omitempty" jsonschema:"offset of the next ones"`
	Notes []string `json:"notes,omitempty"`
}

var browse = define(Operation{
	Name: "browse", Title: "Look around", Group: core, Route: Route{"GET", "/browse"},
	Description: "Look around without a query: pages, tags, directories, recent changes with actor, tasks, or links from and to a page.",
	ReadOnly:    true, Idempotent: true,
	nothing: browseAnswer{Items: []place{}, Notes: []string{nothingYet}},
}, func(ctx context.Context, a *memory.Session, in browseInput) (out browseAnswer, err error) {
	if in.Limit == 0 {
		in.Limit = 20
	}
	if err := checkWhere(in.Where); err != nil {
		return out, err
	}
	everywhere := in.Space == "*"
	out.Items = []place{}
	if !everywhere {
		if out.Space, err = a.In(in.Space).Spaces.CurrentName(ctx); err != nil {
			return out, err
		}
		a = a.In(out.Space)
	}
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: everywhere || in.What.ofLinks()}); err != nil {
		return out, err
	}
	out, err = in.look(ctx, a, everywhere, out)
	out.Notes = append(out.Notes, a.Notes()...)
	return out, err
}, sorts, OneOf("what", viewPages, viewTags, viewTree, viewRecent, viewTasks, viewLinks, viewBacklinks, viewNeighbours),
	Between("limit", 1, 1000), AtLeast("offset", 0))

func (in browseInput) look(ctx context.Context, a *memory.Session, everywhere bool, out browseAnswer) (browseAnswer, error) {
	switch in.What {
	case viewTree:
		dir, err := read.Dir(ctx, a, read.DirRequest{Path: in.Path, Depth: in.depth, Limit: in.Limit, Offset: in.Offset, Files: true})
		for _, d := range dir.Items {
			p := place{Path: d.Path, Pages: d.Pages}
			if d.File {
				p.Type = typeFile
			}
			if d.Page != nil {
				p = placeOf(*d.Page)
			}
			out.Items = append(out.Items, p)
		}
		out.Total, out.Next = dir.Total, dir.Next
		return out, err
	case viewRecent:
		req := history.RecentRequest{Since: in.Since, Limit: in.Limit, Offset: in.Offset, All: everywhere}
		if in.Since == sinceSession || strings.EqualFold(in.Since, "last session") {
			seq, err := brief.LastSession(ctx, a)
			if err != nil {
				return out, err
			}
			req.Since, req.After = "", seq
		}
		found, err := history.Recent(ctx, a, req)
		for _, v := range found.Items {
			out.Items = append(out.Items, place{
				Ref: v.Ref, Title: v.Title, Date: v.At.UTC().Format(timeLayout),
				Change: string(v.Change), Actor: v.Actor, Write: v.Write,
			})
		}
		out.Total, out.Next = found.Total, found.Next
		return out, err
	case viewTasks:
		found, err := retrieve.Tasks(ctx, a, retrieve.TasksRequest{
			Within: retrieve.Within{Types: in.Type, Tags: in.Tags, Paths: in.paths(), Where: in.Where, After: in.Since, All: everywhere},
			Open:   in.Open, Due: in.Due, Limit: in.Limit, Offset: in.Offset,
		})
		for _, t := range found.Items {
			out.Items = append(out.Items, place{Ref: t.Page, Line: t.Line, Task: t.Text, State: t.State, Due: t.Due})
		}
		out.Total, out.Next = found.Total, found.Next
		return out, err
	case viewTags:
		found, err := read.Tags(ctx, a, read.TagsRequest{Within: retrieve.Within{All: everywhere}})
		for _, t := range found.Items {
			out.Items = append(out.Items, place{Tag: t.Value, Pages: &t.Count})
		}
		return out.page(in), err
	case viewLinks, viewBacklinks, viewNeighbours:
		return in.around(ctx, a, out)
	}
	found, err := retrieve.Pages(ctx, a, retrieve.ListRequest{
		Within: retrieve.Within{Types: in.Type, Tags: in.Tags, Paths: in.paths(), Where: in.Where, After: in.Since, All: everywhere},
		Sort:   in.Sort, Limit: in.Limit, Offset: in.Offset,
	})
	for _, p := range found.Items {
		out.Items = append(out.Items, placeOf(p))
	}
	out.Total, out.Next = found.Total, found.Next
	return out, err
}

// paths are the places in which pages are listed; none is everywhere.
func (in browseInput) paths() []string {
	if in.Path == "" {
		return nil
	}
	return []string{in.Path}
}

// around lists a page's links, both ways for neighbours.
func (in browseInput) around(ctx context.Context, a *memory.Session, out browseAnswer) (browseAnswer, error) {
	if in.Ref == "" {
		return out, misuse{"ref", fmt.Errorf("%s needs ref, the page", in.What)}
	}
	for _, way := range []struct {
		name api.Direction
		skip view
	}{{api.Out, viewBacklinks}, {api.In, viewLinks}} {
		if in.What == way.skip {
			continue
		}
		found, err := links.List(ctx, a, api.LinksRequest{Ref: in.Ref, Way: way.name, Temporal: api.AllTimes})
		if err != nil {
			return out, err
		}
		for _, l := range found.Items {
			p := place{Target: l.Written()}
			if l.Page != nil {
				p = placeOf(*l.Page)
				if written := l.Written(); written != l.Target {
					p.Target = written
				}
			}
			p.Link, p.Line, p.Way = l.Type, l.Line, string(way.name)
			out.Items = append(out.Items, p)
		}
	}
	return out.page(in), nil
}

// page cuts a complete answer to the requested page.
func (b browseAnswer) page(in browseInput) browseAnswer {
	b.Total = len(b.Items)
	from := min(in.Offset, b.Total)
	to := min(from+in.Limit, b.Total)
	b.Items = slices.Clone(b.Items[from:to])
	if to < b.Total {
		b.Next = strconv.Itoa(to)
	}
	return b
}

func placeOf(p api.Page) place {
	return place{Ref: p.Ref, Title: p.Title, Type: p.Type, Path: p.Path, Date: p.Date, page: p}
}
