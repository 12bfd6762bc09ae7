package exporter

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// indexName is the file with the generated index of the pages.
const indexName = "index.md"

// About are the files at the top of a directory that are not pages. They describe the
// directory, and are generated from the pages.
var About = []string{"README.md", indexName, "schema.md"}

// Request asks for an export.
type Request struct {
	Dir       string
	Space     string // "" for the current one
	Normalise bool   // write the documents in a normalised form
	Raw       bool   // write the bytes that an import read instead of the present pages
	Import    string // id of the import, for Raw

	// Put, if set, receives the files instead of the directory.
	Put func(name string, text []byte) error
}

// Result lists the exported files.
type Result struct {
	Dir       string `json:"dir"`
	Space     string `json:"space"`
	Documents int    `json:"documents"`
	Sidecars  int    `json:"sidecars"`
	Index     bool   `json:"index"` // whether index.md was generated
	Import    string `json:"import_id,omitempty"`
	Same      int    `json:"same"` // unchanged files
}

// file is a file of an export.
type file struct {
	path string
	hash kb.Hash
	side bool
	text []byte // of a generated file; nil for those with bytes in the memory
}

// writing is an export in progress.
type writing struct {
	*memory.Session
	req   Request
	out   Result
	space kb.Space
	tree  *fsys.Dir
	made  map[string]bool // directories
}

// ExportDirectory writes the documents of a space into a directory, with their sidecars and
// an index. If an existing file has other bytes, it fails with kb.Conflict and writes
// nothing.
func ExportDirectory(ctx context.Context, sess *memory.Session, req Request) (_ Result, err error) {
	x := &writing{Session: sess, req: req, out: Result{Dir: req.Dir}, made: map[string]bool{".": true}}
	if req.Raw && req.Import == "" {
		return Result{}, kb.Errorf(kb.Usage, "an export of bytes is of one import: which one is not said").WithReason(kb.WhichImport)
	}
	if !req.Raw && req.Import != "" {
		return Result{}, kb.Errorf(kb.Usage, "the id of an import is for an export of its bytes").WithReason(kb.WhichImport)
	}
	if err := sess.Spaces.MayFill(ctx, req.Dir, "export --dir "+req.Dir); err != nil {
		return Result{}, err
	}
	if x.space, err = outOf(ctx, sess, req); err != nil {
		return Result{}, err
	}
	x.out.Space = x.space.Name
	if req.Put == nil {
		if err := outside(x.space.Root, req.Dir); err != nil {
			return Result{}, err
		}
	}
	err = sess.DB.View(ctx, func(tx store.Tx) (err error) {
		files, err := x.files(ctx, tx)
		if err != nil {
			return err
		}
		if req.Put != nil {
			for _, f := range files {
				if err := x.write(ctx, tx, f, false); err != nil {
					return err
				}
			}
			return nil
		}
		if err := fsys.MakeDir(req.Dir); err != nil {
			return fsys.Explain(err, "make %s", req.Dir)
		}
		if x.tree, err = fsys.OpenDir(req.Dir); err != nil {
			return fsys.Explain(err, "open %s", req.Dir)
		}
		defer func() { err = errors.Join(err, x.tree.Close()) }()
		there, err := x.compare(ctx, tx, files)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := x.write(ctx, tx, f, there[f.path]); err != nil {
				return err
			}
		}
		return nil
	})
	return x.out, err
}

// outside refuses a directory in which exported files would become pages of the exported
// space, or would be among the files of cairn and git.
func outside(root, dir string) error {
	if root == "" {
		return nil
	}
	real, err := space.Resolved(dir) // resolved like the root
	if err != nil {
		return fsys.Explain(err, "open %s", dir)
	}
	in, err := filepath.Rel(root, real)
	if err != nil || in == ".." || strings.HasPrefix(in, ".."+string(filepath.Separator)) {
		return nil
	}
	in = filepath.ToSlash(in)
	used := slices.ContainsFunc(strings.Split(in, "/"), func(name string) bool {
		return slices.Contains([]string{".cairn", ".git", ".raw"}, strings.ToLower(name))
	})
	if in != "." && vault.Hidden(in) && !used {
		return nil
	}
	return kb.Errorf(kb.Usage, "%s is in the space itself", dir).WithHint("Name a directory elsewhere.")
}

