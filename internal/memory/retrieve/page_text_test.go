package retrieve

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Of a page, only its own text is shown: not its metadata, nor nested pages.
func TestOwn(t *testing.T) {
	t.Parallel()
	const (
		first  = "11111111-2222-4333-8444-555555555555"
		second = "21111111-2222-4333-8444-555555555555"
	)
	source := "#+title: Notes\nBefore.\n* Fruit :fruit:\n:PROPERTIES:\n:ID: " + first + "\n:END:\nApples.\n" +
		"** Pay\n:PROPERTIES:\n:ID: " + second + "\n:END:\nCrowns.\n* After\nLast.\n"
	d := org.Codec{}.Parse("x.org", []byte(source))
	for i, want := range []struct{ truth, shown string }{
		{"Before.\n* After\nLast.", "2 Before.|13 * After|14 Last."},
		{"Apples.", "3 * Fruit :fruit:|7 Apples."},
		{"Crowns.", "8 ** Pay|12 Crowns."},
	} {
		o := newPageText(d, i)
		if got := o.within(o.n.Truth); got != want.truth {
			t.Errorf("%d: truth %q, want %q", i, got, want.truth)
		}
		if got := shown(o); got != want.shown {
			t.Errorf("%d: lines %s, want %s", i, got, want.shown)
		}
	}
	o := newPageText(markdown.Codec{}.Parse("x.md", []byte("---\ntype: note\n---\nText.\n\n---\n\n## Timeline\n\n- **2026-01-02** | a — Rain.\n")), 0)
	if got := shown(o); got != "4 Text.|6 ---|8 ## Timeline|10 - **2026-01-02** | a — Rain." || o.within(o.n.Truth) != "Text." {
		t.Errorf("lines %s, truth %q", got, o.within(o.n.Truth))
	}
}

// shown lists the lines that are not empty, with their numbers.
func shown(o *pageText) string {
	var out []string
	for i, line := range strings.Split(string(o.lines()), "\n") {
		if line != "" {
			out = append(out, fmt.Sprint(i+1, " ", line))
		}
	}
	return strings.Join(out, "|")
}

// A passage is served with its neighbours, up to a blank line, the end of the
// page's text and no more than passageBytes.
func TestPassage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", passageBytes)
	for _, tc := range []struct {
		name, path, text string
		lines            [2]int
		want             string
	}{
		{"items around", "a.md", "# H\n\n- a\n- b\n- c\n\nend\n", [2]int{4, 4}, "- a\n- b\n- c"},
		{"nothing around", "a.md", "a\n\nb\n\nc", [2]int{3, 3}, "b"},
		{"first and last line", "a.md", "a\nb", [2]int{1, 1}, "a\nb"},
		{"too long a neighbour", "a.md", "a\n" + long + "\nb\nc", [2]int{3, 3}, "b\nc"},
		{"long already", "a.md", long + "\nb", [2]int{1, 1}, long},
		{"no such lines", "a.md", "a", [2]int{2, 3}, ""},
		{"frontmatter before it", "a.md", "---\ntype: note\n---\na\nb\n", [2]int{5, 5}, "a\nb"},
		{"nothing but frontmatter", "a.md", "---\ntype: note\n---\n", [2]int{1, 1}, ""},
		{"in the timeline", "a.md", "a\n\n---\n\n- **2026-01-02** | a — Rain.\n", [2]int{5, 5}, "- **2026-01-02** | a — Rain."},
		{"a page nested after it", "a.org", "a\nb\n* Pay\n:PROPERTIES:\n:ID: 1\n:END:\nCrowns.\n* C\nc\n", [2]int{1, 1}, "a\nb"},
		{"a page nested before it", "a.org", "a\n* Pay\n:PROPERTIES:\n:ID: 1\n:END:\nCrowns.\n* C\nc\n", [2]int{8, 8}, "* C\nc"},
		{"a page nested in it", "a.org", "a\n* Pay\n:PROPERTIES:\n:ID: 1\n:END:\nCrowns.\n* C\nc\n", [2]int{1, 8}, "a\n* C\nc"},
		{"nothing but a nested page", "a.org", "* Pay\n:PROPERTIES:\n:ID: 1\n:END:\nCrowns.\n", [2]int{5, 5}, ""},
	} {
		codec := doc.ForPath([]doc.Codec{markdown.Codec{}, org.Codec{}}, tc.path)
		o := newPageText(codec.Parse(tc.path, []byte(tc.text)), 0)
		span := o.passage(tc.lines)
		if got := o.within(span); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		stands := [2]int{}
		if first, last, _ := strings.Cut(tc.want, "\n"); tc.want != "" {
			last = last[strings.LastIndexByte(last, '\n')+1:]
			lines := strings.Split(tc.text, "\n")
			from := slices.Index(lines, first)
			stands = [2]int{from + 1, from + 1}
			if last != "" {
				stands[1] = slices.Index(lines, last) + 1
			}
		}
		if got := o.linesOf(span); got != stands {
			t.Errorf("%s: lines %v, want %v", tc.name, got, stands)
		}
	}
}

