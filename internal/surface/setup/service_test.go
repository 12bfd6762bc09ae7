package setup_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/setup"
)

// updating reports whether golden files are to be written: -update is a flag of the
// package's other tests.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

func TestGolden(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths are written as the system writes them")
	}
	for system, path := range map[string]string{
		"linux":  "/home/ada/.config/systemd/user/cairn.service",
		"darwin": "/home/ada/Library/LaunchAgents/io.github.cairn-kb.cairn.plist",
	} {
		s, err := setup.New(setup.Spec{
			OS: system, Home: "/home/ada", Grace: 10 * time.Second,
			Args: []string{"/opt/cairn & co/cairn", "serve", `--db=/home/ada/100% "mine" $HOME\m.db`, "--http=true"},
		})
		if err != nil || s.Path != path {
			t.Fatalf("%s: %q, %v", system, s.Path, err)
		}
		if system == "darwin" {
			for d := xml.NewDecoder(strings.NewReader(s.Text)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
		golden := filepath.Join("testdata", filepath.Base(path))
		if updating() {
			if err := os.WriteFile(golden, []byte(s.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != s.Text {
			t.Errorf("%s is not what is written (%v):\n%s", golden, err, s.Text)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, s := range []setup.Spec{
		{OS: "plan9", Home: "/home/ada", Args: []string{"/bin/cairn"}},
		{OS: "linux", Home: "/home/ada", Args: []string{"/bin/cairn", "--db=a\nExecStart=b"}},
		{OS: "linux", Home: "/home/ada", Args: []string{"/bin/cairn", "--db=a\x7fb"}},
		{OS: "darwin", Home: "/home/ada", Args: []string{"/bin/cairn", "--db=a\u0085b"}},
		{OS: "linux", Home: "/home/ada", Args: []string{"/bin/cairn", "--db=a\xffb"}},
	} {
		if _, err := setup.New(s); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%v: %v", s, err)
		}
	}
}

func TestInstallAndRemove(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	made := func(arg string) setup.Service {
		s, err := setup.New(setup.Spec{OS: "linux", Home: home, Config: filepath.Join(home, "conf"), Args: []string{"/bin/cairn", arg}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := made("serve")
	step := func(what string, do func() (bool, error), want bool) {
		t.Helper()
		if changed, err := do(); err != nil || changed != want {
			t.Errorf("%s: changed %t, %v", what, changed, err)
		}
	}
	remove := func() (bool, error) { return s.Remove(t.Context()) }
	step("removing nothing", remove, false)
	step("writing it", func() (bool, error) { return s.Install(t.Context()) }, true)
	step("writing it again", func() (bool, error) { return s.Install(t.Context()) }, false)
	step("writing another", func() (bool, error) { return made("other").Install(t.Context()) }, true)
	if text, err := os.ReadFile(s.Path); err != nil || !strings.Contains(string(text), "other") {
		t.Errorf("the file holds %q, %v", text, err)
	}
	step("removing it", remove, true)
	step("removing it again", remove, false)

	link := filepath.Join(filepath.Dir(s.Path), "default.target.wants", "cairn.service")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{s.Path, "../cairn.service"} {
		step("writing it", func() (bool, error) { return s.Install(t.Context()) }, true)
		if err := os.Symlink(target, link); err != nil {
			t.Skipf("no links here: %v", err)
		}
		step("removing it with the system's link", remove, true)
		if _, err := os.Lstat(link); err == nil {
			t.Errorf("the link to %s is still there", target)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		step("removing the link alone", remove, true)
	}
	other := filepath.Join(home, "cairn.service")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	step("leaving a link to another file", remove, false)
	if to, err := os.Readlink(link); err != nil || to != other {
		t.Errorf("a link of the person's leads to %q, %v", to, err)
	}

	if err := os.WriteFile(s.Path, []byte("[Unit]\n# mine; runs cairn serve\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Install(t.Context()); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("a file of the person's is replaced: %v", err)
	}
	if _, err := s.Remove(t.Context()); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("a file of the person's is removed: %v", err)
	}
}

// A timer of systemd's starts a unit that ends by itself, an agent of launchd's does it alone.
func TestTimer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths are written as the system writes them")
	}
	for system, names := range map[string][]string{
		"linux": {"cairn-maintain.service", "cairn-maintain.timer"}, "darwin": {"io.github.cairn-kb.cairn.maintain.plist"},
	} {
		all, err := setup.NewTimer(setup.Spec{OS: system, Home: "/home/ada", Args: []string{"/opt/cairn", "maintain", "--quiet"}}, 15*time.Minute)
		if err != nil || len(all) != len(names) {
			t.Fatalf("%s: %d files, %v", system, len(all), err)
		}
		for i, s := range all {
			golden := filepath.Join("testdata", names[i])
			if filepath.Base(s.Path) != names[i] {
				t.Errorf("%s is written, not %s", s.Path, names[i])
			}
			if updating() {
				if err := os.WriteFile(golden, []byte(s.Text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != s.Text {
				t.Errorf("%s is not what is written (%v):\n%s", golden, err, s.Text)
			}
		}
		if last := all[len(all)-1]; len(last.Start) == 0 || len(last.Stop) == 0 || len(last.Asked) == 0 {
			t.Errorf("%s: nothing says how it starts, stops and is asked: %+v", system, last)
		}
	}
	if _, err := setup.NewTimer(setup.Spec{OS: "plan9", Home: "/home/ada", Args: []string{"/opt/cairn"}}, time.Minute); kb.CodeOf(err) != kb.Usage {
		t.Errorf("of a system without timers: %v", err)
	}
}

func TestInstalled(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	all, err := setup.NewTimer(setup.Spec{OS: "linux", Home: home, Config: home, Args: []string{"/bin/cairn", "maintain"}}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	unit := all[1]
	is := func(when string, wantThere, wantCurrent, wantEnabled bool) {
		t.Helper()
		there, current, enabled, err := unit.Installed()
		if err != nil || there != wantThere || current != wantCurrent || enabled != wantEnabled {
			t.Errorf("%s: there %t, current %t, enabled %t, %v", when, there, current, enabled, err)
		}
	}
	is("before", false, false, false)
	if _, err := unit.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	is("written", true, true, false)
	link := filepath.Join(filepath.Dir(unit.Path), "timers.target.wants", filepath.Base(unit.Path))
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(unit.Path, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	is("enabled", true, true, true)
	unit.Text += "# of another version\n"
	is("of another version", true, false, true)
	if changed, err := unit.Remove(t.Context()); err != nil || !changed {
		t.Errorf("removed %t, %v", changed, err)
	}
	is("removed", false, false, false)
}
