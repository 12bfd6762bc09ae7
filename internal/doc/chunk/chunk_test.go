package chunk

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
)

// words counts blank-separated words, so that a test can count them.
func words(s string) int { return len(strings.Fields(s)) }

func parse(t testing.TB, path, text string) *doc.Document {
	t.Helper()
	c := doc.ForPath([]doc.Codec{markdown.Codec{}, org.Codec{}}, path)
	return c.Parse(path, []byte(text))
}

// split is Split of a page that is not too long for it.
func split(d *doc.Document, node int, o Options) []Chunk {
	chunks, left := Split(d, node, o)
	if left > 0 {
		panic("chunks are left out")
	}
	return chunks
}

// show writes chunks for comparison: kind, lines, path, date, text.
func show(chunks []Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&b, "%s %d-%d %q %q: %q\n", c.Kind, c.Lines[0], c.Lines[1], c.HeadingPath, c.Date, c.Text)
	}
	return b.String()
}

func TestSplit(t *testing.T) {
	t.Parallel()
	const page = "---\ntitle: Ada\ndate: 2024-05-01\ntags: [math]\n---\n# Ada\n\nBorn in London. See [the wiki](../x/wiki.md).\n\n" +
		"## Work\n\n### Engine\n\nShe wrote [[Notes on the Engine|notes]].\n\n## Facts\n\n- one\n- two\n  - nested\n\n- three\n\n---\n\n## Timeline\n\n" +
		"- **1843** | letter — Sent the notes.\n  With details.\n- **1852-11-27** — Died.\n"
	for name, tt := range map[string]struct {
		path, text string
		o          Options
		want       string
	}{
		"sections and entries": {"ada.md", page, Options{MaxTokens: 60, Prefix: Title | Path | Date, Count: words}, `
section 6-8 "Ada" "2024-05-01": "Ada\n2024-05-01\nBorn in London. See the wiki."
section 12-14 "Ada > Work > Engine" "2024-05-01": "Ada > Work > Engine\n2024-05-01\nShe wrote notes."
section 16-22 "Ada > Facts" "2024-05-01": "Ada > Facts\n2024-05-01\none\ntwo\nnested\nthree"
entry 28-29 "Timeline" "1843": "Ada > Timeline\n1843\n**1843** | letter — Sent the notes.\nWith details."
entry 30-30 "Timeline" "1852-11-27": "Ada > Timeline\n1852-11-27\n**1852-11-27** — Died."
`},
		"items apart": {"ada.md", page, Options{MaxTokens: 60, ItemsPerChunk: 1, Count: words}, `
section 6-8 "Ada" "2024-05-01": "Ada\nBorn in London. See the wiki."
section 12-14 "Ada > Work > Engine" "2024-05-01": "Engine\nShe wrote notes."
item-list 18-18 "Ada > Facts" "2024-05-01": "one"
item-list 19-20 "Ada > Facts" "2024-05-01": "two\nnested"
item-list 22-22 "Ada > Facts" "2024-05-01": "three"
entry 28-29 "Timeline" "1843": "**1843** | letter — Sent the notes.\nWith details."
entry 30-30 "Timeline" "1852-11-27": "**1852-11-27** — Died."
`},
		"small sections together": {"ada.md", page, Options{MaxTokens: 60, MinTokens: 20, Prefix: Title | Path, Count: words}, `
section 6-22 "Ada" "2024-05-01": "Ada\nBorn in London. See the wiki.\nEngine\nShe wrote notes.\nFacts\none\ntwo\nnested\nthree"
entry 28-29 "Timeline" "1843": "Ada > Timeline\n**1843** | letter — Sent the notes.\nWith details."
entry 30-30 "Timeline" "1852-11-27": "Ada > Timeline\n**1852-11-27** — Died."
`},
		"items with what they answer": {"d.md", "- a b\n- c d\n- e f\n- g h\n", Options{MaxTokens: 60, ItemsPerChunk: 2, ItemOverlap: 1, Count: words}, `
item-list 1-2 "" "": "a b\nc d"
item-list 3-4 "" "": "c d\ne f\ng h"
`},
		"sentences with overlap": {"s.md", "One is aa. Two is bb. Three is cc. Four is dd. Five is ee. Six is ff. Seven is gg.\n", Options{MaxTokens: 16, Overlap: 4, Count: words}, `
section 1-1 "" "": "One is aa. Two is bb. Three is cc. Four is dd. Five is ee."
section 1-1 "" "": "Five is ee. Six is ff. Seven is gg."
`},
		"items are not cut": {"l.md", "- " + strings.Repeat("a ", 10) + "\n- " + strings.Repeat("b ", 10) + "\n- x. " + strings.Repeat("C ", 8) + ". " + strings.Repeat("D ", 11) + "\n", Options{MaxTokens: 16, Count: words}, `
item-list 1-1 "" "": "a a a a a a a a a a"
item-list 2-2 "" "": "b b b b b b b b b b"
item-list 3-3 "" "": "x. C C C C C C C C ."
item-list 3-3 "" "": "D D D D D D D D D D D"
`},
		"code is not cut": {"c.md", "Text here is of eight words or so.\n\n~~~go\na b c d e.\nF g h i j.\n- k l\n~~~\nAfter. " + strings.Repeat("w ", 10) + "\n", Options{MaxTokens: 16, Count: words}, `
section 1-1 "" "": "Text here is of eight words or so."
section 3-7 "" "": "~~~go\na b c d e.\nF g h i j.\n- k l\n~~~"
section 8-8 "" "": "After. w w w w w w w w w w"
`},
		"no text":             {"x/Some title.md", "---\ntags: [a, b]\nsummary: Short.\n---\n", Options{Prefix: Tags | Summary}, "\nsection 1-1 \"\" \"\": \"a, b\\nShort.\\nSome title\"\n"},
		"nothing":             {"x/Some title.md", "", Default(), "\nsection 1-1 \"\" \"\": \"Some title\"\n"},
		"heading alone":       {"h.md", "# A\n## B\n", Options{Prefix: Title | Path}, "\nsection 2-2 \"A > B\" \"\": \"h > A > B\\nB\"\n"},
		"journal":             {"j.md", "## 2024-03-01 Friday\nRain.\n", Options{Prefix: DateWords}, "\nsection 1-2 \"2024-03-01 Friday\" \"2024-03-01\": \"1 March 2024\\n2024-03-01 Friday\\nRain.\"\n"},
		"carriage returns":    {"r.md", "# A\r\n\r\nOne.\r\nTwo.\r\n\r\n- x\r\n", Options{}, "\nsection 1-6 \"A\" \"\": \"A\\nOne.\\nTwo.\\nx\"\n"},
		"org":                 {"o.org", "#+title: Ada\n* Work\n:PROPERTIES:\n:CUSTOM: x\n:END:\nSee [[id:1][notes]]. Done.\n#+begin_src c\na; b\n#+end_src\n- one\n- two\n* Timeline\n- [2024-03-01 Fri] Met.\n", Options{MaxTokens: 60, Prefix: Path | Date}, "\nsection 2-11 \"Work\" \"\": \"Work\\nSee notes. Done.\\n#+begin_src c\\na; b\\n#+end_src\\none\\ntwo\"\nentry 13-13 \"\" \"2024-03-01\": \"2024-03-01\\n[2024-03-01 Fri] Met.\"\n"},
		"table rows":          {"t.md", "| a | b c d e |\n| f | g h i j |\n| k | l m n o |\n", Options{MaxTokens: 16, Count: words}, "\nsection 1-2 \"\" \"\": \"| a | b c d e |\\n| f | g h i j |\"\nsection 3-3 \"\" \"\": \"| k | l m n o |\"\n"},
		"abbreviations":       {"a.md", "Dr. Who and J. Doe, e.g. I, met at No. 5 today. Then they left for good. Bye then.", Options{MaxTokens: 16, Count: words}, "\nsection 1-1 \"\" \"\": \"Dr. Who and J. Doe, e.g. I, met at No. 5 today.\"\nsection 1-1 \"\" \"\": \"Then they left for good. Bye then.\"\n"},
		"chinese":             {"z.md", "我们在这里工作。他们在那里学习！好吗？", Options{MaxTokens: 16, Count: utf8.RuneCountInString}, "\nsection 1-1 \"\" \"\": \"我们在这里工作。 他们在那里学习！\"\nsection 1-1 \"\" \"\": \"好吗？\"\n"},
		"quotation and emph":  {"q.md", "> A summary\n> of it.\n\n*Bold* text.\n", Options{}, "\nsection 1-4 \"\" \"\": \"A summary\\nof it.\\n*Bold* text.\"\n"},
		"no end within links": {"k.md", "See [One. Two](a.md) and more words to come here. " + strings.Repeat("x ", 12), Options{MaxTokens: 16, Count: words}, "\nsection 1-1 \"\" \"\": \"See One. Two and more words to come here. x x x x x x x\"\nsection 1-1 \"\" \"\": \"x x x x x\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := "\n" + show(split(parse(t, tt.path, tt.text), 0, tt.o))
			if got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A node has its own text and not that of nodes nested in it.
func TestSplitNodes(t *testing.T) {
	t.Parallel()
	d := parse(t, "n.org", "#+title: File\nAbove.\n* Outer\n:PROPERTIES:\n:ID: o\n:END:\nOuter text.\n** Inner\n:PROPERTIES:\n:ID: i\n:END:\nInner text.\n** More\nOuter again.\n* Last\nFile again.\n")
	want := [][]string{
		{"File\nAbove.", "File > Last\nFile again."},
		{"Outer\nOuter text.", "Outer > More\nOuter again."},
		{"Inner\nInner text."},
	}
	if len(d.Nodes) != len(want) {
		t.Fatalf("%d nodes", len(d.Nodes))
	}
	for i, texts := range want {
		var got []string
		for _, c := range split(d, i, Options{Prefix: Title | Path}) {
			got = append(got, c.Text)
		}
		if fmt.Sprint(got) != fmt.Sprint(texts) {
			t.Errorf("node %d: got %q, want %q", i, got, texts)
		}
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	const page = "---\ntitle: T\n---\n# A\nText a.\n# B\nText b.\n# C\nText c.\n---\n## Timeline\n- **2024-01-01** — One.\n- **2023-01-01** — Two.\n"
	apart := Default()
	apart.MinTokens = 0 // sections that are put together change together
	hashes := func(path, text string) map[string]bool {
		m := make(map[string]bool)
		for _, c := range split(parse(t, path, text), 0, apart) {
			m[c.Hash.String()] = true
		}
		return m
	}
	before := hashes("a/t.md", page)
	if len(before) != 5 {
		t.Fatalf("%d chunks", len(before))
	}
	for name, tt := range map[string]struct {
		path, text string
		kept       int
	}{
		"moved":        {"b/other.md", page, 5},
		"other part":   {"a/t.md", strings.Replace(page, "Text b.", "Other.", 1), 4},
		"new entry":    {"a/t.md", strings.Replace(page, "- **2024", "- **2025-01-01** — New.\n- **2024", 1), 5},
		"new section":  {"a/t.md", strings.Replace(page, "# B", "# X\nY.\n# B", 1), 5},
		"line endings": {"a/t.md", strings.ReplaceAll(page, "\n", "\r\n"), 5},
		"metadata":     {"a/t.md", strings.Replace(page, "title: T", "title: T\ntags: [x]", 1), 5},
		"title":        {"a/t.md", strings.Replace(page, "title: T", "title: U", 1), 0},
	} {
		t.Run(name, func(t *testing.T) {
			kept := 0
			for h := range hashes(tt.path, tt.text) {
				if before[h] {
					kept++
				}
			}
			if kept != tt.kept {
				t.Errorf("%d of %d hashes kept, want %d", kept, len(before), tt.kept)
			}
		})
	}
}

// What is blanked out in Text is not in a chunk, also when it was the words of
// a link.
func TestMasked(t *testing.T) {
	t.Parallel()
	d := *parse(t, "m.md", "See [hunter2](x.md) and [[hunter2]] or hunter2.\n")
	d.Text = bytes.ReplaceAll(d.Text, []byte("hunter2"), []byte("*******"))
	for _, c := range split(&d, 0, Default()) {
		if strings.Contains(c.Text, "hunter2") {
			t.Errorf("%q", c.Text)
		}
	}
}

func TestMaxChunks(t *testing.T) {
	t.Parallel()
	for more, text := range map[int]string{0: "", 10: strings.Repeat("- a\n", 10), 12: "- a\n\nText.\n\n## H\n\n- a\n\n---\n\n## Timeline\n\n" + strings.Repeat("- **2024-01-01** — One.\n", 9)} {
		d := parse(t, "m.md", strings.Repeat("- a\n", MaxChunks)+text)
		chunks, left := Split(d, 0, Options{ItemsPerChunk: 1})
		if len(chunks) != MaxChunks || left != more {
			t.Errorf("%d chunks and %d left out, want %d", len(chunks), left, more)
		}
	}
}

// The numbers are those of bge-small-en-v1.5's vocabulary.
func TestEstimate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0,
		"The cat sat on the mat, and the dog did not mind at all.":                                          16,
		"func (s *Store) Put(ctx context.Context, key string) error { return s.db.Exec(ctx, putSQL, key) }": 38,
		"日本語のテキストはどうなりますか":                                                                                  16,
		"Привет, как дела сегодня в Москве?":                                                                29,
		"한국어 문장입니다":                                                                                         21,
		"الذكاء الاصطناعي يغير العالم":                                                                      25,
		"deoxyribonucleic acid phosphorylation immunohistochemistry":                                        20,
		"SGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0IGVuY29kZWQgdGV4dCBmb3IgYSB0ZXN0":                              49,
		"2024-03-01T10:15:00Z 192.168.0.1 0xDEADBEEF":                                                       26,
	} {
		got := Estimate(text)
		if 3*got < 2*want || 3*got > 4*want+1 {
			t.Errorf("%q: %d, is %d", text, got, want)
		}
	}
}