// What a query serves whole holds the passage that answers, wherever that is.
func TestWhole(t *testing.T) {
	t.Parallel()
	const page = "---\ntype: note\n---\nTruth one.\n\nTruth two.\n\n---\n\n## Timeline\n\n- **2026-02-02** | a — Sun.\n\n- **2026-01-02** | a — Rain.\n"
	for _, tc := range []struct {
		name, path, text string
		lines            [2]int
		want             string
		stands           [2]int
	}{
		{"in the truth", "a.md", page, [2]int{6, 6}, "Truth one.\n\nTruth two.", [2]int{4, 6}},
		{"in the timeline", "a.md", page, [2]int{14, 14}, "Truth one.\n\nTruth two.\n\n…\n\n- **2026-01-02** | a — Rain.", [2]int{4, 14}},
		{"over the line", "a.md", page, [2]int{6, 12}, "Truth one.\n\nTruth two.\n\n---\n\n## Timeline\n\n- **2026-02-02** | a — Sun.", [2]int{4, 12}},
		{"gone", "a.md", page, [2]int{99, 99}, "Truth one.\n\nTruth two.", [2]int{4, 6}},
		{"no truth", "a.md", "---\ntype: note\n---\n\n---\n\n## Timeline\n\n- **2026-01-02** | a — Rain.\n", [2]int{9, 9}, "- **2026-01-02** | a — Rain.", [2]int{9, 9}},
		{"an Org heading", "a.org", "* H\n:PROPERTIES:\n:ID: 1\n:END:\nText.\n", [2]int{1, 5}, "Text.", [2]int{5, 5}},
	} {
		codec := doc.ForPath([]doc.Codec{markdown.Codec{}, org.Codec{}}, tc.path)
		d := codec.Parse(tc.path, []byte(tc.text))
		o := newPageText(d, len(d.Nodes)-1)
		text, span := o.whole(o.passage(tc.lines))
		if stands := o.linesOf(span); text != tc.want || stands != tc.stands {
			t.Errorf("%s: %q at %v, want %q at %v", tc.name, text, stands, tc.want, tc.stands)
		}
	}
}

func TestBegins(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ summary, text, want string }{
		{"A summary. More.", "Text.", "A summary"},
		{"", "# Title\n\n:DRAWER:\nThe first sentence. The second.", "The first sentence"},
		{"", "\n---\n", ""},
		{"", "Cart abandonment mails go out after 4 hours because 24 hours\nconverted 30.5 percent worse than we had hoped. More.", "Cart abandonment mails go out after 4 hours because 24 hours converted 30.5 percent worse than we had hoped"},
	} {
		if got := Begins(kb.Page{Summary: tc.summary}, tc.text); got != tc.want {
			t.Errorf("%q, %q begins %q, want %q", tc.summary, tc.text, got, tc.want)
		}
	}
}

// A page begins with a sentence of its own, and not with a relation or a comment.
func TestBeginsWithItsOwnSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# Mira\n\n<!-- One sentence. -->\n\n- works_at [[tidal-labs]] @2019-04..\n\nShe leads it.\n": "She leads it",
		"- [fact] Likes tea, see [[Tea]]\n": "[fact] Likes tea, see [[Tea]]",
		"- supersedes [[Old]]\n":            "",
	} {
		if got := Begins(kb.Page{}, text); got != want {
			t.Errorf("%q begins with %q", text, got)
		}
	}
}
