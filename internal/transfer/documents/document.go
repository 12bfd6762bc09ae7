package documents

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

// Document is the content of a file.
type Document struct {
	Title, Author    string
	Created, Changed time.Time
	Language         string
	Text             string // Markdown
	Images           int    // left out
	Footnotes        int    // and endnotes, left out
	Comments         int    // left out
	Damaged          int    // invalid bytes
	Guessed          string // the encoding, if it was guessed
}

// Bounds of the input.
const (
	maxText     = 64 << 20  // bytes of text, and of an entry of an archive
	maxUnpacked = 256 << 20 // unpacked bytes of a file
	maxTime     = time.Minute
)

var errUnpacks = errors.New("it unpacks to far more than a document does")

// room is the number of bytes that may still be unpacked from a file.
type room int64

// of limits a reader of packed data to the remaining bytes.
func (r *room) of(from io.Reader) io.Reader { return &metered{from, r} }

type metered struct {
	from io.Reader
	room *room
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if *m.room -= room(n); *m.room < 0 {
		return n, errUnpacks
	}
	return n, err
}

// timed is a file that cannot be read once a context is done. This also ends a parser that
// reads the same places endlessly.
type timed struct {
	ctx  context.Context
	from io.ReaderAt
}

func (t timed) ReadAt(p []byte, at int64) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, errors.Join(errCostly, err)
	}
	return t.from.ReadAt(p, at)
}

// Reads reports whether the extension of a file name is supported.
func Reads(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf", ".docx", ".epub", ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

// Read reads a document, by the extension of its name. Damaged documents, and those that
// cost far more to read than is usual, are kb.Invalid.
func Read(ctx context.Context, name string, from io.ReaderAt, size int64) (d Document, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	from = timed{ctx, from}
	defer func() {
		if r := recover(); r != nil { // the PDF reader panics on damaged files
			d, err = Document{}, fmt.Errorf("%v", r)
		}
		if err != nil && ctx.Err() != nil {
			err = errCostly
		}
		if err != nil && kb.CodeOf(err) != kb.Invalid {
			err = kb.Errorf(kb.Invalid, "%s cannot be read: %w", name, err)
		}
	}()
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf":
		return readPDF(ctx, from, size)
	case ".docx":
		return readDOCX(from, size)
	case ".epub":
		return readEPUB(ctx, from, size)
	}
	b, err := io.ReadAll(io.LimitReader(io.NewSectionReader(from, 0, size), maxText+1))
	if err != nil || len(b) > maxText {
		return d, errors.Join(err, errTooLarge(len(b)))
	}
	return readHTML(b)
}

func errTooLarge(n int) error {
	if n > maxText {
		return fmt.Errorf("it is larger than %d MiB", maxText>>20)
	}
	return nil
}

func readHTML(b []byte) (d Document, err error) {
	decoded, err := markup.Decode(b)
	if err != nil {
		return d, err
	}
	page, err := markup.Read(decoded.Text, markup.Options{Image: func(string, string) string { d.Images++; return "" }})
	if err != nil {
		return d, err
	}
	d.Title, d.Text, d.Damaged, d.Guessed = page.Title, page.Text, decoded.Damaged, decoded.Guessed
	for _, key := range []string{"author", "article:author", "dc.creator"} {
		if d.Author == "" {
			d.Author = page.Meta[key]
		}
	}
	for _, key := range []string{"article:published_time", "date", "dc.date"} {
		if d.Created.IsZero() {
			d.Created = day(page.Meta[key])
		}
	}
	d.Changed = day(page.Meta["article:modified_time"])
	return d, nil
}

// day reads a date, or a time.
func day(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// packed is a document in a ZIP archive.
type packed struct {
	*zip.Reader
	room room
}

func openPacked(from io.ReaderAt, size int64) (*packed, error) {
	z, err := zip.NewReader(from, size)
	return &packed{z, maxUnpacked}, err
}

// unpacked reads an entry of an archive, up to a limit.
func (z *packed) unpacked(name string) ([]byte, error) {
	f, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(z.room.of(f), maxText+1))
	return b, errors.Join(err, f.Close(), errTooLarge(len(b)))
}

// core is the metadata of a DOCX or EPUB file.
type core struct {
	Title    string   `xml:"title"`
	Authors  []string `xml:"creator"`
	Created  string   `xml:"created"`
	Changed  string   `xml:"modified"`
	Date     string   `xml:"date"`
	Language string   `xml:"language"`
}

func (c core) into(d *Document) {
	d.Title, d.Author, d.Language = strings.TrimSpace(c.Title), strings.Join(c.Authors, ", "), c.Language
	d.Created, d.Changed = day(c.Created), day(c.Changed)
	if d.Created.IsZero() {
		d.Created = day(c.Date)
	}
}

