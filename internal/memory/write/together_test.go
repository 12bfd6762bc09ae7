package write_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// answer is what a caller got.
type answer struct {
	res *write.Result
	err error
}

// caller is one of several who write the same space.
type caller struct {
	ctx context.Context
	req write.Request
}

func callers(reqs ...write.Request) []caller {
	out := make([]caller, len(reqs))
	for i, r := range reqs {
		out[i] = caller{context.Background(), r}
	}
	return out
}

// together lets callers come one after the other while the space is locked by
// somebody else; whileWaiting runs when all stand in line, then the lock is
// free.
func together(t *testing.T, m *writetest.Memory, s *write.Space, all []caller, whileWaiting func()) []answer {
	t.Helper()
	lock, free := m.Writer.Lock, make(chan struct{})
	m.Writer.Lock = func(ctx context.Context, space kb.Space) (func() error, error) {
		select {
		case <-free:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return lock(ctx, space)
	}
	answers := make([]answer, len(all))
	var wg sync.WaitGroup
	for i, c := range all {
		var over atomic.Bool // without having to wait
		wg.Go(func() {
			answers[i].res, answers[i].err = m.Writer.Apply(c.ctx, c.req)
			over.Store(true)
		})
		for m.Writer.Waiting(s.Row) != i+1 && !over.Load() {
			runtime.Gosched()
		}
	}
	if whileWaiting != nil {
		whileWaiting()
	}
	close(free)
	wg.Wait()
	m.Writer.Lock = lock
	return answers
}

// steps counts the steps of a writer.
func steps(m *writetest.Memory) map[write.Step]int {
	seen := map[write.Step]int{}
	m.Writer.Step = func(s write.Step) error {
		seen[s]++
		return nil
	}
	return seen
}

// texts are the pages of a space with their bytes.
func texts(m *writetest.Memory, s *write.Space) map[string]string {
	out := map[string]string{}
	for path, p := range m.Pages(s) {
		out[path] = m.Bytes(p)
	}
	return out
}

func TestWaitingWritersAreServedTogether(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "old.md", "old\n")))
		seen := steps(m)
		var reqs []write.Request
		for i := range 9 {
			reqs = append(reqs, request(put(s, fmt.Sprintf("%d.md", i), fmt.Sprintf("[[%d]]\n", (i+1)%9))))
		}
		reqs = append(reqs, request(edit(s, "old.md", doc.Append{Text: "more\n"})))
		answers := together(t, m, s, callers(reqs...), nil)
		if seen[write.StepLock] != 1 || seen[write.StepJournal] != 1 || seen[write.StepIndex] != 1 {
			t.Errorf("steps %v", seen)
		}
		last := int64(0)
		for i, a := range answers {
			if a.err != nil {
				t.Fatalf("caller %d: %v", i, a.err)
			}
			if a.res.Write.ID <= last {
				t.Errorf("write %d of caller %d comes after %d", a.res.Write.ID, i, last)
			}
			last = a.res.Write.ID
			page := a.res.Pages[0]
			if now := m.Pages(s)[page.Page.Path]; now.Version != page.Version || now.ID != page.Page.ID {
				t.Errorf("caller %d was told %+v, there is %+v", i, page.Page, now)
			}
		}
		for i, l := range m.Links(s) {
			if want := fmt.Sprintf("%d.md -> %d.md", i, (i+1)%9); l != want {
				t.Errorf("link %q, want %q", l, want)
			}
		}
		if got := texts(m, s)["old.md"]; got != "old\n\nmore\n" || m.Pending() != 0 {
			t.Errorf("%q, %d entries", got, m.Pending())
		}
	})
}

// Writes that rewrite links of others are made one after the other. The space is not locked for all
// of a long line: other processes have waited, too.
func TestLongLineIsServedInTurns(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		var reqs []write.Request
		for i := range 9 {
			titled := fmt.Sprintf("---\ntitle: Lamp %d\n---\n", i)
			m.Apply(request(put(s, fmt.Sprintf("old-%d.md", i), titled), put(s, fmt.Sprintf("ship-%d.md", i), fmt.Sprintf("[[Lamp %d]]\n", i))))
			reqs = append(reqs, request(put(s, fmt.Sprintf("new-%d.md", i), titled)))
		}
		seen := steps(m)
		for i, a := range together(t, m, s, callers(reqs...), nil) {
			if a.err != nil {
				t.Errorf("caller %d: %v", i, a.err)
			}
		}
		if seen[write.StepLock] != 3 || seen[write.StepIndex] != 9 {
			t.Errorf("steps %v", seen)
		}
		all := texts(m, s)
		for i := range 9 {
			if got, want := all[fmt.Sprintf("ship-%d.md", i)], fmt.Sprintf("[[old-%d]]\n", i); got != want {
				t.Errorf("ship %d is %q, want %q", i, got, want)
			}
		}
	})
}

// pair is a memory whose callers are served together, and one where the same
// are one after the other.
type pair struct {
	together, alone *writetest.Memory
	space, twin     *write.Space
}

func newPair(t *testing.T, together *writetest.Memory, space *write.Space) *pair {
	p := &pair{together: together, alone: writetest.New(t), space: space}
	var files fsys.FS
	if space.Files != nil {
		files = p.alone.Files(nil)
	}
	p.twin = p.alone.Space(space.Name, files)
	return p
}

