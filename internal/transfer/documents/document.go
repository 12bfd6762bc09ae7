package documents

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

// Document is what a file says.
type Document struct {
	Title, Author    string
	Created, Changed time.Time
	Language         string
	Text             string // Markdown
	Images           int    // that were left out
}

// Bounds of the input.
const (
	maxText = 64 << 20 // bytes of text, and of an entry of an archive
	maxPart = 256 << 20
)

// Reads reports whether files with an extension are read.
func Reads(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf", ".docx", ".epub", ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

// Read reads a document by the extension of its name. Damaged ones are kb.Invalid.
func Read(name string, from io.ReaderAt, size int64) (d Document, err error) {
	defer func() {
		if r := recover(); r != nil { // the PDF reader panics on damaged files
			d, err = Document{}, fmt.Errorf("%v", r)
		}
		if err != nil && kb.CodeOf(err) != kb.Invalid {
			err = kb.Errorf(kb.Invalid, "%s cannot be read: %w", name, err)
		}
	}()
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf":
		return readPDF(from, size)
	case ".docx":
		return readDOCX(from, size)
	case ".epub":
		return readEPUB(from, size)
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
	if !utf8.Valid(b) {
		return d, errors.New("it is not UTF-8 text")
	}
	page, err := markup.Read(string(b), markup.Options{Image: func(string, string) string { d.Images++; return "" }})
	if err != nil {
		return d, err
	}
	d.Title, d.Text = page.Title, page.Text
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

func readPDF(from io.ReaderAt, size int64) (d Document, err error) {
	r, err := pdf.NewReader(from, size)
	if err != nil {
		return d, err
	}
	info := r.Trailer().Key("Info")
	d.Title, d.Author = info.Key("Title").Text(), info.Key("Author").Text()
	d.Created, d.Changed = pdfTime(info.Key("CreationDate").Text()), pdfTime(info.Key("ModDate").Text())
	var b strings.Builder
	for n := 1; n <= r.NumPage(); n++ {
		p := r.Page(n)
		if p.V.IsNull() {
			continue
		}
		text, err := p.GetPlainText(nil)
		if err != nil {
			return d, err
		}
		objects := p.Resources().Key("XObject")
		for _, key := range objects.Keys() {
			if objects.Key(key).Key("Subtype").Name() == "Image" {
				d.Images++
			}
		}
		if text = lines(text); text != "" {
			fmt.Fprintf(&b, "## Page %d\n\n%s\n\n", n, text)
		}
		if b.Len() > maxText {
			return d, errTooLarge(b.Len())
		}
	}
	d.Text = strings.TrimSpace(b.String())
	return d, nil
}

// lines is text of a page with its lines trimmed, and without marks that Markdown would read.
func lines(text string) string {
	var out []string
	empty := true
	for _, line := range strings.Split(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), ""), "\n") {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" && empty {
			continue
		}
		empty = line == ""
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, ">") || strings.HasPrefix(line, "```") {
			line = `\` + line
		}
		out = append(out, line)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// pdfTime reads a date such as D:20240102030405+01'00'.
func pdfTime(text string) time.Time {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "D:"), "'", "")
	for _, layout := range []string{"20060102150405-0700", "20060102150405Z0700", "20060102150405", "20060102"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// unpacked opens an entry of an archive, bounded.
func unpacked(z *zip.Reader, name string) ([]byte, error) {
	f, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxText+1))
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

func readEPUB(from io.ReaderAt, size int64) (d Document, err error) {
	z, err := zip.NewReader(from, size)
	if err != nil {
		return d, err
	}
	var container struct {
		Files []struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	b, err := unpacked(z, "META-INF/container.xml")
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
	if b, err = unpacked(z, at); err == nil {
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
	for _, it := range book.Order {
		name := paths[it.ID]
		if name == "" {
			continue
		}
		b, err := unpacked(z, path.Join(path.Dir(at), name))
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
	z, err := zip.NewReader(from, size)
	if err != nil {
		return d, err
	}
	if b, err := unpacked(z, "docProps/core.xml"); err == nil {
		var c core
		if xml.Unmarshal(b, &c) == nil {
			c.into(&d)
		}
	}
	links := map[string]string{}
	if b, err := unpacked(z, "word/_rels/document.xml.rels"); err == nil {
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
	}
	b, err := unpacked(z, "word/document.xml")
	if err != nil {
		return d, err
	}
	w := word{dec: xml.NewDecoder(bytes.NewReader(b)), links: links}
	blocks, err := w.blocks("")
	if err != nil {
		return d, err
	}
	d.Text, d.Images = strings.TrimSpace(strings.Join(blocks, "")), w.images
	return d, nil
}
