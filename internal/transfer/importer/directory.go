package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/transfer/exporter"
)

// fromDirectory is the import of a directory.
type fromDirectory struct {
	*batch
	tree  fsys.FS
	space *write.Space // nil if a dry run would create it
	now   map[string]sums
	last  map[string]kb.Hash // hashes at the last import of this directory, or else of any directory, by path
	items []item
}

// sums are the hashes of a page's present document and sidecar.
type sums struct{ document, side kb.Hash }

// item is a file that the import reads. It is small, since every file has one.
type item struct {
	path string
	hash kb.Hash
	put  put
	acts bool // whether its page may affect others
}

// put is what the import does with a file besides keeping its bytes.
type put uint8

const (
	nothing put = iota
	newPage
	overPage
	besidePage
)

// ImportDirectory copies the documents of a directory into a database space, in one write,
// and keeps all bytes that it read in a batch. Files are read twice, so that only a few are
// in memory at a time. Existing pages stay, except that a page that is unchanged since the
// last import is replaced by the new text of its file.
func ImportDirectory(ctx context.Context, sess *memory.Session, req ExportRequest) (_ Receipt, err error) {
	tree, err := fsys.OpenDir(req.File)
	if err != nil {
		return Receipt{}, fsys.Explain(err, "read %s", req.File)
	}
	defer func() { _ = tree.Close() }() // it was only read
	m := &fromDirectory{batch: newBatch(sess, req), tree: tree, now: map[string]sums{}, last: map[string]kb.Hash{}}
	return m.run(ctx, m)
}

func (m *fromDirectory) open(ctx context.Context) (spaces []*write.Space, by way, err error) {
	if m.space, err = m.target(ctx); err != nil {
		return nil, notAtAll, err
	}
	if m.space != nil && m.space.Files != nil {
		return nil, notAtAll, kb.Errorf(kb.Usage, "%s is a directory itself: an import copies into a space that the memory keeps", m.space.Name).
			WithHint("Name another space, which is made, or copy the files and sync.")
	}
	if m.space != nil {
		open := *m.space
		open.CheckPath = vault.CheckExisting // existing names may be unusual
		m.space = &open
	}
	for _, step := range []func(context.Context) error{m.before, m.documents, m.rest} {
		if err := step(ctx); err != nil {
			return nil, notAtAll, err
		}
	}
	if m.idle() {
		return nil, notAtAll, nil
	}
	return []*write.Space{m.space}, inParts, nil
}

// idle reports whether nothing will be written.
func (m *fromDirectory) idle() bool { return m.req.DryRun || m.space == nil || !m.news() }

func (m *fromDirectory) finish(context.Context) error { return nil }

// before reads the files of the space, and those of earlier imports.
func (m *fromDirectory) before(ctx context.Context) error {
	if m.space == nil {
		return nil
	}
	return m.Session.DB.View(ctx, func(tx store.Tx) error {
		states, err := tx.Documents().States(ctx, m.space.Row)
		if err != nil {
			return err
		}
		for _, s := range states {
			m.now[s.Path] = sums{s.Hash, s.Side.Hash}
		}
		own := map[string]bool{}
		return imported(ctx, tx, m.space.Space, func(b kb.Batch, it store.BatchItem) error {
			switch {
			case b.Source == m.req.File:
				own[it.Path] = true
			case own[it.Path]:
				return nil // a file with the same name from another directory
			}
			m.last[it.Path] = it.Hash
			return nil
		})
	})
}

// imported calls f for all imported files of a space, the newest last.
func imported(ctx context.Context, tx store.Tx, s kb.Space, f func(kb.Batch, store.BatchItem) error) error {
	all, _, err := tx.Batches().List(ctx, []int64{s.Row}, -1, 0)
	for _, b := range slices.Backward(all) {
		if b.Kind == ImportKind && err == nil {
			err = tx.Batches().Items(ctx, b.Row, func(it store.BatchItem) error { return f(b, it) })
		}
	}
	return err
}

