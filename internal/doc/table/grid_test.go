package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	grid "github.com/cairn-kb/cairn/internal/doc/table"
)

const page = "# T\n\n```\n| no | table |\n```\n\n| Name | When | Who |\n|:---|---:|---|\n| a | at \\| ten  |    |\n|b|x\n| c | 1 | 2 | 3 |\nno row\n| d |  | y |\n\n| Other | table |\n|---|---|\n\n## Empty\n\ntext\n\n## Last\n\n| k |\n|---|\n| v |"

func at(t *testing.T, text, section string) (*doc.Document, *grid.Grid) {
	t.Helper()
	d := markdown.Codec{}.Parse("t.md", []byte(text))
	return d, grid.Find(d, section)
}

func TestFind(t *testing.T) {
	t.Parallel()
	_, g := at(t, page, "")
	var got strings.Builder
	fmt.Fprintf(&got, "%d %q\n", g.Line, g.Columns)
	for _, r := range g.Rows {
		fmt.Fprintf(&got, "%d %q\n", r.Line, r.Cells)
	}
	for _, f := range g.Faults {
		fmt.Fprintf(&got, "%d %s\n", f.Line, f.Text)
	}
	want := `7 ["Name" "When" "Who"]
9 ["a" "at | ten" ""]
10 ["b" "x" ""]
13 ["d" "" "y"]
11 the row has more cells than there are columns
12 not a row of the table
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	if _, g := at(t, page, "Empty"); g.Found || !g.Wanting || g.Faults[0].Line != 18 {
		t.Errorf("the section without a table: %+v", g)
	}
	if _, g := at(t, page, "Nowhere"); g.Found || g.Wanting || len(g.Faults) != 1 {
		t.Errorf("the section that is missing: %+v", g)
	}
	d := org.Codec{}.Parse("t.org", []byte("* A\n| k | v |\n|---+---|\n| 1 | 2 |\n"))
	if g := grid.Find(d, "A"); len(g.Rows) != 1 || g.Rows[0].Cells[1] != "2" {
		t.Errorf("a table in Org: %+v", g)
	}
}

// What is a table: with pipes around its lines or not, and not in comments and code.
func TestWhere(t *testing.T) {
	t.Parallel()
	const table = "| k | v |\n|---|---|\n| 1 | 2 |\n"
	for name, c := range map[string]struct {
		text string
		org  bool
		rows string // cells and faults
	}{
		"no outer pipes":     {text: "text\nk | v\n--- | :-:\n1 | 2\n a \\| b | \nno row\n\n3 | 4\n", rows: `[1 2] [a | b ] not a row of the table`},
		"no pipe at the end": {text: "| k | v\n|---|---\n| 1 | 2\n1 | 3\n", rows: `[1 2] [1 3]`},
		"no rule below":      {text: "k | v\n1 | 2\n"},
		"too short a rule":   {text: "k | v\n---|---|---\n1 | 2\n"},
		"a heading":          {text: "k\n---\n1 | 2\n"},
		"not so in Org":      {org: true, text: "k | v\n--- | ---\n1 | 2\n"},
		"a comment":          {text: "<!--\n" + table + "-->\n", rows: ""},
		"an inline comment":  {text: "see <!-- this\n" + table + "-->\n", rows: ""},
		"one after another":  {text: "<!--\n" + table + "-->\n\n" + strings.ReplaceAll(table, "1", "3"), rows: "[3 2]"},
		"the same again":     {text: "<!--\n" + table + "-->\n\n" + table, rows: "[1 2]"},
		"for Obsidian":       {text: "%%\n" + table + "%%\n", rows: ""},
		"a longer fence":     {text: "````\n```\n" + table + "```\n" + table + "````\n", rows: ""},
		"a comment ends it":  {text: table + "<!-- end -->\n| 5 | 6 |\n", rows: "[1 2]"},
		"a heading ends it":  {text: table + "## Next\n| 5 | 6 |\n", rows: "[1 2]"},
		"a block of comment": {org: true, text: "#+BEGIN_COMMENT\n" + table + "#+END_COMMENT\n", rows: ""},
		"a block of code":    {org: true, text: "#+begin_src org\n" + table + "#+end_src\n" + strings.ReplaceAll(table, "1", "3"), rows: "[3 2]"},
		"a quotation":        {org: true, text: "#+begin_quote\n" + table + "#+end_quote\n", rows: "[1 2]"},
		"a rule above":       {org: true, text: "|---+---|\n" + table, rows: "[1 2]"},
		"formulas":           {org: true, text: table + "#+TBLFM: $1=2\n", rows: "[1 2]"},
		"comment lines":      {org: true, text: "# | k | v |\n" + table, rows: "[1 2]"},
		"an archived tree":   {org: true, text: "* Old :ARCHIVE:\n" + table + "* New\n" + strings.ReplaceAll(table, "1", "3"), rows: "[3 2]"},
	} {
		t.Run(name, func(t *testing.T) {
			codec := doc.Codec(markdown.Codec{})
			if c.org {
				codec = org.Codec{}
			}
			d := codec.Parse("t", []byte(c.text))
			g := grid.Find(d, "")
			var got []string
			for _, r := range g.Rows {
				got = append(got, fmt.Sprint(r.Cells))
			}
			for _, f := range g.Faults {
				if g.Found {
					got = append(got, strings.TrimPrefix(f.Text, "this is "))
				}
			}
			if strings.Join(got, " ") != c.rows || g.Wanting == g.Found {
				t.Fatalf("got %q, want %q: %+v", got, c.rows, g)
			}
			if len(g.Rows) == 0 {
				return
			}
			row := slices.Clone(g.Rows[0].Cells)
			row[0] = "- new"
			after, err := codec.Apply(d, "", g.Set(g.Rows[0], row))
			if err != nil {
				t.Fatal(err)
			}
			again := grid.Find(codec.Parse("t", after), "")
			if len(again.Rows) != len(g.Rows) || again.Rows[0].Cells[0] != "- new" || again.Rows[0].Line != g.Rows[0].Line {
				t.Errorf("it became %q", after)
			}
		})
	}
}

// A table of Org has no escapes: a pipe in a cell is named.
func TestPipesInOrg(t *testing.T) {
	t.Parallel()
	const text = "| k | v |\n|---+---|\n| a\\ | b \\vert{} c |\n"
	d := org.Codec{}.Parse("t.org", []byte(text))
	g := grid.Find(d, "")
	if got := g.Rows[0].Cells; got[0] != "a\\" || got[1] != "b | c" {
		t.Fatalf("cells %q", got)
	}
	after, err := org.Codec{}.Apply(d, "", g.Add([]string{"x|y", `z\`}))
	if want := text + "| x\\vert{}y | z\\ |\n"; err != nil || string(after) != want {
		t.Fatalf("got %q, %v\nwant %q", after, err, want)
	}
	if got := grid.Find(org.Codec{}.Parse("t.org", after), "").Rows[1].Cells; got[0] != "x|y" || got[1] != `z\` {
		t.Errorf("read again as %q", got)
	}
	same, err := org.Codec{}.Apply(d, "", g.Set(g.Rows[0], g.Rows[0].Cells))
	if err != nil || string(same) != text {
		t.Errorf("a row that says the same became %q, %v", same, err)
	}
}

// An edit changes the bytes that it is about.
func TestEdits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, section string
		edit          func(*grid.Grid) doc.Edit
		old, new      string
	}{
		"cell":       {page, "", func(g *grid.Grid) doc.Edit { return g.Set(g.Rows[0], []string{"a", "at | ten", "me"}) }, "|    |\n", "| me |\n"},
		"short row":  {page, "", func(g *grid.Grid) doc.Edit { return g.Set(g.Rows[1], []string{"b", "x", "z|"}) }, "|b|x\n", "| b | x | z\\| |\n"},
		"only one":   {page, "", func(g *grid.Grid) doc.Edit { return g.Set(g.Rows[1], []string{"b", "y", ""}) }, "|b|x\n", "|b| y \n"},
		"emptied":    {page, "", func(g *grid.Grid) doc.Edit { return g.Set(g.Rows[2], []string{"d", "", ""}) }, "|  | y |", "|  |   |"},
		"nothing":    {page, "", func(g *grid.Grid) doc.Edit { return g.Set(g.Rows[0], g.Rows[0].Cells) }, "", ""},
		"added":      {page, "", func(g *grid.Grid) doc.Edit { return g.Add([]string{"e", "", "f\ng"}) }, "| d |  | y |\n", "| d |  | y |\n| e | | f g |\n"},
		"removed":    {page, "", func(g *grid.Grid) doc.Edit { return g.Remove(g.Rows[0]) }, "| a | at \\| ten  |    |\n", ""},
		"at the end": {page, "Last", func(g *grid.Grid) doc.Edit { return g.Add([]string{"w"}) }, "| v |", "| v |\n| w |"},
		"made":       {page, "Empty", func(g *grid.Grid) doc.Edit { return g.Make([]string{"k", "l"}, []string{"1", ""}) }, "text\n", "text\n\n| k | l |\n|---|---|\n| 1 | |\n"},
		"CRLF":       {strings.ReplaceAll(page, "\n", "\r\n"), "", func(g *grid.Grid) doc.Edit { return g.Add([]string{"e", "", ""}) }, "| y |\r\n", "| y |\r\n| e | | |\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d, g := at(t, c.text, c.section)
			got, err := doc.Perform(markdown.Codec{}, d, "", c.edit(g))
			if want := strings.Replace(c.text, c.old, c.new, 1); err != nil || string(got) != want {
				t.Errorf("got %q, %v\nwant %q", got, err, want)
			}
		})
	}
}

// Whatever the text, a row that is added is read again, and no other is touched.
func FuzzAdd(f *testing.F) {
	f.Add(page, "x|y\\")
	f.Add("| a |\n\n", "b")
	f.Add("|\n|-", "\\|")
	f.Add(page, `a\|b\\|c\`)
	f.Fuzz(func(t *testing.T, text, cell string) {
		d, g := at(t, text, "")
		if !g.Found || len(g.Columns) == 0 || d.EOL != "\n" || strings.Contains(text, "\r") {
			return
		}
		cells := make([]string, len(g.Columns))
		cells[0] = "k" + cell
		after, err := doc.Perform(markdown.Codec{}, d, "", g.Add(cells))
		if err != nil {
			return
		}
		_, again := at(t, string(after), "")
		if len(again.Rows) != len(g.Rows)+1 {
			t.Fatalf("%d rows became %d", len(g.Rows), len(again.Rows))
		}
		if got, want := again.Rows[len(g.Rows)].Cells[0], strings.Join(strings.Fields(cells[0]), " "); got != want {
			t.Errorf("%q is read as %q", want, got)
		}
	})
}
