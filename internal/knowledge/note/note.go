package note

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"

	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Head is the part of a note in every answer.
type Head struct {
	Title     string `json:"title"`
	Permalink string `json:"permalink"`
	FilePath  string `json:"file_path"`
	Type      string `json:"type,omitempty"`
	ID        kb.ID  `json:"external_id"`
	Ref       string `json:"ref"`
	Version   int    `json:"version"`
	Checksum  string `json:"checksum"`
}

// Note is a page as data.
type Note struct {
	Head
	UpdatedAt    string         `json:"updated_at,omitempty"`
	Frontmatter  map[string]any `json:"frontmatter"`      // texts, and lists of texts
	Inline       []string       `json:"inline,omitempty"` // keys with at most one value, on one line
	Content      string         `json:"content"`
	Lines        [2]int         `json:"lines"` // of the content within the file
	Observations []Observation  `json:"observations"`
	Relations    []Relation     `json:"relations"`
	Related      []Related      `json:"related"`
	Raw          string         `json:"-"` // metadata and content verbatim from the file
	Parts        Parts          `json:"-"`
}

// Parts are the parts of a page, and other data about it.
type Parts struct {
	Truth, Timeline, Summary, Wing, Room string

	CreatedAt, UpdatedAt, TruthUpdatedAt, TimelineUpdatedAt string // "" if unknown
}

func partsOf(p kb.Page, d *doc.Document, n *doc.Node) Parts {
	out := Parts{Truth: d.Slice(n.Truth), Timeline: d.Slice(n.Timeline), Summary: p.Summary, Wing: p.Wing, Room: p.Room}
	for at, t := range map[*string]time.Time{
		&out.CreatedAt: p.Created, &out.UpdatedAt: p.Updated, &out.TruthUpdatedAt: p.TruthUpdated, &out.TimelineUpdatedAt: p.TimelineUpdated,
	} {
		if !t.IsZero() {
			*at = t.UTC().Format(timeLayout)
		}
	}
	return out
}

// Observation is one fact of a note.
type Observation struct {
	Category  string   `json:"category"`
	Content   string   `json:"content"`
	Tags      []string `json:"tags"`
	Context   string   `json:"context,omitempty"`
	Permalink string   `json:"permalink"`
	Line      int      `json:"line"`
}

// Relation is one link of a note to another.
type Relation struct {
	Type        string `json:"relation_type"`
	ToName      string `json:"to_name"`
	ToPermalink string `json:"to_permalink,omitempty"` // "" if unresolved
	Context     string `json:"context,omitempty"`
	Permalink   string `json:"permalink"`
	Line        int    `json:"line"`
}

// Related is a note at the other end of a relation.
type Related struct {
	Title     string `json:"title"`
	Permalink string `json:"permalink"`
	Ref       string `json:"ref"`
	Type      string `json:"relation_type"`
	Direction string `json:"direction"` // out, in
}

// Permalink returns the name of a page in URIs: the one set on the page, else its
// slug with each part in the form of doc.Slug.
func Permalink(p kb.Page, n *doc.Node) string {
	if n != nil {
		if own, ok := n.Property("permalink"); ok && len(own.Values) == 1 && own.Values[0] != "" {
			return own.Values[0]
		}
	}
	return ref.Permalink(p.Slug)
}

// maxRelated is the maximum number of listed notes with links to a note.
const maxRelated = 20

// find returns the page of a ref, which may be the former permalink of a note that
// was moved since, or its URI. A project in the ref must not match a directory of
// another project.
func find(ctx context.Context, sess *memory.Session, raw string) (kb.Page, error) {
	p, err := freshness.Page(ctx, sess, raw)
	if kb.CodeOf(err) == kb.NotFound {
		moved, gone := freshness.Page(ctx, sess, asURI(raw))
		project, _, named := strings.Cut(raw, ":")
		if gone == nil && (!named || strings.Contains(raw, "://") || strings.EqualFold(project, moved.Space)) {
			return moved, nil
		}
	}
	return p, err
}

