package retrieve

import (
	"fmt"
	"strings"
	"testing"

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

func TestBegins(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ summary, text, want string }{
		{"A summary. More.", "Text.", "A summary"},
		{"", "# Title\n\n:DRAWER:\nThe first sentence. The second.", "The first sentence"},
		{"", "\n---\n", ""},
		{"", ">[!NOTE]\n> It continues to be supported. More.", "It continues to be supported"},
		{"[!tip]- Of an engine\nIt runs.", "", "Of an engine It runs"},
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
