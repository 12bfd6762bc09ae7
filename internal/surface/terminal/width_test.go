package terminal

import (
	"slices"
	"strings"
	"testing"
	"time"

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
		{"05 - Concepts/Zettelkasten", 20, true, "…ncepts/Zettelkasten"},
		{"日本語のノート/読書", 11, true, "…ート/読書"},
		{"🗂️ Daily notes", 8, false, "🗂️ Dail…"},
		{"a/👩‍💻/bcdefgh", 8, true, "…bcdefgh"},
		{"\x1b[1mbold title\x1b[m", 6, false, "\x1b[1mbold …\x1b[m"},
		{"\x1b[1mdir/long/name\x1b[m", 8, true, "\x1b[1m…ng/name\x1b[m"},
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
// A time is whole where everything else is cut.
func TestTableKeepsTimes(t *testing.T) {
	t.Parallel()
	o := &Page{Width: 40}
	table := NewTable("WHEN", "BY", "WHY")
	table.Row(time.Date(2026, 11, 23, 9, 5, 0, 0, time.Local), "agent:claude-code", "tagged thirty pages at once")
	table.Print(o)
	if got := o.String(); !strings.Contains(got, "\n2026-11-23 09:05  agent:cla…  tagged th…\n") {
		t.Errorf("the table is\n%s", got)
	}
}

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
…ttelkasten Method  The Zettelkasten …  2026-11-23
…長い名前のノート   とても長い名前の…   2026-11-22
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

// Names of pages are never cut, and a column that says nothing is left out.
func TestTableKeepsNames(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		0: `TITLE                           PAGE                                   STATUS
The method of the slip box      05 - Concepts/The Zettelkasten Method  active
Notes of a day that never ends  06 - Days/2026-11-23                   stale
`,
		60: `TITLE                           PAGE     STATUS
The method of the slip box      cn-7f3a  active
Notes of a day that never ends  cn-8123  stale
`,
		40: `TITLE                    PAGE     STATUS
The method of the slip…  cn-7f3a  active
Notes of a day that ne…  cn-8123  stale
`,
	} {
		o := &Page{Width: width}
		table := NewTable("TITLE", "PAGE", "DATE", "STATUS").Extra(2).Usual(3, "active")
		table.Row("The method of the slip box", Name{"05 - Concepts/The Zettelkasten Method", "cn-7f3a"}, "", "active")
		table.Row("Notes of a day that never ends", Name{"06 - Days/2026-11-23", "cn-8123"}, "", "stale")
		table.Print(o)
		if got := o.String(); got != want {
			t.Errorf("at %d:\n%s", width, got)
		}
	}
	o := &Page{Style: Style{On: true}}
	table := NewTable("PAGE", "STATUS").Usual(1, "active")
	table.Row("a", o.Style.Aside("active"))
	table.Print(o)
	if strings.Contains(o.String(), "active") {
		t.Errorf("a status that all rows have: %q", o.String())
	}
}

// A link to a file takes no room, and nothing in a path can end it.
func TestLink(t *testing.T) {
	t.Parallel()
	on := Style{On: true}
	got := on.Link("a.md", "/notes/\x1b]8;;\a é/a.md")
	if want := Styled("\x1b]8;;file:///notes/%1B%5D8;;%07%20%C3%A9/a.md\aa.md\x1b]8;;\a"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if w := ansi.StringWidth(string(got)); w != 4 {
		t.Errorf("%d wide", w)
	}
	if got := (Style{}).Link("a.md", "/a.md"); got != "a.md" {
		t.Errorf("without colours: %q", got)
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

// Columns that can be spared go where the page has no room for all, the first named first.
func TestSpareColumns(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{0: "WHEN A WHY BY", 60: "WHEN A WHY BY", 40: "WHEN A BY", 30: "WHEN A", 10: "WHEN A"} {
		table := NewTable("WHEN", "A", "WHY", "BY").Spare(2, 3)
		table.Row(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), "a title of a page", "a long reason for it", "agent:robot")
		page := &Page{Width: width}
		table.Print(page)
		head, _, _ := strings.Cut(ansi.Strip(page.String()), "\n")
		if got := strings.Join(strings.Fields(head), " "); got != want {
			t.Errorf("%d cells have the columns %q, want %q", width, got, want)
		}
	}
}
