package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

// note is a note of another program.
type note struct {
	id, title, kind  string   // id does not change between exports
	folder           []string // titles of the folders around it
	created, updated time.Time
	tags             []string
	metadata         []doc.Property
	names            []string // names in links of other notes, in addition to id and title
	aliases          []string // its aliases in the program

	body     func(links) string // Markdown; called at most once
	timeline func(links) string // Markdown of the timeline; nil for none
	parts    []part             // of pages that grow; the reader sets their tallies
	files    []attachment
}

// links returns the link target for the page with a name; "" if there is none.
type links func(name string) string

// attachment is a file of a note.
type attachment struct {
	name string // for people
	held int    // bytes of it kept in memory
	read func() ([]byte, error)
}

// attached returns an attachment for a file of the export.
func attached(f File) attachment {
	return attachment{name: path.Base(f.name), read: func() ([]byte, error) { return f.bytes(maxAttachment) }}
}

// maxAttachment is the maximum size of an attachment.
const maxAttachment = 1 << 30

// Source is a program, or a kind of file, from which notes are imported.
type Source struct {
	Program Program
	Takes   string // what it reads, for people
	fits    func(*tree) bool
	guessed func(*tree) bool // whether detection without a named program selects it; nil if fits is sufficient
	read    func(ctx context.Context, t *tree, r *onePass) error
	ahead   func(ctx context.Context, t *tree, into *fsys.Dir) error // reads, before the space is locked, data that takes long or does not fit into memory; nil for none
}

// Sources lists the readers of notes. The first matching reader is used.
func Sources() []Source { return noteSources }

// onePass is one pass over an export. There are two: the first collects the names of the
// notes, so that links can be written as paths, and the second reads their texts.
type onePass struct {
	add func(note) error
	// leave counts pieces that are left out; lose lists a change or loss.
	leave func(kind, what, reason string)
	lose  func(what, reason string)
	keys  *seen
	hide  func(string) string // masks the credentials in a name that becomes a type or a key
	texts bool                // true in the second pass
}

// firstPass returns the pass for names, which reports nothing.
func firstPass(add func(note) error) *onePass {
	return &onePass{add: add, leave: func(string, string, string) {}, lose: func(string, string) {}, keys: newSeen(), hide: func(name string) string { return name }}
}

// key derives an id from identifying data, for a note without an id of its own.
func (r *onePass) key(program string, parts ...string) string {
	key := keyOf(program, parts...)
	if n := r.keys.again(key); n > 1 {
		return fmt.Sprintf("%s-%d", key, n)
	}
	return key
}

// keyOf derives a key from data that identifies a note uniquely.
func keyOf(program string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return program + "-" + hex.EncodeToString(sum[:6])
}

// idOr returns an id, or a key if there is none.
func (r *onePass) idOr(id, program string, parts ...string) string {
	if id = kb.InLine(id); id == "" {
		return r.key(program, parts...)
	}
	return id
}

// metadata returns the properties with a value from pairs of keys and values.
func metadata(pairs ...string) (out []doc.Property) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if value := kb.InLine(pairs[i+1]); value != "" {
			out = append(out, doc.Property{Key: pairs[i], Values: []string{value}})
		}
	}
	return out
}

// Detected describes a file or directory.
type Detected struct {
	File    string  `json:"file"`
	Program Program `json:"program"` // "" for a plain directory of documents
	What    string  `json:"what"`
	Notes   int     `json:"notes"`   // number of notes or documents
	Command string  `json:"command"` // command that imports it
}

// fitting returns the source that can read a tree.
func fitting(t *tree) (Source, bool) {
	i := slices.IndexFunc(noteSources, func(s Source) bool { return s.fits(t) && (s.guessed == nil || s.guessed(t)) })
	if i < 0 {
		return Source{}, false
	}
	return noteSources[i], true
}

// Detect returns the kind of a file or directory, and its number of notes.
func Detect(ctx context.Context, at string) (Detected, error) { return detect(ctx, at, true) }

// ProgramOf returns the program that exported a file.
func ProgramOf(ctx context.Context, at string) (Program, error) {
	found, err := detect(ctx, at, false)
	if err == nil && found.Program == "" {
		err = notKnown(at)
	}
	return found.Program, err
}

func notKnown(at string) error {
	return kb.Errorf(kb.NotFound, "cairn does not know the format of %s", at)
}

