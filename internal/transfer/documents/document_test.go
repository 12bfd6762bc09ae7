package documents_test

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/transfer/documents"
)

func packed(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const wordHead = `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>`

func docx(t *testing.T, body string) []byte {
	return packed(t,
		"docProps/core.xml", `<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>Kiln book</dc:title><dc:creator>Ada</dc:creator><dcterms:created>2024-01-02T03:04:05Z</dcterms:created></cp:coreProperties>`,
		"word/_rels/document.xml.rels", `<Relationships><Relationship Id="rId1" Target="https://e.org/a b" TargetMode="External"/></Relationships>`,
		"word/document.xml", wordHead+body+`<w:sectPr/></w:body></w:document>`)
}

func epub(t *testing.T) []byte {
	return packed(t,
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
		"OEBPS/book.opf", `<package xmlns:dc="d"><metadata><dc:title>Kiln book</dc:title><dc:creator>Ada</dc:creator><dc:date>2024-01-02</dc:date><dc:language>en</dc:language></metadata>
			<manifest><item id="n" href="nav.xhtml" properties="nav"/><item id="b" href="b.xhtml"/><item id="a" href="text/a%20b.xhtml"/><item id="i" href="i.png" media-type="image/png"/></manifest>
			<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>`,
		"OEBPS/nav.xhtml", "<p>Contents</p>",
		"OEBPS/text/a b.xhtml", "<html><body><h1>One</h1><p>See <a href='../b.xhtml#x'>two</a>.<img src='../i.png'/></p></body></html>",
		"OEBPS/b.xhtml", "<html><body><h1>Two</h1><p>End</p></body></html>")
}

// paper is a PDF of one page with a line of text.
func paper(text string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(s string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), s)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /I 6 0 R >> >> >>")
	content := "BT /F1 12 Tf 10 100 Td (" + text + ") Tj ET"
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	object("<< /Type /XObject /Subtype /Image /Length 0 >>\nstream\n\nendstream")
	object("<< /Title (Kiln book) /Author (Ada) /CreationDate (D:20240102030405+00'00') >>")
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 7 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

func TestRead(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		bytes []byte
		want  documents.Document
	}{
		"a.docx": {docx(t, `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Firing</w:t></w:r></w:p>
			<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Slow</w:t></w:r><w:r><w:t xml:space="preserve"> fire, see </w:t></w:r><w:hyperlink r:id="rId1"><w:r><w:t>this</w:t></w:r></w:hyperlink><w:r><w:drawing><a/></w:drawing></w:r></w:p>
			<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/></w:numPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr><w:r><w:t>☒ two</w:t></w:r></w:p>
			<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b|c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`),
			documents.Document{Title: "Kiln book", Author: "Ada", Created: at, Images: 1,
				Text: "# Firing\n\n**Slow** fire, see [this](https://e.org/a%20b)\n\n- one\n  - [x] two\n\n| a | b\\|c |\n| --- | --- |"}},
		"a.epub": {epub(t), documents.Document{Title: "Kiln book", Author: "Ada", Created: at.Truncate(24 * time.Hour), Language: "en", Images: 1, Text: "# One\n\nSee two.\n\n# Two\n\nEnd"}},
		"a.pdf":  {paper("Fire slowly"), documents.Document{Title: "Kiln book", Author: "Ada", Created: at, Images: 1, Text: "## Page 1\n\nFire slowly"}},
		"a.html": {[]byte(`<html><head><title>Kiln book</title><meta name="author" content="Ada"><meta property="article:published_time" content="2024-01-02T03:04:05Z"></head><body><p>Fire<img src=x></p></body></html>`),
			documents.Document{Title: "Kiln book", Author: "Ada", Created: at, Images: 1, Text: "Fire"}},
	} {
		got, err := documents.Read(t.Context(), name, bytes.NewReader(c.bytes), int64(len(c.bytes)))
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%+v\nwant\n%+v", name, err, got, c.want)
		}
	}
}

