package doc

import "strings"

// WithoutComments removes the comments of Obsidian, %% … %%, and of HTML from a text of
// Markdown; those in code stay. The lines of a comment are gone where nothing else is in them.
// One without an end stays, as it may be no comment.
func WithoutComments(text string) string {
	if !strings.Contains(text, "%%") && !strings.Contains(text, "<!--") {
		return text
	}
	return withoutComments(text, comments{index: strings.Index})
}

func withoutComments(text string, found comments) string {
	out := make([]byte, 0, len(text))
	fence := "" // that the lines are in
	for text != "" {
		line, _, _ := strings.Cut(text, "\n")
		trimmed := strings.TrimLeft(line, " \t>")
		if mark := fenceMark(trimmed); fence != "" || mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(trimmed, fence):
				fence = ""
			}
			n := min(len(line)+1, len(text))
			out = append(out, text[:n]...)
			text = text[n:]
			continue
		}
		began := len(out)
		code := false
		for text != "" && text[0] != '\n' {
			if !code {
				if n := found.length(text); n > 0 {
					text = text[n:]
					continue
				}
			}
			code = code != (text[0] == '`')
			out = append(out, text[0])
			text = text[1:]
		}
		if Blank(out[began:]) && strings.TrimSpace(line) != "" { // only comments
			out = out[:began]
			text = strings.TrimPrefix(text, "\n")
			continue
		}
		if text != "" {
			out = append(out, '\n')
			text = text[1:]
		}
	}
	return string(out)
}

// fenceMark is what opens a block of code, "" for another line.
func fenceMark(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// commentMarks are what the comments of Obsidian and of HTML begin and end with.
var commentMarks = [...]struct{ open, shut string }{{"%%", "%%"}, {"<!--", "-->"}}

// comments finds the comments of a text from its beginning to its end. An end that is not in
// the rest of the text is not searched for again: each of many marks without one would cost
// a search of all that follows.
type comments struct {
	index func(s, substr string) int // strings.Index
	none  [len(commentMarks)]bool    // by the mark: the rest has no end of it
}

// length is the length of the comment that the rest of the text begins with, 0 for none.
func (c *comments) length(rest string) int {
	for i, mark := range commentMarks {
		if c.none[i] || !strings.HasPrefix(rest, mark.open) {
			continue
		}
		if end := c.index(rest[len(mark.open):], mark.shut); end >= 0 {
			return len(mark.open) + end + len(mark.shut)
		}
		c.none[i] = true
	}
	return 0
}
