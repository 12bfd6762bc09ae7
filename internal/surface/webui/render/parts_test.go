package render

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// inParts renders all parts of a document, and compares where they begin and end.
func inParts(t *testing.T, s Source, size int) (parts []Result) {
	t.Helper()
	s.Size, s.PartAt = size, func(id string) string { return "?at=" + id + "#" + id }
	for from := 1; from > 0; {
		s.From = from
		r := Document(t.Context(), s)
		if r.Part.First != from {
			t.Fatalf("the part of line %d begins at line %d", from, r.Part.First)
		}
		if n := len(parts); n > 0 && (r.Part.Before != parts[n-1].Part.First || parts[n-1].Part.Last+1 != from) {
			t.Errorf("the part of line %d: %+v after %+v", from, r.Part, parts[n-1].Part)
		}
		parts = append(parts, r)
		from = r.Part.After
	}
	return parts
}

func TestPartsOfMarkdown(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	n := 0
	words := func(form string, times int) {
		for range times {
			fmt.Fprintf(&b, form, n)
			n++
		}
	}
	words("word%d [r][r1] and[^1].\n\n", 40)
	words("1. word%d\n", 60)
	words("\n***\n\n```\nword%d\n\n---\n```\n\n", 9)
	words("| word%d | b |\n| --- | --- |\n", 1)
	words("| word%d | b |\n", 50)
	words("\n## Same\n\nword%d ^b-%[1]d\n", 40)
	words("\n> [!note] Title\n> word%d\n", 20)
	b.WriteString("\n[^1]: A note.\n\n[r1]: https://example.org/r\n")
	whole := Document(t.Context(), source("page.md", b.String()))
	if !whole.Part.IsWhole() {
		t.Errorf("a document without a limit has parts: %+v", whole.Part)
	}
	parts := inParts(t, source("page.md", b.String()), 700)
	next, numbered := 0, 0
	word := regexp.MustCompile(`word(\d+)`)
	number := regexp.MustCompile(`<ol start="(\d+)"[^>]*>\s*<li[^>]*>word(\d+)`)
	ids := map[string]int{}
	for i, p := range parts {
		for _, m := range word.FindAllStringSubmatch(p.HTML, -1) {
			if m[1] != fmt.Sprint(next) {
				t.Fatalf("part %d has word%s and not word%d:\n%s", i, m[1], next, p.HTML)
			}
			next++
		}
		for _, m := range number.FindAllStringSubmatch(p.HTML, -1) {
			if start, _ := strconv.Atoi(m[1]); m[2] != fmt.Sprint(39+start) {
				t.Errorf("item %d is word%s", start, m[2])
			}
			numbered++
		}
		for _, h := range p.Headings {
			if strings.Contains(p.HTML, `id="`+h.ID+`"`) {
				ids[h.ID]++
			}
		}
		if len(p.Headings) != 40 || strings.Contains(p.HTML, "[r1]") || strings.Contains(p.HTML, "```") {
			t.Errorf("part %d has %d headings, or marks:\n%s", i, len(p.Headings), p.HTML)
		}
	}
	if next != n || len(ids) != 40 || numbered == 0 {
		t.Errorf("%d parts with %d of %d words, %d of 40 headings", len(parts), next, n, len(ids))
	}
	s := source("page.md", b.String())
	s.Size, s.At = 700, "b-b-180"
	if r := Document(t.Context(), s); !strings.Contains(r.HTML, `id="b-b-180"`) {
		t.Errorf("the part of a block: %+v", r.Part)
	}
}

func TestPartsOfOrg(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("#+TITLE: T\n#+TODO: NEXT | DONE\n\n")
	for i := range 60 {
		fmt.Fprintf(&b, "* NEXT Same\nword%d [[no]]\n#+begin_src c\n---\n#+end_src\n", i)
	}
	parts := inParts(t, source("page.org", b.String()), 700)
	next, ids := 0, map[string]bool{}
	for i, p := range parts {
		for _, m := range regexp.MustCompile(`data-line="(\d+)">word(\d+)`).FindAllStringSubmatch(p.HTML, -1) {
			if m[2] != fmt.Sprint(next) || m[1] != fmt.Sprint(5+5*next) {
				t.Fatalf("part %d has word%s in line %s, and not word%d", i, m[2], m[1], next)
			}
			next++
		}
		for _, m := range regexp.MustCompile(`<h2 id="([^"]*)"[^>]*><span class="todo">NEXT`).FindAllStringSubmatch(p.HTML, -1) {
			ids[m[1]] = true
		}
		if len(p.Headings) != 60 {
			t.Errorf("part %d has %d headings", i, len(p.Headings))
		}
	}
	if len(parts) < 3 || next != 60 || len(ids) != 60 || !ids["h-same-60"] {
		t.Errorf("%d parts with %d words and %d headings", len(parts), next, len(ids))
	}
}

