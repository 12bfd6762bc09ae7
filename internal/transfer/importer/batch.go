package importer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// ExportRequest asks for the import of another program's export.
type ExportRequest struct {
	Request
	Program Program
	Into    string // the space, created if it does not exist; "" for the current one
	Folder  string // folder in the space; "" for the folder of its new pages
}

// page is an imported page with its parts. If the page exists from an earlier import, its
// missing parts are added.
type page struct {
	key, title, kind, created, updated string

	folder string // below the folder of the request
	source string // name of the program
	head   string // text before the parts
	parts  []part
	count  *Tally // tally of the page
	named  bool   // the key is the title

	tags     []string
	aliases  []string // besides the key
	timeline string   // text below the timeline's rule
	metadata []doc.Property
	files    []attachment // kept with the import
	filed    *Tally       // tally of the files
}

// part is a piece of a page, such as a message. Its id occurs in the text.
type part struct {
	id, text string
	known    string                 // start of the text in every version, which recognises the part in an existing page; "" for the whole text
	like     func(line string) bool // reports whether a line of a page starts the part, if known is not sufficient; else nil
	below    string                 // text that follows; it is added to a page that has the part without it
	section  string                 // heading of its section; "" for the end of the page
	to       string                 // key of the page that the part links to; text is the type of the relation
	after    string                 // text after the link, such as its interval
	count    *Tally                 // tally of the part
	of       string                 // kind of the tally, if the reader does not have the tally itself

	holds int    // number of pieces of another kind in it
	held  *Tally // tally of those; nil if there are none
}

func (p part) total() {
	p.count.Total++
	if p.held != nil {
		p.held.Total += p.holds
	}
}

func (p part) brought() {
	p.count.Brought++
	if p.held != nil {
		p.held.Brought += p.holds
	}
}

func (p part) there() {
	p.count.There++
	if p.held != nil {
		p.held.There += p.holds
	}
}

// batch puts the pages of an import into a space.
type batch struct {
	*memory.Session
	req ExportRequest
	out *Receipt

	at *places

	space *write.Space // target; nil until it is known, and if a dry run would create it
	made  []string     // names of the spaces that the import created

	kept  *kb.Batch       // holds the attachments; nil if there are none
	items map[string]bool // paths in kept
}

// filed is a page with attachments.
type filed struct {
	at    string
	page  kb.ID // "" for a new page
	files []attachment
}

// pageReader reads an export that becomes pages of one space.
type pageReader struct {
	*batch
	look   func(context.Context) error // called before the space is opened; may be nil
	read   func(ctx context.Context, add func(page) error) error
	report func() // completes the receipt
}

func (r *pageReader) open(ctx context.Context) (spaces []*write.Space, by way, err error) {
	if r.look != nil {
		if err := r.look(ctx); err != nil {
			return nil, notAtAll, err
		}
	}
	if r.space, err = r.target(ctx); err != nil || r.req.DryRun {
		return nil, notAtAll, err
	}
	if takesParts(r.space) {
		by = inParts
	} else {
		by = atOnce
	}
	return []*write.Space{r.space}, by, nil
}

