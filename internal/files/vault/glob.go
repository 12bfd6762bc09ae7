package vault

import (
	"slices"
	"strings"
)

// glob is a compiled shell pattern as git reads it: byte by byte, so that ?
// is one byte and not one character.
type glob struct {
	tokens []token
	needs  string // the longest text that every match contains behind its first star
	never  bool   // the pattern is malformed and matches nothing
	fold   bool   // ASCII letters match without regard to case
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
	// deepDirs is a ** with the slash after it: nothing, or any bytes that end in a slash.
	deepDirs
)

// compileGlob compiles a pattern. In a path pattern a ** between slashes, or at
// either end, also matches slashes; elsewhere it is a *.
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
			// Not folded: in git an escaped capital matches nothing if case does not matter.
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
	if !fold {
		if i := slices.IndexFunc(g.tokens, func(t token) bool { return t.kind >= star }); i >= 0 {
			g.needs = longestText(g.tokens[i:])
		}
	}
	return g
}

// longestText returns the longest run of literals in tokens.
func longestText(tokens []token) (longest string) {
	var text []byte
	for _, t := range tokens {
		if t.kind != oneByte {
			text = text[:0]
			continue
		}
		if text = append(text, t.literal); len(text) > len(longest) {
			longest = string(text)
		}
	}
	return longest
}

// matches reports whether the pattern matches the whole of text. The time is at
// most the product of both lengths, for any pattern.
func (g glob) matches(text string) bool {
	if g.never {
		return false
	}
	head, stars := g.fixed(g.tokens, text)
	if !head {
		return false
	}
	if stars == len(g.tokens) {
		return len(text) == stars
	}
	return g.fromStar(g.tokens[stars:], text[stars:])
}

// fixed matches the tokens up to the first star with the start of text, and returns their
// number.
func (g glob) fixed(tokens []token, text string) (ok bool, n int) {
	for n < len(tokens) && tokens[n].kind < star {
		if n == len(text) || !g.one(tokens[n], text[n]) {
			return false, n
		}
		n++
	}
	return true, n
}

func (g glob) one(t token, c byte) bool {
	if g.fold {
		c = lower(c)
	}
	switch t.kind {
	case anyByte:
		return c != '/'
	case inClass:
		return c != '/' && t.class.has(c, g.fold)
	}
	return c == t.literal
}

// fromStar matches tokens that start with a star. Without another star, as in *.log, the
// rest can match at one position only.
func (g glob) fromStar(tokens []token, text string) bool {
	rest := tokens[1:]
	if slices.ContainsFunc(rest, func(t token) bool { return t.kind >= star }) {
		return strings.Contains(text, g.needs) && g.run(tokens, text)
	}
	at := len(text) - len(rest)
	if at < 0 {
		return false
	}
	ok, _ := g.fixed(rest, text[at:])
	return ok && spans(tokens[0].kind, text[:at])
}

func spans(kind tokenKind, text string) bool {
	switch kind {
	case star:
		return !strings.Contains(text, "/")
	case deepDirs:
		return text == "" || strings.HasSuffix(text, "/")
	}
	return true
}

// run matches by walking over text once with the set of all possible positions in the
// pattern.
func (g glob) run(tokens []token, text string) bool {
	now, next := make([]bool, len(tokens)+1), make([]bool, len(tokens)+1)
	reach(tokens, now, 0)
	for i := range len(text) {
		c := text[i]
		clear(next)
		for at, t := range tokens {
			if !now[at] {
				continue
			}
			switch {
			case t.kind < star:
				if g.one(t, c) {
					reach(tokens, next, at+1)
				}
			case t.kind == deepDirs:
				// Not through reach: after a ** the rest may start at once, but within it
				// only after a slash.
				next[at] = true
				if c == '/' {
					reach(tokens, next, at+1)
				}
			case t.kind == deepStar || c != '/':
				reach(tokens, next, at)
			}
		}
		now, next = next, now
	}
	return now[len(tokens)]
}

// reach marks a position, and those after the stars there, which may match nothing.
func reach(tokens []token, places []bool, at int) {
	places[at] = true
	for at < len(tokens) && tokens[at].kind >= star {
		at++
		places[at] = true
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
