package ingest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/autotag"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Relations added to a captured page.
const (
	Related    = "related"    // automatic
	RelatesTo  = "relates_to" // requested by the caller
	Supersedes = "supersedes"
)

// maxKnown is how many tags of a space a text is compared with.
const maxKnown = 1000

// bearing returns the pages of a space with a title, by the present state of the
// files, and whether the whole space was synced for it.
func bearing(ctx context.Context, sess *memory.Session, s *write.Space, title string) (pages []kb.Page, synced bool, err error) {
	look := func(tx store.Tx) error {
		pages, err = ref.Meant(ctx, tx, title, s.Space)
		return err
	}
	if err := sess.DB.View(ctx, look); err != nil {
		return nil, false, err
	}
	changed, synced := freshness.Outdated(ctx, sess, ref.Place{Space: s.Space, Named: pages})
	if changed {
		err = sess.DB.View(ctx, look)
	}
	return pages, synced, err
}

// referred returns the page of a title that is a ref, in one of the forms that
// answers print: space:slug, a URI, a path, an id, a link.
func referred(ctx context.Context, sess *memory.Session, title string) (pages []kb.Page, err error) {
	name := strings.TrimSpace(title)
	if inner, ok := strings.CutPrefix(name, "[["); ok {
		name = strings.TrimSuffix(inner, "]]")
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		p, ok := sess.Refs.Ahead(ctx, tx, name)
		if !ok && strings.Contains(name, "://") { // the path of a URI contains the space
			var err error
			p, err = sess.Refs.ResolveToChange(ctx, tx, name)
			ok = err == nil
		}
		if !ok {
			return nil
		}
		all, err := sess.Spaces.AllTx(ctx, tx)
		if err == nil && space.InPin(sess.Spaces, all, p.SpaceID) == nil {
			pages = []kb.Page{p}
		}
		return err
	})
	return pages, err
}

// planTags returns the tags of the request, the tag of the project, and the tags
// found in the text.
func planTags(ctx context.Context, sess *memory.Session, s *write.Space, req api.CaptureRequest, text string) ([]string, error) {
	tags := slices.Clone(req.Tags)
	if tag := space.ProjectTag(sess.Spaces, s.Space); tag != "" && !slices.Contains(tags, tag) && !s.Policy.StampsProjects() {
		tags = append(tags, tag)
	}
	if req.NoAutoTags || !s.Policy.Capture.AutoTags {
		return tags, nil
	}
	var known autotag.Known
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		counts, err := tx.Pages().Tags(ctx, store.Filter{Spaces: []int64{s.Row}})
		if err != nil {
			return err
		}
		for _, c := range counts[:min(len(counts), maxKnown)] {
			known.Tags = append(known.Tags, c.Value)
		}
		var keys []string
		for _, phrase := range autotag.Phrases(text) {
			keys = append(keys, kb.NameKey(phrase))
		}
		pages, err := tx.Pages().ByNames(ctx, s.Row, keys)
		for _, found := range pages {
			for _, p := range found {
				known.Names = append(append(known.Names, p.Title), p.Aliases...)
			}
		}
		return err
	})
	for _, tag := range autotag.Tags(text, known) {
		if !slices.ContainsFunc(tags, func(have string) bool { return kb.NameKey(have) == kb.NameKey(tag) }) {
			tags = append(tags, tag)
		}
	}
	return tags, err
}

// Body returns the text of a page as it was captured: its truth without metadata,
// title and relations. node is its index in the document.
func Body(d *doc.Document, node int) string {
	if node > 0 {
		n := &d.Nodes[node]
		return strings.TrimSpace(withoutCR(string(d.Text[max(n.Truth.Start, n.Head.End):n.Truth.End])))
	}
	body, _ := withoutRelations(d)
	return strings.TrimSpace(body)
}

// withoutRelations returns the truth of a page below its metadata, with normalised
// line ends, and separately the section of relations at its end.
func withoutRelations(d *doc.Document) (body, relations string) {
	n := &d.Nodes[0]
	start := max(n.Truth.Start, n.Head.End)
	body = string(d.Text[min(start, n.Truth.End):n.Truth.End])
	if at, err := d.Part(n, relationsSection); err == nil && at.Start >= start && at.End <= n.Truth.End && strings.TrimSpace(string(d.Text[at.End:n.Truth.End])) == "" {
		body, relations = string(d.Text[start:at.Start]), string(d.Text[at.Start:at.End])
	}
	return withoutCR(body), withoutCR(relations)
}

// relationsSection is the heading of the section for new relations.
const relationsSection = "Relations"