// drafts yields the changes of some pages at a time.
func (r *pageReader) drafts(ctx context.Context) iter.Seq2[draft, error] {
	return pulled(func(add func(draft) error) error {
		var (
			waiting []page
			size    int
		)
		flush := func() error {
			changes, files, err := r.changes(ctx, waiting)
			clear(waiting) // rendered data is not needed any more
			waiting, size = waiting[:0], 0
			if err != nil || len(changes)+len(files) == 0 {
				return err
			}
			d := draft{changes: changes}
			if len(files) > 0 {
				d.after = func(ctx context.Context, tx store.Tx, versions []kb.Version) error {
					return r.keep(ctx, tx, files, versions)
				}
			}
			return add(d)
		}
		for p, err := range pulled(func(add func(page) error) error { return r.read(ctx, add) }) {
			if err != nil {
				return err
			}
			size += len(p.head) + len(p.timeline)
			for _, x := range p.parts {
				size += len(x.text)
			}
			for _, a := range p.files {
				size += a.held
			}
			if waiting = append(waiting, p); len(waiting) >= chunkItems || size >= chunkBytes {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return flush()
	})
}

func (r *pageReader) finish(context.Context) error {
	r.report()
	return nil
}

func newBatch(sess *memory.Session, req ExportRequest) *batch {
	return &batch{Session: sess, req: req, at: newPlaces(), out: &Receipt{
		From: req.File, Counts: []Tally{}, Lost: []Loss{}, Written: api.Written{DryRun: req.DryRun, Pages: []api.WrittenPage{}},
	}}
}

// counted sets the tally of a page, and counts the page and its parts in their tallies.
func (p page) counted(count *Tally) page {
	count.Total++
	for _, x := range p.parts {
		x.total()
	}
	p.count = count
	return p
}

// unique records a key; a second page with the same key is kb.Invalid.
func (b *batch) unique(key string) error {
	if !b.at.add(key) {
		return kb.Errorf(kb.Invalid, "duplicate id %q", key)
	}
	return nil
}

// target opens the target space; nil if a dry run would create it.
func (b *batch) target(ctx context.Context) (*write.Space, error) {
	if b.req.Into == "" {
		s, err := b.Session.Spaces.OpenForNew(ctx, b.req.DryRun)
		if b.req.DryRun && space.NothingYet(err) {
			return nil, nil
		}
		return s, err
	}
	s, err := b.Session.Spaces.OpenNamed(ctx, b.req.Into)
	if kb.CodeOf(err) != kb.NotFound || b.req.DryRun {
		if kb.CodeOf(err) == kb.NotFound {
			return nil, nil
		}
		return s, err
	}
	if err := makeSpace(ctx, b.Session, &b.made, space.AddRequest{Name: b.req.Into}); err != nil {
		return nil, err
	}
	return b.Session.Spaces.OpenNamed(ctx, b.req.Into)
}

// makeSpace creates a space in the memory, and adds its name to made.
func makeSpace(ctx context.Context, sess *memory.Session, made *[]string, req space.AddRequest) error {
	req.Database = true
	s, err := sess.Spaces.Add(ctx, req)
	if err == nil || ctx.Err() != nil { // the name may be taken
		*made = append(*made, cmp.Or(s.Name, req.Name))
	}
	return err
}

// unmake removes the spaces that a failed import created.
func unmake(ctx context.Context, sess *memory.Session, made []string, err error) error {
	if err == nil {
		return nil
	}
	for _, name := range made {
		if _, left := sess.Spaces.TakeBack(context.WithoutCancel(ctx), name); kb.CodeOf(left) != kb.NotFound {
			err = errors.Join(err, left)
		}
	}
	return err
}

// elements returns a read function for a pageReader that calls take with each element of the
// export's files.
func elements[T any](file string, take func(c T, add func(page) error) error, patterns ...string) (look func(context.Context) error, read func(context.Context, func(page) error) error) {
	look = func(context.Context) error {
		_, done, err := Open(file, patterns...)
		return errors.Join(err, done())
	}
	read = func(ctx context.Context, add func(page) error) error {
		return Read(ctx, file, func(_ context.Context, c T) error { return take(c, add) }, patterns...)
	}
	return look, read
}

// changes returns the changes that create or extend pages, with the attachments of new
// pages.
func (b *batch) changes(ctx context.Context, pages []page) (changes []write.Change, files []filed, err error) {
	s := b.space
	have, err := b.placed(ctx, pages)
	if err != nil {
		return nil, nil, err
	}
	for i := range pages {
		p := &pages[i]
		var (
			text []byte
			c    write.Change
		)
		old, there := have[p.key]
		if p.readable() && !there {
			b.out.lose(p.title, "NUL characters are U+FFFD")
		}
		if there {
			if text, there, err = b.now(ctx, s, &old); err != nil {
				return nil, nil, err
			}
		}
		if there {
			p.count.There++
			if len(p.files) > 0 {
				lacking, err := b.lacking(ctx, old.ID, p.files)
				if err != nil {
					return nil, nil, err
				}
				p.filed.There += len(p.files) - len(lacking)
				if len(lacking) > 0 {
					p.filed.Brought += len(lacking)
					files = append(files, filed{old.Path, old.ID, b.unnamed(lacking)})
				}
			}
			c, err = b.extend(s, p, old, text)
		} else {
			p.count.Brought++
			for _, x := range p.parts {
				x.brought()
			}
			if len(p.files) > 0 {
				p.filed.Brought += len(p.files)
				files = append(files, filed{b.at.at(p.key), "", b.unnamed(p.files)})
			}
			if s == nil {
				continue // a dry run would create it
			}
			c, err = b.fresh(s, p)
		}
		if err != nil {
			return nil, nil, err
		}
		if c.Space != nil {
			changes = append(changes, c)
		}
	}
	return changes, files, nil
}

// readable replaces the characters that are not allowed in pages, and reports whether there
// were any.
func (p *page) readable() (changed bool) {
	texts := []*string{&p.head, &p.timeline}
	for i := range p.parts {
		x := &p.parts[i]
		texts = append(texts, &x.text, &x.known, &x.below)
	}
	for _, text := range texts {
		if strings.IndexByte(*text, 0) >= 0 {
			*text, changed = strings.ReplaceAll(*text, "\x00", "\ufffd"), true
		}
	}
	return changed
}

// lacking returns the attachments of a page that no earlier import kept for it.
func (b *batch) lacking(ctx context.Context, page kb.ID, files []attachment) (out []attachment, err error) {
	for _, a := range files {
		text, err := a.read()
		if err != nil {
			return nil, err
		}
		err = b.Session.DB.View(ctx, func(tx store.Tx) error {
			has, err := tx.Batches().Has(ctx, page, sha256.Sum256(text))
			if !has {
				out = append(out, a)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// placed assigns paths to pages, and returns the pages of earlier imports, by key.
// Credentials in titles are masked first, since paths are derived from titles.
func (b *batch) placed(ctx context.Context, pages []page) (map[string]kb.Page, error) {
	have := map[string]kb.Page{}
	names := make([]string, len(pages))
	for i := range pages {
		p := &pages[i]
		p.title, p.folder = b.hide(p.title), b.hide(p.folder)
		names[i] = kb.NameKey(p.key)
		if p.named {
			names[i] = kb.NameKey(p.title)
		}
	}
	if b.space == nil {
		return have, nil
	}
	err := b.Session.DB.View(ctx, func(tx store.Tx) error {
		found, err := tx.Pages().ByNames(ctx, b.space.Row, names)
		for i, p := range pages {
			for _, f := range found[names[i]] {
				if slices.Contains(f.Aliases, p.key) || p.named && f.Title == p.title {
					have[p.key] = f
				}
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range pages {
		p := &pages[i]
		if old, there := have[p.key]; there {
			b.at.put(p.key, old.Path)
		} else if b.at.at(p.key) == "" {
			at, err := b.place(ctx, b.space, p)
			if err != nil {
				return nil, err
			}
			b.at.put(p.key, at)
		}
	}
	return have, nil
}

// place returns a free path for a page.
func (b *batch) place(ctx context.Context, s *write.Space, p *page) (at string, err error) {
	folder := cmp.Or(b.req.Folder, s.Policy.Folder)
	at = space.PathIn(s, path.Join(folder, p.folder), space.ShortName(p.title), ".md")
	err = b.Session.DB.View(ctx, func(tx store.Tx) error {
		at, err = ref.FreePath(ctx, tx, s.Space, at, b.at.isTaken)
		return err
	})
	b.at.take(at)
	return at, err
}

// fresh returns the change that creates a page.
func (b *batch) fresh(s *write.Space, p *page) (write.Change, error) {
	var (
		body    strings.Builder
		section string
		at      = b.at.at(p.key)
	)
	body.WriteString(p.head)
	for _, x := range p.parts {
		if x.section != section {
			section = x.section
			fmt.Fprintf(&body, "\n## %s\n\n", section)
		}
		body.WriteString(b.text(x) + x.below)
	}
	fresh := doc.NewPage{Title: p.title, Type: p.kind, Created: p.created, Tags: p.tags, Body: strings.TrimRight(body.String(), " \t\r\n")}
	if p.timeline != "" {
		fresh.Body += "\n\n---\n\n" + p.timeline
	}
	if !p.named {
		fresh.Metadata = append(fresh.Metadata, doc.Property{Key: "aliases", Values: append([]string{p.key}, p.aliases...), List: true})
	}
	fresh.Metadata = append(fresh.Metadata, doc.Property{Key: "source", Values: []string{p.source}})
	if p.updated != "" {
		fresh.Metadata = append(fresh.Metadata, doc.Property{Key: "updated", Values: []string{p.updated}})
	}
	fresh.Metadata = append(fresh.Metadata, p.metadata...)
	codec := doc.ForPath(b.Session.Codecs, at).In(s.Syntax)
	text, err := codec.New(fresh)
	if err != nil {
		return write.Change{}, kb.AsError(err).With("page", p.title)
	}
	return write.Change{Space: s, Path: at, Action: write.Put{Bytes: b.mask(s, p.title, text), Declare: true}}, nil
}

// now reads the present text of a page, and updates its version. In a directory the page may
// have been changed or removed since it was indexed.
func (b *batch) now(ctx context.Context, s *write.Space, p *kb.Page) (text []byte, there bool, err error) {
	if s.Files != nil {
		d, err := change.At(ctx, b.Session, s, p.Path)
		if err != nil || !d.Exists() {
			return nil, false, err
		}
		p.Version = d.Row.Version
		return d.Doc.Source, true, nil
	}
	err = b.Session.DB.View(ctx, func(tx store.Tx) error {
		text, err = tx.History().Bytes(ctx, p.Hash)
		return err
	})
	return text, err == nil, err
}

// extend returns the change that adds missing parts to a page; it is empty if the page lacks
// none.
func (b *batch) extend(s *write.Space, p *page, old kb.Page, text []byte) (c write.Change, err error) {
	var (
		more  = map[string]*strings.Builder{} // by section
		order []string
		lines = newPageLines(text, len(p.parts))
	)
	grown := false
	for _, x := range p.parts {
		if at, there := x.in(text); there {
			x.there()
			below := append(bytes.TrimSpace(secrets.Hide([]byte(x.below))), '\n') // compared as whole lines: "or" is not a part of "or not"
			if len(below) > 1 && !bytes.Contains(append(bytes.ReplaceAll(text[at.Start:at.End], []byte("\r\n"), []byte("\n")), '\n'), below) {
				end := "\n"
				if bytes.Contains(text, []byte("\r\n")) {
					end = "\r\n"
				}
				more := strings.ReplaceAll(string(b.mask(s, p.title, []byte(x.below))), "\n", end)
				if text[at.End-1] != '\n' {
					more = end + more
				}
				text, grown = slices.Concat(text[:at.End], []byte(more), text[at.End:]), true
			}
			continue
		}
		line := b.text(x) + x.below
		id := cmp.Or(x.id, "\n"+cmp.Or(x.known, line))
		if lines.have([]byte(id)) || x.id == "" && lines.have(secrets.Hide([]byte(id))) {
			x.there()
			continue
		}
		x.brought()
		if more[x.section] == nil {
			more[x.section] = &strings.Builder{}
			order = append(order, x.section)
		}
		more[x.section].WriteString(line)
	}
	if len(order) == 0 && !grown {
		return c, nil
	}
	codec := doc.ForPath(b.Session.Codecs, old.Path).In(old.Syntax)
	d := codec.Parse(old.Path, text)
	var edits []doc.Edit
	for _, section := range order {
		add := doc.Append{Section: section, Text: string(b.mask(s, p.title, []byte(more[section].String())))}
		if section != "" && !slices.ContainsFunc(d.Nodes[0].Headings, func(h doc.Heading) bool { return h.InTruth && h.Text == section }) {
			add = doc.Append{Text: codec.Format().Heading(section) + "\n\n" + add.Text}
		}
		edits = append(edits, add)
	}
	if p.updated != "" {
		edits = append(edits, doc.SetProperty{Key: "updated", Value: p.updated})
	}
	text, err = codec.Apply(d, "", edits...)
	return write.Change{Space: s, Path: old.Path, Of: write.OfPage(old), Expected: &old.Version, Action: write.Put{Bytes: text, Overwrite: true}}, err
}

// in finds a part that has like in a text: its line, and the indented lines below it.
func (x part) in(text []byte) (at doc.Span, there bool) {
	if x.like == nil {
		return at, false
	}
	end := 0
	for line := range bytes.Lines(text) {
		start := end
		end += len(line)
		switch {
		case there && (line[0] == ' ' || line[0] == '\t'):
			at.End = end
		case there:
			return at, true
		case x.like(string(bytes.TrimRight(line, "\r\n"))):
			at, there = doc.Span{Start: start, End: end}, true
		}
	}
	return at, there
}

// text renders the text of a part for a page.
func (b *batch) text(x part) string {
	if x.to == "" {
		return x.text
	}
	target := unbracketed(x.to)
	if at := b.at.at(x.to); at != "" {
		target = strings.TrimSuffix(at, path.Ext(at))
	}
	return x.text + "[[" + target + "]]" + x.after + "\n"
}

// mask hides the credentials in a text, and lists them in the receipt. Credentials that the
// caller or the space allows stay.
func (b *batch) mask(s *write.Space, title string, text []byte) []byte {
	found := secrets.Scan(text, b.scan(s))
	if len(found) == 0 {
		return text
	}
	for _, f := range found {
		b.out.lose(fmt.Sprintf("%s, line %d", title, f.Line), "masked: "+f.Kind)
	}
	return secrets.Mask(text, found)
}

// scan returns the options of the credential scan: the exceptions of the caller and of the
// space, if it exists.
func (b *batch) scan(s *write.Space) secrets.Options {
	o := secrets.Options{Allow: b.req.AllowSecrets}
	if s != nil {
		o.Allow, o.Rules = slices.Concat(s.Policy.Secrets.Allow, o.Allow), s.Policy.Secrets.Rules
	}
	return o
}

// hide masks the credentials in a title or another name.
func (b *batch) hide(name string) string { return b.hideIn(b.space, name) }

// hideIn is hide for a name in a space; s is nil for a space that a dry run would create.
func (b *batch) hideIn(s *write.Space, name string) string {
	text := []byte(name)
	if found := secrets.Scan(text, b.scan(s)); len(found) > 0 {
		return string(secrets.Mask(text, found))
	}
	return name
}

// unnamed returns attachments with credentials masked in their names.
func (b *batch) unnamed(files []attachment) []attachment {
	out := slices.Clone(files)
	for i := range out {
		out[i].name = b.hide(out[i].name)
	}
	return out
}

// unbracketed returns a name without the characters that would end a link to it.
func unbracketed(name string) string {
	return kb.InLine(strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]|#", r) {
			return ' '
		}
		return r
	}, name))
}
