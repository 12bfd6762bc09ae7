package unsaved

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/schemas"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/policy/schema"
	"github.com/cairn-kb/cairn/internal/store"
)

// Codes of faults that package lint does not have.
const (
	FaultLink          = "broken-link"
	FaultAmbiguous     = "ambiguous-link"
	FaultAnchor        = "broken-anchor"
	FaultSchema        = "schema"
	FaultContradiction = "contradiction"
	FaultStatus        = "status"
)

// Severity is the severity of a fault.
type Severity int

// Severities, most severe first.
const (
	Grave Severity = iota + 1
	Warning
	Note
)

// Fault is a fault of a text.
type Fault struct {
	Code     string
	Severity Severity
	Span     doc.Span
	Text     string
	Name     string // of the target page of a broken link
	ID       string // of a contradiction
}

// Check returns the faults of a text: broken links and anchors, findings of lint,
// violations of the schema of its type, contradictions with the rest of the memory,
// and a status that marks the page as unreliable. It reads other pages, to check
// links to their parts, for a short time only. If that is not enough, done is
// false, and the next check continues with the remaining pages.
func (r Reader) Check(ctx context.Context, t *Text) (out []Fault, done bool, err error) {
	start := r.Session.Now()
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		spaces, err := r.Session.Spaces.AllTx(ctx, tx)
		if err != nil {
			return err
		}
		resolved, err := resolve(ctx, tx, []*Text{t})
		if err != nil {
			return err
		}
		now := r.Session.Now()
		c := &checker{r: r, tx: tx, spaces: spaces, t: resolved[0], lines: lineSpans(t.Document.Text), texts: map[kb.Hash]*Text{}, until: now.Add(max(readParts, now.Sub(start)))}
		if err := c.links(ctx); err != nil {
			return err
		}
		if err := c.rules(ctx); err != nil {
			return err
		}
		out, done = c.out, !c.left
		return nil
	})
	slices.SortStableFunc(out, func(a, b Fault) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return out, done, err
}

// readParts is how long a check reads other pages for the linked parts. It is
// longer if the links of a text took longer to resolve: each further check resolves
// them again.
const readParts = 20 * time.Millisecond

// checker is the state of one check.
type checker struct {
	r      Reader
	tx     store.Tx
	spaces []kb.Space
	t      *Text
	lines  []doc.Span
	texts  map[kb.Hash]*Text
	until  time.Time // when other pages are no longer read
	left   bool      // some were not read
	out    []Fault
}

func (c *checker) add(f Fault) { c.out = append(c.out, f) }

// lineSpans returns the lines of a text, without the blanks around each.
func lineSpans(text []byte) (out []doc.Span) {
	at := 0
	for line := range bytes.Lines(text) {
		inner := bytes.TrimSpace(line)
		start := at + max(0, bytes.Index(line, inner))
		out = append(out, doc.Span{Start: start, End: start + len(inner)})
		at += len(line)
	}
	return out
}

// line returns the span of a line, by its number from 1; the nearest line for an
// invalid number.
func (c *checker) line(n int) doc.Span {
	if len(c.lines) == 0 {
		return doc.Span{}
	}
	return c.lines[min(max(n, 1), len(c.lines))-1]
}

// lineAt returns the span of the line of an offset.
func (c *checker) lineAt(offset int) doc.Span { return c.line(doc.LineAt(c.t.Document.Text, offset)) }

// links adds the broken links and anchors.
func (c *checker) links(ctx context.Context) error {
	parts := 0
	for _, l := range c.t.Links {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case l.Candidates > 1:
			c.add(Fault{Code: FaultAmbiguous, Severity: Warning, Span: l.Target.Span, Text: "several pages are called " + l.Name})
		case l.To == 0 && !l.Unwritten():
			c.add(Fault{Code: FaultLink, Severity: Warning, Span: l.Target.Span, Name: l.Name, Text: "no page is called " + l.Name})
		case l.Page != nil && l.Target.Heading+l.Target.Block != "" && parts < maxParts:
			parts++
			if err := c.anchor(ctx, l); err != nil {
				return err
			}
		}
	}
	for _, l := range c.t.Own() {
		if n := &c.t.Document.Nodes[c.t.NodeAt(l.Span.Start)]; !c.t.Document.HasPart(n, l.Heading, l.Block) {
			c.add(Fault{Code: FaultAnchor, Severity: Warning, Span: l.Span, Text: "this page has no " + part(l)})
		}
	}
	return nil
}

