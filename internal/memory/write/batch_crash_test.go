package write_test

import (
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// batch are change sets that are written together, and parts the paths that
// each of them changes.
func batch(s *write.Space) []caller {
	return callers(
		request(put(s, "n/new.md", "new\n"), edit(s, "a.md", doc.Append{Text: "more\n"})),
		request(edit(s, "c.md", doc.AddTag{Tag: "y"})),
		request(write.Change{Space: s, Path: "d/b.md", Action: write.Delete{}}),
	)
}

var parts = [][]string{{"n/new.md", "a.md"}, {"c.md"}, {"d/b.md", "d/.raw/b.json"}}

// afterCompany is what the files hold when nothing disturbs them.
func afterCompany(t *testing.T) map[string]string {
	t.Helper()
	m, mem, s := scene(t)
	s.Files = mem
	seen := steps(m)
	for _, a := range together(t, m, s, batch(s), nil) {
		if a.err != nil {
			t.Fatal(a.err)
		}
	}
	if seen[write.StepLock] != 1 {
		t.Fatalf("not written together: %v", seen)
	}
	return writetest.Tree(t, mem)
}

// TestCrashOfTheBatchAtEveryStep stops before every step of change sets that
// are written together: each of them has happened, or has not. Names are flushed
// for all of them at once: a power loss keeps none or all, a killed process those
// that it came to.
func TestCrashOfTheBatchAtEveryStep(t *testing.T) {
	t.Parallel()
	after := afterCompany(t)
	stop := errors.New("stopped here")
	outcomes := map[[3]bool]bool{}
	for n := 1; ; n++ {
		keep := fsys.KeepNone
		if n%2 == 0 {
			keep = fsys.KeepAll
		}
		n := (n + 1) / 2
		m, mem, s := scene(t)
		s.Files = mem
		count := 0
		m.Writer.Step = func(write.Step) error {
			if count++; count >= n { // the process is gone, whoever leads next
				return stop
			}
			return nil
		}
		answers := together(t, m, s, batch(s), nil)
		if count < n {
			break
		}
		for i, a := range answers {
			if !errors.Is(a.err, stop) {
				t.Fatalf("step %d, caller %d: %v", n, i, a.err)
			}
		}
		outcomes[[3]bool(settledParts(t, m, mem.CrashClone(keep), s, after, parts))] = true
	}
	for _, want := range [][3]bool{{}, {true, false, false}, {true, true, false}, {true, true, true}} {
		if !outcomes[want] {
			t.Errorf("never seen %v: the test stops at the wrong places", want)
		}
	}
}

// TestCrashOfTheBatchAtEveryCall is TestCrashAtEveryCall for change sets
// that are written together.
func TestCrashOfTheBatchAtEveryCall(t *testing.T) {
	t.Parallel()
	after := afterCompany(t)
	for n, step := 1, slowtest.Step(7); ; n += step {
		m, mem, s := scene(t)
		fault := fsys.NewFault(mem)
		fault.CrashAt(n)
		s.Files = fault
		m.Writer.Step = func(write.Step) error {
			if len(fault.Calls()) >= n {
				return fsys.ErrCrashed
			}
			return nil
		}
		answers := together(t, m, s, batch(s), nil)
		if len(fault.Calls()) < n {
			break
		}
		for i, a := range answers {
			if a.err != nil && !errors.Is(a.err, fsys.ErrCrashed) {
				t.Fatalf("call %d, caller %d: %v", n, i, a.err)
			}
		}
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		settledParts(t, m, mem.CrashClone(func() bool { return rng.IntN(2) == 0 }), s, after, parts)
	}
}

// TestFailureOfTheBatchAtEveryCall is TestFailureAtEveryCall for change sets
// that are written together: a disk that fails once stops one of them at most. A
// directory that is flushed for several of them is told to each.
func TestFailureOfTheBatchAtEveryCall(t *testing.T) {
	t.Parallel()
	after := afterCompany(t)
	for n, step := 1, slowtest.Step(7); ; n += step {
		m, mem, s := scene(t)
		fault := fsys.NewFault(mem)
		fault.FailAt(n, syscall.ENOSPC)
		s.Files = fault
		answers := together(t, m, s, batch(s), nil)
		if len(fault.Calls()) < n {
			break
		}
		failed := 0
		isNew := settledParts(t, m, mem, s, after, parts)
		for i, a := range answers {
			switch {
			case a.err == nil && !isNew[i]:
				t.Errorf("call %d, caller %d: success was reported, and nothing happened", n, i)
			case a.err != nil && isNew[i] && !errors.Is(a.err, fsys.ErrNotDurable):
				t.Errorf("call %d, caller %d: %v was reported, and it happened", n, i, a.err)
			case a.err != nil && kb.AsError(a.err).Hint == "":
				t.Errorf("call %d, caller %d: no hint with %v", n, i, a.err)
			}
			if a.err != nil && !errors.Is(a.err, fsys.ErrNotDurable) {
				failed++
			}
		}
		if failed > 1 {
			t.Errorf("call %d: %d failed", n, failed)
		}
	}
}