// documents plans the pages, with their sidecars.
func (m *fromDirectory) documents(ctx context.Context) error {
	rules := vault.Rules{MaxBytes: write.MaxDocument}
	for _, c := range m.Session.Codecs {
		rules.Extensions = append(rules.Extensions, c.Extensions()...)
	}
	list, err := vault.Scan(ctx, m.tree, rules)
	if err != nil {
		return fsys.Explain(err, "read %s", m.req.File)
	}
	documents, beside := Tally{Kind: "documents"}, Tally{Kind: "sidecars"}
	for _, f := range list.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if slices.Contains(exporter.About, f.Path) {
			continue
		}
		text, err := m.read(ctx, f.Path)
		if err != nil {
			return fsys.Explain(err, "read %s", path.Join(m.req.File, f.Path))
		}
		var side []byte
		at := vault.SidecarPath(f.Path)
		if f.Side.Size > 0 {
			if side, err = m.read(ctx, at); err != nil {
				return fsys.Explain(err, "read %s", path.Join(m.req.File, at))
			}
		}
		now, there := m.now[path.Join(m.req.Folder, f.Path)]
		acts := m.mayAct(text)
		b := m.document(f.Path, text, acts, now.document, there)
		documents.Total++
		m.out.note(&documents, b, f.Path, "it changed here and there: the page stays as it is")
		if side == nil {
			continue
		}
		beside.Total++
		m.out.note(&beside, m.sidecar(at, side, acts, now.side, b), at, "it changed here and there: the sidecar stays as it is")
	}
	for _, skip := range slices.Concat(list.Skipped, list.Sidecars) {
		m.out.leave(&documents, 1, skip.Path, skip.Reason.String())
	}
	m.out.Counts = append(m.out.Counts, documents, beside)
	return nil
}

func (m *fromDirectory) read(ctx context.Context, name string) ([]byte, error) {
	text, _, err := fsys.ReadFile(ctx, m.tree, name, write.MaxDocument)
	return text, err
}

// became returns what happens to the bytes of a file at a path that exists or not.
func (m *fromDirectory) became(at string, sum, now kb.Hash, there bool) became {
	switch {
	case !there:
		return brought
	case now == sum:
		return already
	case m.last[at] == now: // unchanged here since the last import
		return brought
	case m.last[at] == sum:
		return already // changed only here
	}
	return leftOut
}

// document plans a page.
func (m *fromDirectory) document(at string, text []byte, acts bool, now kb.Hash, there bool) became {
	it := item{path: at, hash: sha256.Sum256(text), acts: acts}
	b := m.became(at, it.hash, now, there)
	if b == brought && m.space != nil {
		m.credentials(at, text)
		it.put = newPage
		if there {
			it.put = overPage
		}
	}
	m.items = append(m.items, it)
	return b
}

// credentials lists the credentials of a document, which are not removed.
func (m *fromDirectory) credentials(at string, text []byte) {
	s := m.space.Policy.Secrets
	if s.Off {
		return
	}
	for _, f := range secrets.Scan(text, secrets.Options{Allow: slices.Concat(s.Allow, m.req.AllowSecrets), Rules: s.Rules}) {
		m.out.lose(fmt.Sprintf("%s, line %d", at, f.Line), "nothing is lost, but it is a credential: "+f.Kind)
	}
}

// sidecar plans the sidecar of a page.
func (m *fromDirectory) sidecar(at string, side []byte, acts bool, now kb.Hash, of became) became {
	it := item{path: at, hash: sha256.Sum256(side), acts: acts}
	b := leftOut
	if of != leftOut {
		b = m.became(at, it.hash, now, !now.IsZero())
	}
	if b == brought && m.space != nil {
		it.put = besidePage
	}
	m.items = append(m.items, it)
	return b
}

