package render

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/sync/semaphore"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

const (
	// maxTime is how long a document may take, with the wait for its turn. One that takes
	// longer is shown as plain text. Each megabyte may take a quarter more.
	maxTime = 2 * time.Second
	// maxColouring is how long one block of code may take.
	maxColouring = 200 * time.Millisecond
	// maxContainers is how many quotes and lists may begin in one line.
	maxContainers = 64
	// maxDelimiters is how many runs of *, _, ~ and = one block may have; the parser
	// compares each with all that came before.
	maxDelimiters = 1000
	// maxDestination is how far the end of a link's address may be.
	maxDestination = 4096
	// maxCells is how many cells one table may have.
	maxCells = 50000
	// maxOrgDepth, maxOrgUnclosed and maxOrgRaw limit the blocks of Org. What follows an
	// unclosed block is parsed twice, and blocks of code are put together line by line.
	maxOrgDepth, maxOrgUnclosed, maxOrgRaw = 16, 3, 128 << 10
)

// turns are the documents that are rendered at a time, so that other requests find a
// processor.
var turns = semaphore.NewWeighted(int64(max(2, runtime.GOMAXPROCS(0)/2)))

// late is what a rendering panics with that took too long, or that nobody waits for: the
// parsers cannot be stopped otherwise.
type late struct{}

// alive panics when the time is over.
func (s *Source) alive() {
	if s.ctx.Err() != nil {
		panic(late{})
	}
}

// timeout is a context that ends after d, or never for a test that has no clock.
func (s *Source) timeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if s.endless {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// inTime calls a function in its turn and time. It reports whether that was enough.
func (s *Source) inTime(ctx context.Context, do func()) (ok bool) {
	ctx, cancel := s.timeout(ctx, maxTime+time.Duration(len(s.Text)>>20)*maxTime/4)
	defer cancel()
	if turns.Acquire(ctx, 1) != nil {
		return false
	}
	defer turns.Release(1)
	defer func() {
		if r := recover(); r != nil {
			if _, isLate := r.(late); !isLate {
				panic(r)
			}
			ok = false
		}
	}()
	s.ctx = ctx
	do()
	return true
}

// reader lets the parser of blocks go on only while there is time.
type reader struct {
	text.Reader
	s *Source
}

func (r reader) PeekLine() ([]byte, text.Segment) {
	r.s.alive()
	return r.Reader.PeekLine()
}

// tooDeep reports whether a line of Markdown begins more quotes and lists than anybody writes.
func tooDeep(text []byte) bool {
	for line := range bytes.Lines(text) {
		if len(line) > 2*maxContainers && containers(line) > maxContainers {
			return true
		}
	}
	return false
}

// containers counts the quotes and lists that begin in a line.
func containers(line []byte) (n int) {
	if b := bytes.TrimSpace(line); len(b) == 0 || len(bytes.Trim(b, "- ")) == 0 || len(bytes.Trim(b, "* ")) == 0 {
		return 0 // a rule
	}
	ends := func(i int) bool { return i+1 == len(line) || bytes.IndexByte([]byte(" \t\r\n"), line[i+1]) >= 0 }
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c >= '0' && c <= '9':
		case c == '>':
			n++
		case bytes.IndexByte([]byte("-*+.)"), c) >= 0 && ends(i): // and not the line under the head of a table
			n++
		default:
			return n
		}
	}
	return n
}

// guard stops what would take long within a block: it shows the signs as text.
type guard struct {
	s      *Source
	block  ast.Node
	inside int // delimiters of the block
}

func (*guard) Trigger() []byte { return []byte("*_~=[]!($#<&\\`:") }

func (g *guard) Parse(parent ast.Node, r text.Reader, _ parser.Context) ast.Node {
	g.s.alive()
	line, segment := r.PeekLine()
	plain := func(n int) ast.Node {
		r.Advance(n)
		return ast.NewTextSegment(segment.WithStop(segment.Start + n))
	}
	switch c := line[0]; c {
	case '*', '_', '~', '=':
		if parent != g.block {
			g.block, g.inside = parent, 0
		}
		if g.inside++; g.inside > maxDelimiters && segment.Padding == 0 {
			n := 1
			for n < len(line) && line[n] == c {
				n++
			}
			return plain(n)
		}
	case ']':
		if len(line) > maxDestination && line[1] == '(' && bytes.IndexByte(line[:maxDestination], ')') < 0 && segment.Padding == 0 {
			return plain(1)
		}
	}
	return nil
}

// tableGuard shows tables of very many cells as they are written. A row of few signs has
// as many cells as the head.
type tableGuard struct{}

func (tableGuard) Transform(n *ast.Paragraph, r text.Reader, _ parser.Context) {
	columns := 0
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		if v := line.Value(r.Source()); len(bytes.Trim(v, "|-: \t\r\n")) == 0 {
			columns = max(columns, bytes.Count(v, []byte("|")))
		}
	}
	if columns*n.Lines().Len() <= maxCells {
		return
	}
	plain := ast.NewCodeBlock()
	plain.SetLines(n.Lines())
	n.Parent().ReplaceChild(n.Parent(), n, plain)
}

var orgBlock = lazyregexp.New(`(?i)^\s*(?:#\+(begin|end)_(\w+)|\\(begin|end){([^}]+)}\s*$)`)

// tooInvolved reports whether blocks of Org are nested, open or long beyond what its parser
// bears.
func tooInvolved(text []byte) bool {
	type open struct {
		name    string
		raw     bool
		at      int
		skipped int
	}
	var stack []open
	unclosed, at, properties := 0, 0, false
	for line := range bytes.Lines(text) {
		start := at
		at += len(line)
		switch drawer := strings.ToUpper(string(bytes.TrimSpace(line))); {
		case drawer == ":PROPERTIES:" && properties:
			unclosed++
		case drawer == ":PROPERTIES:":
			properties = true
		case drawer == ":END:":
			properties = false
		}
		m := orgBlock().FindSubmatch(bytes.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		name := strings.ToUpper(string(m[2]))
		begins := strings.EqualFold(string(m[1])+string(m[3]), "begin")
		raw := name == "SRC" || name == "EXAMPLE" || name == "EXPORT"
		if len(m[4]) > 0 {
			name, raw = `\`+strings.ToUpper(string(m[4])), true
		}
		top := len(stack) - 1
		switch {
		case top >= 0 && !begins && stack[top].name == name:
			if stack[top].raw && start-stack[top].at > maxOrgRaw {
				return true
			}
			stack = stack[:top]
		case top >= 0 && stack[top].raw:
			stack[top].skipped++
		case begins:
			if stack = append(stack, open{name: name, raw: raw, at: start}); len(stack) > maxOrgDepth {
				return true
			}
		default:
			for _, o := range stack {
				if o.name == name {
					unclosed++
					break
				}
			}
		}
	}
	for _, o := range stack {
		unclosed += 1 + o.skipped
		if o.raw && len(text)-o.at > maxOrgRaw {
			return true
		}
	}
	return unclosed > maxOrgUnclosed
}
