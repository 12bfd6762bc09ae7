package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/transfer/documents"
)

// documentFiles returns the files that package documents can read.
func documentFiles(t *tree) (out []File) {
	for _, f := range t.files {
		if documents.Reads(f.name) {
			out = append(out, f)
		}
	}
	return out
}

// onlyDocuments reports whether a tree has documents but no notes: documents next to notes
// are often attachments.
func onlyDocuments(t *tree) bool {
	return len(documentFiles(t)) > 0 && len(t.named("*.md", "*.org", "*.markdown")) == 0
}

// documentsIn reads the text of PDF, DOCX, EPUB and HTML files: a page for each.
func documentsIn(ctx context.Context, t *tree, r *onePass) error {
	for _, f := range t.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !documents.Reads(f.name) {
			r.leave("files", f.name, "it is not a PDF, DOCX, EPUB or HTML file")
			continue
		}
		x, err := t.document(ctx, f, r.texts)
		if err != nil {
			return err
		}
		if x.Problem != "" {
			r.leave("notes", f.name, x.Problem)
			continue
		}
		d := x.Document
		base := strings.TrimSuffix(path.Base(f.name), path.Ext(f.name))
		out := note{id: r.key("document", x.Sum), title: base, kind: "document", names: []string{f.name}, metadata: metadata("file", f.name)}
		if dir := path.Dir(f.name); dir != "." {
			out.folder = strings.Split(dir, "/")
		}
		if !r.texts {
			if err := r.add(out); err != nil {
				return err
			}
			continue
		}
		if d.Title != "" {
			out.title = d.Title
		}
		out.created, out.updated = d.Created, d.Changed
		out.metadata = append(out.metadata, metadata("author", d.Author, "language", d.Language)...)
		for _, lost := range []struct {
			n    int
			what string
		}{{d.Images, "image"}, {d.Footnotes, "footnote"}, {d.Comments, "comment"}, {d.Damaged, "damaged byte"}} {
			if lost.n > 0 {
				r.lose(f.name, api.Plural(lost.n, lost.what)+" left out")
			}
		}
		if d.Guessed != "" {
			r.lose(f.name, "its encoding is not known: it was read as "+d.Guessed)
		}
		out.body = func(to links) string {
			return relinkedBy(d.Text, to, func(image bool, address, label string) (string, bool) {
				at, _, _ := strings.Cut(fileAt(f, address), "#")
				if image || at == "" {
					return "", false
				}
				if t.left[at] {
					return "[" + label + "](" + address + ")", true
				}
				l := to.linked(at, label)
				return l, l != ""
			})
		}
		if err := r.add(out); err != nil {
			return err
		}
	}
	return nil
}

// readDocument is the result of reading a document of an export.
type readDocument struct {
	Sum      string // of its bytes
	Problem  string // why it is left out; "" for a document that is imported
	Document documents.Document
}

// document returns a file that was read ahead, or reads it now; text asks for its text.
func (t *tree) document(ctx context.Context, f File, text bool) (x readDocument, err error) {
	if t.spill == nil {
		return f.document(ctx, text)
	}
	if err = json.Unmarshal(t.spill.newest(f.name), &x); err == nil && !text && x.Sum != "" {
		x.Problem = "" // it gets a name in any case, so that the names of other pages do not change
	}
	return x, err
}

// document reads a file, which may take a while if its text is requested.
func (f File) document(ctx context.Context, text bool) (x readDocument, err error) {
	left := int64(maxInner)
	from, size, err := f.within(&left)
	if err != nil {
		return readDocument{Problem: kb.AsError(err).Message}, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(from, 0, size)); err != nil {
		return x, err
	}
	if x.Sum = hex.EncodeToString(sum.Sum(nil)); !text {
		return x, nil
	}
	x.Document, err = documents.Read(ctx, f.name, from, size)
	if stopped := ctx.Err(); stopped != nil {
		return x, stopped
	}
	if err == nil && x.Document.Text == "" {
		err = kb.Errorf(kb.Invalid, "it has no text: scanned pages need character recognition first")
	}
	if err != nil {
		x.Problem = kb.AsError(err).Message
	}
	return x, nil
}

// readDocuments spills the documents of a tree, so that they are read before the import
// locks the space.
func readDocuments(ctx context.Context, t *tree, into *fsys.Dir) (err error) {
	if t.spill, err = newSpill(into); err != nil {
		return err
	}
	t.left = map[string]bool{}
	for _, f := range t.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !documents.Reads(f.name) {
			continue
		}
		x, err := f.document(ctx, true)
		if err != nil {
			return err
		}
		row, err := json.Marshal(x)
		if err == nil {
			err = t.spill.add(f.name, row)
		}
		if err != nil {
			return err
		}
		if x.Problem != "" {
			t.left[f.name] = true
		}
	}
	return t.spill.seal()
}
