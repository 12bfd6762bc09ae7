package grid_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/grid"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
)

const page = "# T\n\n```\n| no | table |\n```\n\n| Name | When | Who |\n|:---|---:|---|\n| a | at \\| ten  |    |\n|b|x\n| c | 1 | 2 | 3 |\nno row\n| d |  | y |\n\n| Other | table |\n|---|---|\n\n## Empty\n\ntext\n\n## Last\n\n| k |\n|---|\n| v |"

func at(t *testing.T, text, section string) (*doc.Document, *grid.Grid) {
	t.Helper()
	d := markdown.Codec{}.Parse("t.md", []byte(text))
	return d, grid.Find(d, section)
}

func TestFind(t *testing.T) {
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
12 this is no row of the table
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

// An edit changes the bytes that it is about.
func TestEdits(t *testing.T) {
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
