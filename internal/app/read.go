package app

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/store"
)

// The codes of warnings that a text is not the one of its file: it is older, or
// the file is in the middle of a merge.
const (
	WarnBehind   = freshness.WarnBehind
	WarnPointer  = freshness.WarnPointer
	WarnUnmerged = freshness.WarnUnmerged
	WarnSidecar  = freshness.WarnSidecar
)

// GetRequest asks for a page's text, whole or in part.
type GetRequest struct {
	Ref      string
	Version  int    // 0: the newest
	AsOf     string // a time or date phrase: the version of that time
	Section  string // a heading as doc.Node.Section reads it: only that section
	From, To int    // 1-based lines: only these; 0 is open
}

// Get returns a page's text. A file that changed since the last sync is
// indexed first, so that the version is the one of the text.
func (a *App) Get(ctx context.Context, req GetRequest) (Text, error) {
	if req.AsOf != "" {
		out, node, found, err := a.history.ReadAsOf(ctx, req.version())
		if err != nil {
			return out, err
		}
		if found {
			return cutText(doc.ForNote(a.codecs, out.Syntax, out.Path), out, node, req)
		}
	}
	p, behind, err := a.fresh.Newest(ctx, req.Ref)
	if kb.CodeOf(err) == kb.NotFound && strings.Contains(req.Ref, "#") {
		named, _, missing := a.fresh.FindPart(ctx, req.Ref, a.refs.Resolve)
		switch {
		case missing != nil || named.Part == "":
		case req.Section != "":
			return Text{}, doc.NamedTwice(named.Part, req.Section)
		default:
			req.Ref, req.Section = named.Name, named.Part
			return a.Get(ctx, req)
		}
	}
	if kb.CodeOf(err) == kb.NotFound && (req.Version != 0 || req.AsOf != "") {
		return a.Versions().text(ctx, req)
	}
	if err != nil {
		return Text{}, a.history.ExplainMissing(ctx, err, req.Ref)
	}
	out := Text{Warnings: freshness.TitleOnly(req.Ref, p)}
	if behind != nil {
		out.Warnings = append(out.Warnings, *behind)
	}
	err = a.db.View(ctx, func(tx store.Tx) error {
		v, err := api.NewViewer(ctx, tx)
		if err != nil {
			return err
		}
		if out.Page, err = v.Page(ctx, p); err != nil {
			return err
		}
		if req.Version == 0 && req.AsOf == "" {
			out.Syntax, out.Side = p.Syntax, p.Side
			out.TruthUpdatedAt, out.TimelineUpdatedAt = api.When(p.TruthUpdated), api.When(p.TimelineUpdated)
			if out.Bytes, err = tx.History().Bytes(ctx, p.Hash); err != nil {
				return err
			}
			if behind == nil && doc.ConflictLine(out.Bytes) > 0 {
				out.Warnings = append(out.Warnings, api.Warning{
					Path: p.Path, Code: WarnUnmerged,
					Text: "the file has merge conflict markers, and no text from before the merge is known",
				})
			}
			shown := []Page{out.Page}
			err = a.check.Mark(ctx, tx, []kb.Page{p}, shown)
			out.Page = shown[0]
			return err
		}
		d, err := history.DocumentOf(ctx, tx, p)
		if err != nil {
			return err
		}
		return a.history.Read(ctx, tx, d, req.version(), &out)
	})
	if err != nil {
		return Text{}, err
	}
	return cutText(doc.ForNote(a.codecs, out.Syntax, out.Path), out, p.Node, req)
}

// Show says where a page stands, with its links if they are wanted.
func (a *App) Show(ctx context.Context, name string, links bool) (ShownPage, error) {
	p, err := a.fresh.Page(ctx, name)
	if err != nil {
		return ShownPage{}, err
	}
	return a.gist.Show(ctx, p, links, freshness.TitleOnly(name, p))
}

// text is Get for an older version of a page that is not there any more.
func (v Versions) text(ctx context.Context, req GetRequest) (Text, error) {
	d, err := v.page(ctx, req.Ref)
	if err != nil {
		return Text{}, err
	}
	out, err := v.app.history.ReadDeleted(ctx, d, req.version())
	if err != nil {
		return Text{}, err
	}
	return cutText(doc.ForNote(v.app.codecs, out.Syntax, out.Path), out, "", req)
}

func (r GetRequest) version() history.ReadRequest {
	return history.ReadRequest{Ref: r.Ref, Version: r.Version, AsOf: r.AsOf}
}

