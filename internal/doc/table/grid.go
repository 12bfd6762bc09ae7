package table

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Grid is a table in a document.
type Grid struct {
	Columns []string
	Rows    []Row
	Faults  []Fault
	Line    int // of its first line, or of the place where it is missing

	// Found is set if there is a table, Wanting if there is none but one can be created
	// below its heading.
	Found, Wanting bool

	format  doc.Format
	section string // path of the heading above it
	text    string // with its line ends
	eol     string

	before, after string // the text around it, if the document contains it twice
}

// Row is a line of a table.
type Row struct {
	Line  int
	Cells []string // as many as the table has columns
	at    doc.Span // in Grid.text
	cells []doc.Span
}

// Fault is a problem in a line.
type Fault struct {
	Line  int
	Text  string
	Cells []string // cells of the line, if it has any
}

// Find reads the first table below a heading of a document, or of the whole document if
// section is "". A missing table is reported as a fault. Tables in code and comments do not
// count.
func Find(d *doc.Document, section string) *Grid {
	g := &Grid{format: d.Format, eol: d.EOL, section: section, Line: 1}
	within, edited := d.Nodes[0].Truth, d.Nodes[0].Span
	if section != "" {
		part, err := d.Part(&d.Nodes[0], section)
		if err != nil {
			g.fault(1, "there is not exactly one section "+section)
			return g
		}
		within, edited, g.Line = part, part, doc.LineAt(d.Text, part.Start)
	}
	if at := g.read(d, within); at.Len() > 0 {
		g.text = d.Slice(at)
		if whole := d.Slice(edited); strings.Count(whole, g.text) > 1 { // an edit must specify which one
			g.before, g.after = d.Slice(doc.Span{Start: edited.Start, End: at.Start}), d.Slice(doc.Span{Start: at.End, End: edited.End})
		}
	}
	if g.Wanting = !g.Found; g.Wanting {
		g.fault(g.Line, "there is no table")
	}
	return g
}

func (g *Grid) fault(line int, text string, cells ...string) {
	g.Faults = append(g.Faults, Fault{Line: line, Text: text, Cells: cells})
}

// read parses the lines of a part of a document, and returns the span of the
// table.
func (g *Grid) read(d *doc.Document, within doc.Span) (at doc.Span) {
	var (
		enclosed = d.Enclosed(&d.Nodes[0])
		hidden   = !d.Nodes[0].Hides(within)
		line     = doc.LineAt(d.Text, within.Start)
		next     int
	)
	at.Start = -1
	for from := within.Start; from < within.End; from = next {
		next = min(doc.LineEnd(d.Text, from), within.End)
		raw := d.Slice(doc.Span{Start: from, End: next})
		switch {
		case at.Start >= 0:
			if ends(raw, d.Format) {
				at.End = from
				return at
			}
			g.line(raw, from-at.Start, line, d.Format)
		case verbatim(raw) && enclosed(from) > from:
			next = min(enclosed(from), within.End)
		case unseen(d, from, raw), hidden && d.Nodes[0].Hides(doc.Span{Start: from, End: next}):
		case heads(raw, d.Slice(doc.Span{Start: next, End: max(min(doc.LineEnd(d.Text, next), within.End), next)}), d.Format):
			cells, _ := split(raw, d.Format)
			if slices.Contains(cells, "") {
				g.fault(line, "a column has no name")
			}
			at.Start, g.Line, g.Columns, g.Found = from, line, cells, true
		}
		line += bytes.Count(d.Text[from:next], []byte("\n"))
	}
	if at.Start < 0 {
		return doc.Span{}
	}
	at.End = within.End
	return at
}

// heads reports whether a line is the header of a table: it starts with a pipe, or in
// Markdown has a pipe, and in Markdown a rule with the same number of columns follows.
func heads(raw, below string, format doc.Format) bool {
	if plain := strings.TrimSpace(raw); strings.HasPrefix(plain, "|") {
		return !IsRule(plain)
	}
	if format != doc.Markdown || !piped().MatchString(raw) || !strings.Contains(below, "|") || !rule().MatchString(below) {
		return false
	}
	names, _ := split(raw, format)
	columns, _ := split(below, format)
	return len(names) == len(columns)
}

// rule matches the line of Markdown below the column names.
var rule = lazyregexp.New(`^[ \t]*\|?([ \t]*:?-+:?[ \t]*\|)*([ \t]*:?-+:?)?[ \t]*\r?\n?$`)

// verbatim reports whether a line opens a block without text. Org's quotes and similar
// blocks contain text; they are excluded by name.
func verbatim(raw string) bool {
	name, block := strings.CutPrefix(strings.ToLower(strings.TrimSpace(raw)), "#+begin_")
	if name, _, _ = strings.Cut(name, " "); block {
		return slices.Contains([]string{"comment", "src", "example", "export", "verse"}, name)
	}
	return true
}

// unseen reports whether a line is within a comment.
func unseen(d *doc.Document, from int, raw string) bool {
	start := from + len(raw) - len(strings.TrimLeft(raw, " \t"))
	end := from + len(strings.TrimRight(raw, " \t\r\n"))
	i := sort.Search(len(d.Marks), func(i int) bool { return d.Marks[i].End >= end })
	return i < len(d.Marks) && d.Marks[i].Kind == doc.Unseen && d.Marks[i].Start <= start && start < end
}

