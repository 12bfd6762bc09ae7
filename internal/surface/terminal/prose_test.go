package terminal

import (
	"strings"
	"testing"
)

// Paragraphs flow; headings, lists, tables, code and short lines stay as they are.
func TestProse(t *testing.T) {
	t.Parallel()
	const text = `# A heading that is as long as a line of a paragraph is
Agents make mistakes at speed. Undoing must not depend on the
user having git, or on having committed.

- an item that is long enough to be broken by an editor, and
  that goes on here
- another
1. a numbered item that is long enough to be broken by a tool
2. the next
| a table with a long row that is wider than any | of them |
| b | c |
Roses are red,
violets are blue.
` + "```" + `
code that is long enough to be broken, but is code all the same
stays
` + "```" + `
A line with two spaces at its end, which is a break of lines  
stays.
* Org headings are long enough to be taken for a list, and stay
* so`
	const want = `# A heading that is as long as a line of a paragraph is
Agents make mistakes at speed. Undoing must not depend on the user having git, or on having committed.

- an item that is long enough to be broken by an editor, and that goes on here
- another
1. a numbered item that is long enough to be broken by a tool
2. the next
| a table with a long row that is wider than any | of them |
| b | c |
Roses are red,
violets are blue.
` + "```" + `
code that is long enough to be broken, but is code all the same
stays
` + "```" + `
A line with two spaces at its end, which is a break of lines  
stays.
* Org headings are long enough to be taken for a list, and stay
* so`
	if got := strings.Join(flow(strings.Split(text, "\n"), false), "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
	lines := strings.Split("Agents make mistakes at speed. Undoing must not depend on the\nuser.", "\n")
	var piped, shown Page
	piped.Prose(2, lines, false)
	shown.Width = 60
	shown.Prose(2, lines, false)
	if got := piped.String() + shown.String(); got != "  Agents make mistakes at speed. Undoing must not depend on the\n  user.\n"+
		"  Agents make mistakes at speed. Undoing must not depend on\n  the user.\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestFlow(t *testing.T) {
	t.Parallel()
	const long = "We keep the disk of the server that builds, and the cache"
	for _, tt := range []struct {
		name, text, want string
		org              bool
	}{
		{"a heading of Org", "* Decision to drop the cache of the build server in March\nWe chose to keep the disk instead.", "", true},
		{"a star in Markdown", "* Decision to drop the cache of the build server in March\n  and to keep the disk.", "* Decision to drop the cache of the build server in March and to keep the disk.", false},
		{"an item with a star in Org", "  * Decision to drop the cache of the build server in March\n  and to keep the disk.", "  * Decision to drop the cache of the build server in March and to keep the disk.", true},
		{"fields", "Attendees: Ada Lovelace, Charles Babbage, Mary Somerville\nDate: 2026-11-24\ndue date:: 2026", "", false},
		{"a word with a colon", long + "\nof it: both.", "", false},
		{"short lines of Japanese", "今日は天気がいいので散歩に行きます\n明日も行きます", "", false},
		{"long lines of Japanese", "今日は天気がいいので散歩に行きました。それから家に帰って本を\n読みました。", "今日は天気がいいので散歩に行きました。それから家に帰って本を読みました。", false},
		{"Chinese before Latin", "今日は天気がいいので散歩に行きました。それから家に帰って本を\nAda と", "今日は天気がいいので散歩に行きました。それから家に帰って本を Ada と", false},
		{"short lines of German", "Über Äpfel, Öfen, Übungen, Bücher und Häuser\nschön", "", false},
		{"a formula", long + "\n$$\nx is the sum of all the costs that the server has, and more\ny\n$$\nafter", "", false},
		{"a formula between its marks", "$$ x is the sum of all the costs that the server has, and\ny $$\nafter", "", false},
		{"code of Org", "#+begin_src go\n" + long + "\nx\n#+end_src\n" + long + "\nx", "#+begin_src go\n" + long + "\nx\n#+end_src\n" + long + " x", true},
		{"three lines", long + "\n" + long + "\nx", long + " " + long + " x", false},
		{"code with other fences", "~~~\n```\n" + long + "\nx\n~~~", "", false},
	} {
		want := tt.want
		if want == "" {
			want = tt.text
		}
		if got := strings.Join(flow(strings.Split(tt.text, "\n"), tt.org), "\n"); got != want {
			t.Errorf("%s: got\n%s", tt.name, got)
		}
	}
}

// BenchmarkFlow joins a paragraph of 20,000 lines: each line is to be copied a few times.
func BenchmarkFlow(b *testing.B) {
	lines := strings.Split(strings.Repeat("We keep the disk of the server that builds, and the cache\n", 20000), "\n")
	b.ReportAllocs()
	for b.Loop() {
		flow(lines, false)
	}
}