// rest keeps the files that describe the directory but are not pages, and lists the files
// that are not read.
func (m *fromDirectory) rest(ctx context.Context) error {
	others, left := Tally{Kind: "kept files"}, Tally{Kind: "other files"}
	for _, name := range exporter.About {
		text, err := m.read(ctx, name)
		if err != nil {
			continue // missing, or skipped above
		}
		others.Total++
		it := item{path: name, hash: sha256.Sum256(text)}
		m.items = append(m.items, it)
		if m.last[name] == it.hash {
			others.There++
		} else {
			others.Brought++
		}
	}
	known := map[string]bool{}
	for _, it := range m.items {
		known[it.path] = true
	}
	for _, l := range m.out.Lost {
		known[l.What] = true
	}
	err := m.walk(ctx, ".", func(name string) {
		if !known[name] {
			m.out.leave(&left, 1, name, "not a document")
		}
	})
	m.out.Counts = append(m.out.Counts, others, left)
	return err
}

// walk calls f for each file of the directory except hidden ones.
func (m *fromDirectory) walk(ctx context.Context, dir string, f func(string)) error {
	entries, err := m.tree.ReadDir(dir)
	if err != nil {
		if dir == "." || ctx.Err() != nil {
			return fsys.Explain(err, "read %s", m.req.File)
		}
		return nil // reported by the scan
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			if err := m.walk(ctx, name, f); err != nil {
				return err
			}
		case e.Type() == 0 || e.Type() == fs.ModeSymlink:
			f(name)
		}
	}
	return nil
}

// Limits of documents and bytes per write, which bound memory.
const (
	chunkItems = 1000
	chunkBytes = 2 << 20
)

// drafts yields the pages, and keeps their bytes.
func (m *fromDirectory) drafts(ctx context.Context) iter.Seq2[draft, error] {
	return func(yield func(draft, error) bool) {
		if m.idle() {
			return
		}
		b := m.newBatch(m.space.Space)
		m.out.Batch = b.ID
		begin := draft{after: func(ctx context.Context, tx store.Tx, _ []kb.Version) error {
			if err := m.still(ctx, tx); err != nil {
				return err
			}
			return tx.Batches().Add(ctx, &b, nil)
		}}
		if !yield(begin, nil) {
			return
		}
		// Documents that may affect other pages come first, and in one draft: they then
		// affect no page that the import itself brings, whose bytes stay as imported. The
		// next pass applies their effects.
		acting := slices.DeleteFunc(slices.Clone(m.items), func(it item) bool { return !it.acts })
		m.items = append(acting, slices.DeleteFunc(m.items, func(it item) bool { return it.acts })...)
		for rest := m.items; len(rest) > 0; {
			some, err := m.chunk(ctx, rest)
			if err != nil {
				yield(draft{}, err)
				return
			}
			if !yield(m.draft(&b, rest[:len(some)], some), nil) {
				return
			}
			rest = rest[len(some):]
		}
	}
}

// still fails if a page that will be replaced has changed since it was compared: reading a
// large directory takes a while.
func (m *fromDirectory) still(ctx context.Context, tx store.Tx) error {
	states, err := tx.Documents().States(ctx, m.space.Row)
	if err != nil {
		return err
	}
	now := make(map[string]sums, len(states))
	for _, s := range states {
		now[s.Path] = sums{s.Hash, s.Side.Hash}
	}
	for i, it := range m.items {
		if it.put == besidePage {
			it = m.items[i-1] // the item of its document is the previous one
		} else if it.put != overPage {
			continue
		}
		if at := path.Join(m.req.Folder, it.path); now[at] != m.now[at] {
			return kb.Errorf(kb.Conflict, "%s changed while the directory was read", at).
				WithHint("Nothing was written. Run it again.").With("path", at)
		}
	}
	return nil
}