// outOf returns the exported space. For raw bytes it is the space of the import.
func outOf(ctx context.Context, sess *memory.Session, req Request) (kb.Space, error) {
	if !req.Raw {
		if req.Space != "" {
			return sess.Spaces.ByName(ctx, req.Space)
		}
		return sess.Spaces.Current(ctx)
	}
	var out kb.Space
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		b, err := tx.Batches().ByID(ctx, req.Import)
		if err != nil {
			return err
		}
		all, err := tx.Spaces().All(ctx)
		for _, s := range all {
			if s.Row == b.Space {
				out = s
			}
		}
		return err
	})
	return out, err
}

// files lists the files to write.
func (x *writing) files(ctx context.Context, tx store.Tx) (out []file, err error) {
	if x.req.Raw {
		b, err := tx.Batches().ByID(ctx, x.req.Import)
		if err != nil {
			return nil, err
		}
		x.out.Import = b.ID
		err = tx.Batches().Items(ctx, b.Row, func(it store.BatchItem) error {
			if !fs.ValidPath(it.Path) {
				return kb.Errorf(kb.Invalid, "the import %s holds %q, which is not a valid path", b.ID, it.Path)
			}
			_, side := vault.SidecarOf(it.Path)
			out = append(out, file{path: it.Path, hash: it.Hash, side: side})
			return nil
		})
		return out, err
	}
	states, err := tx.Documents().States(ctx, x.space.Row)
	if err != nil {
		return nil, err
	}
	index := true
	for _, s := range states {
		index = index && s.Path != indexName
		out = append(out, file{path: s.Path, hash: s.Hash})
		if !s.Side.Hash.IsZero() {
			out = append(out, file{path: vault.SidecarPath(s.Path), hash: s.Side.Hash, side: true})
		}
	}
	if x.out.Index = index; index {
		text, err := x.index(ctx, tx)
		if err != nil {
			return nil, err
		}
		out = append(out, file{path: indexName, text: text})
	}
	return out, nil
}

// index renders the list of all pages by type, without anything that changes by itself.
func (x *writing) index(ctx context.Context, tx store.Tx) ([]byte, error) {
	rows, err := tx.Pages().Rows(ctx, store.Filter{Spaces: []int64{x.space.Row}})
	if err != nil {
		return nil, err
	}
	type entry struct{ kind, slug, line string }
	entries := make([]*entry, 0, len(rows))
	for some := range slices.Chunk(rows, 1000) { // pages are read in chunks: a page is much larger than its line
		pages, err := tx.Pages().Get(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, p := range pages {
			if p.Node != "" {
				continue
			}
			line := "- [" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(kb.InLine(p.Title)) + "](<" + p.Path + ">)"
			if p.Summary != "" {
				line += " — " + kb.InLine(p.Summary)
			}
			entries = append(entries, &entry{cmp.Or(kb.InLine(p.Type), "page"), p.Slug, line + "\n"})
		}
	}
	slices.SortStableFunc(entries, func(a, b *entry) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.slug, b.slug)) })
	var b bytes.Buffer
	b.WriteString("# Index\n")
	kind := ""
	for _, e := range entries {
		if e.kind != kind {
			kind = e.kind
			fmt.Fprintf(&b, "\n## %s\n\n", kind)
		}
		b.WriteString(e.line)
	}
	return b.Bytes(), nil
}

