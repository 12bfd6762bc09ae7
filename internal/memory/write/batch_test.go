package write_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
)

// What is wrong with one change set stops no other.
func TestOneOfTheBatchFails(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		m.Apply(request(put(s, "old.md", "old\n")))
		if s.Files != nil {
			fault := fsys.NewFault(s.Files)
			fault.FailIf(func(c fsys.Call) bool { return c.Op == "mkdir" && c.Name == "d" }, syscall.EIO)
			s.Files = fault
		}
		answers := together(t, m, s, callers(
			request(put(s, "1.md", "1\n")),
			request(put(s, "old.md", "exists\n")),
			request(put(s, "secret.md", "key: AKIAQ7Z4RMXN2WTV5PLK\n")),
			request(put(s, "half.md", "x\n"), put(s, "d/half.md", "x\n")),
			request(edit(s, "none.md", doc.Append{Text: "x"})),
			request(put(s, "2.md", "2\n")),
		), nil)
		want := []kb.Code{"", kb.Conflict, kb.Secret, "", kb.NotFound, ""}
		pages := map[string]string{"old.md": "old\n", "1.md": "1\n", "2.md": "2\n", "half.md": "x\n", "d/half.md": "x\n"}
		if s.Files != nil {
			want[3] = kb.Internal
			delete(pages, "half.md")
			delete(pages, "d/half.md")
		}
		for i, a := range answers {
			if kb.CodeOf(a.err) != want[i] {
				t.Errorf("caller %d: %v, want %q", i, a.err, want[i])
			}
		}
		if diff := cmp.Diff(pages, texts(m, s)); diff != "" {
			t.Error(diff)
		}
		if m.Pending() != 0 {
			t.Errorf("%d entries are left", m.Pending())
		}
	})
}

// Who goes away before it is served was not there; the others are served,
// also when it was to lead them.
func TestOneOfTheBatchGoesAway(t *testing.T) {
	t.Parallel()
	for away := range 3 {
		t.Run(fmt.Sprint(away), func(t *testing.T) {
			eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
				ctx, cancel := context.WithCancel(context.Background())
				all := callers(request(put(s, "0.md", "0\n")), request(put(s, "1.md", "1\n")), request(put(s, "2.md", "2\n")))
				all[away].ctx = ctx
				answers := together(t, m, s, all, func() {
					cancel()
					for m.Writer.Waiting(s.Row) != 2 {
						runtime.Gosched()
					}
				})
				for i, a := range answers {
					_, there := m.Pages(s)[fmt.Sprintf("%d.md", i)]
					if i == away && (!errors.Is(a.err, context.Canceled) || there) || i != away && (a.err != nil || !there) {
						t.Errorf("caller %d: %v, page there: %t", i, a.err, there)
					}
				}
			})
		})
	}
}

// Who goes away while it is served takes nobody along, and is told what
// happened.
func TestOneOfTheBatchGoesAwayTooLate(t *testing.T) {
	t.Parallel()
	for _, at := range []write.Step{write.StepRead, write.StepCheck, write.StepJournal, write.StepStaged, write.StepReplace, write.StepIndex} {
		t.Run(string(at), func(t *testing.T) {
			eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
				ctx, cancel := context.WithCancel(context.Background())
				m.Writer.Step = func(step write.Step) error {
					if step == at {
						cancel()
					}
					return nil
				}
				all := callers(request(put(s, "0.md", "0\n")), request(put(s, "1.md", "1\n")))
				all[0].ctx = ctx // who leads
				answers := together(t, m, s, all, nil)
				pages := m.Pages(s)
				if _, there := pages["0.md"]; there != (answers[0].err == nil) || !there && !errors.Is(answers[0].err, context.Canceled) {
					t.Errorf("%v, page there: %t", answers[0].err, there)
				}
				if at == write.StepIndex && answers[0].err != nil {
					t.Errorf("it had happened: %v", answers[0].err)
				}
				if _, there := pages["1.md"]; !there || answers[1].err != nil {
					t.Errorf("the other was not served: %v", answers[1].err)
				}
				if m.Pending() != 0 {
					t.Errorf("%d entries are left", m.Pending())
				}
			})
		})
	}
}

// occupied is a memory that another process writes until nobody waits for it
// any more: from the first transaction on, everybody goes away.
type occupied struct {
	store.Memory
	leave func()
}

func (o *occupied) Update(ctx context.Context, _ func(store.Tx) error) error {
	o.leave()
	if ctx.Done() == nil {
		return errors.New("the wait cannot end")
	}
	<-ctx.Done()
	return ctx.Err()
}

// When everybody has gone away, nobody waits for another process any more.
func TestTheWholeBatchGoesAway(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 3; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
				var requests []write.Request
				for i := range n {
					path := fmt.Sprintf("%d.md", i)
					requests = append(requests, request(put(s, path, "x\n")))
				}
				ctx, cancel := context.WithCancel(context.Background())
				all := callers(requests...)
				for i := range all {
					all[i].ctx = ctx
				}
				whole := m.Writer.Memory
				m.Writer.Memory = &occupied{whole, cancel}
				for i, a := range together(t, m, s, all, nil) {
					if !errors.Is(a.err, context.Canceled) {
						t.Errorf("caller %d: %v", i, a.err)
					}
				}
				m.Writer.Memory = whole
				if len(m.Pages(s)) != 0 || m.Pending() != 0 {
					t.Errorf("there are %d pages, and %d entries are left", len(m.Pages(s)), m.Pending())
				}
			})
		})
	}
}

