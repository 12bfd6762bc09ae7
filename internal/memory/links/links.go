package links

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/anchor"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

// Times selects links by time.
type Times struct {
	Temporal api.Temporal // "" is the default of the request
	At       string       // ISO date; "" is today
}

// settle fills in defaults for missing values.
func (t Times) settle(def api.Temporal, now time.Time) (Times, error) {
	if t.Temporal == "" && t.At != "" {
		t.Temporal = api.Current
	}
	if t.Temporal == "" {
		t.Temporal = def
	}
	switch t.Temporal {
	case api.AllTimes:
		if t.At != "" {
			return t, kb.Errorf(kb.Usage, "at cannot be combined with temporal all")
		}
		return t, nil
	case api.Current, api.Historical:
		if t.At == "" {
			t.At = now.Format(time.DateOnly)
		}
		return t, nil
	}
	return t, kb.Errorf(kb.Usage, "invalid temporal filter %q (want current, historical or all)", t.Temporal)
}

// show reports whether a link is selected.
func (t Times) show(l kb.Link) bool {
	switch t.Temporal {
	case api.Current:
		return l.Interval().Holds(t.At)
	case api.Historical:
		return l.Interval().Ended(t.At)
	}
	return true
}

// ended reports whether a link is over on the selected day, by default today.
func (t Times) ended(l kb.Link, now time.Time) bool {
	return l.Interval().Ended(cmp.Or(t.At, now.Format(time.DateOnly)))
}

// Request asks for the links at a page.
type Request struct {
	Times
	Lines         []int // of the page: the first and the last; nil for all
	Quotes        bool  // with the text around each link
	Limit, Offset int   // 0: all of them
}

// in reports whether a link is in the selected lines.
func (r Request) in(l kb.Link) bool {
	return len(r.Lines) == 0 || l.Line >= r.Lines[0] && l.Line <= r.Lines[len(r.Lines)-1]
}

// From lists the links from a page, of all times by default.
func From(ctx context.Context, sess *memory.Session, page kb.Page, req Request) (api.LinkList, error) {
	return list(ctx, sess, page, req, "from", store.Links.From, api.AllTimes)
}

// To lists the links to a page, by default those that hold now.
func To(ctx context.Context, sess *memory.Session, page kb.Page, req Request) (api.LinkList, error) {
	return list(ctx, sess, page, req, "to", store.Links.To, api.Current)
}

// linksAt holds the links at a page with their numbers, and the pages that contain
// them.
type linksAt struct {
	numbered []numberedLink
	holders  map[int64]kb.Page
}

func list(ctx context.Context, sess *memory.Session, page kb.Page, req Request, way string, ends func(store.Links, context.Context, int64) ([]store.LinkEnd, error), def api.Temporal) (out api.LinkList, err error) {
	if req.Times, err = req.settle(def, sess.Now()); err != nil {
		return out, err
	}
	err = store.ViewAt(ctx, sess.DB, func(tx store.Tx, mark int64) error {
		load := func() (all linksAt, err error) {
			found, err := ends(tx.Links(), ctx, page.Row)
			if err == nil {
				all.holders, err = holdersOf(ctx, tx, found)
			}
			all.numbered = numbered(found, page, all.holders)
			return all, err
		}
		key := fmt.Sprintf("links %s %d", way, page.Row)
		var all linksAt
		if req.Offset > 0 || len(req.Lines) > 0 {
			all, err = store.Keep(sess.Kept, mark, key, load)
		} else if all, err = load(); err == nil && len(all.numbered) > api.Limit(req.Limit) {
			loaded := all // a caller that wants more calls again, perhaps often
			_, err = store.Keep(sess.Kept, mark, key, func() (linksAt, error) { return loaded, nil })
		}
		if err != nil {
			return err
		}
		holders := all.holders
		may, err := space.MayShow(ctx, tx, sess.Spaces)
		if err != nil {
			return err
		}
		var shown []numberedLink
		var from int64
		seen := false
		for i := range all.numbered { // perhaps tens of thousands, of which a part is requested
			n := &all.numbered[i]
			if !req.in(n.Link) {
				continue
			}
			if n.From != from {
				from, seen = n.From, may(holders[n.From])
			}
			if !seen {
				continue
			}
			if !req.show(n.Link) {
				out.Hidden++
				continue
			}
			if out.Total++; out.Total <= req.Offset || len(shown) == api.Limit(req.Limit) {
				continue
			}
			shown = append(shown, *n)
			if last := &shown[len(shown)-1]; !may(last.Page) {
				last.Page = kb.Page{}
			}
		}
		out.At, out.Next = req.At, api.Next(req.Offset, len(shown), out.Total)
		out.Items, err = describe(ctx, tx, shown, holders)
		for i := range out.Items {
			out.Items[i].Ended = req.ended(shown[i].Link, sess.Now())
		}
		if err == nil && req.Quotes {
			err = quote(ctx, tx, out.Items, shown, holders)
		}
		return err
	})
	return out, err
}

