package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Bounds of a PDF. The library that reads it trusts the numbers in the file.
const (
	maxPages   = 100_000  // nodes of the tree of pages
	maxContent = 32 << 20 // bytes of a page's content: all of its operands are in memory
	maxFonts   = 1000     // of a page
	maxLevel   = 64       // of the tree of pages
)

var (
	errCostly = errors.New("it takes far more time or memory to read than a document does")
	errNested = errors.New("its pages are nested too deeply")

	// hugeTable and hugeMap are table sizes that no real document has.
	hugeTable = lazyregexp.New(`/(?:Size|N|Columns)\s*\d{8}|/Index\s*\[[\d\s]{0,200}\d{8}|/W\s*\[[\d\s]{0,40}\d{4}|(?:^|[\r\n])\d{8,9}[ ]+\d+\s*[\r\n]`)
	hugeMap   = lazyregexp.New(`\d{6}\s+begin(?:bfchar|bfrange|codespacerange)`)
)

// paper is a PDF being read.
type paper struct {
	ctx   context.Context
	nodes int // nodes of the page tree so far
	room  room
	text  strings.Builder
	d     Document
}

func readPDF(ctx context.Context, from io.ReaderAt, size int64) (Document, error) {
	if has, err := finds(io.NewSectionReader(from, 0, size), hugeTable()); err != nil {
		return Document{}, err
	} else if has {
		return Document{}, errCostly
	}
	r, err := pdf.NewReader(from, size)
	if err != nil {
		return Document{}, err
	}
	info := r.Trailer().Key("Info")
	p := paper{ctx: ctx, room: maxUnpacked, d: Document{
		Title: info.Key("Title").Text(), Author: info.Key("Author").Text(),
		Created: pdfTime(info.Key("CreationDate").Text()), Changed: pdfTime(info.Key("ModDate").Text()),
	}}
	n := 0
	err = p.pages(r.Trailer().Key("Root").Key("Pages"), 0, func(v pdf.Value) error { n++; return p.page(n, v) })
	p.d.Text = strings.TrimSpace(p.text.String())
	return p.d, err
}

// finds reports whether a pattern occurs in a stream, which need not fit into
// memory. Matches are shorter than 256 bytes.
func finds(from io.Reader, pattern *regexp.Regexp) (bool, error) {
	const overlap = 256
	buf, kept := make([]byte, 1<<20), 0
	for {
		n, err := io.ReadFull(from, buf[kept:])
		n += kept
		if pattern.Match(buf[:n]) {
			return true, nil
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return false, nil
		case err != nil:
			return false, err
		}
		kept = copy(buf, buf[n-overlap:n])
	}
}

// pages calls do for the pages below a node of the page tree, in order. A tree with a cycle
// exceeds maxLevel.
func (p *paper) pages(v pdf.Value, level int, do func(pdf.Value) error) error {
	if err := p.ctx.Err(); err != nil {
		return errors.Join(errCostly, err)
	}
	if p.nodes++; p.nodes > maxPages {
		return fmt.Errorf("it has more than %d pages", maxPages)
	}
	kids := v.Key("Kids")
	if kids.Kind() != pdf.Array {
		if v.Kind() != pdf.Dict || v.Key("Type").Name() == "Pages" {
			return nil
		}
		return do(v)
	}
	if level == maxLevel {
		return errNested
	}
	for i := range kids.Len() {
		if err := p.pages(kids.Index(i), level+1, do); err != nil {
			return err
		}
	}
	return nil
}

// page adds the text of a page.
func (p *paper) page(n int, v pdf.Value) error {
	for up, level := v, 0; !up.IsNull(); up, level = up.Key("Parent"), level+1 {
		if level > maxLevel {
			return errNested
		}
	}
	page := pdf.Page{V: v}
	if err := p.affords(page); err != nil {
		return err
	}
	text, err := page.GetPlainText(nil)
	if err != nil {
		return err
	}
	objects := page.Resources().Key("XObject")
	for _, key := range objects.Keys() {
		if objects.Key(key).Key("Subtype").Name() == "Image" {
			p.d.Images++
		}
	}
	if text = lines(text); text != "" {
		fmt.Fprintf(&p.text, "## Page %d\n\n%s\n\n", n, text)
	}
	return errTooLarge(p.text.Len())
}

// affords checks the size of a page's streams, by unpacking them, and the number and tables
// of its fonts.
func (p *paper) affords(page pdf.Page) error {
	content := page.V.Key("Contents")
	streams := []pdf.Value{content}
	if content.Kind() == pdf.Array {
		streams = nil
		for i := range content.Len() {
			streams = append(streams, content.Index(i))
		}
	}
	left := room(maxContent)
	for _, s := range streams {
		if s.Kind() != pdf.Stream {
			continue
		}
		if _, err := io.Copy(io.Discard, left.of(p.room.of(s.Reader()))); err != nil {
			return err
		}
	}
	fonts := page.Fonts()
	if len(fonts) > maxFonts {
		return errCostly
	}
	for _, name := range fonts {
		s := page.Font(name).V.Key("ToUnicode")
		if s.Kind() != pdf.Stream {
			continue
		}
		if huge, err := finds(p.room.of(s.Reader()), hugeMap()); err != nil {
			return err
		} else if huge {
			return errCostly
		}
	}
	return nil
}

// lines returns the text of a page with its lines trimmed, and without marks of Markdown.
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
