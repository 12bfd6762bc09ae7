package org

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// fragments finds objects of Org without links in them: inline source code and calls,
// formulas, export snippets and macros. The positions of calls must ascend.
type fragments struct {
	s         string
	paragraph int            // end of the paragraph of the last call
	missing   map[string]int // by closing mark: end of the text without it
}

func newFragments(s string) fragments { return fragments{s: s, paragraph: -1} }

// end returns the end of the object that starts at i, 0 if there is none.
func (f *fragments) end(i int) int {
	switch rest := f.s[i:]; rest[0] {
	case 's':
		if strings.HasPrefix(rest, "src_") && f.begins(i) {
			return f.source(i + len("src_"))
		}
	case 'c':
		if strings.HasPrefix(rest, "call_") && f.begins(i) {
			return f.call(i + len("call_"))
		}
	case '@':
		if strings.HasPrefix(rest, "@@") {
			return f.snippet(i)
		}
	case '{':
		if strings.HasPrefix(rest, "{{{") && len(rest) > 3 && isAlnum(rest[3]) {
			return f.until(i+3, "}}}")
		}
	case '$':
		return f.dollars(i)
	case '\\':
		switch {
		case strings.HasPrefix(rest, `\(`):
			return f.until(i+2, `\)`)
		case strings.HasPrefix(rest, `\[`):
			return f.until(i+2, `\]`)
		case strings.HasPrefix(rest, `\begin{`):
			return f.environment(i)
		}
	}
	return 0
}

func (f *fragments) begins(i int) bool { return i == 0 || !isWordByte(f.s[i-1]) }

// limit returns the end of the paragraph around i.
func (f *fragments) limit(i int) int {
	if f.paragraph < i {
		f.paragraph = len(f.s)
		if n := strings.Index(f.s[i:], "\n\n"); n >= 0 {
			f.paragraph = i + n
		}
	}
	return f.paragraph
}

// until returns the end of the next mark after i in the paragraph, 0 if there is none.
func (f *fragments) until(i int, mark string) int {
	limit := f.limit(i)
	if i > limit || f.missing[mark] == limit {
		return 0
	}
	if n := strings.Index(f.s[i:limit], mark); n >= 0 {
		return i + n + len(mark)
	}
	f.misses(mark, limit)
	return 0
}

// source reads LANG{code} or LANG[arguments]{code} at i.
func (f *fragments) source(i int) int {
	at := i
	for at < len(f.s) && f.s[at] != '[' && f.s[at] != '{' && !isSpace(f.s[at]) {
		at++
	}
	if at == i {
		return 0
	}
	if at = f.group(at, '[', ']'); at == 0 {
		return 0
	}
	end := f.group(at, '{', '}')
	if end == at {
		return 0
	}
	return end
}

// call reads NAME(arguments) at i, with optional header arguments.
func (f *fragments) call(i int) int {
	at := i
	for at < len(f.s) && strings.IndexByte("[](){} \t\r\n", f.s[at]) < 0 {
		at++
	}
	if at == i {
		return 0
	}
	if at = f.group(at, '[', ']'); at == 0 {
		return 0
	}
	end := f.group(at, '(', ')')
	if end <= at {
		return 0
	}
	if tail := f.group(end, '[', ']'); tail > 0 {
		return tail
	}
	return end
}

// maxGroup bounds the search for the end of a group in brackets, in bytes.
const maxGroup = 4096

// group returns the end of the brackets that open at i, i if none open there, and 0 if they
// are not closed.
func (f *fragments) group(i int, open, closing byte) int {
	if i >= len(f.s) || f.s[i] != open {
		return i
	}
	depth := 0
	for at := i; at < min(f.limit(i), i+maxGroup); at++ {
		switch f.s[at] {
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return 0
}

// snippet reads @@backend:text@@ at i.
func (f *fragments) snippet(i int) int {
	at := i + 2
	for at < len(f.s) && (isAlnum(f.s[at]) || f.s[at] == '-') {
		at++
	}
	if at == i+2 || at == len(f.s) || f.s[at] != ':' {
		return 0
	}
	return f.until(at, "@@")
}

// dollars reads $formula$ or $$formula$$ at i. Single dollars follow the rule of Markdown.
func (f *fragments) dollars(i int) int {
	if strings.HasPrefix(f.s[i:], "$$") {
		if end := f.until(i+2, "$$"); end > 0 && !doc.CrossesCells(f.s, i, end) {
			return end
		}
		return 0
	}
	return doc.Formula(f.s, i)
}

// environment reads \begin{NAME} … \end{NAME} at the start of a line at i.
func (f *fragments) environment(i int) int {
	if line := f.s[strings.LastIndexByte(f.s[:i], '\n')+1 : i]; strings.Trim(line, " \t") != "" {
		return 0
	}
	name, _, ok := strings.Cut(f.s[i+len(`\begin{`):min(len(f.s), i+len(`\begin{`)+maxName)], "}")
	if !ok || name == "" {
		return 0
	}
	mark := `\end{` + name + "}"
	if f.missing[mark] == len(f.s) {
		return 0
	}
	if n := strings.Index(f.s[i:], mark); n >= 0 {
		return i + n + len(mark)
	}
	f.misses(mark, len(f.s))
	return 0
}

// misses records that a mark does not occur up to limit.
func (f *fragments) misses(mark string, limit int) {
	if f.missing == nil {
		f.missing = map[string]int{}
	}
	f.missing[mark] = limit
}