// same runs requests in both memories, and checks that the answers are the
// same. It returns how often the space was locked for those who came together.
func (p *pair) same(t *testing.T, reqs ...write.Request) (locked int) {
	t.Helper()
	seen := steps(p.together)
	for i, a := range together(t, p.together, p.space, callers(reqs...), nil) {
		req := reqs[i]
		req.Changes = slices.Clone(req.Changes)
		for j := range req.Changes {
			req.Changes[j].Space = p.twin
		}
		var want answer
		want.res, want.err = p.alone.Writer.Apply(context.Background(), req)
		if diff := cmp.Diff(want.String(), a.String()); diff != "" {
			t.Errorf("caller %d:\n%s", i, diff)
		}
	}
	if diff := cmp.Diff(texts(p.alone, p.twin), texts(p.together, p.space)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(p.alone.Links(p.twin), p.together.Links(p.space)); diff != "" {
		t.Error(diff)
	}
	if p.space.Files != nil {
		if diff := cmp.Diff(writetest.Tree(t, p.twin.Files), writetest.Tree(t, p.space.Files)); diff != "" {
			t.Error(diff)
		}
	}
	return seen[write.StepLock]
}

func (a answer) String() string {
	if a.err != nil {
		return string(kb.CodeOf(a.err)) + ": " + a.err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "write %d", a.res.Write.ID)
	for _, p := range a.res.Pages {
		fmt.Fprintf(&b, ", %s %s version %d", p.Change, p.Page.Path, p.Version)
	}
	return b.String()
}

func version(n int) *int { return &n }

// Served together or one after the other, callers get the same answers and
// leave the same pages, whatever one of them does to the pages of another.
func TestTogetherIsAsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	const id = "---\nid: 11111111-2222-4333-8444-555555555555\n---\n"
	overwrite := func(s *write.Space, path, text string) write.Change {
		return write.Change{Space: s, Path: path, Action: write.Put{Bytes: []byte(text), Overwrite: true}}
	}
	for _, tc := range []struct {
		name string
		reqs func(s *write.Space) []write.Request
	}{
		{"different pages", func(s *write.Space) []write.Request {
			return []write.Request{request(put(s, "a.md", "[[c]]\n")), request(put(s, "c.md", "[[a]]\n"))}
		}},
		{"the same new page", func(s *write.Space) []write.Request {
			return []write.Request{request(put(s, "a.md", "1\n")), request(put(s, "a.md", "2\n"))}
		}},
		{"an edit of what is made", func(s *write.Space) []write.Request {
			return []write.Request{request(put(s, "a.md", "1\n")), request(edit(s, "a.md", doc.Append{Text: "2\n"}))}
		}},
		{"a twin of what is made", func(s *write.Space) []write.Request {
			return []write.Request{request(put(s, "d/a.md", "1\n")), request(put(s, "D/b.md", "2\n"))}
		}},
		{"a twin of what goes", func(s *write.Space) []write.Request {
			return []write.Request{request(write.Change{Space: s, Path: "page.md", Action: write.Delete{}}), request(put(s, "Page.md", "2\n"))}
		}},
		{"an id that another page gets", func(s *write.Space) []write.Request {
			return []write.Request{request(overwrite(s, "b.md", id)), request(overwrite(s, "page.md", "2\n"))}
		}},
		{"a refusal for the version of a page that gets another id", func(s *write.Space) []write.Request {
			c := overwrite(s, "page.md", "2\n")
			c.Expected = version(7)
			return []write.Request{request(put(s, "p.md", id)), request(c)}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
				p := newPair(t, m, s)
				// A page whose path another one had, with an id of its own.
				p.same(t, request(put(s, "page.md", "0\n")))
				p.same(t, request(write.Change{Space: s, Path: "page.md", Action: write.Delete{}}))
				p.same(t, request(put(s, "page.md", id), put(s, "b.md", "0\n")))
				p.same(t, request(edit(s, "page.md", doc.Append{Text: "1\n"})))
				p.same(t, tc.reqs(s)...)
			})
		})
	}
}

// The same for requests that chance makes, over few pages and ids.
func TestRandomBatches(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	paths := []string{"a.md", "A.md", "b.md", "d/c.md", "D/e.md", "f.md", "g.md"}
	random := func(s *write.Space) write.Change {
		c := write.Change{Space: s, Path: paths[rng.IntN(len(paths))]}
		if rng.IntN(4) == 0 {
			c.Expected = version(rng.IntN(3))
		}
		switch text := fmt.Sprintf("%d [[a]] [[f]]\n", rng.IntN(1000)); rng.IntN(8) {
		case 0:
			c.Action = write.Delete{}
		case 1, 2:
			c.Action = write.Edit{Edits: []doc.Edit{doc.Append{Text: text}}}
		case 3:
			id := kb.DerivedID(s.ID, paths[rng.IntN(3)], "", 0) // somebody's who may have it already, or want it
			c.Action = write.Put{Bytes: []byte("---\nid: " + string(id) + "\n---\n" + text), Overwrite: true}
		default:
			c.Action = write.Put{Bytes: []byte(text), Overwrite: rng.IntN(3) > 0}
		}
		return c
	}
	groups := 0
	for round := range 4 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
				p := newPair(t, m, s)
				for range 3 {
					var reqs []write.Request
					for range 8 {
						changes := []write.Change{random(s)}
						if rng.IntN(3) == 0 {
							changes = append(changes, random(s))
						}
						reqs = append(reqs, request(changes...))
					}
					if p.same(t, reqs...) < len(reqs) {
						groups++
					}
				}
			})
		})
	}
	if groups == 0 {
		t.Error("nobody was served together: the test shows nothing")
	}
}
