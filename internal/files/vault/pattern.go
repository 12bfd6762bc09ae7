package vault

import (
	"bytes"
	"strings"
)

// pattern is one line of an ignore file.
type pattern struct {
	line     int // from 1
	text     string
	negated  bool // !pattern: its matches are re-included
	dirOnly  bool // pattern/
	baseName bool // without a slash: matches the last element at any depth
	// prefix is the part of a path pattern before the first special character. It is
	// compared by itself, as in git, which has one visible effect: a ** right after it
	// counts as being at the start.
	prefix string
	glob   glob
}

// parseIgnore parses an ignore file. It drops lines that cannot match anything, and never
// fails.
func parseIgnore(data []byte, fold bool) []pattern {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var patterns []pattern
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		text = strings.TrimSuffix(text, "\n")
		if text == "" || text[0] == '#' {
			continue
		}
		// git adds a newline to a last line without one, so a CR before the end of the file
		// is removed as well.
		text = strings.TrimSuffix(text, "\r")
		text, _, _ = strings.Cut(text, "\x00")
		text = trimBlanks(text)
		if p, ok := parsePattern(text, fold); ok {
			p.line = line
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// trimBlanks drops the blanks at the end of a line, except behind a backslash.
// Tabs stay.
func trimBlanks(text string) string {
	end := 0
	for i := 0; i < len(text); i++ {
		if text[i] == ' ' {
			continue
		}
		if text[i] == '\\' {
			i++
		}
		end = min(i+1, len(text))
	}
	return text[:end]
}

func parsePattern(text string, fold bool) (pattern, bool) {
	p := pattern{text: text}
	text, p.negated = strings.CutPrefix(text, "!")
	text, p.dirOnly = strings.CutSuffix(text, "/")
	p.baseName = !strings.Contains(text, "/")
	if p.baseName {
		p.glob = compileGlob(text, false, fold)
		return p, text != "" && !p.glob.never
	}
	text = strings.TrimPrefix(text, "/")
	special := strings.IndexAny(text, `*?[\`)
	if special < 0 {
		special = len(text)
	}
	p.prefix = text[:special]
	p.glob = compileGlob(text[special:], true, fold)
	return p, text != "" && !p.glob.never
}

// matches reports whether the pattern matches a path, relative to the directory of its
// ignore file.
func (p *pattern) matches(path string, isDir bool) bool {
	if p.dirOnly && !isDir {
		return false
	}
	if p.baseName {
		return p.glob.matches(path[strings.LastIndexByte(path, '/')+1:])
	}
	if len(path) < len(p.prefix) {
		return false
	}
	if start := path[:len(p.prefix)]; start != p.prefix && !(p.glob.fold && foldEqual(start, p.prefix)) {
		return false
	}
	return p.glob.matches(path[len(p.prefix):])
}

// foldEqual compares without regard to the case of ASCII letters.
func foldEqual(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}
