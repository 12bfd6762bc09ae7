package vault

import "strings"

// glob is a compiled shell pattern as git reads it: byte by byte, so that ?
// is one byte and not one character.
type glob struct {
	tokens []token
	never  bool // the pattern is malformed and matches nothing
	fold   bool // ASCII letters match without regard to case
}

type token struct {
	kind    tokenKind
	literal byte
	class   *class
}

type tokenKind uint8

const (
	oneByte  tokenKind = iota
	anyByte            // ? : not a slash
	inClass            // [...] : not a slash
	star               // * : any bytes without a slash
	deepStar           // ** : any bytes
	// deepDirs is a ** with a slash behind it, the slash included: nothing,
	// or any bytes that end in a slash.
	deepDirs
)

// compileGlob compiles a pattern. In a path pattern a ** that stands between
// slashes, or at either end, also matches slashes; elsewhere it is a *.
func compileGlob(pattern string, isPath, fold bool) glob {
	g := glob{fold: fold}
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case '*':
			end := i
			for end < len(pattern) && pattern[end] == '*' {
				end++
			}
			rest := pattern[end:]
			deep := isPath && end-i > 1 && (i == 0 || pattern[i-1] == '/') &&
				(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
			switch {
			case deep && rest != "" && rest[0] == '/':
				g.tokens = append(g.tokens, token{kind: deepDirs})
				end++
			case deep || !isPath:
				g.tokens = append(g.tokens, token{kind: deepStar})
			default:
				g.tokens = append(g.tokens, token{kind: star})
			}
			i = end
		case '?':
			g.tokens = append(g.tokens, token{kind: anyByte})
			i++
		case '[':
			set, size := parseClass(pattern[i:])
			if set == nil {
				return glob{never: true}
			}
			g.tokens = append(g.tokens, token{kind: inClass, class: set})
			i += size
		case '\\':
			if i++; i == len(pattern) {
				return glob{never: true}
			}
			// Not folded: in git an escaped capital matches nothing
			// where case does not matter.
			g.tokens = append(g.tokens, token{literal: pattern[i]})
			i++
		default:
			if fold {
				c = lower(c)
			}
			g.tokens = append(g.tokens, token{literal: c})
			i++
		}
	}
	return g
}

// matches reports whether the pattern matches the whole of text. The time is
// bounded by the product of both lengths: what failed once at a place in the
// text is not tried there again.
func (g glob) matches(text string) bool {
	if g.never {
		return false
	}
	m := matching{glob: g, text: text}
	return m.from(0, 0)
}

type matching struct {
	glob
	text   string
	failed map[[2]int]bool
}

func (m *matching) from(tok, pos int) bool {
	for ; tok < len(m.tokens); tok++ {
		t := m.tokens[tok]
		if t.kind >= star {
			return m.fromStar(tok, pos)
		}
		if pos == len(m.text) || !m.one(t, m.text[pos]) {
			return false
		}
		pos++
	}
	return pos == len(m.text)
}

func (m *matching) one(t token, c byte) bool {
	if m.fold {
		c = lower(c)
	}
	switch t.kind {
	case anyByte:
		return c != '/'
	case inClass:
		return c != '/' && t.class.has(c, m.fold)
	}
	return c == t.literal
}

func (m *matching) fromStar(tok, pos int) bool {
	kind := m.tokens[tok].kind
	last := tok == len(m.tokens)-1
	if last && kind == deepStar {
		return true
	}
	key := [2]int{tok, pos}
	if m.failed[key] {
		return false
	}
	for at := pos; ; at++ {
		// After "**/" the rest may begin at once, or behind any slash.
		if (kind != deepDirs || at == pos || m.text[at-1] == '/') && m.from(tok+1, at) {
			return true
		}
		if at == len(m.text) || kind == star && m.text[at] == '/' {
			break
		}
	}
	if m.failed == nil {
		m.failed = map[[2]int]bool{}
	}
	m.failed[key] = true
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
