package markdown

import (
	"html"
	"strings"
)

// maxPlain is the length up to which markup is removed from a text; headings and link texts
// are never as long.
const maxPlain = 4096

// plain returns text without inline markup, as a reader sees it.
func plain(text string, labelFirst bool) string {
	if !strings.ContainsAny(text, "\\`[]*<&~\n") || len(text) > maxPlain {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		keep, skip := rest[:1], 1
		switch rest[0] {
		case '\\':
			if len(rest) > 1 && isPunct(rest[1]) {
				keep, skip = rest[1:2], 2
			}
		case '`':
			keep, skip = plainCode(rest)
		case '[', '!':
			keep, skip = plainLink(rest, labelFirst)
		case '*':
			run := runLength([]byte(rest))
			keep, skip = "", run
			if blankAt(text, i-1) && blankAt(text, i+run) {
				keep = rest[:run]
			}
		case '~':
			if strings.HasPrefix(rest, "~~") {
				keep, skip = "", 2
			}
		case '<':
			if n := plainTag(rest); n > 0 {
				keep, skip = "", n
			}
		case '&':
			if n := strings.IndexByte(rest[:min(len(rest), 12)], ';'); n > 0 {
				keep, skip = html.UnescapeString(rest[:n+1]), n+1
			}
		case '\n', '\r':
			keep = " "
		}
		b.WriteString(keep)
		i += skip
	}
	return b.String()
}

func blankAt(s string, i int) bool { return i < 0 || i >= len(s) || s[i] == ' ' }

// plainCode returns the content of inline code.
func plainCode(rest string) (keep string, skip int) {
	run := runLength([]byte(rest))
	fence := rest[:run]
	for from := run; ; {
		i := strings.Index(rest[from:], fence)
		if i < 0 {
			return fence, run
		}
		at := from + i
		length := runLength([]byte(rest[at:]))
		if length == run {
			return strings.TrimSpace(rest[run:at]), at + run
		}
		from = at + length
	}
}

// plainLink returns the visible text of a link or image.
func plainLink(rest string, labelFirst bool) (keep string, skip int) {
	text := strings.TrimPrefix(rest, "!")
	if strings.HasPrefix(text, "[[") {
		if i := strings.Index(text, "]]"); i > 2 {
			name, alias, _ := strings.Cut(text[2:i], "|")
			if alias != "" && !labelFirst {
				name = alias
			}
			return strings.TrimSuffix(name, `\`), len(rest) - len(text) + i + 2
		}
	}
	if strings.HasPrefix(text, "[") {
		i := strings.Index(text, "](")
		if i > 0 && !strings.Contains(text[1:i], "[") {
			if j := strings.IndexByte(text[i:], ')'); j > 0 {
				return plain(text[1:i], labelFirst), len(rest) - len(text) + i + j + 1
			}
		}
	}
	return rest[:1], 1
}

// inlineTags are the HTML tags that occur in headings. Other text in angle brackets, such as
// vector<int>, stays.
var inlineTags = map[string]bool{
	"a": true, "b": true, "br": true, "code": true, "del": true, "em": true, "i": true, "img": true,
	"kbd": true, "s": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "u": true,
}

// plainTag returns the length of an inline HTML tag, 0 for anything else.
func plainTag(rest string) int {
	end := strings.IndexByte(rest, '>')
	if end < 0 {
		return 0
	}
	name := strings.TrimPrefix(rest[1:end], "/")
	if i := strings.IndexAny(name, " \t/"); i >= 0 {
		name = name[:i]
	}
	if !inlineTags[strings.ToLower(name)] {
		return 0
	}
	return end + 1
}
