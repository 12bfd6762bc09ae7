package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// pseudoTerminal returns both ends of a terminal of 80 columns and 24 rows.
func pseudoTerminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo terminals: ", err)
	}
	t.Cleanup(func() { ours.Close() })
	fd := int(ours.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err == nil {
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close() })
	return ours, theirs
}

// screen collects what is drawn.
type screen struct {
	sync.Mutex
	text  bytes.Buffer
	drawn *sync.Cond
}

func (s *screen) Write(text []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	defer s.drawn.Broadcast()
	return s.text.Write(text)
}

// await returns when something was drawn.
func (s *screen) await(text string) {
	s.Lock()
	defer s.Unlock()
	for !strings.Contains(s.text.String(), text) {
		s.drawn.Wait()
	}
	s.text.Reset()
}

// types puts a person at a terminal, with keys that are each pressed after a text is drawn.
func (u *user) types(t *testing.T, keys ...string) {
	t.Helper()
	ours, theirs := pseudoTerminal(t)
	s := &screen{}
	s.drawn = sync.NewCond(s)
	go func() {
		text := make([]byte, 4096)
		for {
			n, err := ours.Read(text)
			s.Write(text[:n])
			if err != nil {
				return // the test has ended
			}
		}
	}()
	go func() {
		for i := 0; i+1 < len(keys); i += 2 {
			s.await(keys[i])
			ours.WriteString(keys[i+1])
		}
	}()
	u.env.Stdin, u.env.Stderr = theirs, theirs
	stop := time.AfterFunc(time.Minute, func() { ours.WriteString("\x03\n") }) // a failure rather than a hang
	t.Cleanup(func() { stop.Stop() })
}

// Only a page that is picked counts as used, not those whose text is shown on the way.
func TestPickShowsWithoutUse(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(t, "notes/yak.md", "---\nupdated: 2020-01-01\n---\n# Yak\n\nGrunts.\n") // is not the first of the list
	u.write(t, "notes/ox.md", "# Ox\n\nLows.\n")
	if _, errout, code := u.run(t.Context(), "space", "add", "notes"); code != 0 {
		t.Fatal(errout)
	}
	if _, errout, code := u.run(t.Context(), "space", "set", "notes", "lifecycle.stale_after", "45"); code != 0 { // uses are noted
		t.Fatal(errout)
	}
	used := func() (n int) {
		m, err := memory.Open(t.Context(), memory.Options{Place: space.Place{Env: u.env.Getenv, Dir: u.env.Dir, Home: u.env.Home}, Now: time.Now}, false)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		err = m.DB.View(t.Context(), func(tx store.Tx) error {
			all, err := tx.Spaces().All(t.Context())
			for _, s := range all {
				days, err := tx.Lives().Used(t.Context(), s.Row)
				if err != nil {
					return err
				}
				n += len(days)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	u.types(t, "2 of 2", "yak", "Grunts", "\x03")
	if _, _, code := u.run(t.Context(), "get"); code != 3 || used() != 0 {
		t.Errorf("leaving the list ends with %d; %d pages are used", code, used())
	}
	u.types(t, "2 of 2", "yak", "Grunts", "\r")
	if _, _, code := u.run(t.Context(), "get"); code != 0 || used() != 1 {
		t.Errorf("picking one ends with %d; %d pages are used", code, used())
	}
}

// A person at a terminal who gives no page picks one.
func TestPickAPage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		keys []string // each after a text that is drawn
		code int
		out  string
	}{
		{[]string{"get"}, []string{"3 of 3", "bab eng\r"}, 0, "The engine of Babbage."},
		{[]string{"get"}, []string{"3 of 3", "zzz\r\x03"}, 3, ""},
		{[]string{"get"}, []string{"3 of 3", "\x1b"}, 3, ""},
		{[]string{"edit", "--append", "More."}, []string{"3 of 3", "lovel\r"}, 0, "changed"},
		{[]string{"mv"}, []string{"3 of 3", "lovel\r", "Move notes:people/ada to:", "people/lovelace\r"}, 0, "people/lovelace"},
	} {
		t.Run(strings.Join(tc.args, " ")+tc.keys[1], func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			u.write(t, "notes/people/ada.md", "# Ada Lovelace\n\nWrote the first program.\n")
			u.write(t, "notes/people/babbage.md", "# Babbage\n\nThe analytical engine.\n")
			u.write(t, "notes/machines/engine.md", "# Babbage's engine\n\nThe engine of Babbage.\n")
			if _, errout, code := u.run(t.Context(), "space", "add", "notes"); code != 0 {
				t.Fatal(errout)
			}
			u.types(t, tc.keys...)
			out, _, code := u.run(t.Context(), tc.args...)
			if code != tc.code || !strings.Contains(out, tc.out) {
				t.Errorf("exit code %d, want %d; standard output is\n%s", code, tc.code, out)
			}
		})
	}
}

// Without a person at both ends nothing is drawn: the command needs its argument.
func TestPickNeedsAPerson(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*user){
		"no terminal":    func(u *user) { u.env.StdinTTY = false },
		"into a file":    func(u *user) { u.env.StderrTTY = false },
		"an agent":       func(u *user) { u.env.Getenv = with(u.env.Getenv, "CLAUDECODE", "1") },
		"a dumb one":     func(u *user) { u.env.Getenv = with(u.env.Getenv, "TERM", "dumb") },
		"a named author": func(u *user) { u.env.Getenv = with(u.env.Getenv, "CAIRN_ACTOR", "agent:me") },
	} {
		u := newUser(t)
		change(u)
		for _, args := range [][]string{{"get"}, {"edit"}, {"mv"}} {
			if _, errout, code := u.run(t.Context(), args...); code != 2 || !strings.Contains(errout, "needs REF") {
				t.Errorf("%s: %v ends with %d and %q", name, args, code, errout)
			}
		}
	}
}