// asURI returns the URI of a permalink, with or without its project.
func asURI(permalink string) string {
	if strings.Contains(permalink, "://") {
		return permalink
	}
	return "memory://" + strings.Replace(permalink, ":", "/", 1)
}

// Read returns the note of a ref.
func Read(ctx context.Context, sess *memory.Session, raw string) (Note, error) {
	p, err := find(ctx, sess, raw)
	if err != nil {
		return Note{}, err
	}
	var out Note
	err = sess.DB.View(ctx, func(tx store.Tx) (err error) {
		out, err = note(ctx, sess, tx, p)
		return err
	})
	return out, err
}

// note reads a page.
func note(ctx context.Context, sess *memory.Session, tx store.Tx, p kb.Page) (Note, error) {
	d, at, err := document(ctx, sess, tx, p)
	if err != nil {
		return Note{}, err
	}
	n := &d.Nodes[at]
	out := Note{
		Head: headOf(p, d, n), UpdatedAt: p.Updated.UTC().Format(timeLayout), Frontmatter: frontmatter(n), Inline: inline(d, n), Parts: partsOf(p, d, n),
		Relations: []Relation{}, Related: []Related{},
	}
	lines, body := doc.NewLines(d.Text), content(d, n)
	out.Content, out.Raw = d.Slice(body), d.Slice(n.Span)
	out.Lines = [2]int{lines.At(body.Start), lines.At(max(body.Start, body.End-1))}
	out.Observations = observationsOf(d, n, out.Permalink)
	from, err := tx.Links().From(ctx, p.Row)
	if err != nil {
		return out, err
	}
	to, err := tx.Links().To(ctx, p.Row)
	if err != nil {
		return out, err
	}
	holders := make([]int64, len(to))
	for i, l := range to {
		holders[i] = l.From
	}
	pages, err := store.PagesByRow(ctx, tx, holders)
	if err != nil {
		return out, err
	}
	may, err := space.MayShow(ctx, tx, sess.Spaces)
	if err != nil {
		return out, err
	}
	names := permalinks{engine: sess, known: map[int64]string{p.Row: out.Permalink}}
	seen := map[string]bool{}
	relate := func(other kb.Page, kind, direction string) error {
		if !may(other) {
			return nil
		}
		link, err := names.of(ctx, tx, other)
		if key := link + "\n" + kind + "\n" + direction; err == nil && other.Row != p.Row && !seen[key] {
			seen[key] = true
			out.Related = append(out.Related, Related{Title: other.Title, Permalink: link, Ref: other.Ref(), Type: kind, Direction: direction})
		}
		return err
	}
	for _, l := range from {
		r := Relation{Type: l.Type, ToName: ref.Permalink(l.Name), Context: l.Context, Line: l.Line}
		target := r.ToName
		if l.Page.Row != 0 && may(l.Page) {
			if r.ToPermalink, err = names.of(ctx, tx, l.Page); err != nil {
				return out, err
			}
			target = r.ToPermalink
			if err := relate(l.Page, l.Type, "out"); err != nil {
				return out, err
			}
		}
		r.Permalink = ref.RelationPermalink(out.Permalink, r.Type, target)
		out.Relations = append(out.Relations, r)
	}
	for _, l := range to[:min(len(to), maxRelated)] {
		if err := relate(pages[l.From], l.Type, "in"); err != nil {
			return out, err
		}
	}
	return out, nil
}

// permalinks finds the permalinks of pages, each once.
type permalinks struct {
	engine *memory.Session
	known  map[int64]string
}

func (n permalinks) of(ctx context.Context, tx store.Tx, p kb.Page) (string, error) {
	if link, ok := n.known[p.Row]; ok {
		return link, nil
	}
	if len(p.Aliases) == 0 { // a permalink set on a page is one of its names
		return ref.Permalink(p.Slug), nil
	}
	d, at, err := document(ctx, n.engine, tx, p)
	if err != nil {
		return "", err
	}
	n.known[p.Row] = Permalink(p, &d.Nodes[at])
	return n.known[p.Row], nil
}

