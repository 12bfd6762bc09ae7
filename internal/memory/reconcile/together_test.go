package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
)

func TestBatchesGoTogetherInLargeSpaces(t *testing.T) {
	t.Parallel()
	for documents, want := range map[int]int{0: 1, 9_000: 1, 16_000: 1, 32_000: 2, 63_999: 3, 64_000: 4, 10_000_000: 4} {
		if got := batchesPerCommit(documents); got != want {
			t.Errorf("with %d documents %d batches go together, want %d", documents, got, want)
		}
	}
}

// updates counts transactions that write, and fails the one numbered fail.
type updates struct {
	store.Memory
	n, fail int
}

func (u *updates) Update(ctx context.Context, f func(store.Tx) error) error {
	u.n++
	return u.Memory.Update(ctx, func(tx store.Tx) error {
		if err := f(tx); err != nil || u.n != u.fail {
			return err
		}
		return errors.New("the disk is full")
	})
}

// batchesOf reads n notes into batches of two, and returns what commits them.
func batchesOf(t *testing.T, n, fail int) (*updates, *committer, []*batch, func() int) {
	t.Helper()
	m := writetest.New(t)
	all := map[string]string{}
	for i := range n {
		all[fmt.Sprintf("%02d.md", i)] = fmt.Sprintf("note %d [[%02d]]\n", i, (i+3)%n)
	}
	space := m.Space("notes", m.Files(all))
	count := &updates{Memory: m.Writer.Memory, fail: fail}
	m.Writer.Memory = count
	s := &Syncer{Writer: m.Writer, Workers: 1, Rules: vault.Rules{Extensions: []string{".md"}}}
	listing, err := vault.Scan(t.Context(), space.Files, s.Rules)
	if err != nil {
		t.Fatal(err)
	}
	plan, _, err := s.plan(t.Context(), space, listing, Options{})
	if err != nil {
		t.Fatal(err)
	}
	steps, _ := plan.order()
	var read []*batch
	for i := 0; i < len(steps); i += 2 {
		read = append(read, s.read(t.Context(), space, steps[i:i+2]))
	}
	c := &committer{s: s, space: space, report: &Report{}, progress: func(int) {}}
	return count, c, read, func() int { return len(m.Pages(space)) }
}

func TestBatchesThatAreReadAreCommittedTogether(t *testing.T) {
	t.Parallel()
	count, c, read, _ := batchesOf(t, 10, 0)
	rest := read[1:]
	more := func() (*batch, bool) {
		if len(rest) == 0 {
			return nil, false
		}
		b := rest[0]
		rest = rest[1:]
		return b, true
	}
	if err := c.commit(t.Context(), read[0], 3, more); err != nil {
		t.Fatal(err)
	}
	if count.n != 1 || c.report.Indexed != 6 || c.done != 6 || len(rest) != 2 {
		t.Errorf("%d transactions, %d indexed, %d done, %d batches left", count.n, c.report.Indexed, c.done, len(rest))
	}
	rest = rest[1:] // of two more, one was read by now
	if err := c.commit(t.Context(), read[3], 3, more); err != nil {
		t.Fatal(err)
	}
	if count.n != 2 || c.report.Indexed != 10 {
		t.Errorf("%d transactions, %d indexed", count.n, c.report.Indexed)
	}
}

// The links of all batches of a transaction are written with it, those to later batches among
// them, and those of transactions before it find their targets.
func TestLinksOfBatchesThatAreCommittedTogether(t *testing.T) {
	t.Parallel()
	const n = 10
	_, c, read, _ := batchesOf(t, n, 0)
	for from, to := range []int{0: 3, 3: 5} {
		if to == 0 {
			continue
		}
		rest := read[from+1 : to]
		if err := c.commit(t.Context(), read[from], to-from, func() (b *batch, ok bool) {
			if ok = len(rest) > 0; ok {
				b, rest = rest[0], rest[1:]
			}
			return b, ok
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.s.Writer.Memory.View(t.Context(), func(tx store.Tx) error {
		pages, err := tx.Pages().Rows(t.Context(), store.Filter{Spaces: []int64{c.space.Row}})
		if err != nil || len(pages) != n {
			t.Fatal(len(pages), err)
		}
		for _, row := range pages {
			page, err := tx.Pages().Get(t.Context(), []int64{row})
			if err != nil {
				return err
			}
			links, err := tx.Links().From(t.Context(), row)
			if err != nil {
				return err
			}
			var i int
			_, _ = fmt.Sscanf(page[0].Path, "%02d.md", &i)
			if want := fmt.Sprintf("%02d.md", (i+3)%n); len(links) != 1 || links[0].Page.Path != want || links[0].Candidates != 1 {
				t.Errorf("%s has the links %+v, want one to %s", page[0].Path, links, want)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// What is committed together is there together or not at all.
func TestBatchesThatFailTogether(t *testing.T) {
	t.Parallel()
	count, c, read, pages := batchesOf(t, 4, 1)
	more := func() (*batch, bool) { return read[1], true }
	if err := c.commit(t.Context(), read[0], 2, more); err == nil {
		t.Fatal("the transaction did not fail")
	}
	if count.n != 1 || pages() != 0 || c.report.Indexed != 0 {
		t.Errorf("%d transactions, %d pages, %d indexed", count.n, pages(), c.report.Indexed)
	}
}

// More gives what is ready, in order, and never waits for what is not.
func TestInTurnGivesWhatIsReady(t *testing.T) {
	t.Parallel()
	slow := make(chan struct{})
	work := func(i int) int {
		if i == 2 {
			<-slow
		}
		return i
	}
	var got [][]int
	err := inTurn(t.Context(), turns[int]{workers: 1, ahead: 1}, []int{0, 1, 2, 3}, work, func(first int, more func() (int, bool)) error {
		turn := []int{first}
		if first == 0 {
			for len(turn) < 2 { // 1 is being worked out
				if next, ok := more(); ok {
					turn = append(turn, next)
				}
			}
			if next, ok := more(); ok {
				t.Errorf("%d was given before it was there", next)
			}
			close(slow)
		}
		got = append(got, turn)
		return nil
	})
	if want := "[[0 1] [2] [3]]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("turns %v, %v, want %s", got, err, want)
	}
}

// Items that are large together are worked on one after the other, others at the same time.
func TestInTurnBoundsSizes(t *testing.T) {
	t.Parallel()
	var open, most atomic.Int64
	size := func(n int) int64 { return int64(n) }
	work := func(n int) int {
		now := open.Add(size(n))
		for {
			if old := most.Load(); now <= old || most.CompareAndSwap(old, now) {
				return n
			}
		}
	}
	items := []int{1, 9, 25, 8, 3, 30, 5, 5, 12}
	var got []int
	err := inTurn(t.Context(), turns[int]{workers: 4, ahead: 2, size: size, limit: 10}, items, work, func(n int, more func() (int, bool)) error {
		got = append(got, n)
		open.Add(-size(n))
		if next, ok := more(); ok {
			got = append(got, next)
			open.Add(-size(next))
		}
		return nil
	})
	if err != nil || !slices.Equal(got, items) || most.Load() > 30 {
		t.Errorf("%v, %v, %d at once", got, err, most.Load())
	}
}