// quoteSize is the number of runes of a line quoted before and after a link.
const quoteSize = 120

// quote fills in the text around links.
func quote(ctx context.Context, tx store.Tx, items []api.Link, links []numberedLink, holders map[int64]kb.Page) error {
	var lines []string
	var of int64
	for i, l := range links {
		if of != l.From {
			source, err := tx.History().Bytes(ctx, holders[l.From].Hash)
			if err != nil {
				return err
			}
			text, _ := doc.Decode(source)
			of, lines = l.From, strings.Split(string(secrets.Hide(text)), "\n") // masked as a whole: a part of a credential is not recognised
		}
		if l.Line >= 1 && l.Line <= len(lines) {
			line, part := strings.TrimSpace(lines[l.Line-1]), l.Name
			if !strings.Contains(line, part) {
				part = l.Text // the URL is written in another way
			}
			items[i].Quote = around(line, part)
		}
	}
	return nil
}

// around returns the words of a line around a part of it. It does not read the rest
// of the line, which may have thousands of links.
func around(line, part string) string {
	from := max(0, strings.Index(line, part))
	to := from
	for range quoteSize + utf8.RuneCountInString(part) {
		_, size := utf8.DecodeRuneInString(line[to:])
		to += size
	}
	for range quoteSize {
		_, size := utf8.DecodeLastRuneInString(line[:from])
		from -= size
	}
	out := line[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(line) {
		out += "…"
	}
	return out
}

// NoAnchor is the state of a link to a missing heading or block of an existing
// page.
const NoAnchor = "no_anchor"

// Unresolved lists the broken and ambiguous links of the current space, then those
// to missing headings and blocks.
func Unresolved(ctx context.Context, sess *memory.Session, limit, offset int) (out api.List[api.Link], err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		spaces, err := sess.Spaces.ScopeTx(ctx, tx, false)
		if err != nil {
			return err
		}
		found, total, err := tx.Links().Unresolved(ctx, spaces, api.Limit(limit), offset)
		if err != nil {
			return err
		}
		missing, err := anchor.Missing(ctx, sess, tx, spaces)
		if err != nil {
			return err
		}
		broken := len(found)
		rest := missing[min(max(0, offset-total), len(missing)):]
		found = append(found, rest[:min(len(rest), api.Limit(limit)-broken)]...)
		holders, err := holdersOf(ctx, tx, found)
		if err != nil {
			return err
		}
		links := make([]numberedLink, len(found))
		for i, f := range found {
			links[i].LinkEnd = f
		}
		out.Items, err = describe(ctx, tx, links, holders)
		for i := broken; i < len(out.Items); i++ {
			out.Items[i].State = NoAnchor
		}
		out.Total = total + len(missing)
		out.Next = api.Next(offset, len(found), out.Total)
		return err
	})
	return out, err
}

// numberedLink is a link with the inputs of its number. Numbers are computed only
// for the links shown.
type numberedLink struct {
	store.LinkEnd
	edge link.Edge
	nth  int // index among equal links
}

