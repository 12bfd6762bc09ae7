package doc_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestEncodings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source, text string
		enc                doc.Encoding
	}{
		{"empty", "", "", doc.UTF8},
		{"ASCII", "a\r\nb", "a\r\nb", doc.UTF8},
		{"UTF-8", "é雪😀", "é雪😀", doc.UTF8},
		{"mark", "\xef\xbb\xbfa", "a", doc.UTF8BOM},
		{"mark alone", "\xef\xbb\xbf", "", doc.UTF8BOM},
		{"two marks", "\xef\xbb\xbf\xef\xbb\xbfa", "\ufeffa", doc.UTF8BOM},
		{"mark and bad bytes", "\xef\xbb\xbf\xff", "ï»¿ÿ", doc.Latin1},
		{"little endian", "\xff\xfea\x00\xe9\x00", "aé", doc.UTF16LE},
		{"big endian", "\xfe\xff\x00a\xd8\x3d\xde\x00", "a😀", doc.UTF16BE},
		{"half a unit", "\xff\xfea", "", doc.Opaque},
		{"unpaired", "\xfe\xff\xd8\x3d\x00a", "", doc.Opaque},
		{"unpaired at the end", "\xfe\xff\xd8\x3d", "", doc.Opaque},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", "", doc.Opaque},
		{"Latin-1", "caf\xe9", "café", doc.Latin1},
		{"Windows-1252", "\x93caf\xe9\x94 \x80", "“café” €", doc.Latin1},
		{"unassigned", "\x81\x8d\x8f\x90\x9d\xff", "\u0081\u008d\u008f\u0090\u009dÿ", doc.Latin1},
		{"NUL", "a\x00b", "", doc.Opaque},
		{"controls", "\x01\x02\xff", "", doc.Opaque},
		{"PNG", "\x89PNG\r\n\x1a\n\x00", "", doc.Opaque},
	} {
		text, enc := doc.Decode([]byte(c.source))
		if enc != c.enc || string(text) != c.text {
			t.Errorf("%s: %q as %s", c.name, text, enc)
		}
		if enc == doc.Opaque {
			continue
		}
		if back, err := doc.Encode(text, enc); err != nil || string(back) != c.source {
			t.Errorf("%s: back %q, %v", c.name, back, err)
		}
	}
	for _, c := range []struct {
		name, text string
		enc        doc.Encoding
	}{
		{"snow", "雪", doc.Latin1},
		{"reads as UTF-8", "Ã©", doc.Latin1},
		{"mark", "\ufeffa", doc.UTF8},
		{"NUL", "a\x00", doc.UTF8},
		{"NUL", "a\x00", doc.UTF16LE},
		{"bad bytes", "a\xff", doc.UTF8},
		{"opaque", "a", doc.Opaque},
	} {
		if _, err := doc.Encode([]byte(c.text), c.enc); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s in %s: %v", c.name, c.enc, err)
		}
	}
}

func FuzzEncoding(f *testing.F) {
	for _, s := range []string{"", "a", "é", "caf\xe9", "\xef\xbb\xbfa", "\xff\xfea\x00", "\xfe\xff\x00a", "\xfe\xff\xd8\x3d\xde\x00", "\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		text, enc := doc.Decode(source)
		if enc == doc.Opaque {
			return
		}
		if back, err := doc.Encode(text, enc); err != nil || !bytes.Equal(back, source) {
			t.Fatalf("%q read as %s %q, written as %q: %v", source, enc, text, back, err)
		}
	})
}