// detect is Detect, with count optional: counting the notes of a large export takes a while.
func detect(ctx context.Context, at string, count bool) (out Detected, err error) {
	out.File = at
	t, err := openTree(ctx, at)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	if found, kind := database(ctx, t); found != "" {
		out.Program, out.What, out.Notes = Program(kind.Program), kind.What, kind.Notes
		if out.Program == Quaid {
			out.File = found
		}
		return out, nil
	}
	if s, there := fitting(t); there {
		out.Program, out.What = s.Program, s.Takes
		if !count {
			return out, nil
		}
		err := s.read(ctx, t, firstPass(func(note) error { out.Notes++; return nil }))
		return out, err
	}
	for _, known := range []struct {
		program  Program
		what     string
		patterns []string
	}{
		{MemoryJSON, "the file of MCP's memory server", memoryFiles},
		{ClaudeProjects, "projects of Claude", []string{"projects.json"}},
	} {
		if len(t.named(known.patterns...)) > 0 && !isConversations(t) {
			out.Program, out.What = known.program, known.what
			return out, nil
		}
	}
	if isConversations(t) {
		out.Program, out.What = conversations(ctx, t)
		return out, nil
	}
	switch {
	case len(t.files) == 1 && isDatabase(t.at):
		return out, kb.Errorf(kb.NotFound, "%s is a database of an unknown program: cairn reads those of quaid, kt, Basic Memory and MemPalace", at)
	case len(t.named("*.md", "*.markdown", "*.org", "*.txt")) > 0 && len(t.files) > 0 && t.files[0].name != path.Base(t.at):
		out.What, out.Notes = "a directory of documents", len(t.named("*.md", "*.markdown", "*.org"))
		return out, nil
	}
	return out, notKnown(at)
}

// database returns the database of another program that a tree is, or has at its top, and
// its kind; "" if there is none.
func database(ctx context.Context, t *tree) (at string, kind foreign.Kind) {
	for _, f := range t.files {
		switch {
		case len(t.files) == 1 && f.name == filepath.Base(t.at):
			at = t.at
		case f.name == "memory.db", f.name == "kt.db":
			at = filepath.Join(t.at, f.name)
		default:
			continue
		}
		if !isDatabase(at) {
			continue
		}
		if kind, known := foreign.KindOf(ctx, at); known {
			return at, kind
		}
	}
	return "", foreign.Kind{}
}

func isConversations(t *tree) bool { return len(t.named("conversations*.json")) > 0 }

// conversations distinguishes the exports of ChatGPT and Claude, which have files of the same
// names.
func conversations(ctx context.Context, t *tree) (Program, string) {
	found := Program("")
	stop := errors.New("found")
	for _, f := range t.named("conversations*.json") {
		_ = each(ctx, f, func(_ context.Context, c struct {
			Mapping  map[string]any `json:"mapping"`
			Messages []any          `json:"chat_messages"`
		}) error {
			switch {
			case c.Mapping != nil:
				found = ChatGPT
			case c.Messages != nil:
				found = Claude
			default:
				return nil
			}
			return stop
		})
		if found != "" {
			break
		}
	}
	if found == ChatGPT {
		return found, "conversations of ChatGPT"
	}
	return Claude, "conversations of Claude"
}

// fromNotes is an import of notes.
type fromNotes struct {
	*pageReader
	source Source
	tree   *tree
	counts map[string]*Tally // other than those of notes and attachments
	order  []string
	notes  Tally
	files  Tally
}

// importNotes imports notes of any program: each as a page, with its attachments kept in the
// import.
func importNotes(ctx context.Context, sess *memory.Session, s Source, req ExportRequest) (_ Receipt, err error) {
	t, err := openTree(ctx, req.File)
	if err != nil {
		return Receipt{}, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	b := newBatch(sess, req)
	m := &fromNotes{
		pageReader: &pageReader{batch: b}, source: s, tree: t, counts: map[string]*Tally{},
		notes: Tally{Kind: "notes"}, files: Tally{Kind: "attachments"},
	}
	m.look, m.read, m.report = m.begin, m.pass, m.tallies
	if s.ahead == nil {
		return b.run(ctx, m.pageReader)
	}
	var out Receipt
	err = fsys.Scratch("", func(dir string) (err error) {
		into, err := fsys.OpenDir(dir)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, t.spill.close(), into.Close()) }()
		if err := s.ahead(ctx, t, into); err != nil {
			return err
		}
		out, err = b.run(ctx, m.pageReader)
		return err
	})
	return out, err
}

