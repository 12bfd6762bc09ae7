package note

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// Default depth and limits of a context.
const (
	ContextDepth, MaxContextDepth = 1, 5
	ContextPage                   = 10
	ContextRelated                = 10
)

// Context is a list of pages with their content and the pages around them.
type Context struct {
	Results  []ContextResult `json:"results"`
	Next     string          `json:"next,omitempty"` // offset of the next primary results
	Metadata ContextMetadata `json:"metadata"`
}

// Timeless is the context without its creation time.
func (c Context) Timeless() any {
	c.Metadata.GeneratedAt = time.Time{}
	return c
}

// ContextMetadata repeats the request, with totals.
type ContextMetadata struct {
	URI          string    `json:"uri"`
	Depth        int       `json:"depth"`
	Timeframe    string    `json:"timeframe,omitempty"`
	PrimaryCount int       `json:"primary_count"` // total
	RelatedCount int       `json:"related_count"` // listed
	GeneratedAt  time.Time `json:"generated_at"`
	LeftOut      LeftOut   `json:"left_out"`
}

// LeftOut counts omitted results.
type LeftOut struct {
	Primary int  `json:"primary"`
	Related int  `json:"related"`
	AtLeast bool `json:"at_least,omitempty"` // more distant pages were not read
}

// ContextResult is one page, or one line of it, with the pages around it.
type ContextResult struct {
	Primary      Item          `json:"primary_result"`
	Observations []Observation `json:"observations"`
	Related      []Item        `json:"related_results"`
}

// Item is a page, an observation or a relation.
type Item struct {
	Type      string `json:"type"` // entity, observation, relation
	Title     string `json:"title"`
	Permalink string `json:"permalink"`
	FilePath  string `json:"file_path"`
	Ref       string `json:"ref"`
	ID        kb.ID  `json:"external_id"`
	NoteType  string `json:"note_type,omitempty"`
	Content   string `json:"content,omitempty"`
	Summary   string `json:"summary,omitempty"`
	Category  string `json:"category,omitempty"`
	Relation  string `json:"relation_type,omitempty"` // relation that led to it
	Way       string `json:"direction,omitempty"`     // out, in
	Distance  int    `json:"distance,omitempty"`      // in links
	To        string `json:"to_permalink,omitempty"`  // of a relation
	Line      int    `json:"line,omitempty"`          // of an observation or relation
	Left      bool   `json:"content_cut,omitempty"`   // the content continues
	UpdatedAt string `json:"updated_at"`
}

func settle(r api.ContextRequest, now time.Time) (api.ContextRequest, time.Time, error) {
	r.Depth, r.MaxRelated = cmp.Or(r.Depth, ContextDepth), cmp.Or(r.MaxRelated, ContextRelated)
	var err error
	if r.Limit, r.Offset, err = r.Range(ContextPage); err != nil {
		return r, time.Time{}, err
	}
	if r.Depth < 1 || r.Depth > MaxContextDepth {
		return r, time.Time{}, kb.Errorf(kb.Usage, "a depth is from 1 to %d", MaxContextDepth)
	}
	if r.Timeframe == "" {
		return r, time.Time{}, nil
	}
	since, ok := query.ParseRange(r.Timeframe, now)
	if !ok {
		return r, time.Time{}, kb.Errorf(kb.Usage, "%q is not a timeframe", r.Timeframe).WithHint("Write 7d, 24 hours, last week, or a date.")
	}
	return r, since.From, nil
}