// ends reports whether a table has ended before a line.
func ends(raw string, format doc.Format) bool {
	plain := strings.TrimSpace(raw)
	switch {
	case plain == "":
		return true
	case format == doc.Org:
		return strings.HasPrefix(plain, "#+") || orgHeading().MatchString(raw)
	}
	return otherBlock().MatchString(plain) && !rule().MatchString(plain)
}

var (
	orgHeading = lazyregexp.New(`^\*+ `)
	otherBlock = lazyregexp.New("^(?:#{1,6}(?:\\s|$)|>|```|~~~|<!--|[-*+]\\s|[0-9]{1,9}[.)]\\s)")
)

// line reads a line of the table below the names of its columns.
func (g *Grid) line(raw string, at, line int, format doc.Format) {
	plain := strings.TrimSpace(raw)
	cells, spans := split(raw, format)
	if !strings.HasPrefix(plain, "|") && (format != doc.Markdown || !strings.Contains(piped().ReplaceAllStringFunc(plain, odd), "|")) {
		g.fault(line, "not a row of the table", cells...)
		return
	}
	if IsRule(plain) {
		return
	}
	if len(cells) > len(g.Columns) {
		g.fault(line, "the row has more cells than there are columns", cells...)
		return
	}
	for len(cells) < len(g.Columns) {
		cells = append(cells, "")
	}
	g.Rows = append(g.Rows, Row{Line: line, Cells: cells, at: doc.Span{Start: at, End: at + len(raw)}, cells: spans})
}

// odd is a pipe with the backslashes before it, "" where these make it one of a cell.
func odd(run string) string {
	if len(run)%2 == 0 {
		return ""
	}
	return run
}

// IsRule reports whether a line of a table is one that separates rows.
func IsRule(line string) bool {
	return strings.Trim(line, "|-:+ \t") == "" && strings.Contains(line, "-")
}

// Fold returns the form in which names in a table are compared: it ignores
// case, blanks and invisible characters.
func Fold(name string) string {
	name = norm.NFC.String(strings.ToLower(kb.WithoutInvisible(name)))
	return strings.Join(strings.Fields(name), " ")
}

// split returns the cells of a line and their spans, including blanks. Pipes at
// the ends of the line belong to no cell.
func split(raw string, format doc.Format) (cells []string, spans []doc.Span) {
	end := len(strings.TrimRight(raw, " \t\r\n"))
	from := 0
	if strings.HasPrefix(strings.TrimLeft(raw, " \t"), "|") {
		from = strings.IndexByte(raw, '|') + 1
	}
	escaped := false
	for i := from; i < end; i++ {
		switch {
		case escaped:
			escaped = false
		case raw[i] == '\\' && format != doc.Org:
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
		cells = append(cells, unescape(strings.TrimSpace(raw[s.Start:s.End]), format))
	}
	return cells, spans
}

// Column returns the index of a column by its name, or -1; see Fold.
func (g *Grid) Column(name string) int { return Column(g.Columns, name) }

// Column returns the index of a name among those of columns, or -1; see Fold.
func Column(columns []string, name string) int {
	name = Fold(name)
	return slices.IndexFunc(columns, func(c string) bool { return Fold(c) == name })
}

// piped is a pipe with the backslashes before it. Within a cell an odd number
// of them escapes the pipe; each pair is one backslash.
var piped = lazyregexp.New(`\\*\|`)

// vert is a pipe in a cell of Org, which knows no escapes there: the name of the sign.
const vert = `\vert{}`

// escape is a cell as a line has it.
func escape(cell string, format doc.Format) string {
	cell = strings.Join(strings.Fields(cell), " ")
	if format == doc.Org {
		return strings.ReplaceAll(cell, "|", vert)
	}
	return piped().ReplaceAllStringFunc(cell, func(run string) string { return run[:len(run)-1] + `\` + run })
}

// unescape returns the text of a cell.
func unescape(cell string, format doc.Format) string {
	if format == doc.Org {
		return strings.ReplaceAll(cell, vert, "|")
	}
	return piped().ReplaceAllStringFunc(cell, func(run string) string { return run[len(run)/2:] })
}

// Set replaces the cells of a row. Cells that have the same text already keep
// their blanks.
func (g *Grid) Set(row Row, cells []string) doc.Edit {
	line := g.text[row.at.Start:row.at.End]
	for i := len(cells) - 1; i >= 0; i-- {
		if escape(cells[i], g.format) == escape(row.Cells[i], g.format) {
			continue
		}
		if i >= len(row.cells) || row.cells[i].Start == 0 { // there are fewer cells, or no pipe before the first one
			line = g.render(cells) + g.end(row.at.End)
			break
		}
		s, text := row.cells[i], " "+escape(cells[i], g.format)+" "
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
	return doc.Replace{Section: g.section, Old: g.before + g.text + g.after, New: g.before + text + g.after}
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
		if c = escape(c, g.format); c == "" {
			out.WriteString(" |")
			continue
		}
		out.WriteString(" " + c + " |")
	}
	return out.String()
}
