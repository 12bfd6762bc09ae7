package glob

import (
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Special are the characters that make a pattern of a path.
const Special = `*?[{\`

// MaxLen is the greatest length of a pattern in bytes. The work per path grows
// with it, and people write patterns of a line at most.
const MaxLen = 1024

// Glob is a compiled pattern. It is safe for concurrent use.
type Glob struct {
	states []state
	start  int

	mu    sync.Mutex
	walk  walk
	known map[string]*place // by its states
	begin *place
}

// Compile compiles a pattern. kb.Invalid for one that is malformed or too long.
func Compile(pattern string) (*Glob, error) {
	if len(pattern) > MaxLen {
		return nil, kb.Errorf(kb.Invalid, "a path pattern may have at most %d bytes; this one has %d", MaxLen, len(pattern))
	}
	p := parser{rest: pattern}
	nodes, _, ok := p.sequence(true, false)
	if !ok {
		return nil, kb.Errorf(kb.Invalid, "%q is not a valid path pattern", pattern)
	}
	g := &Glob{states: []state{{kind: accept}}}
	g.start = g.sequence(nodes, follow{at: acceptState, slash: none, end: true}).at
	g.prepare()
	return g, nil
}

// Valid reports whether Compile takes a pattern.
func Valid(pattern string) bool {
	_, err := compiled(pattern)
	return err == nil
}

// maxCompiled bounds the patterns that are kept compiled; those of a policy are some dozens.
const maxCompiled = 1000

var cache struct {
	sync.Mutex
	globs map[string]*Glob
}

// compiled is Compile of a pattern that is asked for again and again.
func compiled(pattern string) (*Glob, error) {
	cache.Lock()
	g := cache.globs[pattern]
	cache.Unlock()
	if g != nil {
		return g, nil
	}
	g, err := Compile(pattern)
	if err != nil {
		return nil, err
	}
	cache.Lock()
	defer cache.Unlock()
	if cache.globs == nil || len(cache.globs) >= maxCompiled {
		cache.globs = map[string]*Glob{}
	}
	cache.globs[pattern] = g
	return g, nil
}

// Match reports whether a pattern matches the whole of a path. A pattern that
// is not valid matches nothing.
func Match(pattern, path string) bool {
	g, err := compiled(pattern)
	return err == nil && g.Match(path)
}

// Match reports whether the pattern matches the whole of a path.
func (g *Glob) Match(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.match(path)
}

// Escape returns the pattern that matches a path and nothing else.
func Escape(path string) string {
	if !strings.ContainsAny(path, `*?[]{}\`) {
		return path
	}
	var b strings.Builder
	for i := range len(path) {
		if strings.IndexByte(`*?[]{}\`, path[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// kind is the kind of a state of the automaton.
type kind uint8

const (
	accept   kind = iota
	split         // goes on to out and to other without a character
	exactly       // takes char
	notSlash      // takes anything but a slash
	anything      // takes anything
	inClass       // matches the runes of the class
)

// The accepting state is the first one.
const (
	acceptState = 0
	none        = -1
)

type state struct {
	kind       kind
	char       rune
	class      *class
	out, other int
}

// takes reports whether a state accepts a character.
func (s *state) takes(r rune) bool {
	switch s.kind {
	case exactly:
		return s.char == r
	case notSlash:
		return r != '/'
	case anything:
		return true
	case inClass:
		return s.class.has(r)
	}
	return false
}