// BuildContext returns the context of a page: the pages connected with it by links,
// in either direction and in any space. They are sorted by distance, and newest
// first at the same distance.
func BuildContext(ctx context.Context, sess *memory.Session, req api.ContextRequest) (out Context, err error) {
	sess = sess.In(req.Space)
	req, since, err := settle(req, sess.Now())
	if err != nil {
		return out, err
	}
	out = Context{Results: []ContextResult{}, Metadata: ContextMetadata{
		URI: req.URI, Depth: req.Depth, Timeframe: req.Timeframe, GeneratedAt: sess.Now().UTC().Truncate(time.Second),
	}}
	var one *kb.Page
	if !ref.Pattern(req.URI) {
		p, err := find(ctx, sess, req.URI)
		if err != nil && kb.CodeOf(err) != kb.NotFound {
			return out, err
		}
		if err == nil {
			one = &p
		} else if found, ok, lineErr := line(ctx, sess, req.URI); ok || lineErr != nil {
			out.Results, out.Metadata.PrimaryCount = append(out.Results, found), 1
			return out, lineErr
		} else {
			return out, err
		}
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		primary := []kb.Page{}
		if one != nil {
			primary = append(primary, *one)
		} else if primary, err = sess.Refs.Matches(ctx, tx, req.URI); err != nil {
			return err
		}
		primary = slices.DeleteFunc(primary, func(p kb.Page) bool { return p.Updated.Before(since) })
		slices.SortStableFunc(primary, func(a, b kb.Page) int { return b.Updated.Compare(a.Updated) })
		out.Metadata.PrimaryCount = len(primary)
		primary = primary[min(len(primary), req.Offset):]
		if out.Metadata.LeftOut.Primary = max(0, len(primary)-req.Limit); out.Metadata.LeftOut.Primary > 0 {
			out.Next = strconv.Itoa(req.Offset + req.Limit)
		}
		names := permalinks{engine: sess, known: map[int64]string{}}
		for _, p := range primary[:min(len(primary), req.Limit)] {
			r, err := contextOf(ctx, sess, tx, p, req, since, names, &out.Metadata)
			if err != nil {
				return err
			}
			out.Results = append(out.Results, r)
		}
		return nil
	})
	return out, err
}

// contextOf returns the context of one page.
func contextOf(ctx context.Context, sess *memory.Session, tx store.Tx, p kb.Page, req api.ContextRequest, since time.Time, names permalinks, meta *ContextMetadata) (ContextResult, error) {
	d, at, err := document(ctx, sess, tx, p)
	if err != nil {
		return ContextResult{}, err
	}
	n := &d.Nodes[at]
	names.known[p.Row] = Permalink(p, n)
	out := ContextResult{Primary: itemOf(p, names.known[p.Row]), Observations: observationsOf(d, n, names.known[p.Row]), Related: []Item{}}
	out.Primary.Content = strings.TrimSpace(d.Slice(content(d, n)))
	around := map[int64]bool{p.Row: true}
	last := []int64{p.Row}
	for distance := 1; distance <= req.Depth && len(last) > 0 && len(out.Related) < req.MaxRelated; distance++ {
		reached, by, err := step(ctx, sess, tx, last, around)
		if err != nil {
			return out, err
		}
		last = reached
		newest, left, err := newestPages(ctx, sess, tx, reached, since, req.MaxRelated-len(out.Related))
		if err != nil {
			return out, err
		}
		for _, r := range newest {
			link, err := names.of(ctx, tx, r)
			if err != nil {
				return out, err
			}
			item := itemOf(r, link)
			item.Summary, item.Relation, item.Way, item.Distance = r.Summary, by[r.Row].kind, by[r.Row].way, distance
			out.Related = append(out.Related, item)
		}
		meta.LeftOut.Related += left
		meta.LeftOut.AtLeast = meta.LeftOut.AtLeast || left > 0 && distance < req.Depth
	}
	meta.RelatedCount += len(out.Related)
	return out, nil
}

// newestPages returns the pages with the newest changes, and how many other pages
// changed since then. A hub has thousands of neighbours, and few are shown: the
// others are not read.
func newestPages(ctx context.Context, sess *memory.Session, tx store.Tx, rows []int64, since time.Time, most int) (pages []kb.Page, left int, err error) {
	places, err := tx.Pages().Places(ctx, rows)
	if err != nil {
		return nil, 0, err
	}
	may, err := space.MayShow(ctx, tx, sess.Spaces)
	if err != nil {
		return nil, 0, err
	}
	places = slices.DeleteFunc(places, func(p kb.Page) bool { return p.Updated.Before(since) || !may(p) })
	slices.SortStableFunc(places, func(a, b kb.Page) int { return b.Updated.Compare(a.Updated) })
	most = min(len(places), most)
	shown := make([]int64, most)
	for i := range shown {
		shown[i] = places[i].Row
	}
	pages, err = tx.Pages().Get(ctx, shown)
	return pages, len(places) - most, err
}