// What cannot be rendered is shown in parts as well.
func TestPartsAsWritten(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("> ", 200) + "deep\n\n" + strings.Repeat("- a line\n", 500)
	lines := 0
	for _, p := range inParts(t, source("page.md", text), 1000) {
		lines += strings.Count(p.HTML, "- a line")
	}
	if lines != 500 {
		t.Errorf("%d of 500 lines", lines)
	}
}

// A credential is found in the whole of an embedded page, and masked in what is shown of it.
func TestEmbeddedPartIsMasked(t *testing.T) {
	t.Parallel()
	line := "MIIEowIBAAKCAQEAx7Vq2nT9bLk3JfY0wRzPdC8sHgUeOaMiNlXkZvBt5QyWr1Ec"
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat(line+"\n", 3) + "## Within\n" + strings.Repeat(line+"\n", 3) + "-----END RSA " + "PRIVATE KEY-----\n"
	for _, before := range []int{0, 15_900} {
		for _, embed := range []string{"![[Keys]]\n", "![[Keys#Within]]\n"} {
			s := source("page.md", embed)
			s.Embed = func(string) (Page, bool) {
				return Page{Path: "keys.md", Text: []byte(strings.Repeat("A line.\n", before/8) + key)}, true
			}
			got := Document(t.Context(), s)
			if strings.Contains(got.HTML, line) || got.Secrets == 0 || !strings.Contains(got.HTML, `class="embed"`) {
				t.Errorf("%q: %d credentials\n%.500s", embed, got.Secrets, got.HTML)
			}
		}
	}
}

// A passage may link to a heading of its page, as a table of contents does.
func TestPassageWithLinkToHeading(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.md", "a.org"} {
		got := Passage(t.Context(), Page{Path: name, Text: []byte("- [Some words](#b) [[#b]] [[*b][c]]\n")}, []string{"words"})
		if !strings.Contains(got, "<mark>words</mark>") || strings.Contains(got, "href") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The heading of a part has the id that the outline of the whole gives it.
func TestIDsOfOrgHeadings(t *testing.T) {
	t.Parallel()
	kinds := []string{
		"OPEN Same", "Same", "SHUT Same :tag:", "[#A] Same", "OPEN [#B] Same [1/2]", "COMMENT Same", "*Same*", "[[no][Same]]", "=Same= and ~more~",
		"Same <2026-11-30 Mon>", "WAIT Same", "TODO Same", "DONE Same", "Same $x$ and $y$", "Same[fn:1]", "Same \\alpha", "a_b Same", "OPEN", ":tag:",
	}
	for _, setting := range []string{"#+TODO: OPEN | SHUT\n", "#+SEQ_TODO: OPEN(o) WAIT(w@/!) | SHUT(s)\n", "#+todo: OPEN\n#+typ_todo: WAIT | SHUT\n", ""} {
		for _, last := range []bool{false, true} {
			var b strings.Builder
			b.WriteString("#+TITLE: T\n")
			if !last {
				b.WriteString(setting)
			}
			for i := range 60 {
				fmt.Fprintf(&b, "%s %s\nword%d\n", strings.Repeat("*", 1+i%2), kinds[i*7%len(kinds)], i)
			}
			if last {
				b.WriteString(setting)
			}
			whole := source("page.org", b.String())
			for size, parts := range map[int][]Result{500: inParts(t, whole, 500), 0: {Document(t.Context(), whole)}} {
				seen := map[string]string{}
				for _, p := range parts {
					lines := map[int]string{}
					for _, h := range p.Headings {
						lines[h.Line] = h.ID
					}
					for _, m := range regexp.MustCompile(`<h[1-6] id="([^"]*)"(?: data-line="(\d+)")?`).FindAllStringSubmatch(p.HTML, -1) {
						line, _ := strconv.Atoi(m[2])
						if lines[line] != m[1] {
							t.Errorf("%q, size %d: line %d has the id %q, and %q in the outline", setting, size, line, m[1], lines[line])
						}
						if before, doubled := seen[m[1]]; doubled && before != m[2] {
							t.Errorf("%q: %s is in lines %s and %s", setting, m[1], before, m[2])
						}
						seen[m[1]] = m[2]
					}
				}
				if len(seen) != 60 {
					t.Errorf("%q, size %d: %d of 60 headings: %v", setting, size, len(seen), seen)
				}
			}
		}
	}
}
