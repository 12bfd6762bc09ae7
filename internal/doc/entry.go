package doc

import "strings"

// ParseEntry parses the first line of a timeline entry, without list marker or heading
// signs:
//
//	**2024-03-01** | meeting — text
//	2024-03-01: text
//	[2024-03-01 Fri 10:00] text
//
// The date comes first, plain, emphasised or in brackets. A source is between a bar and a
// dash or a second bar. A date of only a year must be followed by a bar, a dash or a colon,
// since a number may start any sentence. Detail and Span are left to the caller.
func ParseEntry(line string) (Entry, bool) {
	line = strings.TrimSpace(line)
	date, rest, ok := cutEntryDate(line)
	if !ok {
		return Entry{}, false
	}
	sep, text := cutSeparator(rest)
	if sep == "" && (len(date) == len("2006") || rest != "" && rest[0] != ' ' && rest[0] != '\t') {
		return Entry{}, false
	}
	e := Entry{Date: date, Text: strings.TrimSpace(text)}
	if sep == "|" {
		e.Source, e.Text = cutSource(e.Text)
	}
	return e, true
}

// sourceEnds are the separators that end the source of an entry, the most likely first. A
// bar ends it only before any dash: "meeting | Ada left — at last".
var sourceEnds = []string{" — ", " – ", " -- ", " - "}

// cutSource separates the source from the text after the bar; "" if there is none.
func cutSource(s string) (source, text string) {
	before, after, barred := strings.Cut(s, " | ")
	for _, end := range sourceEnds {
		if barred && !strings.Contains(before, end) {
			continue
		}
		if source, text, ok := strings.Cut(s, end); ok {
			return strings.TrimSpace(source), strings.TrimSpace(text)
		}
	}
	if barred {
		return strings.TrimSpace(before), strings.TrimSpace(after)
	}
	return "", s
}

// FormatEntry writes an entry's first line without marker and line end.
func FormatEntry(date, source, text string) string {
	if source == "" {
		return "**" + date + "** — " + text
	}
	return "**" + date + "** | " + source + " — " + text
}

// cutEntryDate cuts the date, with its emphasis or brackets, off the start of the line.
func cutEntryDate(line string) (date, rest string, ok bool) {
	for _, wrap := range [][2]string{{"***", "***"}, {"**", "**"}, {"__", "__"}, {"*", "*"}, {"_", "_"}, {"`", "`"}, {"[[", "]]"}, {"[", "]"}, {"<", ">"}, {"(", ")"}} {
		if !strings.HasPrefix(line, wrap[0]) {
			continue
		}
		inner, rest, found := strings.Cut(line[len(wrap[0]):], wrap[1])
		if !found || len(inner) > 40 {
			return "", "", false
		}
		date, tail, ok := CutDate(inner)
		switch {
		case !ok:
			return "", "", false
		case tail == "":
		case tail == ":": // **2024-03-01:** text
			rest = ":" + rest
		default: // an Org time stamp, or a time after a blank
			t, ok := ParseDate(inner)
			if !ok {
				return "", "", false
			}
			if t.Hour() != 0 || t.Minute() != 0 {
				date = t.Format("2006-01-02T15:04")
			}
		}
		return date, rest, true
	}
	return CutDate(line)
}

// cutSeparator takes a bar, dash or colon off the start of s. A hyphen must
// be followed by a blank: "-5" is a number.
func cutSeparator(s string) (sep, rest string) {
	s = strings.TrimLeft(s, " \t")
	for _, sep := range []string{"|", "—", "–", "--", "-", ":"} {
		rest, ok := strings.CutPrefix(s, sep)
		if ok && (sep[0] != '-' || rest == "" || rest[0] == ' ') {
			return sep, rest
		}
	}
	return "", s
}
