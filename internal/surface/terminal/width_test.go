package terminal

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

func TestFit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		widths []int
		room   int
		want   []int
	}{
		{[]int{10, 20}, 30, []int{10, 20}},
		{[]int{10, 20}, 25, []int{10, 15}},
		{[]int{40, 40}, 31, []int{15, 16}},
		{[]int{152, 20, 4, 10}, 74, []int{40, 20, 4, 10}},
		{[]int{60, 50, 4}, 40, []int{18, 18, 4}},
		{[]int{30, 30, 30}, 12, []int{8, 8, 8}}, // no narrower than that
		{[]int{3, 30}, 5, []int{3, 8}},
		{nil, 80, nil},
	} {
		if got := fit(tt.widths, tt.room); !slices.Equal(got, tt.want) {
			t.Errorf("fit(%v, %d) = %v, want %v", tt.widths, tt.room, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text   string
		width  int
		middle bool
		want   string
	}{
		{"short", 5, false, "short"},
		{"longer text", 8, false, "longer …"},
		{"05 - Concepts/Zettelkasten", 20, true, "05 - C…/Zettelkasten"},
		{"日本語のノート/読書", 11, true, "日…ト/読書"},
		{"🗂️ Daily notes", 8, false, "🗂️ Dail…"},
		{"a/👩‍💻/bcdefgh", 8, true, "a/…defgh"},
		{"\x1b[1mbold title\x1b[m", 6, false, "\x1b[1mbold …\x1b[m"},
		{"\x1b[1mdir/long/name\x1b[m", 8, true, "\x1b[1mdi\x1b[m\x1b[1m…/name\x1b[m"},
		{"ab", 1, true, "…"},
	} {
		if got := cut(tt.text, tt.width, tt.middle); got != tt.want {
			t.Errorf("cut(%q, %d, %v) = %q, want %q", tt.text, tt.width, tt.middle, got, tt.want)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("日本語のノート/読書", 11)
	f.Add("a/👩‍💻/bcd\u0301efgh", 8)
	f.Add("plain/path/name.md", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		text = safetext.Line(text)
		if width < 1 || width > 200 {
			return
		}
		for _, middle := range []bool{false, true} {
			if got := cut(text, width, middle); ansi.StringWidth(got) > width {
				t.Errorf("cut(%q, %d, %v) = %q, %d wide", text, width, middle, got, ansi.StringWidth(got))
			}
		}
	})
}

// A table fits the terminal and keeps its columns; what is no terminal gets
// everything.
func TestTableFits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		width int
		want  string
	}{
		{0, `PAGE                                   TITLE                       DAY
05 - Concepts/The Zettelkasten Method  The Zettelkasten 🗃️ Method  2026-11-23
06 - 日本語/とても長い名前のノート     とても長い名前のノート      2026-11-22
`},
		{50, `PAGE                TITLE               DAY
05 - …asten Method  The Zettelkasten …  2026-11-23
06 - …名前のノート  とても長い名前の…   2026-11-22
`},
	} {
		o := &Page{Width: tt.width}
		table := NewTable("PAGE", "TITLE", "DAY").Paths(0)
		table.Row("05 - Concepts/The Zettelkasten Method", "The Zettelkasten 🗃️ Method", "2026-11-23")
		table.Row("06 - 日本語/とても長い名前のノート", "とても長い名前のノート", "2026-11-22")
		table.Print(o)
		if got := o.String(); got != tt.want {
			t.Errorf("at %d:\n%s", tt.width, got)
		}
	}
}

func TestTextf(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		0:  "  one two three four five six seven eight\n",
		30: "  one two three four five six\n  seven eight\n",
	} {
		o := &Page{Width: width}
		o.Textf(2, "one two %s", "three four five six seven eight")
		if got := o.String(); got != want {
			t.Errorf("at %d: %q", width, got)
		}
	}
}

// No line is wider than the page, and none ends within a flag or a path.
func TestWrap(t *testing.T) {
	t.Parallel()
	text := "10 of 296 pages, more with --offset 10: cairn list --in a-very/long-path"
	for width := 24; width < 100; width++ {
		out := wrap(text, "  ", width)
		for _, line := range strings.Split(out, "\n") {
			if ansi.StringWidth(line) > width {
				t.Errorf("of %d columns: %q", width, line)
			}
			if strings.HasSuffix(line, "-") {
				t.Errorf("a line of %d ends in a hyphen: %q", width, line)
			}
		}
		if got := strings.Join(strings.Fields(out), " "); got != text {
			t.Errorf("%d columns changed the text: %q", width, got)
		}
	}
}
