package chunk

import (
	"bytes"
	"github.com/google/go-cmp/cmp"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// seeds are pages with what is difficult in either format.
var seeds = []string{
	"", "\n", "---\n", "# ", "- ", "text", "a\r\nb\r\n\r\n- c\r\n  d\r\n",
	"---\ntitle: T\ndate: 2024-05-01\n---\n# T\nOne. Two! Three?\n\n## S\n- a\n- b\n  - c\n\n  d\n\ne\n---\n- **2024-01-01** | x — y\n  z\n### 2023-01-01 long\ntext\n",
	"```\n# no heading\n- no item\n", "- item\n  ```\n  - code\n  ```\n- more\n", "~~~~\n~~~\n~~~~\n\ntext",
	"[[a|b]] [c. D](e.md) ![[f]] [x [y](z)](w)\n- rel [[t]] @2020..\n",
	"| a | b |\n|---|---|\n| c. D | e |\n\n* * *\n> quote. More.\n> - item\n",
	"#+title: O\n:PROPERTIES:\n:ID: a\n:END:\n* H\n:PROPERTIES:\n:ID: b\n:END:\nText. [[id:a][words]]\n** K\n- x :: y\n  1) z\n#+BEGIN_SRC c\n* no\n#+END_SRC\n* Timeline\n- [2024-01-01 Mon] e\n  detail\n** L\n:PROPERTIES:\n:ID: c\n:END:\n",
	"我们。他们！", "한국어 문장입니다. 또 다른 문장.", "\xff\xfe\x00", "e\u0301. A\u2028B. C",
	strings.Repeat("x", 3000), strings.Repeat("word ", 900), strings.Repeat("- a\n", 300), strings.Repeat("  - a\n    - b. C\n", 60),
	strings.Repeat("# a\n", 100) + strings.Repeat("Sentence one here. ", 100),
}

// options to try, with a way to count that agrees with white space.
var tried = []Options{
	{}, Default(),
	{MaxTokens: 20, Overlap: 8, Prefix: Title | Path | Date | DateWords | Tags | Summary},
	{MaxTokens: 40, MinTokens: 20, ItemsPerChunk: 1, Prefix: Title},
	{MaxTokens: 30, Overlap: 30, ItemsPerChunk: 3, ItemOverlap: 2, Prefix: Path, Count: words},
	{MaxTokens: 64, MinTokens: 64, Overlap: 5, Count: letters},
}

// letters counts what is not white space.
func letters(s string) int { return utf8.RuneCountInString(strings.Join(strings.Fields(s), "")) }

func TestProperties(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, text := range seeds {
		check(t, text)
	}
	// Pages made of lines of all the seeds.
	lines := strings.SplitAfter(strings.Join(seeds, "\n"), "\n")
	for range 300 {
		var b strings.Builder
		for range rnd.IntN(40) {
			line := lines[rnd.IntN(len(lines))]
			b.WriteString(line[:min(len(line), 200)])
		}
		check(t, b.String())
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1<<14 {
			check(t, text)
		}
	})
}

// check holds the invariants of the package for a text in both formats.
func check(t *testing.T, text string) {
	t.Helper()
	for _, path := range []string{"dir/page.md", "dir/page.org"} {
		d := parse(t, path, text)
		for node := range d.Nodes {
			for i, o := range tried {
				work := 0
				count := o.withDefaults().Count
				counted := o
				counted.Count = func(s string) int { work += len(s); return count(s) }
				chunks, left := Split(d, node, counted)
				checkChunks(t, d, node, o.withDefaults(), chunks, left)
				checkSplitTo(t, d, node, o, chunks)
				// The prefix and its halving are counted for every heading.
				if n := len(d.Nodes[node].Headings) + len(d.Nodes[node].Entries) + 2; work > 8*len(text)+n*8000 {
					t.Errorf("%d bytes counted of %d", work, len(text))
				}
				if t.Failed() {
					t.Fatalf("%s, node %d, options %d: %.2000q\n%.2000s", path, node, i, text, show(chunks))
				}
			}
		}
	}
}

// checkSplitTo compares the chunks that do not begin after a line with those of the whole page.
func checkSplitTo(t *testing.T, d *doc.Document, node int, o Options, chunks []Chunk) {
	for _, line := range []int{1, 7, chunks[len(chunks)/2].Lines[0], math.MaxInt} {
		upTo := func(all []Chunk) (out []Chunk) {
			for _, c := range all {
				if c.Lines[0] <= line {
					out = append(out, c)
				}
			}
			return out
		}
		if diff := cmp.Diff(upTo(chunks), upTo(SplitTo(d, node, line, o))); diff != "" {
			t.Errorf("up to line %d: %s", line, diff)
		}
	}
}

func checkChunks(t *testing.T, d *doc.Document, node int, o Options, chunks []Chunk, left int) {
	if len(chunks) == 0 {
		t.Error("no chunks")
	}
	n := &d.Nodes[node]
	at := 0
	if left > 0 && len(chunks) != MaxChunks {
		t.Errorf("%d chunks, and %d left out", len(chunks), left)
	}
	rest := bytes.Clone(d.Text) // what is in no chunk
	for i, c := range chunks {
		if c.Span.Start < at || c.Span.End < c.Span.Start || c.Span.End > len(d.Text) {
			t.Fatalf("chunk %d: span %v after %d", i, c.Span, at)
		}
		at = c.Span.End
		if want := [2]int{doc.LineAt(d.Text, c.Span.Start), doc.LineAt(d.Text, max(c.Span.Start, c.Span.End-1))}; c.Lines != want {
			t.Errorf("chunk %d: lines %v, want %v", i, c.Lines, want)
		}
		if !utf8.ValidString(c.Text) {
			t.Errorf("chunk %d: not UTF-8", i)
		}
		if c.Hash != hash(c.Text) {
			t.Errorf("chunk %d: hash", i)
		}
		if got := o.Count(c.Text); got > o.MaxTokens+wordPart*3 {
			t.Errorf("chunk %d: %d tokens of %d", i, got, o.MaxTokens)
		}
		for j := c.Span.Start; j < c.Span.End; j++ {
			rest[j] = ' '
		}
	}
	if len(d.Nodes) > 1 || left > 0 {
		return
	}
	for _, h := range n.Headings {
		copy(rest[h.Line.Start:h.Line.End], bytes.Repeat([]byte{' '}, h.Line.Len()))
	}
	for _, m := range d.Marks {
		copy(rest[m.Start:m.End], bytes.Repeat([]byte{' '}, m.Len()))
	}
	for _, region := range []doc.Span{n.Truth, n.Timeline} {
		for line := range bytes.Lines(rest[region.Start:region.End]) {
			text := bytes.TrimSpace(line)
			if len(text) > 0 && text[0] != ':' && len(bytes.Trim(text, "-+*_#>. \t0123456789)")) > 0 {
				t.Errorf("in no chunk: %q", line)
			}
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	d := parse(b, "p.md", "# T\n"+strings.Repeat("## S\n\nA sentence of several words, with [a link](x.md). Another one follows it.\n\n- item one\n- item two\n\n", 400))
	b.SetBytes(int64(len(d.Text)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Split(d, 0, Default())
	}
}