// failing is a memory whose transactions fail as fail says, which is told how
// many there were before.
type failing struct {
	store.Memory
	fail  func(n int) error
	calls int
}

func (f *failing) Update(ctx context.Context, do func(store.Tx) error) error {
	err := f.fail(f.calls)
	f.calls++
	return f.Memory.Update(ctx, func(tx store.Tx) error {
		if derr := do(tx); derr != nil {
			return derr
		}
		return err
	})
}

// A transaction that fails for all is tried for each, so that the fault of one
// is told to it alone. Where the disk is full, all are told; and where another
// process is in the way, they are without waiting for it once each.
func TestTransactionOfTheBatchFails(t *testing.T) {
	t.Parallel()
	busy := kb.Errorf(kb.Conflict, "busy").With("busy", true)
	for _, tc := range []struct {
		name   string
		fail   func(n int) error
		failed int // of the callers
		calls  int // transactions of a database space
	}{
		{"once", func(n int) error { return map[bool]error{true: syscall.EIO}[n == 0] }, 0, 4},
		{"full", func(int) error { return fsys.Explain(syscall.ENOSPC, "use the memory") }, 3, 4},
		{"busy", func(int) error { return busy }, 3, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
				f := &failing{Memory: m.DB, fail: tc.fail}
				m.Writer.Memory = f
				answers := together(t, m, s, callers(
					request(put(s, "0.md", "0\n")), request(put(s, "1.md", "1\n")), request(put(s, "2.md", "2\n"))), nil)
				failed, seen := 0, map[*kb.Error]bool{}
				for i, a := range answers {
					_, there := m.Pages(s)[fmt.Sprintf("%d.md", i)]
					if a.err != nil {
						failed++
						seen[kb.AsError(a.err)] = true
					}
					if there != (a.err == nil) {
						t.Errorf("caller %d: %v, page there: %t", i, a.err, there)
					}
					if tc.name == "full" && (!errors.Is(a.err, syscall.ENOSPC) || kb.AsError(a.err).Hint == "") {
						t.Errorf("caller %d: %v", i, a.err)
					}
				}
				if failed != tc.failed || s.Files == nil && f.calls != tc.calls {
					t.Errorf("%d failed in %d transactions", failed, f.calls)
				}
				if len(seen) != failed {
					t.Error("callers share an error, which each of them may change")
				}
				if m.Pending() != 0 {
					t.Errorf("%d entries are left", m.Pending())
				}
			})
		})
	}
}

// A lock that is not to be had is told to all who have waited for it.
func TestLockOfTheBatchIsBusy(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	s := m.Space("memory", nil)
	asked := 0
	m.Writer.Lock = func(context.Context, kb.Space) (func() error, error) {
		asked++
		return nil, store.ErrBusy
	}
	for i, a := range together(t, m, s, callers(request(put(s, "0.md", "0\n")), request(put(s, "1.md", "1\n"))), nil) {
		if !errors.Is(a.err, store.ErrBusy) {
			t.Errorf("caller %d: %v", i, a.err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// A caller waits in the line no longer than its patience; those who were before it are served.
func TestPatienceInLine(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, m *writetest.Memory, s *write.Space) {
		all := callers(request(put(s, "0.md", "0\n")), request(put(s, "1.md", "1\n")))
		all[1].ctx = store.WithPatience(context.Background(), 0)
		answers := together(t, m, s, all, nil)
		if err := answers[0].err; err != nil || m.Pages(s)["0.md"].Row == 0 {
			t.Errorf("the one before: %v", err)
		}
		if err := answers[1].err; !errors.Is(err, store.ErrBusy) || kb.CodeOf(err) != kb.Conflict || m.Pages(s)["1.md"].Row != 0 {
			t.Errorf("without patience: %v", err)
		}
	})
}

// A panic of who leads leaves nobody waiting.
func TestLeaderPanics(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	s := m.Space("memory", nil)
	apply, first := m.Writer, true
	apply.Step = func(step write.Step) error {
		if step == write.StepIndex && first {
			first = false
			panic("on purpose")
		}
		return nil
	}
	lock, free := m.Writer.Lock, make(chan struct{})
	m.Writer.Lock = func(ctx context.Context, space kb.Space) (func() error, error) {
		<-free
		return lock(ctx, space)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_, _ = m.Writer.Apply(context.Background(), request(put(s, "0.md", "0\n")))
	})
	for m.Writer.Waiting(s.Row) != 1 {
		runtime.Gosched()
	}
	wg.Go(func() {
		if _, err := m.Writer.Apply(context.Background(), request(put(s, "1.md", "1\n"))); kb.CodeOf(err) != kb.Internal {
			t.Errorf("answered with %v", err)
		}
	})
	for m.Writer.Waiting(s.Row) != 2 {
		runtime.Gosched()
	}
	close(free)
	wg.Wait()
	m.Apply(request(put(s, "2.md", "2\n")))
}
