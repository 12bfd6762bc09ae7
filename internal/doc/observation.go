package doc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseObservation parses a list item's first line, without its marker, as
// "[category] text #tag (context)". Checkboxes, links and footnotes are not
// observations. The Span is left to the caller.
func ParseObservation(item string) (Observation, bool) {
	category, rest, ok := cutCategory(item)
	if !ok {
		return Observation{}, false
	}
	text, tags := cutTags(rest)
	text, context := CutContext(text)
	return Observation{Category: category, Text: text, Tags: tags, Context: context}, true
}

// FormatObservation writes the observation's line without marker and line
// end.
func FormatObservation(category, text string, tags []string, context string) string {
	var b strings.Builder
	b.WriteString("[" + category + "] " + text)
	for _, t := range tags {
		b.WriteString(" #" + NormalizeTag(t))
	}
	if context != "" {
		b.WriteString(" (" + context + ")")
	}
	return b.String()
}

// cutCategory matches ^\[([^\[\]()]+)\]\s+(.+) except checkboxes, including the
// one-character states of other editors, footnotes, and callouts such as [!note].
func cutCategory(item string) (category, rest string, ok bool) {
	if item == "" || item[0] != '[' {
		return "", "", false
	}
	end := strings.IndexAny(item[1:], "[]()") + 1
	if end < 2 || item[end] != ']' {
		return "", "", false
	}
	category, rest = strings.TrimSpace(item[1:end]), item[end+1:]
	if rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return "", "", false
	}
	rest = strings.TrimSpace(rest)
	if category == "" || category[0] == '^' || category[0] == '!' || rest == "" || isCheckbox(category) {
		return "", "", false
	}
	return category, rest, true
}

func isCheckbox(state string) bool {
	r, n := utf8.DecodeRuneInString(state)
	return n == len(state) && (r == 'x' || r == 'X' || !unicode.IsLetter(r) && !unicode.IsDigit(r))
}

// cutTags cuts every separate "#word" with a letter out of text. A '#' within
// inline code is not a tag.
func cutTags(text string) (rest string, tags []string) {
	if strings.IndexByte(text, '#') < 0 {
		return text, nil
	}
	b := make([]byte, 0, len(text))
	code := false
	for i := 0; i < len(text); {
		c := text[i]
		if c == '`' {
			code = !code && strings.IndexByte(text[i+1:], '`') >= 0
		}
		if n := tagLength(text, i); n > 0 && !code {
			tags = append(tags, text[i+1:i+n])
			i += n
			// The blank before the tag goes with it.
			for (i == len(text) || text[i] == ' ') && len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
				b = b[:len(b)-1]
			}
			continue
		}
		b = append(b, c)
		i++
	}
	return strings.TrimSpace(string(b)), Tags(tags)
}

// tagLength returns the length of the tag that starts at text[at], 0 when
// there is none.
func tagLength(text string, at int) int {
	if text[at] != '#' {
		return 0
	}
	if at > 0 {
		if r, _ := utf8.DecodeLastRuneInString(text[:at]); !unicode.IsSpace(r) && r != '(' && r != ',' {
			return 0
		}
	}
	letter := false
	i := at + 1
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsLetter(r):
			letter = true
		case unicode.IsDigit(r), unicode.IsMark(r), r == '_', r == '-', r == '/':
		default:
			n = 0
		}
		if n == 0 {
			break
		}
		i += n
	}
	if !letter {
		return 0
	}
	return i - at
}

// CutContext cuts a remark in parentheses off the end of text. A blank must precede the
// opening parenthesis: "f(x)" is not a remark. Text that is only a remark stays.
func CutContext(text string) (rest, context string) {
	text = strings.TrimSpace(text)
	if !strings.HasSuffix(text, ")") {
		return text, ""
	}
	depth := 0
	for i := len(text) - 1; i > 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth > 0 {
			continue
		}
		rest, context = strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:len(text)-1])
		if text[i-1] != ' ' && text[i-1] != '\t' || rest == "" || context == "" {
			break
		}
		return rest, context
	}
	return text, ""
}