// part is the heading or block in a link's target.
func part(l doc.Target) string {
	if l.Block != "" {
		return "^" + l.Block
	}
	return l.Heading
}

// Parts caches which pages have the headings and blocks in links: a text is checked
// at each keystroke, and may have hundreds of such links. It is safe for concurrent
// use.
type Parts struct {
	mu       sync.Mutex
	has, old map[partOf]bool // old has those not used since has was full
}

// partOf is a part of an indexed page.
type partOf struct {
	text                 kb.Hash
	node, heading, block string
}

// maxParts limits each half of the cache. In a text with links to more parts than
// that, the rest is unchecked: the cache would evict some before the last ones are
// read.
const maxParts = 50_000

func (p *Parts) get(of partOf) (has, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if has, known = p.has[of]; known {
		return has, true
	}
	if has, known = p.old[of]; known {
		p.keep(of, has)
	}
	return has, known
}

func (p *Parts) put(of partOf, has bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(of, has)
}

// keep adds a part, and evicts the least recently used ones. The caller holds mu.
func (p *Parts) keep(of partOf, has bool) {
	if p.has == nil || len(p.has) >= maxParts {
		p.has, p.old = map[partOf]bool{}, p.has
	}
	p.has[of] = has
}

// anchor adds a link to a missing heading or block of a page.
func (c *checker) anchor(ctx context.Context, l Link) error {
	at := slices.IndexFunc(c.spaces, func(s kb.Space) bool { return s.ID == l.Page.SpaceID })
	open := at >= 0 && c.r.opened(File{Name: fileIn(c.spaces[at], l.Page.Path), Space: c.spaces[at], Path: l.Page.Path}) != nil
	of := partOf{l.Page.Hash, l.Page.Node, l.Target.Heading, l.Target.Block}
	if has, known := c.r.Parts.get(of); known && !open {
		c.missing(l, has)
		return nil
	}
	if c.texts[l.Page.Hash] == nil && !open && c.r.Session.Now().After(c.until) {
		c.left = true
		return nil
	}
	t := c.texts[l.Page.Hash]
	if t == nil {
		var err error
		if t, err = c.r.load(ctx, c.tx, c.spaces, *l.Page); kb.CodeOf(err) == kb.NotFound {
			c.r.Parts.put(of, true) // its text was pruned: it is unknown whether the part exists
			return nil
		} else if err != nil {
			return err
		}
		c.texts[l.Page.Hash] = t
	}
	node, err := t.Document.NodeIndex(l.Page.Node)
	if err != nil {
		if !open {
			c.r.Parts.put(of, true)
		}
		return nil
	}
	has := t.Document.HasPart(&t.Document.Nodes[node], l.Target.Heading, l.Target.Block)
	if !open {
		c.r.Parts.put(of, has)
	}
	c.missing(l, has)
	return nil
}

// missing adds a link to a part of a page, unless the page has it.
func (c *checker) missing(l Link, has bool) {
	if !has {
		c.add(Fault{Code: FaultAnchor, Severity: Warning, Span: l.Target.Span, Text: l.Page.Path + " has no " + part(l.Target)})
	}
}

// rules adds violations of the policy and of the schemas of the space, and contradictions. A space
// with an unreadable policy has none of these; doctor reports it.
func (c *checker) rules(ctx context.Context) error {
	home, err := c.r.Session.Spaces.OpenSpace(ctx, c.t.Space)
	if err != nil {
		return ctx.Err()
	}
	for _, f := range lint.WithSources(c.t.Document, home.Policy, home.Has) {
		c.finding(f, c.line(f.Line))
	}
	if err := c.repeated(ctx, home.Policy); err != nil {
		return err
	}
	if err := c.schema(ctx); err != nil {
		return err
	}
	pages, err := c.tx.Pages().ByPath(ctx, c.t.Space.Row, c.t.Path)
	if err != nil {
		return err
	}
	for i := range c.t.Document.Nodes {
		n := &c.t.Document.Nodes[i]
		c.status(n)
		at := slices.IndexFunc(pages, func(p kb.Page) bool { return p.Node == "" && i == 0 || p.Node != "" && p.Node == n.ID })
		if at < 0 || !contradiction.MarksPages(home.Policy) {
			continue
		}
		var relations []kb.Link
		for _, l := range c.t.Links {
			if l.Node == i && l.Type != kb.PlainLink {
				relations = append(relations, l.Link)
			}
		}
		found, err := contradiction.OfText(ctx, c.r.Session, c.tx, c.t.Space, home.Policy, pages[at].Row, relations)
		if err != nil {
			return err
		}
		for _, x := range found {
			c.contradiction(x, pages[at].Row, n)
		}
	}
	return nil
}