// Whatever is cut off or changed in a document, reading it ends, without a panic.
func TestReadDamaged(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<w:tbl><w:tr><w:tc>", 100000)
	for name, b := range map[string][]byte{"a.docx": docx(t, "<w:p><w:r><w:t>x</w:t></w:r></w:p>"), "a.epub": epub(t), "a.pdf": paper("Fire slowly")} {
		for n := 0; n < len(b); n += 1 + len(b)/200 {
			_, err := documents.Read(t.Context(), name, bytes.NewReader(b[:n]), int64(n))
			if err != nil && kb.CodeOf(err) != kb.Invalid {
				t.Errorf("%s of %d bytes: %v", name, n, err)
			}
			changed := bytes.Clone(b)
			changed[n] ^= 0x55
			_, _ = documents.Read(t.Context(), name, bytes.NewReader(changed), int64(len(changed)))
		}
	}
	for name, b := range map[string][]byte{
		"deep.docx": docx(t, deep), "entity.docx": packed(t, "word/document.xml", `<!DOCTYPE x [<!ENTITY a "b">]><w:document><w:body><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:body></w:document>`),
		"bomb.docx": packed(t, "word/document.xml", strings.Repeat(" ", 70<<20)), "bad.html": {0x80, 0x00, 0x01},
		"east.html": []byte("<meta charset=x-mac-japanese><p>\x93\xfa\x96\x7b</p>"),
	} {
		if _, err := documents.Read(t.Context(), name, bytes.NewReader(b), int64(len(b))); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// raw is a PDF with objects as they are given, of which the first is the root.
func raw(objects ...string) []byte {
	var b bytes.Buffer
	var at []int
	b.WriteString("%PDF-1.4\n")
	for i, s := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, s)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

// zeros is a stream of a PDF that unpacks to so many blanks.
func zeros(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(bytes.Repeat([]byte(" "), n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", b.Len(), b.String())
}

// A small file that would take long to read is refused at once.
func TestReadCostly(t *testing.T) {
	t.Parallel()
	const catalog = "<< /Type /Catalog /Pages 2 0 R >>"
	chapters := strings.Repeat("<itemref idref='a'/>", 500)
	var items, order strings.Builder
	for i := range 100 {
		fmt.Fprintf(&items, "<item id='a%d' href='a.xhtml'/>", i)
		fmt.Fprintf(&order, "<itemref idref='a%d'/>", i)
	}
	book := func(items, order string) []byte {
		return packed(t,
			"META-INF/container.xml", `<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>`,
			"b.opf", "<package><manifest>"+items+"</manifest><spine>"+order+"</spine></package>",
			"a.xhtml", "<p>One</p>"+strings.Repeat(" ", 10<<20))
	}
	for name, c := range map[string]struct {
		bytes []byte
		want  string // "" where it is read
	}{
		"pages.pdf":   {raw(catalog, "<< /Type /Pages /Kids [3 0 R] /Count 2000000000 >>", "<< /Type /Page >>"), ""},
		"cycle.pdf":   {raw(catalog, "<< /Type /Pages /Kids [2 0 R] /Count 2000000000 >>"), "nested too deeply"},
		"tree.pdf":    {raw(catalog, "<< /Type /Pages /Kids ["+strings.Repeat("3 0 R ", 1000)+"] >>", "<< /Type /Pages /Kids ["+strings.Repeat("4 0 R ", 1000)+"] >>", "<< /Type /Pages >>"), "more than 100000 pages"},
		"parents.pdf": {raw(catalog, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Parent 4 0 R >>", "<< /Parent 3 0 R >>"), "nested too deeply"},
		"size.pdf":    {raw(catalog, "<< /Type /XRef /Size 2000000000 >>"), "far more time or memory"},
		"bomb.pdf":    {raw(catalog, "<< /Type /Pages /Kids ["+strings.Repeat("3 0 R ", 1000)+"] /Count 1 >>", "<< /Type /Page /Contents 4 0 R >>", zeros(t, 40<<20)), "unpacks to far more"},
		"map.pdf": {raw(catalog, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Resources << /Font << /F 4 0 R >> >> >>", "<< /Type /Font /ToUnicode 5 0 R >>",
			"<< /Length 44 >>\nstream\n2000000000 beginbfchar endbfchar            \nendstream"), "far more time or memory"},
		"open.docx":  {packed(t, "word/document.xml", "<w:document>"+strings.Repeat("<a>", 1<<20)), "elements are nested too deeply"},
		"left.docx":  {packed(t, "word/document.xml", "<w:document><w:p><w:pict>"+strings.Repeat("<a>", 1<<20)), "elements are nested too deeply"},
		"note.docx":  {packed(t, "word/footnotes.xml", strings.Repeat("<a>", 1<<20), "word/document.xml", "<w:document/>"), "elements are nested too deeply"},
		"long.docx":  {packed(t, "word/document.xml", "<w:document>"+strings.Repeat("<w:p><w:r><w:t>x</w:t><w:pict><a/></w:pict></w:r></w:p>", 3000)+"</w:document>"), ""},
		"twice.epub": {book("<item id='a' href='a.xhtml'/>", chapters), ""},
		"many.epub":  {book(items.String(), order.String()), ""},
	} {
		start := time.Now()
		_, err := documents.Read(t.Context(), name, bytes.NewReader(c.bytes), int64(len(c.bytes)))
		if c.want == "" && err != nil || c.want != "" && (kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if took := time.Since(start); took > 50*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	b := paper("x")
	if _, err := documents.Read(stopped, "a.pdf", bytes.NewReader(b), int64(len(b))); err == nil {
		t.Error("it is read after the context is done")
	}
}

// What Word has besides the text is counted, and what looks like a mark stays text.
func TestReadWord(t *testing.T) {
	t.Parallel()
	b := docx(t, `<w:p><w:pPr><w:rPr><w:b/></w:rPr></w:pPr><w:r><w:t># 1 is</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r><w:r><w:endnoteReference w:id="1"/></w:r><w:r><w:commentReference w:id="1"/></w:r></w:p>
		<w:p><w:r><w:t>1. plain</w:t></w:r></w:p>`)
	d, err := documents.Read(t.Context(), "a.docx", bytes.NewReader(b), int64(len(b)))
	if want := "\\# 1 is\n\n1\\. plain"; err != nil || d.Text != want || d.Footnotes != 2 || d.Comments != 1 {
		t.Errorf("%+v %v, want %q", d, err, want)
	}
}

// Footnotes and endnotes are at the end, numbered in the order of the text, each once; one that is
// not in the file is counted.
func TestWordFootnotes(t *testing.T) {
	t.Parallel()
	ref := func(kind, id string) string { return `<w:r><w:` + kind + `Reference w:id="` + id + `"/></w:r>` }
	note := func(kind, id, text string) string {
		return `<w:` + kind + ` w:id="` + id + `"><w:p><w:r><w:` + kind + `Ref/></w:r><w:r><w:t xml:space="preserve"> ` + text + `</w:t></w:r></w:p></w:` + kind + `>`
	}
	b := packed(t,
		"word/_rels/footnotes.xml.rels", `<Relationships><Relationship Id="rId1" Target="https://e.org" TargetMode="External"/></Relationships>`,
		"word/footnotes.xml", `<w:footnotes xmlns:w="w" xmlns:r="r"><w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>`+note("footnote", "1", "Ada, 1843")+
			`<w:footnote w:id="2"><w:p><w:hyperlink r:id="rId1"><w:r><w:t>Site</w:t></w:r></w:hyperlink></w:p><w:p><w:r><w:t>More</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		"word/endnotes.xml", `<w:endnotes xmlns:w="w">`+note("endnote", "1", "The end")+`</w:endnotes>`,
		"word/document.xml", wordHead+`<w:p><w:r><w:t>It fires</w:t></w:r>`+ref("footnote", "2")+`<w:r><w:t xml:space="preserve"> slowly</w:t></w:r>`+ref("endnote", "1")+ref("footnote", "9")+`</w:p>
			<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r>`+ref("footnote", "1")+ref("footnote", "2")+`</w:p></w:tc></w:tr></w:tbl></w:body></w:document>`)
	d, err := documents.Read(t.Context(), "a.docx", bytes.NewReader(b), int64(len(b)))
	const want = "It fires[^1] slowly[^2]\n\n| a[^3][^1] |\n| --- |\n\n[^1]: [Site](https://e.org)\n\n    More\n\n[^2]: The end\n\n[^3]: Ada, 1843"
	if err != nil || d.Text != want || d.Footnotes != 1 {
		t.Errorf("%v, %d left out\n%q\nwant\n%q", err, d.Footnotes, d.Text, want)
	}
}

// A document in HTML has the encoding that its bytes show, or that it declares. Damaged bytes are
// counted, and a text in an unknown one is refused.
func TestReadEncodings(t *testing.T) {
	t.Parallel()
	const utf8 = "<meta charset=utf-8>"
	for name, c := range map[string]struct {
		text, want string
		damaged    int
	}{
		"declared Latin-1":     {"<html><head><meta charset=\"iso-8859-1\"><title>Caf\xe9</title></head><body><p>na\xefve</p></body></html>", "naïve", 0},
		"declared Cyrillic":    {"<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1251\"><title>Caf\xe9</title></head><body><p>\xcf\xf0\xe8\xe2\xe5\xf2</p></body></html>", "Привет", 0},
		"UTF-16":               {"\xff\xfe<\x00p\x00>\x00\x60\x4f\x7d\x59<\x00/\x00p\x00>\x00", "你好", 0},
		"a mark":               {"\ufeff<p>Ωμέγα</p>", "Ωμέγα", 0},
		"a stray byte":         {utf8 + "<p>日本語 и русский, caf\xe9</p>", "日本語 и русский, caf\ufffd", 1},
		"a cut character":      {utf8 + "<p>日本\xe8\xaa. Ende</p>", "日本\ufffd. Ende", 2},
		"many stray bytes":     {utf8 + "<p>日 \xe9\xe8\xea\xeb x</p>", "日 \ufffd x", 4},
		"a stray, undeclared":  {"<p>日本語 и русский, caf\xe9</p>", "日本語 и русский, caf\ufffd", 1},
		"wrongly UTF-8":        {utf8 + "<p>Caf\xe9 cr\xe9\xe9e</p>", "Café créée", 0},
		"French":               {"<p>\xc0 l\x92\xe9t\xe9, \xab na\xefve \xbb co\xfbte 5\xa0\x80 \x96 une cr\xe9\xe9e</p>", "À l’été, « naïve » coûte 5 € – une créée", 0},
		"Finnish":              {"<p>Hyv\xe4\xe4 p\xe4iv\xe4\xe4, \xe4iti</p>", "Hyvää päivää, äiti", 0},
		"Spanish":              {"<p>\xbfQu\xe9 a\xf1o? 20\xb0C y 3 m\xb2</p>", "¿Qué año? 20°C y 3 m²", 0},
		"GBK":                  {"<p>\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7</p>", "", 0},
		"Shift_JIS":            {"<p>\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67</p>", "", 0},
		"Shift_JIS, two signs": {"<p>\x93\xfa\x96\x7b</p>", "", 0},
		"EUC-KR":               {"<p>\xbe\xc8\xb3\xe7\xc7\xcf\xbc\xbc\xbf\xe4</p>", "", 0},
		"ISO-2022-JP":          {"<p>\x1b$B$3$s$K$A$O\x1b(B</p>", "こんにちは", 0},
		"declared Shift_JIS":   {"<meta charset=shift_jis><p>\x93\xfa\x96\x7b\x8c\xea\xff</p>", "日本語\ufffd", 1},
		"declared Polish":      {"<meta charset=iso-8859-2><p>Za\xbf\xf3\xb3\xe6 g\xea\xb6l\xb1 ja\xbc\xf1</p>", "Zażółć gęślą jaźń", 0},
		"declared ISO-2022-KR": {"<meta charset=iso-2022-kr><p>\x1b$)C\x0e>H3g\x0f</p>", "", 0},
		"declared HZ":          {"<meta charset=hz-gb-2312><p>~{<:Ky2;~}</p>", "己所不", 0},
		"a declaration only":   {"<meta charset=iso-2022-jp><p>Kiln</p>", "Kiln", 0},
		"undeclared Cyrillic":  {"<p>\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0?</p>", "", 0},
		"Polish":               {"<p>Za\xbf\xf3\xb3\xe6 g\xea\xb6l\xb1 ja\xbc\xf1</p>", "", 0},
		"Turkish":              {"<p>\xddyi ak\xfeamlar, a\xf0a\xe7</p>", "", 0},
	} {
		d, err := documents.Read(t.Context(), "a.html", strings.NewReader(c.text), int64(len(c.text)))
		guessed := map[string]string{"wrongly UTF-8": "windows-1252", "French": "windows-1252", "Finnish": "windows-1252", "Spanish": "windows-1252", "ISO-2022-JP": "iso-2022-jp"}[name]
		if d.Text != c.want || d.Damaged != c.damaged || d.Guessed != guessed || (c.want == "") != (kb.CodeOf(err) == kb.Invalid) {
			t.Errorf("%s: %q, %d damaged, %v, want %q, %d", name, d.Text, d.Damaged, err, c.want, c.damaged)
		}
	}
}

// A text in an encoding that cairn does not read is refused with its name.
func TestEncodingsOfSevenBits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<p>\x1b$)C\x0e>H3g\x0f</p>": "iso-2022-kr",
		"<p>\x1b$)A\x0eDc:C\x0f</p>": "iso-2022-cn",
	} {
		_, err := documents.Read(t.Context(), "a.html", strings.NewReader(text), int64(len(text)))
		if err == nil || !strings.Contains(kb.AsError(err).Message, "iconv -f "+want+" -t UTF-8") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
