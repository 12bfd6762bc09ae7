package write_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// What holds over SQLite when a writer stops, fails or competes with others holds over
// PostgreSQL. The name of this test has the memories of its subtests be there; see
// writetest.PostgreSQL.
func TestOverPostgreSQL(t *testing.T) {
	t.Parallel()
	pgtest.Shared(t)
	all := map[string]func(*testing.T){
		"life of a page":      TestLifeOfAPage,
		"crash and the index": TestCrashKeepsTheIndex,
		"one of a batch":      TestOneOfTheBatchFails,
		"one goes away":       TestOneOfTheBatchGoesAway,
		"one goes away late":  TestOneOfTheBatchGoesAwayTooLate,
		"all go away":         TestTheWholeBatchGoesAway,
		"transaction fails":   TestTransactionOfTheBatchFails,
		"the lock is busy":    TestLockOfTheBatchIsBusy,
		"the leader panics":   TestLeaderPanics,
		"waiting writers":     TestWaitingWritersAreServedTogether,
		"reads of a batch":    testReadsOfTheBatch,
		"reads one by one":    testReadsOfCallsThatDependOnEachOther,
		"a long line":         TestLongLineIsServedInTurns,
		"foreign changes":     TestRecoverLeavesForeignChanges,
		"a living writer":     TestRecoverLeavesALivingWriterAlone,
		"both kinds of space": TestChangeSetOverBothKindsOfSpace,
		"finished by another": TestLivingWriterFinishesWhatADeadOneLeft,
	}
	if slowtest.On() {
		all["a crash at every step"] = TestCrashAtEveryStep
		all["a crash of a batch at every step"] = TestCrashOfTheBatchAtEveryStep
		all["a crash of a compaction"] = TestCrashOfACompaction
		all["a crash of a move across spaces"] = TestCrashOfAMoveAcrossSpaces
		all["together as one after the other"] = TestTogetherIsAsOneAfterTheOther
		all["random batches"] = TestRandomBatches
	}
	for name, test := range all {
		t.Run(name, test)
	}
}

// foreseer counts how often something is read ahead, and all Views.
type foreseer struct {
	store.Memory
	store.Joiner
	n, views atomic.Int64
}

func (f *foreseer) View(ctx context.Context, do func(store.Tx) error) error {
	f.views.Add(1)
	return f.Memory.View(ctx, do)
}

func (f *foreseer) Foresee(ctx context.Context, ask func()) error {
	f.n.Add(1)
	return f.Joiner.Foresee(ctx, ask)
}

// Writers that wait together read together what they need, not one after the other while they
// have the lock.
func testReadsOfTheBatch(t *testing.T) {
	m := writetest.New(t)
	s := m.Space("memory", nil)
	counted := &foreseer{Memory: m.Writer.Memory, Joiner: m.Writer.Memory.(store.Joiner)}
	m.Writer.Memory = counted
	var reqs []write.Request
	for i := range 9 {
		reqs = append(reqs, request(put(s, fmt.Sprintf("%d.md", i), fmt.Sprintf("[[%d]]\n", (i+1)%9))))
	}
	for i, a := range together(t, m, s, callers(reqs...), nil) {
		if a.err != nil {
			t.Fatalf("caller %d: %v", i, a.err)
		}
	}
	// The first may come before there are others.
	if n := counted.n.Load(); n > 2 {
		t.Errorf("read ahead %d times", n)
	}
}

// Where each write must see those before it, reads for several of them are outdated after the
// first, and are not made.
func testReadsOfCallsThatDependOnEachOther(t *testing.T) {
	m := writetest.New(t)
	s := m.Space("memory", nil)
	m.Apply(request(put(s, "first.md", "---\ntitle: Same\n---\n")))
	counted := &foreseer{Memory: m.Writer.Memory, Joiner: m.Writer.Memory.(store.Joiner)}
	m.Writer.Memory = counted
	const writers = 17
	var reqs []write.Request
	for i := range writers {
		reqs = append(reqs, request(put(s, fmt.Sprintf("%d.md", i), "---\ntitle: Same\n---\n")))
	}
	for i, a := range together(t, m, s, callers(reqs...), nil) {
		if a.err != nil {
			t.Fatalf("caller %d: %v", i, a.err)
		}
	}
	// 40 for each, and as many again where all that wait were read ahead in each turn.
	if n := counted.views.Load(); n > 45*writers {
		t.Errorf("%d views for %d writers", n, writers)
	}
}