// finding adds a finding of lint.
func (c *checker) finding(f lint.Finding, at doc.Span) {
	severity := Warning
	if f.Fatal() {
		severity = Grave
	}
	c.add(Fault{Code: string(f.Rule), Severity: severity, Span: at, Text: f.Message})
}

// repeated adds the ids that another text of the space also has, open or indexed.
// Package lint finds ids that occur twice in this text.
func (c *checker) repeated(ctx context.Context, p *policy.Policy) error {
	ids := slices.Collect(maps.Keys(lint.Declared(c.t.Document)))
	if len(ids) == 0 {
		return nil
	}
	declared, err := c.tx.Pages().Declared(ctx, c.t.Space.Row, ids)
	if err != nil {
		return err
	}
	others := map[kb.ID][]string{} // their paths
	for _, d := range declared {
		f := File{Name: fileIn(c.t.Space, d.Page.Path), Space: c.t.Space, Path: d.Page.Path}
		if f.Path != c.t.Path && c.r.opened(f) == nil {
			others[d.Declared] = append(others[d.Declared], f.Path)
		}
	}
	for _, t := range c.r.Open {
		if t.Space.ID != c.t.Space.ID || t.Path == c.t.Path {
			continue
		}
		for id := range lint.Declared(t.Document) {
			others[id] = append(others[id], t.Path)
		}
	}
	for i := range c.t.Document.Nodes {
		n := &c.t.Document.Nodes[i]
		id, ok := kb.ParseID(n.ID)
		if !ok || len(others[id]) == 0 {
			continue
		}
		at := c.lineAt(n.Span.Start)
		if p, ok := n.Property("id"); ok {
			at = c.lineAt(p.Span.Start)
		}
		slices.Sort(others[id])
		for _, f := range lint.Repeated(p, c.t.Path, id, append([]string{c.t.Path}, slices.Compact(others[id])...)) {
			c.finding(f, at)
		}
	}
	return nil
}

// contradiction adds a contradiction at each of its sides in the text.
func (c *checker) contradiction(x contradiction.Finding, page int64, n *doc.Node) {
	f := Fault{Code: FaultContradiction, Severity: Warning, Text: x.Text, ID: x.ID}
	if x.Kind == lifecycle.Stale {
		f.Code, f.Severity = string(x.Kind), Note
	}
	seen := 0
	for i, line := range x.Lines {
		if x.Sides[i] != page || line == 0 || line == seen {
			continue
		}
		f.Span, seen = c.line(line), line
		c.add(f)
	}
	if seen == 0 {
		f.Span = c.lineAt(n.Span.Start)
		c.add(f)
	}
}

// schema adds violations of the schema of the page's type.
func (c *checker) schema(ctx context.Context) error {
	all, err := schemas.Find(ctx, c.tx, c.r.Session.Codecs, c.t.Space.Row)
	if err != nil {
		return err
	}
	n := &c.t.Document.Nodes[0]
	note := schemas.Note(n)
	x, err := all.Of(ctx, c.tx, cmp.Or(n.Type, c.t.Space.Filing.Type(c.t.Path)), note.Metadata)
	if err != nil || x == nil || x.Mode == schema.Off {
		return err
	}
	severity := Warning
	if x.Mode == schema.Strict {
		severity = Grave
	}
	at := c.line(1)
	if p, ok := n.Property("type"); ok {
		at = c.lineAt(p.Span.Start)
	}
	for _, f := range x.Validate(note).Fields {
		if f.Problem != "" {
			c.add(Fault{Code: FaultSchema, Severity: severity, Span: at, Text: f.Problem})
		}
	}
	return nil
}

// status adds a fault if the page is marked as unreliable.
func (c *checker) status(n *doc.Node) {
	status, ok := kb.ParseStatus(n.Status)
	if !ok || status == kb.Active || strings.TrimSpace(n.Status) == "" {
		return
	}
	at := c.lineAt(n.Span.Start)
	if p, ok := n.Property("status"); ok {
		at = c.lineAt(p.Span.Start)
	}
	c.add(Fault{Code: FaultStatus, Severity: Note, Span: at, Text: "the page is " + string(status)})
}