// cutText fills in the part of the text that was asked for.
func cutText(codec doc.Codec, out Text, node string, req GetRequest) (Text, error) {
	if block, ok := ref.Block(req.Ref); ok && req.Section == "" && !strings.EqualFold(node, block) {
		req.Section = "^" + block
	}
	d := codec.Parse(out.Path, out.Bytes)
	for _, w := range d.Warnings {
		out.Warnings = append(out.Warnings, Warning{Code: w.Code, Text: w.Text, Line: w.Line})
	}
	span := doc.Span{Start: 0, End: len(d.Text)}
	n := &d.Nodes[0]
	if node != "" {
		i := slices.IndexFunc(d.Nodes, func(n doc.Node) bool { return strings.EqualFold(n.ID, node) })
		_, err := d.Part(n, node)
		switch {
		case i >= 0:
			n = &d.Nodes[i]
			span = n.Span
		case err != nil:
			return out, kb.Errorf(kb.NotFound, "%s is not in that version of %s", node, out.Path)
		case req.Section != "":
			return out, doc.NamedTwice(node, req.Section)
		default:
			req.Section = node
		}
	}
	whole := span.Len() == len(d.Text)
	if req.Section != "" {
		var err error
		if span, err = d.Part(n, req.Section); err != nil {
			return out, err
		}
		out.Part, whole = req.Section, false
	}
	lines := doc.NewLines(d.Text)
	from := lines.At(span.Start)
	if req.From > 0 || req.To > 0 {
		had := span
		if span = doc.CutLines(d.Text, span, req.From-from+1, req.To-from+1, req.To > 0); span.Len() == 0 {
			return out, kb.Errorf(kb.NotFound, "%s has no lines %d to %d", out.Ref, req.From, req.To).
				WithHint("Give the first and the last of those it has: %d to %d.", from, lines.At(max(had.Start, had.End-1)))
		}
		whole = false
		from = lines.At(span.Start)
	}
	out.Lines = [2]int{from, max(from, lines.At(max(span.Start, span.End-1)))}
	out.Ended = out.EndedIn(out.Lines)
	out.Text = string(d.Text[span.Start:span.End])
	for _, h := range n.Headings {
		if h.Line.Start >= span.Start && h.Line.Start < span.End {
			out.Headings = append(out.Headings, api.Heading{Text: h.Text, Level: h.Level, Line: lines.At(h.Line.Start)})
		}
	}
	if !whole {
		out.Bytes = nil
	}
	return out, nil
}

// Pages lists pages.
func (a *App) Pages(ctx context.Context, req ListRequest) (List[Page], error) {
	return a.retrieve.Pages(ctx, req)
}

// Tasks lists tasks.
func (a *App) Tasks(ctx context.Context, req TasksRequest) (List[Task], error) {
	return a.retrieve.Tasks(ctx, req)
}

// DirRequest asks for a directory of the current space.
type DirRequest struct {
	Path          string // "" is its root
	Depth         int    // how many levels; 0 is 1
	Limit, Offset int    // a limit of 0 is none
}

// Dir lists the directories and pages directly below a directory of the current
// space.
func (a *App) Dir(ctx context.Context, req DirRequest) (List[Dir], error) {
	dir := strings.Trim(path.Clean("/"+req.Path), "/")
	prefix := dir
	if prefix != "" {
		prefix += "/"
	}
	out := List[Dir]{Items: []Dir{}}
	var s kb.Space
	mark, err := a.db.Changed(ctx)
	if err != nil {
		return out, err
	}
	err = a.db.View(ctx, func(tx store.Tx) (err error) {
		if s, err = a.spaces.CurrentTx(ctx, tx); err != nil {
			return err
		}
		// Answers show a part of a directory at a time.
		below := func(prefix string) (store.Directory, error) {
			return store.Keep(&a.kept, mark, fmt.Sprintf("dir %d %s", s.Row, prefix), func() (store.Directory, error) {
				return tx.Directories().Below(ctx, s.Row, prefix)
			})
		}
		all, err := levels(below, nil, prefix, max(req.Depth, 1))
		if err != nil {
			return err
		}
		out.Total = len(all)
		from := min(req.Offset, out.Total)
		to := min(from+min(api.Limit(req.Limit), out.Total), out.Total)
		out.Next = api.Next(from, to-from, out.Total)
		out.Items, err = shownDirs(ctx, tx, all[from:to])
		return err
	})
	if err == nil && out.Total == 0 && dir != "" {
		return out, kb.Errorf(kb.NotFound, "there is no directory %q in %s", dir, s.Name).WithReason(kb.NoSuchDirectory)
	}
	return out, err
}

// inDir is a directory or a page in another.
type inDir struct {
	store.Subdirectory
	prefix string // of what is directly there
	page   int64  // 0 for a directory
}

// levels appends what is below a directory, so many levels deep: the directories, each
// with what is in it, and then the pages.
func levels(below func(prefix string) (store.Directory, error), out []inDir, prefix string, depth int) ([]inDir, error) {
	all, err := below(prefix)
	for _, d := range all.Directories {
		out = append(out, inDir{d, prefix, 0})
		if depth > 1 && err == nil {
			out, err = levels(below, out, prefix+d.Name+"/", depth-1)
		}
	}
	for _, row := range all.Pages {
		out = append(out, inDir{store.Subdirectory{}, prefix, row})
	}
	return out, err
}

// shownDirs shows a part of what is below a directory.
func shownDirs(ctx context.Context, tx store.Tx, part []inDir) ([]Dir, error) {
	var rows []int64
	for _, x := range part {
		if x.page != 0 {
			rows = append(rows, x.page)
		}
	}
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return nil, err
	}
	pages, err := tx.Pages().Get(ctx, rows)
	if err != nil {
		return nil, err
	}
	shown, err := v.Pages(ctx, pages)
	if err != nil {
		return nil, err
	}
	at := map[int64]int{}
	for i, p := range pages {
		at[p.Row] = i
	}
	items := []Dir{}
	for _, x := range part {
		if x.page == 0 {
			items = append(items, Dir{Name: x.Name + "/", Path: x.prefix + x.Name, Pages: x.Pages})
			continue
		}
		if i, there := at[x.page]; there {
			depth := strings.Count(x.prefix, "/")
			items = append(items, Dir{Name: strings.SplitN(shown[i].Path, "/", depth+1)[depth], Path: shown[i].Path, Page: &shown[i]})
		}
	}
	return items, nil
}
