package doc

import "strings"

// WithoutComments removes the comments of Obsidian, %% … %%, and of HTML from Markdown;
// those in code stay. Lines with nothing but a comment are removed. An unclosed comment
// stays, since it may not be one.
func WithoutComments(text string) string {
	if !strings.Contains(text, "%%") && !strings.Contains(text, "<!--") {
		return text
	}
	return withoutComments(text, comments{index: strings.Index})
}

func withoutComments(text string, found comments) string {
	out := make([]byte, 0, len(text))
	fence := "" // open fence, "" outside of code
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

// commentMarks are the opening and closing marks of comments in Obsidian and HTML.
var commentMarks = [...]struct{ open, shut string }{{"%%", "%%"}, {"<!--", "-->"}}

// comments finds the comments of a text from start to end. A closing mark that is not in the
// rest of the text is not searched for again: otherwise each of many unclosed marks would
// cost a search of the remaining text.
type comments struct {
	index func(s, substr string) int // strings.Index
	none  [len(commentMarks)]bool    // by mark: the rest has no closing mark
}

// length returns the length of the comment at the start of the rest of the text, 0 if there
// is none.
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
