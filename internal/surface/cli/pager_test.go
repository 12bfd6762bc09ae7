package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/surface/cli/commandtest"
	"github.com/cairn-kb/cairn/internal/surface/cli/scripttest"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// longNames is a directory of notes whose names and titles are wider than a
// terminal.
func longNames(t *testing.T, u *user) {
	t.Helper()
	dir := "notes/01 - Projects of the whole department/日本語のとても長いディレクトリ名/"
	for i := range 30 {
		u.write(t, fmt.Sprintf("%s%02d - The note with a rather long name 🗂️ number %d.md", dir, i, i),
			"---\ntype: observation\n---\n# A heading that is long enough to go beyond the end of any line of eighty cells\n\n"+
				"Stones "+strings.Repeat("and more stones ", 30)+"\n\n- leads_to [["+dir[6:]+"00 - The note with a rather long name 🗂️ number 0|the first note]]\n")
	}
}

func TestOutputFitsTheTerminal(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	longNames(t, u)
	columns := 80
	u.env.Window = func() terminal.Window { return terminal.Window{Columns: columns} }
	for _, width := range []int{80, 120} {
		columns = width
		for _, args := range [][]string{
			{"list"}, {"ls", "01 - Projects of the whole department/日本語のとても長いディレクトリ名"}, {"recent"}, {"space", "list"},
			{"search", "stones"}, {"query", "stones", "--mode", "fts"}, {"history", "00 - The note with a rather long name 🗂️ number 0"},
			{"links", "01 - The note with a rather long name 🗂️ number 1"}, {"backlinks", "00 - The note with a rather long name 🗂️ number 0"},
		} {
			out, errout, code := u.run(t.Context(), append(args, "--in", "notes")...)
			if code != 0 {
				t.Errorf("%q: exit code %d: %s", args, code, errout)
			}
			widest := 0
			for line := range strings.Lines(out) {
				widest = max(widest, ansi.StringWidth(strings.TrimSuffix(line, "\n")))
			}
			if widest > width || widest < 40 {
				t.Errorf("%q is %d wide at %d:\n%s", args, widest, width, out)
			}
		}
	}
	u.env.StdoutTTY = false // Window is not asked then
	out, _, _ := u.run(t.Context(), "list", "--sort", "slug", "--in", "notes", "--format", "human", "--limit", "1")
	if !strings.Contains(out, "01 - Projects of the whole department/日本語のとても長いディレクトリ名/00 - The note with a rather long name 🗂️ number 0") {
		t.Errorf("cut where there is no terminal:\n%s", out)
	}
}

func TestLinksReadAsInThePage(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(t, "notes/deep/other.org", ":PROPERTIES:\n:ID: 21111111-2222-4333-8444-555555555555\n:END:\n#+title: The other\n")
	u.write(t, "notes/a.org", "#+title: A\n[[id:21111111-2222-4333-8444-555555555555]] [[file:deep/other.org][its label]]\n")
	out, errout, _ := u.run(t.Context(), "links", "a", "--in", "notes", "--no-color")
	if !strings.Contains(out, "The other  notes:deep/other  ") || !strings.Contains(out, "  its label  ") || strings.Contains(out, "21111111") {
		t.Errorf("%s%s", out, errout)
	}
}