// document parses the document of a page, and returns the index of the page's node.
func document(ctx context.Context, sess *memory.Session, tx store.Tx, p kb.Page) (*doc.Document, int, error) {
	text, err := tx.History().Bytes(ctx, p.Hash)
	if err != nil {
		return nil, 0, err
	}
	d := doc.ForNote(sess.Codecs, p.Syntax, p.Path).Parse(p.Path, text)
	at, err := d.NodeIndex(p.Node)
	return d, at, err
}

func headOf(p kb.Page, d *doc.Document, n *doc.Node) Head {
	sum := sha256.Sum256(d.Source)
	return Head{
		Title: p.Title, Permalink: Permalink(p, n), FilePath: p.Path, Type: p.Type, ID: p.ID, Ref: p.Ref(),
		Version: p.Version, Checksum: hex.EncodeToString(sum[:]),
	}
}

// content returns the text after the metadata of a node.
func content(d *doc.Document, n *doc.Node) doc.Span {
	body := doc.Span{Start: n.Span.Start, End: n.Span.End}
	if n.Head.Len() > 0 && n.Head.Start == body.Start {
		body.Start = n.Head.End
		for body.Start < body.End && doc.Blank(d.Text[body.Start:min(body.End, doc.LineEnd(d.Text, body.Start))]) {
			body.Start = min(body.End, doc.LineEnd(d.Text, body.Start))
		}
	}
	return body
}

// frontmatter returns the metadata of a node: null is absent, nested values are
// objects and lists.
func frontmatter(n *doc.Node) map[string]any {
	out := map[string]any{}
	for _, p := range n.Metadata {
		switch {
		case p.Data != nil:
			out[p.Key] = p.Data
		case p.List:
			out[p.Key] = append([]string{}, p.Values...)
		case len(p.Values) > 0:
			out[p.Key] = p.Values[0]
		}
	}
	return out
}

// inline returns the metadata keys with at most one value, on one line. Replacing
// such a value changes nothing else.
func inline(d *doc.Document, n *doc.Node) (out []string) {
	times := map[string]int{}
	for _, p := range n.Metadata {
		times[doc.PropertyKey(p.Key)]++
	}
	for _, p := range n.Metadata {
		lines := strings.Count(strings.TrimRight(d.Slice(p.Span), "\r\n"), "\n") + 1
		if times[doc.PropertyKey(p.Key)] == 1 && !p.List && !p.Opaque && len(p.Values) <= 1 && lines == 1 {
			out = append(out, p.Key)
		}
	}
	return out
}

// Wrote is the outcome for a note.
type Wrote struct {
	Head
	Action string      `json:"action"` // created, updated, unchanged; for an edit its description
	Write  api.Written `json:"-"`
}

// wrote describes the note that a write changed, or would change.
func wrote(ctx context.Context, sess *memory.Session, w api.Written, err error) (Wrote, error) {
	out := Wrote{Write: w}
	if err != nil || len(w.Pages) == 0 {
		return out, err
	}
	i := slices.IndexFunc(w.Pages, func(p api.WrittenPage) bool { return p.Change != "" })
	page := w.Pages[max(0, i)]
	out.Head = Head{Title: page.Title, Permalink: ref.Permalink(page.Slug), FilePath: page.Path, Type: page.Type, ID: page.ID, Ref: page.Ref, Version: page.Version}
	switch {
	case page.Change == kb.Created:
		out.Action = "created"
	case page.Change == "":
		out.Action = "unchanged"
	default:
		out.Action = "updated"
	}
	if w.DryRun {
		return out, nil
	}
	err = sess.DB.View(context.WithoutCancel(ctx), func(tx store.Tx) error {
		found, err := tx.Pages().ByID(ctx, page.ID)
		if err != nil {
			return err
		}
		for _, p := range found {
			if p.Ref() != page.Ref {
				continue
			}
			d, at, err := document(ctx, sess, tx, p)
			if err == nil {
				out.Head = headOf(p, d, &d.Nodes[at])
			}
			return err
		}
		return nil
	})
	if err != nil && w.Write != 0 {
		err = change.ReadbackError(w.Write, err)
	}
	return out, err
}
