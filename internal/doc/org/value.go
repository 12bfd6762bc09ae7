package org

import "strings"

// listKeys are lists in either notation.
var listKeys = map[string]bool{"aliases": true, "roam_refs": true}

// textKeys have a single text, even if it looks like a list or a timestamp.
var textKeys = map[string]bool{
	"id": true, "identifier": true, "title": true, "type": true, "status": true, "summary": true,
	"source": true, "description": true,
}

// readValue returns the values of a key from its text on disk.
func readValue(key, s string) (values []string, list bool) {
	switch {
	case key == "tags":
		return splitTags([]byte(s)), true
	case listKeys[key]:
		return quotedWords(s), true
	case s == "":
		return nil, false
	case textKeys[key]:
		return []string{s}, false
	case isColonList(s):
		return strings.FieldsFunc(s, func(r rune) bool { return r == ':' || r == ' ' || r == '\t' }), true
	case isQuotedList(s):
		return quotedWords(s), true
	}
	return []string{isoValue(s)}, false
}

// writeList returns the text of a list on disk: with colons if the old text had them,
// otherwise in quotes, which listKeys need only around blanks.
func writeList(key, old string, values []string) string {
	if !listKeys[key] && isColonList(old) && allColonWords(values) {
		if strings.ContainsAny(old, " \t") {
			return ":" + strings.Join(values, ": :") + ":"
		}
		return ":" + strings.Join(values, ":") + ":"
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = quote(v)
		if listKeys[key] && v != "" && !strings.ContainsAny(v, " \t\"\\") {
			words[i] = v
		}
	}
	return strings.Join(words, " ")
}

func allColonWords(values []string) bool {
	for _, v := range values {
		if v == "" || strings.ContainsAny(v, ": \t\r\n") {
			return false
		}
	}
	return len(values) > 0
}

// isColonList reports whether s is one or more words of the form :a:b:.
func isColonList(s string) bool {
	words := strings.Fields(s)
	for _, w := range words {
		if len(w) < 3 || w[0] != ':' || w[len(w)-1] != ':' || strings.Contains(w, "::") {
			return false
		}
	}
	return len(words) > 0
}

// isQuotedList reports whether s is words in double quotes and nothing else.
func isQuotedList(s string) bool {
	for s != "" {
		n := quotedLength(s)
		if n == 0 || n < len(s) && s[n] != ' ' && s[n] != '\t' {
			return false
		}
		s = strings.TrimLeft(s[n:], " \t")
	}
	return true
}

// quotedLength returns the length of a quoted word at the start of s, 0 if there is none.
func quotedLength(s string) int {
	if s == "" || s[0] != '"' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// quotedWords splits s as Emacs does for ROAM_ALIASES: at blanks, but not in
// double quotes.
func quotedWords(s string) []string {
	var words []string
	for s = strings.TrimLeft(s, " \t"); s != ""; s = strings.TrimLeft(s, " \t") {
		n := quotedLength(s)
		if n > 0 {
			words = append(words, unquote(s[1:n-1]))
			s = s[n:]
			continue
		}
		if n = strings.IndexAny(s, " \t"); n < 0 {
			n = len(s)
		}
		words = append(words, s[:n])
		s = s[n:]
	}
	return words
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func unquote(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
