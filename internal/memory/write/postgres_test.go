package write_test

import (
	"testing"

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