// chunk reads the bytes of the first items, as many as the result has. A document and its
// sidecar stay together.
func (m *fromDirectory) chunk(ctx context.Context, items []item) (out []store.BatchItem, err error) {
	size := 0
	for _, it := range items {
		_, side := vault.SidecarOf(it.path)
		if (len(out) >= chunkItems || size >= chunkBytes) && !side && !it.acts {
			break
		}
		text, err := m.read(ctx, it.path)
		if err != nil {
			return out, fsys.Explain(err, "read %s", path.Join(m.req.File, it.path))
		}
		if sha256.Sum256(text) != it.hash {
			return out, kb.Errorf(kb.Conflict, "%s changed while it was read", path.Join(m.req.File, it.path)).
				WithHint("Nothing was written. Run it again when nobody writes there.")
		}
		size += len(text)
		out = append(out, store.BatchItem{Path: it.path, Hash: it.hash, Bytes: text})
	}
	return out, nil
}

// mayAct reports whether a text contains the name of a relation that affects other pages.
func (m *fromDirectory) mayAct(text []byte) bool {
	if m.space == nil || len(m.space.Policy.Lifecycle.Effects) == 0 {
		return false
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	plain := letters(string(text))
	for kind := range m.space.Policy.Lifecycle.Effects {
		if strings.Contains(plain, letters(kind)) {
			return true
		}
	}
	return false
}

// draft returns the changes of the items read, and keeps their bytes.
func (m *fromDirectory) draft(b *kb.Batch, items []item, bytes []store.BatchItem) (d draft) {
	for i, it := range items {
		c := write.Change{Space: m.space, Path: path.Join(m.req.Folder, it.path)}
		switch it.put {
		case newPage, overPage:
			c.Action = write.Put{Bytes: bytes[i].Bytes, Overwrite: it.put == overPage, Copied: true, Twin: true}
		case besidePage:
			c.Path, c.Action = path.Join(m.req.Folder, items[i-1].path), write.PutSide{Bytes: bytes[i].Bytes} // the item of its document is the previous one
		default:
			continue
		}
		d.changes = append(d.changes, c)
	}
	d.after = func(ctx context.Context, tx store.Tx, versions []kb.Version) error {
		ids := map[string]kb.ID{}
		for _, v := range versions {
			ids[v.Path] = v.Page
		}
		for i := range bytes {
			bytes[i].Page = ids[path.Join(m.req.Folder, bytes[i].Path)]
		}
		return tx.Batches().Append(ctx, b.Row, bytes)
	}
	return d
}

// news reports whether some bytes differ from those of the last import.
func (m *fromDirectory) news() bool {
	return slices.ContainsFunc(m.items, func(it item) bool { return it.put != nothing || m.last[it.path] != it.hash })
}

// newBatch returns the batch of an import into a space.
func (b *batch) newBatch(s kb.Space) kb.Batch {
	now := b.Writer.Now()
	sum := sha256.Sum256([]byte(string(s.ID) + b.req.File + now.String()))
	return kb.Batch{
		ID: now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(sum[:4]), Space: s.Row, Kind: ImportKind, Source: b.req.File, Created: now,
	}
}

// Imported is a batch of external data.
type Imported struct {
	ID      string    `json:"id"`
	Space   string    `json:"space"`
	Kind    string    `json:"kind"` // ingest or import
	Source  string    `json:"source"`
	Items   int       `json:"items"`
	Created time.Time `json:"created_at"`
}

// Imports lists imported documents, newest first.
func Imports(ctx context.Context, sess *memory.Session, limit, offset int) (api.List[Imported], error) {
	out := api.List[Imported]{Items: []Imported{}}
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		spaces, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		names := map[int64]string{}
		for _, s := range spaces {
			names[s.Row] = s.Name
		}
		if limit == 0 {
			limit = -1
		}
		var all []kb.Batch
		if all, out.Total, err = tx.Batches().List(ctx, nil, limit, offset); err != nil {
			return err
		}
		for _, b := range all {
			out.Items = append(out.Items, Imported{ID: b.ID, Space: names[b.Space], Kind: b.Kind, Source: b.Source, Items: b.Items, Created: b.Created.Truncate(time.Second)})
		}
		return nil
	})
	out.Next = api.Next(offset, len(out.Items), out.Total)
	return out, err
}
