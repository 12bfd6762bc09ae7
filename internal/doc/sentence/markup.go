package sentence

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// inline is a link, code or emphasis within a paragraph of Markdown or Org.
type inline struct {
	doc.Span
	emphasis bool
	shown    string // as a reader sees it
}

// maxInline limits the search after an opening mark.
const maxInline = 600

// markup returns the markup of a paragraph, in order and without overlaps.
func markup(text []byte) (out []inline) {
	for i := 0; i < len(text); {
		if m, is := inlineAt(text, i); is {
			out = append(out, m)
			i = m.End
			continue
		}
		_, n := utf8.DecodeRune(text[i:])
		i += n
	}
	return out
}

func inlineAt(text []byte, i int) (inline, bool) {
	rest := text[i:min(len(text), i+maxInline)]
	found := func(n int, shown string) (inline, bool) {
		return inline{Span: doc.Span{Start: i, End: i + n}, shown: shown}, true
	}
	switch c := rest[0]; {
	case c == '\\' && len(rest) > 1 && rest[1] < utf8.RuneSelf && unicode.IsPunct(rune(rest[1])):
		return found(2, string(rest[1:2]))
	case c == '`':
		marks := rest[:len(rest)-len(bytes.TrimLeft(rest, "`"))]
		for from := len(marks); ; {
			n := bytes.Index(rest[from:], marks)
			if n < 0 {
				return inline{}, false
			}
			end := from + n + len(marks)
			if end == len(rest) || rest[end] != '`' {
				return found(end, strings.TrimSpace(string(rest[len(marks):from+n])))
			}
			from = end + len(rest[end:]) - len(bytes.TrimLeft(rest[end:], "`"))
		}
	case bytes.HasPrefix(rest, []byte("[[")):
		if n := bytes.Index(rest, []byte("]]")); n > 2 && !bytes.Contains(rest[:n], []byte("\n\n")) {
			return found(n+2, wikiText(string(rest[2:n])))
		}
	case c == '[' || c == '!' && len(rest) > 1 && rest[1] == '[':
		open := bytes.IndexByte(rest, '[')
		if bytes.HasPrefix(rest[open:], []byte("[[")) {
			break // an embed: the link is found at the next position
		}
		label := balanced(rest[open:], '[', ']')
		if label == 0 {
			break
		}
		after := rest[open+label:]
		if n := balanced(after, '(', ')'); n > 0 {
			return found(open+label+n, Plain(string(rest[open+1:open+label-1])))
		}
		if n := balanced(after, '[', ']'); n > 2 {
			return found(open+label+n, Plain(string(rest[open+1:open+label-1])))
		}
	case c == '<':
		n := bytes.IndexByte(rest, '>')
		if n > 0 && !bytes.ContainsAny(rest[:n], " \n") && bytes.ContainsAny(rest[:n], ":@") {
			return found(n+1, string(rest[1:n]))
		}
	case strings.IndexByte("*_~/=+", c) >= 0:
		if n, inner := emphasis(text, i, rest); n > 0 {
			if strings.IndexByte("/=+", c) >= 0 && !strings.Contains(inner, " ") {
				inner = string(rest[:n]) // e.g. "/tmp/" may not be emphasis
			}
			m, _ := found(n, inner)
			m.emphasis = c != '='
			return m, true
		}
	}
	return inline{}, false
}

// wikiText returns the visible text of a wikilink or a link of Org.
func wikiText(inner string) string {
	if target, text, is := strings.Cut(inner, "]["); is && text != "" {
		return text
	} else if is {
		inner = target
	}
	if _, text, is := strings.Cut(inner, "|"); is && strings.TrimSpace(text) != "" {
		return strings.TrimSpace(text)
	}
	return inner
}

// balanced returns the length of a bracket with its content, 0 if it is not closed
// in the paragraph.
func balanced(text []byte, open, shut byte) int {
	if len(text) == 0 || text[0] != open {
		return 0
	}
	depth := 0
	for i, c := range text {
		switch {
		case c == '\n' && i > 0 && text[i-1] == '\n':
			return 0
		case c == open:
			depth++
		case c == shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// emphasis returns the length of the emphasis at i, and the text in it. Its delimiters are
// next to a word inside, and not next to one outside.
func emphasis(text []byte, i int, rest []byte) (n int, inner string) {
	run := 1
	for run < len(rest) && rest[run] == rest[0] {
		run++
	}
	if before, _ := utf8.DecodeLastRune(text[:i]); run > 3 || i > 0 && (inWord(before) || strings.ContainsRune("*_~/=+:.", before)) {
		return 0, ""
	}
	if run == len(rest) || blank(rest[run]) {
		return 0, ""
	}
	marks := rest[:run]
	for from := run; from < len(rest); {
		at := bytes.Index(rest[from:], marks)
		if at < 0 {
			return 0, ""
		}
		at += from
		end := at
		for end < len(rest) && rest[end] == rest[0] {
			end++
		}
		after, _ := utf8.DecodeRune(rest[end:])
		if end-at == run && at > run && !blank(rest[at-1]) && !inWord(after) {
			if bytes.Contains(rest[:at], []byte("\n\n")) {
				return 0, ""
			}
			return end, Plain(string(rest[run:at]))
		}
		from = end
	}
	return 0, ""
}

// inWord reports whether a delimiter next to a character would be within a word.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// Plain returns a paragraph as a reader sees it: links as their text, code and
// emphasis without marks.
func Plain(text string) string {
	var out strings.Builder
	at := 0
	for _, m := range markup([]byte(text)) {
		out.WriteString(text[at:m.Start] + m.shown)
		at = m.End
	}
	return out.String() + text[at:]
}

// Shorten returns a line of at most limit characters. A longer text is cut between words of
// its plain form, and ends in "…", so that no markup is cut.
func Shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	if text = Plain(text); utf8.RuneCountInString(text) <= limit {
		return text
	}
	return CutWords(text, limit-1) + "…"
}

// CutWords returns the words that fit limit characters, or the start of the first word if
// that is too long. The result does not end in a mark that requires more text.
func CutWords(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		head := string(runes[:limit+1])
		text = string(runes[:limit])
		if i := strings.LastIndexFunc(head, unicode.IsSpace); i > len(text)/2 {
			text = head[:i]
		}
	}
	return strings.TrimRight(text, ".:;,-–—([{\"“„‘'… \t")
}
