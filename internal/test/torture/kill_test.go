package torture

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const hubID = "99999999-2222-4222-8222-000000000002"

// roundsOfLife is how many rounds a memory lives through before the next one
// begins: old rounds would only make each look at everything slower.
const roundsOfLife = 20

// TestKilledProcesses kills processes under load at random moments and looks
// at what they left: every acknowledged write is there byte for byte, every
// other one wholly or not at all, and files, index, journal and history agree.
//
// There are the commands of the real binary, one process each, of which one
// or two groups are at work; a server of each kind, in turn, that does all that
// it is asked for or syncs by itself; and a process that writes from many
// goroutines, makes change sets that no command makes, and replaces files as an
// editor does. Who is killed first differs; the others go on for a while.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	killProcesses(t, cmp.Or(*rounds, slowtest.Count(2, 100)), func() string { return "" })
}

// TestKilledProcessesOverPostgreSQL is TestKilledProcesses with the memory in PostgreSQL.
func TestKilledProcessesOverPostgreSQL(t *testing.T) {
	slowtest.Skip(t, "kills processes again and again")
	t.Parallel()
	pgtest.Shared(t)
	killProcesses(t, cmp.Or(*rounds, 20), func() string { return pgtest.URL(t) })
}

// killProcesses is TestKilledProcesses over memories at new locations.
func killProcesses(t *testing.T, rounds int, where func() string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(*seed, 0))
	var l *ledger
	for round := range rounds {
		if round%roundsOfLife == 0 {
			l = newLedger(t, where())
		}
		name := fmt.Sprintf("r%d", round)
		loads := []load{
			newHerd(t, l.home, name+"a", newCommands(t, l.home, name+"a"), rng.Uint64(), "own1", "shared", "edited", "hub", "sync"),
			start(t, l.home, name+"p", rng.Uint64(), 0, "own1,shared,edited,editor,group"),
		}
		// A server a round, in turn.
		switch server := []string{"pipe", "commands", "mcp", "serve"}[round%4]; server {
		case "commands":
			loads = append(loads, newHerd(t, l.home, name+"b", newCommands(t, l.home, name+"b"), rng.Uint64(), "own1", "own2", "shared", "edited"))
		case "serve":
			loads = append(loads, &served{serve(t, l.home)})
		default:
			loads = append(loads, newHerd(t, l.home, name+"s", talk(t, l.home, name+"s", server), rng.Uint64(), "own1", "own2", "shared"))
		}
		rng.Shuffle(len(loads), func(i, j int) { loads[i], loads[j] = loads[j], loads[i] })
		for _, c := range loads {
			c.awaitEvents(rng.IntN(24), time.Duration(rng.IntN(20_000))*time.Microsecond)
			l.add(c.kill())
		}
		l.check(t, fmt.Sprintf("round %d", round))
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, *seed)
		}
	}
	if l != nil {
		t.Logf("%d writes were acknowledged in the last memory's life", l.acked)
	}
	if rounds > 0 && l.acked == 0 {
		t.Error("nothing was ever acknowledged: the test shows nothing")
	}
}

// newLedger makes a memory with the pages that the workers share; where is as for newHomeAt.
func newLedger(t *testing.T, where string) *ledger {
	t.Helper()
	files := map[string]string{
		"hub/start.md": withID(hubID, "hub"), "shared/log.md": generation("log"), "ed/0.md": generation("first"),
	}
	for i := range linkers {
		files[fmt.Sprintf("links/%d.md", i)] = fmt.Sprintf("[the hub](../hub/start.md) %d\n\n%s", i, prose(fmt.Sprint(i)))
	}
	l := &ledger{home: newHomeAt(t, where, files)}
	a := open(t, l.home)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{Space: "notes"}))(t)
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "mem:shared/log.md", Text: []byte(generation("log"))}))(t)
	db := apptest.OK(database(t.Context(), l.home))(t)
	w, spaces, err := newWriter(t.Context(), l.home, db)
	if err != nil {
		t.Fatal(err)
	}
	if file, is := db.(store.FileBacked); is {
		for _, s := range spaces {
			if _, err := os.Stat(filepath.Join(file.Path()+".locks", string(s.Space.ID)+".lock")); err != nil {
				t.Fatalf("app locks elsewhere: %v", err)
			}
		}
	}
	apptest.OK(w.Apply(t.Context(), write.Request{Operation: "ingest", Changes: groupChanges(0, spaces)}))(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return l
}