func (m *fromNotes) begin(context.Context) error {
	if !m.source.fits(m.tree) {
		return kb.Errorf(kb.Invalid, "%s is not what %s exports: %s", m.req.File, m.source.Program, m.source.Takes)
	}
	return nil
}

func (m *fromNotes) tallies() {
	m.out.Counts = append(m.out.Counts, m.notes, m.files)
	for _, kind := range m.order {
		m.out.Counts = append(m.out.Counts, *m.counts[kind])
	}
}

// count returns the tally of a kind.
func (m *fromNotes) count(kind string) *Tally {
	switch kind {
	case m.notes.Kind:
		return &m.notes
	case m.files.Kind:
		return &m.files
	}
	t := m.counts[kind]
	if t == nil {
		t = &Tally{Kind: kind}
		m.counts[kind] = t
		m.order = append(m.order, kind)
	}
	return t
}

// nameOf returns the form in which names of links are compared.
func nameOf(name string) string { return kb.NameKey(strings.TrimSpace(name)) }

// pass reads the names of the notes and assigns paths to their pages, then reads the texts.
func (m *fromNotes) pass(ctx context.Context, add func(page) error) error {
	var waiting []page
	place := func(least int) error {
		if len(waiting) < least {
			return nil
		}
		_, err := m.placed(ctx, waiting)
		waiting = waiting[:0]
		return err
	}
	first := firstPass(func(n note) error {
		if err := m.unique(n.id); err != nil {
			return err
		}
		for _, name := range append(n.names, n.id) {
			if name = nameOf(name); name != "" && name != n.id { // an export may lack the id
				m.at.name(name, n.id)
			}
		}
		if title := nameOf(n.title); title != "" {
			m.at.title(title, n.id)
		}
		waiting = append(waiting, m.page(n))
		return place(chunkItems)
	})
	first.hide = m.hide
	if err := errors.Join(m.source.read(ctx, m.tree, first), m.tree.spill.failed()); err != nil {
		return err
	}
	if err := place(1); err != nil {
		return err
	}
	second := onePass{
		texts: true, keys: newSeen(), hide: m.hide,
		leave: func(kind, what, reason string) {
			m.out.leave(m.count(kind), 1, cmp.Or(kb.InLine(what), "one of the "+kind), reason)
		},
		lose: m.out.lose,
		add: func(n note) error {
			if !m.at.has(n.id) {
				return kb.Errorf(kb.Conflict, "%s changed while it was read", m.req.File).WithHint("Nothing was written. Run it again when nobody writes there.")
			}
			p := m.page(n)
			if n.body != nil {
				p.head = ingest.Undivided(strings.TrimSpace(n.body(m.link)))
				p.head = withoutTitle(p.head, p.title)
				if p.head != "" {
					p.head += "\n"
				}
			}
			if n.timeline != nil {
				p.timeline = strings.TrimSpace(n.timeline(m.link))
			}
			for _, x := range n.parts {
				x.count, x.text, x.known = m.count(x.of), ingest.Undivided(x.text), ingest.Undivided(x.known)
				p.parts = append(p.parts, x)
			}
			p.files, p.filed = n.files, &m.files
			m.files.Total += len(n.files)
			return add(p.counted(&m.notes))
		},
	}
	for _, l := range m.tree.skipped {
		second.leave("files", l.What, l.Reason)
	}
	return errors.Join(m.source.read(ctx, m.tree, &second), m.tree.spill.failed())
}

// page returns the page of a note, without its text.
func (m *fromNotes) page(n note) page {
	p := page{
		key: n.id, title: kb.InLine(n.title), kind: n.kind, source: string(m.source.Program), created: stamp(n.created), updated: stamp(n.updated),
		metadata: n.metadata, aliases: n.aliases,
	}
	if p.kind == "" {
		p.kind = "note"
	}
	if p.title == "" {
		p.title = "Note"
		if !n.created.IsZero() {
			p.title = "Note of " + n.created.UTC().Format("2006-01-02 15:04")
		}
	}
	for _, level := range n.folder {
		p.folder = path.Join(p.folder, vault.FileName(m.hide(level), ""))
	}
	for _, tag := range n.tags {
		if tag = strings.Trim(strings.Join(strings.Fields(kb.InLine(tag)), "-"), "#"); tag != "" && !slices.Contains(p.tags, tag) {
			p.tags = append(p.tags, tag)
		}
	}
	return p
}