// number returns the id of the link, 0 for a link that was not counted.
func (n numberedLink) number() int64 {
	if n.edge.Page == "" {
		return 0
	}
	return n.edge.Number(n.nth)
}

// numbered numbers the links at a page: those that it contains, or all those that
// point to it, so that equal links are all counted.
func numbered(found []store.LinkEnd, page kb.Page, holders map[int64]kb.Page) []numberedLink {
	out := make([]numberedLink, len(found))
	count := counter{}
	for i, f := range found {
		to := f.Page.ID
		if f.Link.To == page.Row {
			to = page.ID
		}
		edge, nth := count.next(f.Link, holders[f.From].ID, to)
		out[i] = numberedLink{f, edge, nth}
	}
	return out
}

// counter counts equal links.
type counter map[link.Edge]int

// next counts the next link from one page to another, which is "" for a broken
// link.
func (c counter) next(l kb.Link, from, to kb.ID) (edge link.Edge, nth int) {
	e := link.Edge{Page: from, Type: l.Type, To: string(to), Since: l.ValidFrom}
	if to == "" {
		e.To = l.Name
	}
	c[e]++
	return e, c[e] - 1
}

// holdersOf returns the pages that contain links, by row.
func holdersOf(ctx context.Context, tx store.Tx, found []store.LinkEnd) (map[int64]kb.Page, error) {
	rows := make([]int64, len(found))
	for i, f := range found {
		rows[i] = f.From
	}
	return store.PagesByRow(ctx, tx, rows)
}

func describe(ctx context.Context, tx store.Tx, links []numberedLink, holders map[int64]kb.Page) ([]api.Link, error) {
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return nil, err
	}
	ends := make([]kb.Page, len(links))
	for i, f := range links {
		ends[i] = f.Page
	}
	pages, err := v.Pages(ctx, ends)
	if err != nil {
		return nil, err
	}
	for i, f := range links {
		ends[i] = holders[f.From]
	}
	shorts, err := v.Shorts(ctx, ends)
	if err != nil {
		return nil, err
	}
	out := make([]api.Link, 0, len(links))
	for i, f := range links {
		from := holders[f.From]
		l := api.Link{
			ID: f.number(), From: from.Ref(), Type: f.Type, Kind: f.Kind, Target: f.Name, Text: f.Text,
			ValidFrom: f.ValidFrom, ValidUntil: f.ValidUntil, Context: f.Context, Line: f.Line, State: "resolved",
			FromTitle: from.Title, FromShort: shorts[i],
		}
		l.Heading, l.Block = f.Anchor()
		switch {
		case f.Link.To == 0 && f.Candidates > 1:
			l.State = "ambiguous"
			if l.Candidates, err = candidateRefs(ctx, tx, f.Link, from); err != nil {
				return nil, err
			}
		case f.Unwritten():
			l.State = "unwritten"
		case f.Link.To == 0:
			l.State = "unresolved"
		}
		if f.Page.Row != 0 {
			l.Page = &pages[i]
		}
		out = append(out, l)
	}
	return out, nil
}

// candidateRefs lists the pages with an ambiguous link's key: in its own space,
// else in the space that it names.
func candidateRefs(ctx context.Context, tx store.Tx, l kb.Link, from kb.Page) ([]string, error) {
	key, in := l.Key, from.SpaceID
	name, page, names := link.CrossSpace(link.Ref{Kind: l.Kind, Name: l.Name})
	far := link.Key(page.Kind, page.Name)
	found, err := tx.Pages().ByNames(ctx, 0, []string{key, far})
	if err != nil {
		return nil, err
	}
	own := func(p kb.Page) bool { return p.SpaceID == in }
	if names && !slices.ContainsFunc(found[key], own) {
		spaces, err := tx.Spaces().All(ctx)
		if err != nil {
			return nil, err
		}
		s, _ := link.Space(spaces, name)
		key, in = far, s.ID
	}
	var refs []string
	for _, p := range found[key] {
		if own(p) {
			refs = append(refs, p.Ref())
		}
	}
	return refs, nil
}
