package grid

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// Grid is a table as it stands in a document.
type Grid struct {
	Columns []string
	Rows    []Row
	Faults  []Fault
	Line    int // of its first line, or where it is missed

	// Found says that there is a table, and Wanting that there is none where one can be
	// made: below its heading.
	Found, Wanting bool

	section string // path of the heading above it
	text    string // with its line ends
	eol     string
}

// Row is a line of a table.
type Row struct {
	Line  int
	Cells []string // as many as there are columns
	at    doc.Span // in Grid.text
	cells []doc.Span
}

// Fault is what cannot be read in a line.
type Fault struct {
	Line int
	Text string
}

// Find reads the first table below a heading of a document, or of the whole document where
// section is "". What is not there is told as a fault.
func Find(d *doc.Document, section string) *Grid {
	g := &Grid{eol: d.EOL, section: section, Line: 1}
	within := d.Nodes[0].Truth
	if section != "" {
		part, err := d.Part(&d.Nodes[0], section)
		if err != nil {
			g.fault(1, "there is no one section "+section)
			return g
		}
		within, g.Line = part, doc.LineAt(d.Text, part.Start)
	}
	g.read(string(d.Text[within.Start:within.End]), doc.LineAt(d.Text, within.Start))
	if g.Wanting = !g.Found; g.Wanting {
		g.fault(g.Line, "there is no table")
	}
	return g
}

func (g *Grid) fault(line int, text string) { g.Faults = append(g.Faults, Fault{line, text}) }

// read reads a text that begins in a line of the document.
func (g *Grid) read(text string, line int) {
	var (
		fence string
		at    int // in text
		from  = -1
	)
	for raw := range strings.Lines(text) {
		begin := at
		at += len(raw)
		plain := strings.TrimSpace(raw)
		switch {
		case from >= 0 && plain == "":
			g.text = text[from:begin]
			return
		case from >= 0:
			g.line(raw, begin-from, line)
		case fence != "":
			if strings.HasPrefix(plain, fence) {
				fence = ""
			}
		case strings.HasPrefix(plain, "```"), strings.HasPrefix(plain, "~~~"):
			fence = plain[:3]
		case strings.HasPrefix(plain, "|"):
			cells, _ := split(raw)
			if slices.Contains(cells, "") {
				g.fault(line, "a column has no name")
			}
			from, g.Line, g.Columns, g.Found = begin, line, cells, true
		}
		line++
	}
	if from >= 0 {
		g.text = text[from:]
	}
}

// line reads a line of the table below the names of its columns.
func (g *Grid) line(raw string, at, line int) {
	plain := strings.TrimSpace(raw)
	if !strings.HasPrefix(plain, "|") {
		g.fault(line, "this is no row of the table")
		return
	}
	if strings.Trim(plain, "|-:+ \t") == "" && strings.Contains(plain, "-") {
		return // a rule
	}
	cells, spans := split(raw)
	if len(cells) > len(g.Columns) {
		g.fault(line, "the row has more cells than there are columns")
		return
	}
	for len(cells) < len(g.Columns) {
		cells = append(cells, "")
	}
	g.Rows = append(g.Rows, Row{Line: line, Cells: cells, at: doc.Span{Start: at, End: at + len(raw)}, cells: spans})
}

// split returns the cells of a line, and where they stand in it, with blanks around them.
func split(raw string) (cells []string, spans []doc.Span) {
	end := len(strings.TrimRight(raw, " \t\r\n"))
	from := strings.IndexByte(raw, '|') + 1
	escaped := false
	for i := from; i < end; i++ {
		switch {
		case escaped:
			escaped = false
		case raw[i] == '\\':
			escaped = true
		case raw[i] == '|':
			spans = append(spans, doc.Span{Start: from, End: i})
			from = i + 1
		}
	}
	if from < end {
		spans = append(spans, doc.Span{Start: from, End: end})
	}
	for _, s := range spans {
		cells = append(cells, piped.ReplaceAllStringFunc(strings.TrimSpace(raw[s.Start:s.End]), func(run string) string { return run[len(run)/2:] }))
	}
	return cells, spans
}

// Column returns the index of a column by its name, without regard to case, or -1.
func (g *Grid) Column(name string) int {
	return slices.IndexFunc(g.Columns, func(c string) bool { return strings.EqualFold(c, name) })
}

// piped is a pipe with the backslashes before it. Within a cell an odd number of them
// stands for half as many and the pipe.
var piped = regexp.MustCompile(`\\*\|`)

// escape is a cell as a line has it.
func escape(cell string) string {
	return piped.ReplaceAllStringFunc(strings.Join(strings.Fields(cell), " "), func(run string) string { return run[:len(run)-1] + `\` + run })
}

// Set gives the cells of a row other texts. Cells that say the same already keep their
// blanks.
func (g *Grid) Set(row Row, cells []string) doc.Edit {
	line := g.text[row.at.Start:row.at.End]
	for i := len(cells) - 1; i >= 0; i-- {
		if escape(cells[i]) == escape(row.Cells[i]) {
			continue
		}
		if i >= len(row.cells) { // the row has fewer cells than there are columns
			line = g.render(cells) + g.end(row.at.End)
			break
		}
		s, text := row.cells[i], " "+escape(cells[i])+" "
		if text == "  " {
			text = " "
		}
		line = line[:s.Start] + text + strings.Repeat(" ", max(s.Len()-len(text), 0)) + line[s.End:]
	}
	return g.replaced(g.text[:row.at.Start] + line + g.text[row.at.End:])
}

// Add adds a row after the others.
func (g *Grid) Add(cells []string) doc.Edit {
	text := g.text
	if text != "" && !strings.HasSuffix(text, "\n") {
		return g.replaced(text + g.eol + g.render(cells))
	}
	return g.replaced(text + g.render(cells) + g.eol)
}

// Remove takes a row away.
func (g *Grid) Remove(row Row) doc.Edit {
	return g.replaced(g.text[:row.at.Start] + g.text[row.at.End:])
}

// Make makes the table, with one row, where it is missing.
func (g *Grid) Make(columns, cells []string) doc.Edit {
	rule := "|" + strings.Repeat("---|", len(columns))
	text := g.render(columns) + "\n" + rule + "\n" + g.render(cells)
	return doc.Append{Section: g.section, Text: text}
}

func (g *Grid) replaced(text string) doc.Edit {
	return doc.Replace{Section: g.section, Old: g.text, New: text}
}

// end is how the line ends that goes to a place in the text.
func (g *Grid) end(at int) string {
	if at > 0 && g.text[at-1] == '\n' {
		return g.eol
	}
	return ""
}

func (g *Grid) render(cells []string) string {
	var out strings.Builder
	out.WriteString("|")
	for _, c := range cells {
		if c = escape(c); c == "" {
			out.WriteString(" |")
			continue
		}
		out.WriteString(" " + c + " |")
	}
	return out.String()
}