// bytes returns the bytes of a file to write.
func (x *writing) bytes(ctx context.Context, tx store.Tx, f file) ([]byte, error) {
	if f.text != nil {
		return f.text, nil
	}
	text, err := tx.History().Bytes(ctx, f.hash)
	if err != nil || !x.req.Normalise || f.side {
		return text, err
	}
	codec := doc.ForPath(x.Session.Codecs, f.path)
	if codec == nil || codec.Format() != doc.Markdown {
		return text, nil
	}
	return normalised(codec.In(x.space.Syntax), f.path, text), nil
}

// compare returns the files that exist with the same bytes. Files with other bytes are
// kb.Conflict.
func (x *writing) compare(ctx context.Context, tx store.Tx, files []file) (map[string]bool, error) {
	entries, err := x.tree.ReadDir(".")
	if err != nil || len(entries) == 0 {
		return nil, fsys.Explain(err, "read %s", x.req.Dir)
	}
	there, other := map[string]bool{}, []string{}
	for _, f := range files {
		info, err := x.tree.Lstat(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var have, text []byte
		if err == nil && info.Mode().IsRegular() {
			have, _, err = fsys.ReadFile(ctx, x.tree, f.path, info.Size())
		}
		if err == nil {
			text, err = x.bytes(ctx, tx, f)
		}
		if err != nil {
			return nil, fsys.Explain(err, "read %s", path.Join(x.req.Dir, f.path))
		}
		if !info.Mode().IsRegular() || !bytes.Equal(have, text) {
			other = append(other, f.path)
		}
		there[f.path] = true
	}
	if len(other) > 0 {
		return nil, kb.Errorf(kb.Conflict, "%s has %s already that would say something else, such as %s", x.req.Dir, api.Plural(len(other), "file"), other[0]).
			WithHint("Nothing was written. Name a directory that is empty, or not there.").With("files", other[:min(len(other), 20)])
	}
	return there, nil
}

// write writes a file unless it exists, and counts it.
func (x *writing) write(ctx context.Context, tx store.Tx, f file, there bool) (err error) {
	switch {
	case there:
		x.out.Same++
	case f.side:
		x.out.Sidecars++
	case f.text == nil:
		x.out.Documents++
	}
	if there {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := x.bytes(ctx, tx, f)
	if err == nil && x.req.Put != nil {
		return x.req.Put(f.path, text)
	}
	if err == nil {
		err = x.mkdir(path.Dir(f.path))
	}
	if err != nil {
		return fsys.Explain(err, "write %s", path.Join(x.req.Dir, f.path))
	}
	file, err := x.tree.Create(f.path, 0o600)
	if err != nil {
		return fsys.Explain(err, "write %s", path.Join(x.req.Dir, f.path))
	}
	_, err = file.Write(text)
	return fsys.Explain(errors.Join(err, file.Close()), "write %s", path.Join(x.req.Dir, f.path))
}

func (x *writing) mkdir(dir string) error {
	if x.made[dir] {
		return nil
	}
	if err := x.mkdir(path.Dir(dir)); err != nil {
		return err
	}
	x.made[dir] = true
	err := x.tree.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// normalised returns a document in normalised form: UTF-8 and LF, with its metadata, truth
// and timeline each without blank lines around them.
func normalised(codec doc.Codec, at string, text []byte) []byte {
	d := codec.Parse(at, text)
	if d.Encoding == doc.Opaque {
		return text
	}
	n := d.Nodes[0]
	lf := func(s doc.Span) string { return strings.ReplaceAll(d.Slice(s), "\r\n", "\n") }
	truth := n.Truth
	truth.Start = max(truth.Start, n.Head.End)
	var parts []string
	if head := strings.TrimSpace(lf(n.Head)); head != "" {
		parts = append(parts, head)
	}
	if body := strings.Trim(lf(truth), " \t\n"); body != "" {
		parts = append(parts, body)
	}
	if n.Timeline.Len() > 0 {
		parts = append(parts, strings.TrimRight("---\n\n"+strings.Trim(lf(n.Timeline), " \t\n"), "\n"))
	}
	return []byte(strings.Join(parts, "\n\n") + "\n")
}