// What does not fit on the terminal goes through the pager, and nothing else.
func TestPager(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the pager of the test is a shell script")
	}
	u := newUser(t)
	longNames(t, u)
	u.write(t, "notes/short.md", "short\n")
	pager := filepath.Join(u.env.Dir, "pager")
	fsystest.WriteProgram(t, pager, "#!/bin/sh\necho \"paged with $LESS\"\nexec cat\n")
	vars := map[string]string{"HOME": u.env.Home, "TERM": "xterm-256color", "CAIRN_EMBED": "off", "PAGER": pager}
	u.env.Getenv = func(k string) string { return vars[k] }
	u.env.Window = func() terminal.Window { return terminal.Window{Columns: 80, Rows: 24} }
	for _, tt := range []struct {
		name   string
		change func()
		args   []string
		paged  bool
	}{
		{"list", nil, []string{"list"}, true},
		{"get", nil, []string{"get", "03 - The note with a rather long name 🗂️ number 3"}, false},
		{"query", nil, []string{"query", "stones", "--mode", "fts"}, true},
		{"help", nil, []string{"help", "search"}, true},
		{"short", nil, []string{"get", "short"}, false},
		{"a write", nil, []string{"put", "new", "text"}, false},
		{"JSON", nil, []string{"list", "--json"}, false},
		{"not wanted", nil, []string{"list", "--no-pager"}, false},
		{"no such pager", func() { vars["CAIRN_PAGER"] = "/no/such/pager" }, []string{"list"}, false},
		{"cat", func() { vars["CAIRN_PAGER"] = "cat" }, []string{"list"}, false},
		{"CAIRN_PAGER first", func() { vars["CAIRN_PAGER"], vars["PAGER"] = pager, "cat" }, []string{"list"}, true},
		{"no terminal", func() { u.env.StdoutTTY = false }, []string{"list", "--format", "human"}, false},
	} {
		if tt.change != nil {
			tt.change()
		}
		out, errout, code := u.run(t.Context(), append(tt.args, "--in", "notes")...)
		if paged := strings.HasPrefix(out, "paged with FRX\n"); paged != tt.paged || code != 0 || len(out) < 5 {
			t.Errorf("%s: code %d, paged %v\n%s%s", tt.name, code, paged, out, errout)
		}
	}
}

// minute is a time, and shortID the id of a page, as tables show them.
var (
	minute  = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)
	shortID = regexp.MustCompile(`cn-[0-9a-f]+`)
)

// What a person sees of a vault at 80 and at 120 columns.
func TestLooksOfTheTerminal(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(t, "notes/01 - Projects of the department/Atlas relaunch.md", "---\ntype: project\n---\n# Atlas relaunch\n\nThe relaunch of Atlas moves to staging first, as Ada decided.\nImports are retried three times.\n\n- [ ] Ask Ada about the budget of the relaunch, and whether it covers the search 📅 2026-12-01\n- [x] Move the imports\n\nThe launch is in spring.\n")
	u.write(t, "notes/02 - People whom we work with/Ada Lovelace.md", "---\ntype: person\naliases: [Ada]\n---\n# Ada Lovelace\n\n- works_on [[Atlas relaunch]]\n\nWrote the first program, for [[Atlas relaunch|the relaunch]].\n")
	u.write(t, "notes/03 - Decisions/2026-11-20 Deploys go through staging first.md", "---\ntype: decision\ndate: 2026-11-20\n---\n# Deploys go through staging first\n\nSo that [[Atlas relaunch]] breaks nothing.\n")
	u.write(t, "notes/04 - Minutes of the meetings of the board/2026-11-21 What the board asked about the budget.md", "# What the board asked about the budget\n\nAtlas relaunch costs more than [[The budget of the year before, as the board saw it]].\n")
	columns := 0
	u.env.Window = func() terminal.Window { return terminal.Window{Columns: columns} }
	shown := func(out string) string {
		out = minute.ReplaceAllString(commandtest.Plain(out), "2026-11-28 12:00")
		return shortID.ReplaceAllStringFunc(out, func(id string) string { return "cn-" + strings.Repeat("0", len(id)-len("cn-")) })
	}
	var seen strings.Builder
	for _, columns = range []int{80, 120} {
		for _, args := range [][]string{
			{"list", "--sort", "slug"}, {"recent"}, {"links", "Ada Lovelace"}, {"backlinks", "Atlas relaunch"}, {"links", "--unresolved"}, {"links", "--unlinked"}, {"backlinks", "Atlas relaunch", "--unlinked"}, {"map"}, {"tasks"},
			{"search", "relaunch"}, {"query", "--mode", "fts", "where does the relaunch go first?"}, {"query", "--mode", "fts", "--full", "who retries imports?"},
		} {
			out, errout, code := u.run(t.Context(), append(args, "--in", "notes", "--no-pager")...)
			if code != 0 {
				t.Fatalf("%q: exit code %d: %s", args, code, errout)
			}
			fmt.Fprintf(&seen, "== %d columns: cairn %s\n%s\n", columns, strings.Join(args, " "), shown(out))
		}
	}
	path := filepath.Join("testdata", "looks.txt")
	if *scripttest.Update {
		if err := os.WriteFile(path, []byte(seen.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), seen.String()); diff != "" {
		t.Errorf("-want +got, -update writes it:\n%s", diff)
	}
}