// link returns the path of the page with a name.
func (m *fromNotes) link(name string) string {
	at, there := m.at.named(nameOf(name))
	if there && at == "" {
		return nameOf(name) // a dry run assigns no paths
	}
	return strings.TrimSuffix(at, path.Ext(at))
}

// linked returns a link with a text to the page with a name; "" if there is none.
func (l links) linked(name, text string) string {
	return l.linkedAt(name, "", text)
}

// linkedAt is linked to a heading of the page; "" for the page itself.
func (l links) linkedAt(name, heading, text string) string {
	to := l(name)
	if to == "" {
		return ""
	}
	if heading = unbracketed(heading); heading != "" {
		to += "#" + heading
	}
	if text = unbracketed(text); text == "" {
		return "[[" + to + "]]"
	}
	return "[[" + to + "|" + text + "]]"
}

// withoutTitle removes the first heading of a text if it is the title of the page.
func withoutTitle(text, title string) string {
	first, rest, _ := strings.Cut(text, "\n")
	if heading, ok := strings.CutPrefix(first, "# "); ok && kb.NameKey(kb.InLine(heading)) == kb.NameKey(title) {
		return strings.TrimLeft(rest, "\n")
	}
	return text
}

// fileName returns the text that refers to an attachment.
func fileName(name string) string { return "File " + code(name) + " (kept with the import)" }

// named adds the label of a link or an image to the text that refers to a file, unless it is
// the file's name.
func named(label, name, file string) string {
	if label = kb.InLine(label); label == "" || label == name || label == strings.TrimSuffix(name, path.Ext(name)) {
		return file
	}
	return label + ": " + file
}

// missingFile returns the text that refers to a file that the export lacks.
func missingFile(name string) string { return "File " + code(name) + " (not in the export)" }

// picture renders an image that is not in the export.
func picture(src, alt string) string {
	if strings.HasPrefix(src, "data:") {
		if alt == "" {
			return "(image, not imported)"
		}
		return "(image: " + alt + ", not imported)"
	}
	if src == "" {
		return alt
	}
	return "![" + alt + "](" + markup.Address(src) + ")"
}

// keep adds the attachments of pages to the batch of the import, and creates the batch if
// necessary.
func (b *batch) keep(ctx context.Context, tx store.Tx, pages []filed, versions []kb.Version) error {
	if b.kept == nil {
		kept := b.newBatch(b.space.Space)
		if err := tx.Batches().Add(ctx, &kept, nil); err != nil {
			return err
		}
		b.kept, b.out.Batch = &kept, kept.ID
	}
	ids := map[string]kb.ID{}
	for _, v := range versions {
		ids[v.Path] = v.Page
	}
	for _, p := range pages {
		if p.page != "" {
			ids[p.at] = p.page
		}
		for _, a := range p.files {
			bytes, err := a.read()
			if err != nil {
				return err
			}
			dir := strings.TrimSuffix(p.at, path.Ext(p.at))
			item := store.BatchItem{Path: b.freshItem(path.Join(dir, vault.FileName(strings.TrimSuffix(a.name, path.Ext(a.name)), extension(a.name)))), Page: ids[p.at], Hash: sha256.Sum256(bytes), Bytes: bytes}
			if err := tx.Batches().Append(ctx, b.kept.Row, []store.BatchItem{item}); err != nil {
				return err
			}
		}
	}
	return nil
}

// extension returns the extension of a file name, if it looks like one.
func extension(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if len(ext) > 10 || strings.ContainsFunc(strings.TrimPrefix(ext, "."), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return ""
	}
	return ext
}

// freshItem returns a free path in the batch of the import.
func (b *batch) freshItem(at string) string {
	ext := path.Ext(at)
	free := at
	for n := 2; b.items[kb.FoldPath(free)]; n++ {
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(at, ext), n, ext)
	}
	if b.items == nil {
		b.items = map[string]bool{}
	}
	b.items[kb.FoldPath(free)] = true
	return free
}
