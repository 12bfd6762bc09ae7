package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/transfer/documents"
)

// documentFiles are the files that package documents reads.
func documentFiles(t *tree) (out []File) {
	for _, f := range t.files {
		if documents.Reads(f.name) {
			out = append(out, f)
		}
	}
	return out
}

// onlyDocuments reports whether a tree has documents and no notes: documents next to notes are
// often their attachments.
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
		left := int64(maxInner)
		from, size, err := f.within(&left)
		if err != nil {
			r.leave("notes", f.name, kb.AsError(err).Message)
			continue
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(from, 0, size)); err != nil {
			return err
		}
		base := strings.TrimSuffix(path.Base(f.name), path.Ext(f.name))
		out := note{id: r.key("document", hex.EncodeToString(sum.Sum(nil))), title: base, kind: "document", metadata: metadata("file", f.name)}
		if dir := path.Dir(f.name); dir != "." {
			out.folder = strings.Split(dir, "/")
		}
		if !r.texts {
			if err := r.add(out); err != nil {
				return err
			}
			continue
		}
		d, err := documents.Read(ctx, f.name, from, size)
		if stopped := ctx.Err(); stopped != nil {
			return stopped
		}
		if err == nil && d.Text == "" {
			err = kb.Errorf(kb.Invalid, "it has no text: scanned pages need character recognition first")
		}
		if err != nil {
			r.leave("notes", f.name, kb.AsError(err).Message)
			continue
		}
		if d.Title != "" {
			out.title = d.Title
		}
		out.created, out.updated = d.Created, d.Changed
		out.metadata = append(out.metadata, metadata("author", d.Author, "language", d.Language)...)
		for _, x := range []struct {
			n    int
			what string
		}{{d.Images, "image"}, {d.Footnotes, "footnote"}, {d.Comments, "comment"}} {
			if x.n > 0 {
				r.lose(f.name, api.Plural(x.n, x.what)+" left out")
			}
		}
		out.body = func(links) string { return d.Text }
		if err := r.add(out); err != nil {
			return err
		}
	}
	return nil
}
