package doc

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// PutEnd returns the splice that puts text as a block at the end of region, after its last
// line that is not blank. Blank lines separate the block from its neighbours, except that
// list items join a list, rows a table, and lines with "> " a quotation. If the block that
// they join has an id on a separate line, they are put before it. region starts at the start
// of a line.
func (d *Document) PutEnd(region Span, text string) Splice {
	at := d.lastContent(region)
	if at == region.Start {
		return d.put(at, region, text)
	}
	if end := d.beforeID(region, at); continues(d.lineBefore(end), text) {
		at = end
	}
	tight := continues(d.lineBefore(at), text)
	var before string
	if d.Text[at-1] != '\n' {
		before = d.EOL
	}
	if !tight {
		before += d.EOL
	}
	return Splice{Span{at, at}, before + d.body(text) + d.after(at, d.Text[at-1] == '\n', text)}
}

// continues reports whether a text continues the block that a line ends.
func continues(line, text string) bool {
	text = trimBlankLines(text)
	first, rest, _ := strings.Cut(text, "\n")
	line, first = strings.TrimRight(line, " \t\r\n"), strings.TrimRight(first, " \t\r")
	mark := strings.TrimLeft(first, " \t")
	if indent := len(first) - len(mark); mark == "" || !strings.HasPrefix(line, first[:indent]+mark[:1]) {
		return startsItem(text) && continuesList(line)
	}
	switch mark[0] {
	case '|': // text with its own header is a separate table
		second, _, _ := strings.Cut(rest, "\n")
		return !headRule().MatchString(strings.TrimSpace(second))
	case '>':
		return !strings.HasPrefix(strings.TrimLeft(mark[1:], " "), "[!")
	}
	return startsItem(text) && continuesList(line)
}

// headRule is the line below the header of a table.
var headRule = lazyregexp.New(`^\|?[ \t]*:?-+:?[ \t]*([|+][ \t]*:?-+:?[ \t]*)*\|?$`)

// beforeID returns the end of a block with an id on a separate line that ends at at;
// otherwise it returns at.
func (d *Document) beforeID(region Span, at int) int {
	line := strings.TrimSpace(d.lineBefore(at))
	if len(line) < 2 || line[0] != '^' || strings.ContainsAny(line, " \t") {
		return at
	}
	if end := d.lastContent(Span{region.Start, LineStart(d.Text, at-1)}); end > region.Start {
		return end
	}
	return at
}

// PutStart returns the splice that puts text as a block at the start of
// region, before its first line that is not blank.
func (d *Document) PutStart(region Span, text string) Splice {
	return d.put(d.firstContent(region), region, text)
}

// PutInstead returns the splice that replaces the content of region with text
// and keeps the blank lines around it.
func (d *Document) PutInstead(region Span, text string) Splice {
	first, last := d.firstContent(region), d.lastContent(region)
	body := d.body(text)
	switch {
	case body == "":
		return Splice{Span{first, max(first, last)}, ""}
	case first >= last:
		return d.PutStart(region, text)
	}
	after := ""
	if d.Text[last-1] == '\n' {
		after = d.after(last, true, text)
	} else if last < len(d.Text) {
		after = d.EOL
	}
	return Splice{Span{first, last}, body + after}
}

// put inserts text at the line start at, with a blank line before it unless
// there is one or the text starts there.
func (d *Document) put(at int, region Span, text string) Splice {
	before := ""
	switch {
	case at == 0:
	case d.Text[at-1] != '\n':
		before = d.EOL + d.EOL
	case at == region.Start && !d.blankBefore(at) && !(startsItem(text) && continuesList(d.lineBefore(at))):
		before = d.EOL
	}
	return Splice{Span{at, at}, before + d.body(text) + d.after(at, at == 0 || d.Text[at-1] == '\n', text)}
}

// after returns the line ending, and the blank line, that must follow a block
// inserted at at. A text without a final line ending is left without one.
func (d *Document) after(at int, endsLine bool, text string) string {
	rest := d.Text[at:]
	if len(rest) == 0 {
		if endsLine {
			return d.EOL
		}
		return ""
	}
	next := string(rest[:LineEnd(rest, 0)])
	if Blank([]byte(next)) || startsItem(next) && continuesList(lastLine(text)) || strings.HasPrefix(next, "^") && len(strings.Fields(next)) == 1 {
		return d.EOL
	}
	return d.EOL + d.EOL
}

// body returns text with the document's line endings, trimmed of line endings
// at both ends.
func (d *Document) body(text string) string {
	return WithEOL(strings.TrimRight(trimBlankLines(text), " \t\r\n"), d.EOL)
}

// trimBlankLines removes leading blank lines but no indentation.
func trimBlankLines(s string) string {
	for {
		line, rest, found := strings.Cut(s, "\n")
		if !found || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}

func (d *Document) blankBefore(at int) bool { return Blank([]byte(d.lineBefore(at))) }

// lineBefore returns the line that ends at at, "" at the start.
func (d *Document) lineBefore(at int) string {
	if at == 0 {
		return ""
	}
	return d.Slice(Span{LineStart(d.Text, at-1), at})
}

// firstContent returns the start of the first line in region that is not
// blank, or the region's start when there is none.
func (d *Document) firstContent(region Span) int {
	for at := region.Start; at < region.End; {
		end := LineEnd(d.Text, at)
		if !Blank(d.Text[at:min(end, region.End)]) {
			return at
		}
		at = end
	}
	return region.Start
}

// lastContent returns the end, line ending included, of the last line in
// region that is not blank, or the region's start when there is none.
func (d *Document) lastContent(region Span) int {
	end := region.End
	for end > region.Start && Blank(d.Text[end-1:end]) {
		end--
	}
	if end == region.Start {
		return end
	}
	return min(LineEnd(d.Text, end), region.End)
}

func lastLine(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

var itemStart = lazyregexp.New(`^\s*([-+*]|\d{1,9}[.)])([ \t]|\r?\n|$)`)

// startsItem reports whether text begins with a list item.
func startsItem(text string) bool { return itemStart().MatchString(text) }

// continuesList reports whether a line belongs to a list: an item, or an
// indented line, which after an item can only be its continuation.
func continuesList(line string) bool {
	return startsItem(line) || strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
}
