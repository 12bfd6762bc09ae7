package index

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/doc/temporal"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/store"
)

// Derived holds all index data of one document before it has rows.
type Derived struct {
	Document *doc.Document // with masked text removed
	Record   store.Document
	PathID   bool               // derive ids from the path for documents without one
	source   []byte             // the unmasked bytes of the document: the input of Record.Hash
	side     []byte             // those of its sidecar, nil without one
	texts    []lexical.Document // by Record.Pages, without rows
	edited   []int              // indexes in Record.Pages of existing pages with changed text
}

// Derivation is the version of the rules by which Derive and the codecs derive rows
// from documents. It is raised when they derive other rows from the same bytes, so
// that older memories are derived again.
const Derivation = 29

// WarnConflict is the code of the warning about an unfinished merge.
const WarnConflict = "conflict"

// Source is a document before derivation.
type Source struct {
	Space   kb.Space
	Path    string
	Bytes   []byte
	ModTime time.Time
	Side    Side
	Now     time.Time
}

// Side is the sidecar of a document before derivation.
type Side struct {
	Bytes   []byte // nil without one
	ModTime time.Time
}

// Mask returns text of the same length with all parts blanked out that must not be
// searchable. The index never sees these parts.
type Mask func(text []byte) []byte

// Derive derives the index data of a document. It is pure; Put settles ids, since
// they may depend on other pages that declare them.
func Derive(codec doc.Codec, src Source, mask Mask) *Derived {
	d := Hide(codec, codec.Parse(src.Path, src.Bytes), mask)
	rec := store.Document{
		Space:   src.Space.Row,
		Path:    src.Path,
		Format:  string(d.Format),
		Hash:    Hash(src.Bytes),
		Size:    int64(len(src.Bytes)),
		ModTime: src.ModTime,
		Side:    src.Side.record(),
		Indexed: src.Now,
	}
	lines := doc.NewLines(d.Text)
	out := &Derived{Document: d, Record: rec, source: src.Bytes, side: src.Side.Bytes}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		p := page(d, n, i == 0, src, lines)
		cues := temporal.Find(d, i)
		halves(d, i, cues, &p, src.ModTime)
		p.Endings = endings(cues, p.Links, lines)
		out.Record.Pages = append(out.Record.Pages, p)
		out.texts = append(out.texts, texts(d, i, &p))
	}
	if line := doc.ConflictLine(d.Text); line > 0 {
		d.Warnings = append(d.Warnings, doc.Warning{Code: WarnConflict, Text: "has merge conflict markers, which were indexed as text", Line: line})
	}
	assertions, wrong := src.Side.read(d, mask)
	out.Record.Pages[0].Assertions, d.Warnings = assertions, append(d.Warnings, wrong...)
	for _, w := range d.Warnings {
		out.Record.Pages[0].Warnings = append(out.Record.Pages[0].Warnings, store.Warning{Code: w.Code, Text: w.Text, Line: w.Line})
	}
	return out
}

// Hide returns the document in the form for the index: parsed from its masked text,
// so that titles, tags, links and facts contain no masked text, with a warning for
// each masked line. Spans are those of d.
func Hide(codec doc.Codec, d *doc.Document, mask Mask) *doc.Document {
	if mask == nil || d.Encoding == doc.Opaque {
		return d
	}
	text := mask(d.Text)
	if bytes.Equal(text, d.Text) {
		return d
	}
	hidden := codec.Parse(d.Path, text)
	hidden.Encoding = d.Encoding
	for _, line := range hiddenLines(d.Text, text) {
		hidden.Warnings = append(hidden.Warnings, doc.Warning{Code: "credential", Text: textHidden, Line: line})
	}
	return hidden
}