func TestSplices(t *testing.T) {
	t.Parallel()
	at := func(a, b int, s string) doc.Splice {
		return doc.Splice{Span: doc.Span{Start: a, End: b}, New: s}
	}
	got, err := doc.ApplySplices([]byte("0123456789"), []doc.Splice{at(8, 9, ""), at(2, 4, "xx"), at(4, 4, "y"), at(4, 4, "z"), at(10, 10, "!")})
	if err != nil || string(got) != "01xxyz45679!" {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range [][]doc.Splice{{at(0, 3, ""), at(2, 4, "")}, {at(5, 4, "")}, {at(9, 11, "")}, {at(-1, 0, "")}} {
		if _, err := doc.ApplySplices([]byte("0123456789"), bad); kb.CodeOf(err) != kb.Internal {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	text := []byte("a\nbb\r\n\nc")
	lines := doc.NewLines(text)
	for offset, want := range []int{1, 1, 2, 2, 2, 2, 3, 4, 4} {
		if got := lines.At(offset); got != want || doc.LineAt(text, offset) != want {
			t.Errorf("offset %d: line %d and %d, want %d", offset, got, doc.LineAt(text, offset), want)
		}
	}
	for text, want := range map[string]string{"": "\n", "a": "\n", "a\nb\r\n": "\n", "a\r\nb\r\nc\n": "\r\n", "a\rb": "\n"} {
		if got := doc.DetectEOL([]byte(text)); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"2024": "2024-01-01T00:00:00Z", "2024-03": "2024-03-01T00:00:00Z", "2024-03-05": "2024-03-05T00:00:00Z",
		"2024-03-05T10:20:30": "2024-03-05T10:20:30Z", "2024-03-05T10:20:30.5+02:00": "2024-03-05T08:20:30Z",
		" 2024-03-05 10:20 ": "2024-03-05T10:20:00Z", "[2024-03-05 Tue 10:20]": "2024-03-05T10:20:00Z",
		"<2024-03-05 Tue>": "2024-03-05T00:00:00Z", "March 5, 2024": "2024-03-05T00:00:00Z", "20240305": "2024-03-05T00:00:00Z",
		"05/03/2024": "", "2024-13-01": "", "soon": "", "": "", "12": "", strings.Repeat("9", 100): "",
	} {
		got, ok := doc.ParseDate(s)
		if ok != (want != "") || ok && got.Format("2006-01-02T15:04:05Z07:00") != want {
			t.Errorf("%q: %v %v", s, got, ok)
		}
	}
	for s, want := range map[string]string{
		"2024": "2024|", "2024-03-05 x": "2024-03-05| x", "2024-03-05T10:20Z.": "2024-03-05T10:20Z|.", "2024-03..": "2024-03|..",
		"2024-02-30": "", "2024-03-05x": "", "2024-3-5": "", "20245": "", "2024-": "2024|-", "2024-03-05-x": "", "x": "",
		"2024-03-05T10:20:30.25+01:00 y": "2024-03-05T10:20:30.25+01:00| y",
	} {
		date, rest, ok := doc.CutDate(s)
		if got := date + "|" + rest; ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v", s, got, ok)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Machine Learning Basics!": "machine-learning-basics", "  --a__b  ": "a-b", "C++": "c", "Éa 知识": "éa-知识", "!": "", "a.b/c": "a-b-c",
	} {
		if got := doc.Slug(s); got != want {
			t.Errorf("Slug(%q) = %q", s, got)
		}
	}
	if doc.FoldName("Works_At  x-y") != "works at x y" || doc.FoldName("C") == doc.FoldName("C++") {
		t.Error("FoldName")
	}
	if got := strings.Join(doc.Tags([]string{" #a ", "a", "", "#", "b c"}), "|"); got != "a|b c" {
		t.Errorf("Tags: %q", got)
	}
}

func TestWikiTarget(t *testing.T) {
	t.Parallel()
	for inner, want := range map[string]string{
		"a": "a||||", "a|b": "a|||b|", "a#h": "a|h|||", "a#^b": "a||b||", "a#h^b|c": "a|h|b|c|", "C#": "C#||||",
		"a^b": "a^b||||", "#h": "|h|||", " a ": "a||||", "a\\|b": "a|||b|", "a#h^not a block": "a|h^not a block|||",
		"x [[y|z]]": "x [[y|z]]||||", "a#h#i^b": "a|h#i|b||",
	} {
		w := doc.WikiTarget(inner, 7)
		if got := strings.Join([]string{w.Name, w.Heading, w.Block, w.Text, ""}, "|"); got != want {
			t.Errorf("%q: got %q, want %q", inner, got, want)
		}
		if w.NameAt.Start != 7 || w.NameAt.Len() != len(w.Raw) || !strings.HasPrefix(inner, w.Raw) {
			t.Errorf("%q: name at %v, raw %q", inner, w.NameAt, w.Raw)
		}
	}
}

func TestIntervals(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"2020..2021-02": "2020|2021-02", "2020..": "2020|", "..2021": "|2021", "..": "|", "2020": "2020|",
		"": "", "x..": "", "2020..x": "", "2020...": "", "2020-99..": "",
	} {
		from, until, ok := doc.ParseInterval(s)
		if got := from + "|" + until; ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v", s, got, ok)
		}
	}
}

type fakeCodec struct {
	doc.Codec
	extensions []string
}

func (c fakeCodec) Extensions() []string { return c.extensions }

func (c fakeCodec) In(kb.Syntax) doc.Codec { return c }

func TestForPath(t *testing.T) {
	t.Parallel()
	md, org := fakeCodec{extensions: []string{".md", ".markdown"}}, fakeCodec{extensions: []string{".org"}}
	for path, want := range map[string]string{"a/b.md": ".md", "B.MarkDown": ".md", "x.y.org": ".org", "a.txt": "", "md": "", "dir.md/x": "", ".md": ""} {
		c := doc.ForPath([]doc.Codec{md, org}, path)
		got := ""
		if c != nil {
			got = c.Extensions()[0]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		if note := doc.ForNote([]doc.Codec{md, org}, "", path); c != nil && note.Extensions()[0] != want || c == nil && note.Extensions()[0] != ".md" {
			t.Errorf("%s is a note of %q", path, note.Extensions())
		}
	}
}

// What to do depends on whether the text is not there or there too often.
func TestReplaceCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expect, found int
		hint          string // "" where that is how often
	}{
		{0, 1, ""},
		{3, 3, ""},
		{0, 0, "match exactly"},
		{0, 2, "more of the text around it"},
		{3, 2, "more of the text around it"},
	} {
		err := doc.Replace{Expect: c.expect}.Check(&doc.Document{}, doc.Span{}, c.found)
		if (err == nil) != (c.hint == "") {
			t.Errorf("%d of %d: %v", c.found, c.expect, err)
		}
		if err != nil && (kb.CodeOf(err) != kb.Conflict || !strings.Contains(kb.AsError(err).Hint, c.hint)) {
			t.Errorf("%d of %d: %v, hint %q", c.found, c.expect, err, kb.AsError(err).Hint)
		}
	}
}

func TestHides(t *testing.T) {
	t.Parallel()
	n := doc.Node{Hidden: []doc.Span{{10, 20}, {20, 25}, {40, 50}}}
	for _, tc := range []struct {
		s    doc.Span
		want bool
	}{{doc.Span{0, 5}, false}, {doc.Span{5, 15}, false}, {doc.Span{10, 20}, true}, {doc.Span{12, 13}, true}, {doc.Span{20, 21}, true},
		{doc.Span{19, 21}, false}, {doc.Span{25, 30}, false}, {doc.Span{45, 50}, true}, {doc.Span{45, 51}, false}, {doc.Span{50, 60}, false}} {
		if got := n.Hides(tc.s); got != tc.want {
			t.Errorf("%v: %v", tc.s, got)
		}
	}
}
