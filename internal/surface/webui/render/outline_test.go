package render

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// blocks are what generated pages consist of, with a number of its own and a small one.
var blocks = []string{
	"A paragraph %[1]d with *words*, [[Ada]], [a link][r], `code` and a note[^n%[2]d].\nIts second line.\n\n",
	"## Heading %[2]d\n\n", "Setext %[1]d\n===\n\n", "# \n\n", "> ## Quoted %[2]d\n> words\nlazy %[1]d\n\n",
	"- item %[1]d\n- [ ] task[^n%[2]d]\n  - inner\n", "- loose %[1]d\n\n  second paragraph\n- next\n\n", "* other %[1]d\n+ marker\n",
	"%[2]d. ordered %[1]d\n%[2]d. again\n", "%[2]d) bracket %[1]d\n\n", "```go\nfunc f%[1]d() {}\n\n# no heading\n[^n1]: no note\n```\n\n",
	"    indented %[1]d\n\n    # more\n\n", "<div>\ninner %[1]d\n</div>\n\n", "<!-- comment %[1]d\n\n# none\n-->\n\n", "%% hidden %[1]d\n\n# none\n%%\n\n",
	"| a %[1]d | b |\n|---|---|\n| 1[^n%[2]d] | 2 |\n\n", "***\n", "Term %[1]d\n: definition\n\n", "Term %[1]d\n\n: definition apart\n\n",
	"$$\na_%[1]d\n$$\n\n", "[^n%[2]d]: Note %[1]d.\n\n    Its second paragraph[^n3].\n\n", "[^n%[2]d]: Note %[1]d.\n", "> [^n%[2]d]: Within a quote %[1]d.\n\n",
	"- [^n%[2]d]: within an item %[1]d\n", "[r]: https://example.org/%[1]d\n\n", "[r%[2]d]: https://example.org/%[1]d 'T'\n\nSee [r%[2]d].\n\n",
	"- knows [[Ada]] @2020..2021\n- [fact] number %[1]d #tag\n", "> [!note] Title %[1]d\n> text\n\n", "![[Ada]]\n\n", "A block %[1]d ^b%[1]d\n\n", "no blank line %[1]d\n",
	"-\n\n  empty item %[1]d\n", "#### Heading\n", "--- %[1]d\n---\n", "~~~\nclosed %[1]d\n~~~\n\n", "- ```\n  unclosed %[1]d\n\n", "\r\nwith returns %[1]d\r\n\r\n", "*not closed %[1]d\n\n", "<details>\n<summary>S</summary>\n</details>\n\n",
}

var (
	footnotesIn = regexp.MustCompile(`(?s)<div[^>]*class="footnotes".*$`)
	footnoteIn  = regexp.MustCompile(`(?s)<li id="(fn-fn:\d+)"[^>]*>(.*?)</li>\n(?:<li id|</ol>)`)
	partAt      = regexp.MustCompile(`href="\?at=[^"#]*#`)
	backIn      = regexp.MustCompile(`(?:\x{a0}|&nbsp;|\s)*<a [^>]*class="footnote-backref"[^>]*>.*?</a>`)
	listIn      = regexp.MustCompile(`</?[uo]l[^>]*>\n?`)
)

// joined returns the blocks of parts, and their footnotes by their ids.
func joined(t *testing.T, parts []Result) (text string, notes map[string]string) {
	t.Helper()
	notes = map[string]string{}
	var all []string
	for _, p := range parts {
		shown := partAt.ReplaceAllString(p.HTML, `href="#`)
		shown = strings.NewReplacer(`<section class="chunk">`, "", "</section>\n", "", "</section>", "").Replace(shown)
		list := footnotesIn.FindString(shown)
		shown = strings.TrimSuffix(shown, list)
		for list = backIn.ReplaceAllString(list, ""); ; {
			m := footnoteIn.FindStringSubmatchIndex(list)
			if m == nil {
				break
			}
			id, note := list[m[2]:m[3]], list[m[4]:m[5]]
			if was, known := notes[id]; known && was != note {
				t.Fatalf("%s is %q in one part and %q in another", id, was, note)
			}
			notes[id] = note
			list = list[m[5]:]
		}
		all = append(all, shown)
	}
	return listIn.ReplaceAllString(strings.Join(all, ""), ""), notes
}