func page(d *doc.Document, n *doc.Node, whole bool, src Source, lines doc.Lines) store.PageRecord {
	status, ok := kb.ParseStatus(n.Status)
	if !ok {
		status = kb.Active
	}
	p := kb.Page{
		Slug:    link.Slug(src.Path),
		Title:   n.Title,
		Type:    n.Type,
		Status:  status,
		Summary: n.Summary,
		Tags:    n.Tags,
		Aliases: n.Aliases,
		Line:    lines.At(n.Span.Start),
		Created: n.Created,
		Updated: n.Updated,
		Day:     day(d, n, whole, src),
	}
	if p.Updated.IsZero() {
		p.Updated = src.ModTime
	}
	if whole {
		p.Line = 1
	}
	declared, _ := kb.ParseID(n.ID)
	if !whole {
		p.Node = n.ID
		p.Slug += "#" + n.ID
	} else if p.Type == "" {
		p.Type = src.Space.Filing.Type(src.Path)
	}
	p.Permalink = doc.Permalink(p.Slug, n)
	p.Wing, p.Room = filed(d, n, src.Space.Filing, p.Slug)
	rec := store.PageRecord{Page: p, Declared: declared, Refs: n.Refs}
	rec.Links = Links(n, lines)
	rec.Properties, rec.Items = properties(n), items(n, lines)
	for _, o := range n.Observations {
		rec.Observations = append(rec.Observations, kb.Observation{
			Category: o.Category, Text: o.Text, Tags: o.Tags, Context: o.Context, Line: lines.At(o.Span.Start),
		})
	}
	for _, e := range n.Entries {
		rec.Entries = append(rec.Entries, kb.Entry{
			Date: e.Date, Source: e.Source, Text: e.Text, Detail: e.Detail, Line: lines.At(e.Span.Start),
		})
	}
	return rec
}

// filed returns the wing and the room of a page: from its metadata, else from the
// filing.
func filed(d *doc.Document, n *doc.Node, f kb.Filing, slug string) (wing, room string) {
	for _, m := range n.Metadata {
		switch {
		case len(m.Values) != 1:
		case wing == "" && strings.EqualFold(m.Key, "wing"):
			wing = m.Values[0]
		case room == "" && strings.EqualFold(m.Key, "room"):
			room = m.Values[0]
		}
	}
	if wing == "" {
		wing = f.Wing(slug)
	}
	if room == "" && f.Rooms() {
		room = firstSection(d.Format, n)
	}
	return wing, room
}

// firstSection returns the heading of the first section of a node's truth. In
// Markdown the level above belongs to the title, as does that of a node's own
// heading.
func firstSection(format doc.Format, n *doc.Node) string {
	level := 1
	switch {
	case n.Heading >= 0:
		level = n.Headings[n.Heading].Level + 1
	case format == doc.Markdown:
		level = 2
	}
	for _, h := range n.Headings {
		if h.InTruth && h.Level == level && h.Text != "" {
			return h.Text
		}
	}
	return ""
}

// day returns the day of a page. A heading without a day has its document's.
func day(d *doc.Document, n *doc.Node, whole bool, src Source) string {
	syntax := doc.SyntaxOf(src.Space.Syntax)
	if !whole {
		if day := n.Day("", syntax); day != "" {
			return day
		}
	}
	return d.Nodes[0].Day(src.Path, syntax)
}

// Links merges relations and plain links into one list sorted by position, without
// targets; see Lead. A relation's target is not also a plain link.
func Links(n *doc.Node, lines doc.Lines) []kb.Link {
	all := placed(n)
	out := make([]kb.Link, len(all))
	for i, p := range all {
		if p.relation != nil {
			out[i] = relation(*p.relation, lines)
			continue
		}
		l := target(p.link.Target, lines)
		l.Kind, l.Type = string(p.link.Kind), cmp.Or(p.link.Type, kb.PlainLink)
		out[i] = l
	}
	return out
}

// Targets returns the link targets of the results of Links, in the same order.
func Targets(n *doc.Node) []doc.Target {
	all := placed(n)
	out := make([]doc.Target, len(all))
	for i, p := range all {
		if p.relation != nil {
			out[i] = p.relation.Target
		} else {
			out[i] = p.link.Target
		}
	}
	return out
}

// place is a link of a node, or a relation.
type place struct {
	span     doc.Span
	relation *doc.Relation
	link     *doc.Link
}

// placed returns the positions of the results of Links, in the same order.
func placed(n *doc.Node) []place {
	all := make([]place, 0, len(n.Relations)+len(n.Links))
	for i := range n.Relations {
		if r := &n.Relations[i]; !r.Target.Local {
			all = append(all, place{span: r.Span, relation: r})
		}
	}
	for i := range n.Links {
		if k := &n.Links[i]; !k.Local {
			all = append(all, place{span: k.Span, link: k})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return a.span.Start - b.span.Start })
	return all
}

