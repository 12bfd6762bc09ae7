package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// sources is the directory for the pages of sources.
const sources = "sources"

// named holds the names of a source.
func (s *Source) named() string { return cmp.Or(s.Ref, s.Name, "source") }

// title returns the title of a source's page: its complete citation key, since
// meeting/123 and call/123 are two sources, or its file name.
func (s *Source) title() string {
	text := s.Ref
	if text == "" {
		text = path.Base(strings.ReplaceAll(s.named(), `\`, "/"))
	}
	return strings.TrimSuffix(text, path.Ext(s.Name))
}

// keyHash is the metadata key for the hash of the source's bytes.
const keyHash = "sha256"

func slugOf(p string) string { return strings.TrimSuffix(p, path.Ext(p)) }

// source plans the page of the source. done reports that the same source was
// ingested before.
func (r *run) source(ctx context.Context) (done bool, changes []write.Change, err error) {
	s := r.req.Source
	r.hash = sha256.Sum256(s.Text)
	if r.plan, err = planHash(r.req.Pages); err != nil {
		return false, nil, err
	}
	r.out.Source = &Kept{Hash: r.hash.String(), Bytes: len(s.Text)}
	if r.home, err = r.Session.Spaces.OpenForNew(ctx, r.req.DryRun); err != nil {
		return false, nil, err
	}
	title := cmp.Or(r.titleOfText(), space.TitleOf(s.title()), "Source of "+s.Date)
	at := space.PathIn(r.home, sources, s.Date+" "+space.ShortName(title), change.Extension(r.Session, r.home))
	var same *kb.Batch
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Batches().Same(ctx, r.home.Row, Kind, r.hash)
		if err != nil {
			return err
		}
		var page kb.ID // of the newest batch with an existing page
		for i, b := range all {
			there, err := r.kept(ctx, tx, b)
			if err != nil {
				return err
			}
			if there && page == "" {
				page, at = r.page, r.path
			}
			if there && b.Plan == r.plan && !r.req.Force && same == nil {
				same = &all[i]
			}
		}
		if page == "" {
			at, err = ref.FreePath(ctx, tx, r.home.Space, at, nil)
		}
		r.page, r.path = page, at
		return err
	})
	if err != nil {
		return false, nil, err
	}
	if same != nil {
		if done, err := r.said(ctx); err != nil {
			return false, nil, err
		} else if done {
			return true, nil, r.refresh(ctx, *same)
		}
	}
	if r.page != "" {
		return false, nil, nil
	}
	text, err := r.sourcePage(title)
	if err != nil {
		return false, nil, err
	}
	return false, []write.Change{{Space: r.home, Path: r.path, Action: write.Put{Bytes: text, Declare: true}}}, nil
}

// titleOfText returns the title within the text of the source, "" for none.
func (r *run) titleOfText() string {
	codec := doc.ForPath(r.Session.Codecs, "source"+change.Extension(r.Session, r.home))
	if codec == nil {
		return ""
	}
	d := codec.In(r.home.Syntax).Parse("source"+codec.Extensions()[0], r.req.Source.Text)
	n := &d.Nodes[0]
	if title, ok := n.Property("title"); ok && len(title.Values) == 1 {
		return space.TitleOf(title.Values[0])
	}
	if first := firstHeading(n); first != nil {
		return space.TitleOf(first.Text)
	}
	return ""
}

// firstHeading returns the heading that a text starts with, nil for none.
func firstHeading(n *doc.Node) *doc.Heading {
	if len(n.Headings) > 0 && n.Headings[0].Level == 1 && n.Headings[0].InTruth {
		return &n.Headings[0]
	}
	return nil
}

// kept finds the existing page of an earlier ingest of the same bytes.
func (r *run) kept(ctx context.Context, tx store.Tx, b kb.Batch) (there bool, err error) {
	var at string
	err = tx.Batches().Items(ctx, b.Row, func(it store.BatchItem) error {
		if it.Hash == r.hash {
			r.page, at = it.Page, it.Path
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if r.page == "" { // the process ended before recording it
		found, err := tx.Pages().ByPath(ctx, r.home.Row, at)
		if err != nil || len(found) == 0 {
			return false, err
		}
		says, err := tx.Pages().Properties(ctx, found[0].Row)
		if err != nil || !slices.ContainsFunc(says, func(p kb.Property) bool { return p.Key == keyHash && p.Text == r.hash.String() }) {
			return false, err
		}
		r.page = found[0].ID
	}
	pages, err := tx.Pages().ByID(ctx, r.page)
	for _, p := range pages {
		if p.SpaceID == r.home.ID {
			r.path, there = p.Path, true
		}
	}
	if !there {
		r.page = "" // deleted, or undone: create it again
	}
	return there, err
}

// refresh records the new location of bytes that were ingested before.
func (r *run) refresh(ctx context.Context, same kb.Batch) error {
	r.out.Source.Batch, r.out.Source.Refreshed = same.ID, true
	r.out.Source.Ref = r.home.Name + ":" + slugOf(r.path)
	if len(r.req.Pages) == 0 {
		if err := r.mentions(ctx); err != nil {
			return err
		}
	}
	if r.req.DryRun || same.Source == r.req.Source.named() {
		return nil
	}
	return r.Session.DB.Update(ctx, func(tx store.Tx) error { return tx.Batches().Rename(ctx, same.Row, r.req.Source.named()) })
}

// sourcePage renders the page of the source.
func (r *run) sourcePage(title string) ([]byte, error) {
	s := r.req.Source
	var metadata []doc.Property
	for _, p := range [][2]string{{"source_type", s.Type}, {"source_ref", s.Ref}, {"source_file", s.Name}, {"date", s.Date}, {keyHash, r.hash.String()}} {
		if p[1] != "" {
			metadata = append(metadata, doc.Property{Key: p[0], Values: []string{p[1]}})
		}
	}
	codec := doc.ForPath(r.Session.Codecs, r.path).In(r.home.Syntax)
	return codec.New(doc.NewPage{Title: title, Type: "source", Metadata: metadata, Body: body(codec, title, s.Text)})
}

// body renders a source as the text of a page: its metadata in a code block, and
// its text with nothing that ends the truth.
func body(codec doc.Codec, title string, source []byte) string {
	d := codec.Parse("source"+codec.Extensions()[0], source)
	text := string(d.Text)
	if d.Encoding == doc.Opaque || !utf8.ValidString(text) {
		return "# " + title + "\n\nThe bytes of this source are not text; they are kept with the import."
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if codec.Format() == doc.Org {
		return "#+begin_example\n" + doc.InExample(text) + "\n#+end_example"
	}
	head := ""
	if n := d.Nodes[0]; n.Head.Len() > 0 {
		head = doc.Fenced("yaml", strings.ReplaceAll(d.Slice(n.Head), "\r\n", "\n")) + "\n"
		text = strings.ReplaceAll(string(d.Text[n.Head.End:]), "\r\n", "\n")
	}
	text = strings.TrimLeft(text, "\n")
	if first, rest, _ := strings.Cut(text, "\n"); strings.TrimSpace(first) == "# "+title {
		text = strings.TrimLeft(rest, "\n") // the page has it already
	}
	return "# " + title + "\n\n" + head + strings.TrimRight(Undivided(text), " \t\n")
}

// Undivided indents the lines that would end the truth of a page, so that the text
// after them does not become a timeline. Their meaning in Markdown is unchanged.
func Undivided(text string) string {
	if !strings.Contains(text, "---") {
		return text
	}
	var (
		out   strings.Builder
		fence string
	)
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, " \t\r\n")
		mark := strings.TrimLeft(bare, " ")
		run := len(mark) - len(strings.TrimLeft(mark, "`"))
		if run == 0 {
			run = len(mark) - len(strings.TrimLeft(mark, "~"))
		}
		switch {
		case fence == "" && run >= 3 && len(bare)-len(mark) < 4:
			fence = mark[:run]
		case fence != "" && run == len(mark) && strings.HasPrefix(mark, fence):
			fence = ""
		case fence == "" && bare == "---":
			out.WriteByte(' ')
		}
		out.WriteString(line)
	}
	return out.String()
}