func withoutCR(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// changes creates a page for each new text.
func (b *batch) changes(ctx context.Context) ([]write.Change, error) {
	var out []write.Change
	for _, n := range b.notes {
		if len(n.Existing) > 0 {
			continue
		}
		c, err := b.page(ctx, n)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func (b *batch) page(ctx context.Context, n *note) (write.Change, error) {
	e, ext := b.engine, change.Extension(b.engine, b.space)
	err := e.DB.View(ctx, func(tx store.Tx) (err error) {
		at := space.NewPath(b.space, n.fileName, ext)
		if b.req.Stable {
			at = space.StablePath(b.space, n.fileName, ext)
		}
		n.path, err = ref.FreePath(ctx, tx, b.space.Space, at, func(p string) bool { return b.taken[p] })
		return err
	})
	if err != nil {
		return write.Change{}, err
	}
	b.taken[kb.FoldPath(n.path)] = true
	text, err := change.Compose(e, b.space, n.path, change.PutRequest{
		Title: n.title, Type: cmp.Or(b.req.Type, property(b.req.Set, "type")), Tags: n.tags, Summary: cmp.Or(b.req.Summary, property(b.req.Set, "summary")), Text: []byte(n.text + "\n"),
	})
	if err != nil {
		return write.Change{}, err
	}
	edits, err := b.edits(ctx, n)
	if err != nil {
		return write.Change{}, err
	}
	if codec := doc.ForPath(e.Codecs, n.path); codec != nil && len(edits) > 0 {
		codec = codec.In(b.space.Syntax)
		if text, err = codec.Apply(codec.Parse(n.path, text), "", edits...); err != nil {
			return write.Change{}, err
		}
	}
	return write.Change{Space: b.space, Path: n.path, Expected: b.req.Expected, Action: write.Put{Bytes: text, Declare: true}}, nil
}

// edits returns the edits that a new page gets in addition to its text.
func (b *batch) edits(ctx context.Context, n *note) ([]doc.Edit, error) {
	var edits []doc.Edit
	if b.req.Alias != "" {
		edits = append(edits, doc.SetList{Key: "aliases", Values: []string{b.req.Alias}})
	}
	if b.space.Policy.Capture.Record {
		edits = append(edits, doc.SetProperty{Key: "created", Value: stamp(b.engine.Now())}, doc.SetProperty{Key: "source", Value: "capture"})
		if b.req.Session != "" {
			edits = append(edits, doc.SetProperty{Key: "session", Value: b.req.Session})
		}
	}
	for _, e := range metadata(b.req) {
		if p, ok := e.(doc.SetProperty); ok && p.Key == "type" && b.req.Type == "" {
			continue // the page was created with it, in Org perhaps as a tag
		}
		edits = append(edits, e)
	}
	from := kb.Page{Space: b.space.Name, SpaceID: b.space.ID, Path: n.path, Slug: link.Slug(n.path)}
	lines, links, err := planRelations(ctx, b.engine, from, b.req, n.auto)
	n.Links = links
	return append(edits, lines...), err
}

// metadata returns the edits for the metadata in a request.
func metadata(r api.CaptureRequest) (edits []doc.Edit) {
	if r.Summary != "" {
		edits = append(edits, doc.SetProperty{Key: "summary", Value: r.Summary})
	}
	for _, key := range slices.Sorted(maps.Keys(r.Set)) {
		edits = append(edits, doc.SetProperty{Key: strings.ToLower(key), Value: r.Set[key]})
	}
	return edits
}

// property returns the value of a key, in any letter case.
func property(set map[string]string, key string) string {
	for _, given := range slices.Sorted(maps.Keys(set)) {
		if strings.ToLower(given) == key {
			return set[given]
		}
	}
	return ""
}

// stamp formats a time for metadata.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// planRelations returns the relation lines for the pages named in the request, and
// for those that were linked automatically.
func planRelations(ctx context.Context, sess *memory.Session, from kb.Page, req api.CaptureRequest, auto []Linked) (edits []doc.Edit, links []Linked, err error) {
	wanted := []Linked{}
	for _, raw := range req.Supersedes {
		wanted = append(wanted, Linked{Type: Supersedes, Ref: raw})
	}
	for _, raw := range req.Links {
		wanted = append(wanted, Linked{Type: RelatesTo, Ref: raw})
	}
	links = []Linked{}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		for _, l := range append(wanted, auto...) {
			to, err := sess.Refs.Resolve(ctx, tx, l.Ref)
			if err != nil {
				return err
			}
			given := l.Ref
			if l.Score > 0 {
				given = "" // found automatically, not requested
			}
			if l.Type == Supersedes && to.ID == from.ID {
				return kb.Errorf(kb.Usage, "%s cannot take its own place", to.Ref())
			}
			if slices.ContainsFunc(links, func(have Linked) bool { return have.Ref == to.Ref() }) {
				continue
			}
			line := doc.AddRelation{Type: l.Type}
			if l.Score > 0 {
				line.Context = doc.Automatic(l.Score)
			}
			if line.Target, err = change.TargetAs(ctx, sess, tx, from, to, given); err != nil {
				return err
			}
			l.Ref = to.Ref()
			links, edits = append(links, l), append(edits, line)
		}
		return nil
	})
	return edits, links, err
}
