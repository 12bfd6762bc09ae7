package torture

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/write"
)

const hubID = "99999999-2222-4222-8222-000000000002"

// roundsOfLife is how many rounds a memory lives through before the next one
// begins: old rounds would only make each look at everything slower.
const roundsOfLife = 20

// TestKilledProcesses kills processes under load at random moments, in half
// of the rounds one of two while the other goes on, and looks at what they
// left: every acknowledged write is there byte for byte, every other one
// wholly or not at all, and files, index, journal and history agree.
func TestKilledProcesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 0))
	var l *ledger
	for round := range *rounds {
		if round%roundsOfLife == 0 {
			l = newLedger(t)
		}
		var children []*child
		for i := range 1 + round%2 {
			work := "own1,own2,shared,edited"
			if i == 0 {
				work += ",editor,group,hub"
			}
			// Which process syncs differs, so that some see what another's
			// death left.
			if i == 0 || rng.IntN(2) == 0 {
				work += ",sync"
			}
			children = append(children, start(t, l.home, fmt.Sprintf("r%d%c", round, 'a'+i), rng.Uint64(), 0, work))
		}
		rng.Shuffle(len(children), func(i, j int) { children[i], children[j] = children[j], children[i] })
		for _, c := range children {
			c.awaitEvents(rng.IntN(100), time.Duration(rng.IntN(10_000))*time.Microsecond)
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
	if *rounds > 0 && l.acked == 0 {
		t.Error("nothing was ever acknowledged: the test shows nothing")
	}
}

// newLedger makes a memory with the pages that the workers share.
func newLedger(t *testing.T) *ledger {
	t.Helper()
	files := map[string]string{
		"hub/start.md": withID(hubID, "hub"), "shared/log.md": generation("log"), "ed/0.md": generation("first"),
	}
	for i := range linkers {
		files[fmt.Sprintf("links/%d.md", i)] = fmt.Sprintf("[the hub](../hub/start.md) %d\n\n%s", i, prose(fmt.Sprint(i)))
	}
	l := &ledger{home: newHome(t, files)}
	a := open(t, l.home)
	ok(a.Sync(t.Context(), app.SyncRequest{Space: "notes"}))(t)
	ok(a.Put(t.Context(), app.PutRequest{Ref: "mem:shared/log.md", Text: []byte(generation("log"))}))(t)
	db := ok(database(t.Context(), l.home))(t)
	w, spaces, err := newWriter(t.Context(), l.home, db)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range spaces {
		if _, err := os.Stat(lockFile(db.Path(), s.Space)); err != nil {
			t.Fatalf("app locks elsewhere: %v", err)
		}
	}
	ok(w.Apply(t.Context(), write.Request{Operation: "ingest", Changes: groupChanges(0, spaces)}))(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return l
}

// child is a process under load.
type child struct {
	t          *testing.T
	cmd        *exec.Cmd
	in         io.WriteCloser
	complaints *strings.Builder
	ended      chan struct{} // closed when its output ends

	mu     sync.Mutex
	more   *sync.Cond
	events []event
	over   bool
}

func start(t *testing.T, home, name string, seed uint64, limit int, work string) *child {
	t.Helper()
	c := &child{t: t, ended: make(chan struct{})}
	c.more = sync.NewCond(&c.mu)
	c.cmd, c.complaints = process(t, "load", fmt.Sprintf("%s %s %d %d %s", home, name, seed, limit, work))
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var e event
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Errorf("%v in %q", err, lines.Text())
			}
			c.mu.Lock()
			c.events = append(c.events, e)
			c.more.Signal()
			c.mu.Unlock()
		}
		c.mu.Lock()
		c.over = true
		c.more.Signal()
		c.mu.Unlock()
	}()
	return c
}

// awaitEvents returns some moment after the process has said so much.
func (c *child) awaitEvents(n int, moment time.Duration) {
	c.mu.Lock()
	for len(c.events) < n && !c.over {
		c.more.Wait()
	}
	c.mu.Unlock()
	// Which moment it is decides nothing; that it is any one is the point.
	select {
	case <-c.ended:
	case <-time.After(moment):
	}
}

// kill ends the process and returns all that it said.
func (c *child) kill() []event {
	c.t.Helper()
	select {
	case <-c.ended:
		c.t.Error("the process ended by itself")
	default:
	}
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Error(err)
	}
	<-c.ended
	_ = c.cmd.Wait() // killed, so always an error
	if c.complaints.Len() > 0 {
		c.t.Error(c.complaints)
	}
	return c.events
}

// finish closes the process's standard input, awaits its end and returns all
// that it said.
func (c *child) finish() []event {
	c.t.Helper()
	if err := c.in.Close(); err != nil {
		c.t.Error(err)
	}
	<-c.ended
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("%v: %s", err, c.complaints)
	}
	return c.events
}

// temporaries lists the files below a directory that no finished write leaves.
func temporaries(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".cairn-tmp-") {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
