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

// ExportRequest asks for the import of an export.
type ExportRequest struct {
	Request
	Program Program
	Into    string // the space, which is made where there is none; "" for the current one
	Folder  string // in it; "" for where its new pages go
}

// page is an imported page: its name, and its parts. Parts that a page of an
// earlier import lacks are added.
type page struct {
	key, title, kind, created, updated string

	folder string // below that of the request
	source string // the program
	head   string // before the parts
	parts  []part
	count  *Tally // that it belongs to
	named  bool   // the key is the title

	tags     []string
	aliases  []string // besides the key
	timeline string   // below the line
	metadata []doc.Property
	files    []attachment // kept with the import
	filed    *Tally       // that those belong to
}

// part is a piece of a page, such as a message. Its id is in the text.
type part struct {
	id, text string
	known    string                 // start of the text in every version, by which an existing page is recognised; "" for all of it
	like     func(line string) bool // whether a line of a page begins the part, where known does not say it; nil else
	below    string                 // what follows text, and is added to a page that has the part without it
	section  string                 // the heading that it is below; "" for the end of the page
	to       string                 // the key of the page that text, the type of a relation, leads to
	after    string                 // what follows that, such as its interval
	count    *Tally                 // that it belongs to
	of       string                 // the kind of that, where the reader does not have it

	holds int    // how many pieces of another kind are in it
	held  *Tally // their total; nil if there are none
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

	space *write.Space // of the pages; nil before it is known, and for one that a dry run would make
	made  []string     // the names of the spaces that the import made

	kept  *kb.Batch       // with the attachments; nil while there are none
	items map[string]bool // paths in it
}

// filed is a page with attachments.
type filed struct {
	at    string
	page  kb.ID // "" for one that the import makes
	files []attachment
}

// pageReader reads an export that becomes pages of one space.
type pageReader struct {
	*batch
	look   func(context.Context) error // before the space is opened; may be nil
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

// counted counts a page of a kind with its parts.
func (p page) counted(count *Tally) page {
	count.Total++
	for _, x := range p.parts {
		x.total()
	}
	p.count = count
	return p
}

// unique notes a key; two pages with the same one are kb.Invalid.
func (b *batch) unique(key string) error {
	if !b.at.add(key) {
		return kb.Errorf(kb.Invalid, "duplicate id %q", key)
	}
	return nil
}

// target opens the target space; nil for one that a dry run would make.
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
	if err == nil || ctx.Err() != nil { // it may be there
		*made = append(*made, cmp.Or(s.Name, req.Name))
	}
	return err
}

// unmake removes the spaces that an import made which failed with err.
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

// elements returns a function that gives each element of the files of an export to take, for
// a pageReader; look finds the files.
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

// changes are those that bring pages, and the attachments of new ones.
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
				continue // a dry run would make it
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

// readable replaces the characters that no page may have, and reports whether there were any.
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

// lacking are the attachments of a page that no earlier import kept for it.
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

// placed notes the present or future paths of pages, and returns those made by an
// earlier import, by key. Credentials in titles are masked first, since paths are
// derived from titles.
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

// place is a free path for a page.
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

// fresh is the change that makes a page.
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

// now reads the text of a page, and brings its version up to date. In a directory somebody
// may have written the page since it was indexed, or taken it away.
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

// extend is the change that adds the parts that a page lacks, if it lacks any.
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
			below := append(bytes.TrimSpace(secrets.Hide([]byte(x.below))), '\n') // whole lines: "or" is not in "or not"
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

// in returns where a page has a part with a like: its line, and those below that are indented.
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

// text renders a part as it is in a page.
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

// mask hides the credentials in a text, and lists them. What the caller or the space
// allows stays.
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

// scan returns the credential scan with the exceptions of the caller and of the
// space, if there is one.
func (b *batch) scan(s *write.Space) secrets.Options {
	o := secrets.Options{Allow: b.req.AllowSecrets}
	if s != nil {
		o.Allow, o.Rules = slices.Concat(s.Policy.Secrets.Allow, o.Allow), s.Policy.Secrets.Rules
	}
	return o
}

// hide is a title or another name without the credentials in it.
func (b *batch) hide(name string) string { return b.hideIn(b.space, name) }

// hideIn is hide for a name in a space; nil for one that a dry run would make.
func (b *batch) hideIn(s *write.Space, name string) string {
	text := []byte(name)
	if found := secrets.Scan(text, b.scan(s)); len(found) > 0 {
		return string(secrets.Mask(text, found))
	}
	return name
}

// unnamed are attachments with names in which credentials are hidden.
func (b *batch) unnamed(files []attachment) []attachment {
	out := slices.Clone(files)
	for i := range out {
		out[i].name = b.hide(out[i].name)
	}
	return out
}

// unbracketed is a name without what would end a link to it.
func unbracketed(name string) string {
	return kb.InLine(strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]|#", r) {
			return ' '
		}
		return r
	}, name))
}
