package doc

import "strings"

// WithoutComments removes the comments of Obsidian, %% … %%, and of HTML from a text of
// Markdown; those in code stay. The lines of a comment are gone where nothing else is in them.
// One without an end stays, as it may be no comment.
func WithoutComments(text string) string {
	if !strings.Contains(text, "%%") && !strings.Contains(text, "<!--") {
		return text
	}
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
				if n := commentLength(text); n > 0 {
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

// commentLength is the length of the comment that a text begins with, 0 for none.
func commentLength(text string) int {
	for _, c := range []struct{ open, shut string }{{"%%", "%%"}, {"<!--", "-->"}} {
		rest, ok := strings.CutPrefix(text, c.open)
		if !ok {
			continue
		}
		if end := strings.Index(rest, c.shut); end >= 0 {
			return len(c.open) + end + len(c.shut)
		}
	}
	return 0
}