// sameAsWhole compares the parts of a document with the whole, except where lists begin and
// end: they may be divided.
func sameAsWhole(t *testing.T, name, text string, size int) (n int) {
	t.Helper()
	whole := Document(t.Context(), source(name, text))
	s := source(name, text)
	s.Wholes = &Wholes{}
	s.Size = size
	if Document(t.Context(), s).Part.IsWhole() {
		return 0
	}
	parts := inParts(t, s, size)
	want, wantNotes := joined(t, []Result{whole})
	got, notes := joined(t, parts)
	if got != want {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Fatalf("%d parts differ from the whole at %d:\n%q\nand not\n%q\n--- of\n%.3000s", len(parts), at, got[max(0, at-200):min(len(got), at+200)], want[max(0, at-200):min(len(want), at+200)], text)
	}
	for id, note := range wantNotes {
		// A footnote to which only a footnote refers that no text refers to is in no part.
		if got, shown := notes[id]; got != note && (shown || strings.Contains(want, `href="#`+id+`"`)) {
			t.Fatalf("footnote %s is\n%q\nand not\n%q", id, got, note)
		}
	}
	return len(parts)
}

func TestPartsJoinedAreTheWhole(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	parts := 0
	for seed := range 400 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		var b strings.Builder
		if r.IntN(3) == 0 {
			b.WriteString("---\ntitle: T\n---\n")
		}
		for i := range 10 + r.IntN(60) {
			b.WriteString(strings.NewReplacer("%[1]d", fmt.Sprint(i), "%[2]d", fmt.Sprint(r.IntN(6))).Replace(blocks[r.IntN(len(blocks))]))
		}
		parts += sameAsWhole(t, "page.md", b.String(), 100+r.IntN(600))
	}
	if parts < 1000 {
		t.Errorf("only %d parts", parts)
	}
}

// Footnotes of an Org document have the numbers of the whole in each part, and their text where
// a part refers to them.
func TestFootnotesOfOrgParts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "* Heading %d\nWords[fn:n%d] and more[fn:: inline %d] and again[fn:n1].\n#+begin_src org\n[fn:n%d] no note\n#+end_src\n", i, 60-i, i, i)
	}
	b.WriteString("* Footnotes\n")
	for i := range 61 {
		fmt.Fprintf(&b, "[fn:n%d] Note %d by [[id:Ada]].\n", i, i)
	}
	b.WriteString("[fn:n61] See [fn:n0].\n")
	text := strings.Replace(b.String(), "Words[fn:n60]", "Words[fn:n61]", 1)
	number := regexp.MustCompile(`(?s)<sup id="footnote-(\d+)">.*?</sup>\s*<div>\s*(.*?)\s*</div>`)
	numbers := func(shown string) map[string]string {
		out := map[string]string{}
		for _, m := range number.FindAllStringSubmatch(shown, -1) {
			out[m[1]] = m[2]
		}
		return out
	}
	want := numbers(Document(t.Context(), source("page.org", text)).HTML)
	s := source("page.org", text)
	s.Wholes = &Wholes{}
	seen := map[string]bool{}
	parts := inParts(t, s, 700)
	for i, p := range parts {
		got := numbers(p.HTML)
		for n, text := range got {
			if seen[n] = true; text != want[n] {
				t.Errorf("part %d: footnote %s is %q, and not %q", i, n, text, want[n])
			}
		}
		for _, m := range regexp.MustCompile(`href="#footnote-(\d+)"`).FindAllStringSubmatch(p.HTML, -1) {
			if _, shown := got[m[1]]; !shown {
				t.Errorf("part %d refers to footnote %s and does not show it", i, m[1])
			}
		}
	}
	if len(parts) < 10 || len(seen) != len(want) || len(want) < 100 {
		t.Errorf("%d parts with %d of %d footnotes", len(parts), len(seen), len(want))
	}
}

// A definition goes on up to the next heading: its lines must not be copied for each of them.
func TestLongFootnotesOfOrg(t *testing.T) {
	slowtest.NoRace(t, "a page has a limit of time, and it takes many times as long")
	// Serial: it counts the bytes that the process allocates.
	text := "[fn:a] Note.\n" + strings.Repeat("More.\n", 20000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	notes := orgNotesIn(text + "* Next\n")
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; notes["a"] != text || n > uint64(50*len(text)) {
		t.Errorf("a footnote of %d bytes is one of %d, with %d bytes allocated", len(text), len(notes["a"]), n)
	}
}
