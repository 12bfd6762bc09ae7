package glob

import (
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Special lists the characters that make a path a pattern.
const Special = `*?[{\`

// MaxLen is the maximum length of a pattern in bytes. The work per path grows with
// it, and real patterns have at most one line.
const MaxLen = 1024

// Glob is a compiled pattern. It is safe for concurrent use.
type Glob struct {
	states []state
	start  int

	mu    sync.Mutex
	walk  walk
	known map[string]*place // by key of its states
	begin *place
}

// Compile compiles a pattern. A malformed or overlong pattern is kb.Invalid.
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

// Valid reports whether Compile accepts a pattern.
func Valid(pattern string) bool {
	_, err := compiled(pattern)
	return err == nil
}

// maxCompiled limits the cache of compiled patterns; a policy has some dozens.
const maxCompiled = 1000

var cache struct {
	sync.Mutex
	globs map[string]*Glob
}

// compiled is Compile with a cache, for patterns in frequent use.
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

// Match reports whether a pattern matches the whole of a path. An invalid pattern
// matches nothing.
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

// Escape returns the pattern that matches only this path.
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
	split         // continues at out and at other without a character
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
