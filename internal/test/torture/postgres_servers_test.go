package torture

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// member is a server of a team: with a home and a connection of its own, as on another machine.
type member struct {
	*serving
	*web
	proxy *pgtest.Proxy
}

// team starts servers of one memory in PostgreSQL, which has the space "mem".
func team(t *testing.T, n int) []member {
	t.Helper()
	where := pgtest.URL(t)
	o := options(fsystest.TempDir(t), "test")
	o.Place.DB, o.Space, o.Actor = where, "mem", kb.Actor{Kind: kb.Human}
	a := apptest.OK(memory.Open(t.Context(), o, true))(t)
	apptest.OK(a.Spaces.Add(t.Context(), space.AddRequest{Name: "mem", Database: true}))(t)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	var all []member
	for range n {
		p := pgtest.NewProxy(t, pgtest.Shared(t))
		s, w := serveHTTP(t, fsystest.TempDir(t), "--db", p.URL(where))
		all = append(all, member{s, w, p})
	}
	return all
}

// hears returns the paths of changes that the server sends.
func (m member) hears(t *testing.T) <-chan string {
	t.Helper()
	r := apptest.OK(http.NewRequestWithContext(t.Context(), "GET", m.url+"/api/v1/events", nil))(t)
	r.Header.Set("Authorization", "Bearer "+m.token)
	answer := apptest.OK(http.DefaultClient.Do(r))(t)
	t.Cleanup(func() { _ = answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Scan() // the id of where it begins: what follows is sent
	out := make(chan string, 100)
	go func() {
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				out <- data
			}
		}
	}()
	return out
}

// tooLong is longer than anybody may wait for others, on a machine that is busy with tests.
const tooLong = 30 * time.Second

// A write by one server is in the next read of each other one, and those who listen there hear
// of it.
func TestServersOfATeam(t *testing.T) {
	slowtest.NoRace(t, "the work is done by binaries without the detector")
	t.Parallel()
	all := team(t, 4)
	var ears []<-chan string
	for _, m := range all {
		ears = append(ears, m.hears(t))
	}
	for i, writer := range all {
		page := fmt.Sprintf("mem:page%d", i)
		writer.ask("PUT", "/api/v1/pages/"+page, `{"text":"by one"}`)
		for k, reader := range all {
			if got := reader.ask("GET", "/api/v1/pages/"+page, ""); got["text"] != "by one\n" && got["text"] != "by one" {
				t.Errorf("server %d reads %v", k, got)
			}
		}
		for k, ear := range ears {
			select {
			case heard := <-ear:
				if !strings.Contains(heard, fmt.Sprintf("page%d", i)) {
					t.Errorf("server %d reports %s", k, heard)
				}
			case <-time.After(tooLong):
				t.Fatalf("server %d reports nothing of %s", k, page)
			}
		}
	}
	// One is killed in the middle of its work: the others go on, and its answered writes are there.
	all[0].ask("PUT", "/api/v1/pages/mem:last", `{"text":"answered"}`)
	all[0].begin("mem:begun")
	if err := all[0].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, m := range all[1:] {
		if got := m.ask("GET", "/api/v1/pages/mem:last", ""); got["version"] != 1.0 {
			t.Errorf("after it was killed: %v", got)
		}
	}
	all[1].ask("PUT", "/api/v1/pages/mem:after", `{"text":"goes on"}`)
	// One whose connections are cut takes others.
	all[2].proxy.Cut()
	if got := all[2].ask("GET", "/api/v1/pages/mem:after", ""); got["version"] != 1.0 {
		t.Errorf("after its connections were cut: %v", got)
	}
	all[2].proxy.Cut()
	all[2].ask("PUT", "/api/v1/pages/mem:cut", `{"text":"again"}`)
}