// edge records how a page was reached.
type edge struct{ kind, way string }

// step finds the neighbours of pages that were not reached before.
func step(ctx context.Context, sess *memory.Session, tx store.Tx, last []int64, around map[int64]bool) (reached []int64, by map[int64]edge, err error) {
	out, err := tx.Links().EdgesFrom(ctx, last)
	if err != nil {
		return nil, nil, err
	}
	in, err := tx.Links().EdgesTo(ctx, last)
	if err != nil {
		return nil, nil, err
	}
	by = map[int64]edge{}
	reach := func(row int64, l kb.Link, way string) {
		if had, ok := by[row]; ok && had.kind == kb.PlainLink && l.Type != kb.PlainLink {
			by[row] = edge{l.Type, way} // a relation is more specific than a link
		}
		if row != 0 && !around[row] {
			around[row] = true
			reached, by[row] = append(reached, row), edge{l.Type, way}
		}
	}
	for _, l := range out {
		reach(l.To, l, "out")
	}
	for _, l := range in {
		reach(l.From, l, "in")
	}
	slices.Sort(reached)
	return reached, by, nil
}

func itemOf(p kb.Page, permalink string) Item {
	return Item{
		Type: "entity", Title: p.Title, Permalink: permalink, FilePath: p.Path, Ref: p.Ref(), ID: p.ID, NoteType: p.Type,
		UpdatedAt: p.Updated.UTC().Format(timeLayout),
	}
}

// timeLayout is RFC 3339 without fractions.
const timeLayout = "2006-01-02T15:04:05Z07:00"

func observationsOf(d *doc.Document, n *doc.Node, permalink string) []Observation {
	out, lines := []Observation{}, doc.NewLines(d.Text)
	for _, o := range n.Observations {
		out = append(out, Observation{
			Category: o.Category, Content: o.Text, Tags: append([]string{}, o.Tags...), Context: o.Context,
			Permalink: ref.ObservationPermalink(permalink, o.Category, o.Text), Line: lines.At(o.Span.Start),
		})
	}
	return out
}

// line finds the observation or the relation of a permalink:
// page/observations/category/text, or page/type/target.
func line(ctx context.Context, sess *memory.Session, uri string) (out ContextResult, ok bool, err error) {
	name := strings.TrimPrefix(strings.TrimSpace(uri), "memory://")
	parts := strings.Split(name, "/")
	for at := len(parts) - 2; at > 0; at-- {
		n, err := Read(ctx, sess, "memory://"+strings.Join(parts[:at], "/"))
		if kb.CodeOf(err) == kb.NotFound || kb.CodeOf(err) == kb.Usage {
			continue
		}
		if err != nil {
			return out, false, err
		}
		is := func(permalink string) bool {
			return strings.TrimPrefix(permalink, n.Permalink+"/") == strings.Join(parts[at:], "/")
		}
		item := Item{
			Title: n.Title, FilePath: n.FilePath, Ref: n.Ref, ID: n.ID, NoteType: n.Type, UpdatedAt: n.UpdatedAt,
		}
		out = ContextResult{Observations: []Observation{}, Related: []Item{}}
		for _, o := range n.Observations {
			if is(o.Permalink) {
				item.Type, item.Permalink, item.Category, item.Content, item.Line = "observation", o.Permalink, o.Category, o.Content, o.Line
				out.Primary = item
				return out, true, nil
			}
		}
		for _, r := range n.Relations {
			if is(r.Permalink) {
				item.Type, item.Permalink, item.Relation, item.To, item.Line = "relation", r.Permalink, r.Type, r.ToPermalink, r.Line
				item.Content = r.ToName
				out.Primary = item
				return out, true, nil
			}
		}
	}
	return out, false, nil
}