// entryName returns the name of the entry that an address in a book refers to.
func entryName(href string) string {
	href, _, _ = strings.Cut(href, "#")
	if plain, err := url.PathUnescape(href); err == nil {
		return plain
	}
	return href
}

func readEPUB(ctx context.Context, from io.ReaderAt, size int64) (d Document, err error) {
	z, err := openPacked(from, size)
	if err != nil {
		return d, err
	}
	var container struct {
		Files []struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	b, err := z.unpacked("META-INF/container.xml")
	if err == nil {
		err = xml.Unmarshal(b, &container)
	}
	if err != nil || len(container.Files) == 0 {
		return d, errors.Join(err, errors.New("it has no content"))
	}
	var book struct {
		Core  core `xml:"metadata"`
		Items []struct {
			ID    string `xml:"id,attr"`
			Path  string `xml:"href,attr"`
			Type  string `xml:"media-type,attr"`
			Usage string `xml:"properties,attr"`
		} `xml:"manifest>item"`
		Order []struct {
			ID string `xml:"idref,attr"`
		} `xml:"spine>itemref"`
	}
	at := container.Files[0].Path
	if b, err = z.unpacked(at); err == nil {
		err = xml.Unmarshal(b, &book)
	}
	if err != nil {
		return d, err
	}
	book.Core.into(&d)
	paths := map[string]string{}
	for _, it := range book.Items {
		if strings.HasPrefix(it.Type, "image/") {
			d.Images++
		} else if !strings.Contains(it.Usage, "nav") {
			paths[it.ID] = it.Path
		}
	}
	var out strings.Builder
	have := map[string]bool{}
	for _, it := range book.Order {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		if paths[it.ID] == "" {
			continue
		}
		name := path.Join(path.Dir(at), entryName(paths[it.ID]))
		if have[name] {
			continue // continue // each chapter is added once
		}
		have[name] = true
		b, err := z.unpacked(name)
		if err != nil {
			return d, err
		}
		page, err := markup.Read(strings.ToValidUTF8(string(b), ""), markup.Options{
			XHTML: true, Image: func(string, string) string { return "" },
			Link: func(href, text string) string {
				if !strings.Contains(href, "://") {
					return text // within the book
				}
				return markup.Link(href, text)
			},
		})
		if err != nil {
			return d, err
		}
		out.WriteString(page.Text + "\n\n")
		if err := errTooLarge(out.Len()); err != nil {
			return d, err
		}
	}
	d.Text = strings.TrimSpace(out.String())
	return d, nil
}

func readDOCX(from io.ReaderAt, size int64) (d Document, err error) {
	z, err := openPacked(from, size)
	if err != nil {
		return d, err
	}
	if b, err := z.unpacked("docProps/core.xml"); err == nil {
		var c core
		if xml.Unmarshal(b, &c) == nil {
			c.into(&d)
		}
	}
	notes := map[string]string{}
	for _, of := range []string{"footnote", "endnote"} {
		if err := z.notes(of, notes); err != nil {
			return d, err
		}
	}
	b, err := z.unpacked("word/document.xml")
	if err != nil {
		return d, err
	}
	w := word{dec: xml.NewDecoder(bytes.NewReader(b)), links: z.external("document"), notes: notes}
	blocks, err := w.blocks("")
	if err != nil {
		return d, err
	}
	blocks = append(blocks, w.below...)
	d.Text, d.Images, d.Footnotes, d.Comments = strings.TrimSpace(strings.Join(blocks, "")), w.images, w.footnotes, w.comments
	return d, nil
}

// external returns the external link targets of a part of a DOCX file, by id.
func (z *packed) external(part string) map[string]string {
	links := map[string]string{}
	b, err := z.unpacked("word/_rels/" + part + ".xml.rels")
	if err != nil {
		return links
	}
	var rels struct {
		All []struct {
			ID   string `xml:"Id,attr"`
			To   string `xml:"Target,attr"`
			Mode string `xml:"TargetMode,attr"`
		} `xml:"Relationship"`
	}
	if xml.Unmarshal(b, &rels) == nil {
		for _, r := range rels.All {
			if r.Mode == "External" {
				links[r.ID] = r.To
			}
		}
	}
	return links
}

// notes adds the footnotes or endnotes (kind) of a DOCX file, by kind and id.
func (z *packed) notes(kind string, to map[string]string) error {
	b, err := z.unpacked("word/" + kind + "s.xml")
	if err != nil {
		return nil // most files have none
	}
	w := word{dec: xml.NewDecoder(bytes.NewReader(b)), links: z.external(kind + "s")}
	for {
		token, err := w.token()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != kind {
			continue
		}
		blocks, err := w.blocks(kind)
		if err != nil {
			return err
		}
		if text := strings.TrimSpace(strings.Join(blocks, "")); text != "" { // separator lines of notes have no text
			to[kind+attr(e, "id")] = text
		}
	}
}