// Relations returns the relations of a node, without targets; see Lead.
func Relations(n *doc.Node, lines doc.Lines) (out []kb.Link) {
	for _, r := range n.Relations {
		if !r.Target.Local {
			out = append(out, relation(r, lines))
		}
	}
	return out
}

func relation(r doc.Relation, lines doc.Lines) kb.Link {
	l := target(r.Target, lines)
	l.Kind, l.Type = relationKind(r.Target.Kind), r.Type
	l.ValidFrom, l.ValidUntil, l.Context = r.From, r.Until, r.Context
	return l
}

// relationKind keeps the syntax of path and id targets, which determines their
// meaning; a wiki target of a relation is an ordinary name.
func relationKind(k doc.LinkKind) string {
	if k == doc.WikiLink || k == doc.Embed {
		return link.RelationKind
	}
	return string(k)
}

func target(t doc.Target, lines doc.Lines) kb.Link {
	anchor := t.Heading
	if t.Block != "" {
		anchor += "^" + t.Block
	}
	return kb.Link{
		Name:    t.Name,
		Key:     link.Key(string(t.Kind), t.Name),
		Heading: anchor,
		Text:    t.Text,
		Line:    lines.At(t.Span.Start),
	}
}

// texts returns the full-text fields of node i.
func texts(d *doc.Document, i int, p *store.PageRecord) (out lexical.Document) {
	n := &d.Nodes[i]
	if n.IsHidden() {
		return out
	}
	add := func(f lexical.Field, values ...string) {
		for _, v := range values {
			if v != "" {
				out.Texts = append(out.Texts, lexical.Text{Field: f, Value: v})
			}
		}
	}
	add(lexical.Title, n.Title)
	add(lexical.Slug, p.Page.Slug)
	for _, a := range n.Aliases {
		if a == n.Title { // its first heading: the file name is an equally good title
			if name := doc.TitleFromPath(d.Path); kb.NameKey(name) != kb.NameKey(a) {
				add(lexical.Title, name)
			}
			continue
		}
		add(lexical.Aliases, a)
	}
	for _, ref := range n.Refs {
		if key, ok := strings.CutPrefix(ref, "@"); ok { // the words of an address do not describe the page
			add(lexical.Aliases, key)
		}
	}
	add(lexical.Tags, n.Tags...)
	add(lexical.Summary, n.Summary)
	for _, h := range n.Headings {
		if !n.Hides(h.Line) {
			add(lexical.Headings, h.Text)
		}
	}
	own := func(f lexical.Field, part doc.Span) {
		for _, s := range d.Shown(i, part) {
			if n.Span.Len() > longText {
				out.Long = append(out.Long, longTexts(d, f, s)...)
				continue
			}
			words, markup := d.Words(s)
			add(f, words)
			add(lexical.Markup, markup)
		}
	}
	own(lexical.Truth, n.Truth)
	own(lexical.Timeline, n.Timeline)
	return out
}

// longText is the page size from which words are copied in parts of this size, one
// after the other, instead of holding one copy until they are analysed.
const longText = 256 << 10

// longTexts returns the words of a span, as texts of field f, and its markup.
func longTexts(d *doc.Document, f lexical.Field, s doc.Span) []lexical.LongText {
	words := func(yield func(string) bool) {
		for part := range d.Parts(s, longText) {
			if words, _ := d.Words(part); !yield(words) {
				return
			}
		}
	}
	markup := func(yield func(string) bool) {
		for part := range d.Parts(s, longText) {
			if _, markup := d.Words(part); !yield(markup) {
				return
			}
		}
	}
	if len(d.Marks) == 0 {
		return []lexical.LongText{{Field: f, Parts: words}}
	}
	return []lexical.LongText{{Field: f, Parts: words}, {Field: lexical.Markup, Parts: markup}}
}

// Hash returns the hash that identifies a document's bytes.
func Hash(bytes []byte) kb.Hash { return sha256.Sum256(bytes) }
