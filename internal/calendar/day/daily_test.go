package day_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	daily "github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Where a day's note is, the program that made the directory says.
func TestPath(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct{ file, text, ext, want string }{
		"nothing":           {"", "", ".md", "daily/2026-11-23.md"},
		"org":               {"", "", ".org", "daily/2026-11-23.org"},
		"obsidian":          {".obsidian/app.json", "{}", ".md", "2026-11-23.md"},
		"obsidian, set":     {".obsidian/daily-notes.json", `{"folder": "Journal/", "format": "YYYY/MM/YYYY-MM-DD ddd", "template": "t"}`, ".md", "Journal/2026/11/2026-11-23 Mon.md"},
		"obsidian, empty":   {".obsidian/daily-notes.json", `{"autorun": true}`, ".md", "2026-11-23.md"},
		"logseq":            {"logseq/config.edn", "{:meta/version 1}", ".md", "journals/2026_11_23.md"},
		"logseq, set":       {"logseq/config.edn", "{;; :journals-directory \"no\"\n :journals-directory \"days\"\n :journal/file-name-format \"yyyy-MM-dd EEE 'at' do\"\n :preferred-format :org}", ".md", "days/2026-11-23 Mon at 23rd.org"},
		"dendron":           {"dendron.yml", "version: 5\n", ".md", "daily.journal.2026.11.23.md"},
		"dendron, set":      {"dendron.yml", "workspace:\n    vaults:\n        - fsPath: .\n          name: mine\n    journal:\n        dailyDomain: log\n        name: 'day'\n        dateFormat: y-MM-dd\n    scratch:\n        name: scratch\n        dateFormat: y\n", ".md", "log.day.2026-11-23.md"},
		"foam":              {".foam/x", "", ".md", "journals/2026-11-23.md"},
		"foam, set":         {".vscode/settings.json", "{\n  // \"foam.openDailyNote.directory\": \"no\",\n  \"foam.openDailyNote.directory\": \"journal\",\n  \"foam.openDailyNote.filenameFormat\": \"'daily-note'-yyyy-mm-dd ddd\",\n}", ".md", "journal/daily-note-2026-11-23 Mon.md"},
		"foam, template":    {".foam/templates/daily-note.md", "---\nfoam_template:\n  filepath: '/log/${FOAM_DATE_YEAR}/$FOAM_DATE_MONTH-$FOAM_DATE_DATE.md'\n---\n", ".md", "log/2026/11-23.md"},
		"another editor":    {".vscode/settings.json", "{}", ".md", "daily/2026-11-23.md"},
		"logseq, old style": {"logseq/config.edn", `{:preferred-format "Markdown"}`, ".org", "journals/2026_11_23.md"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tc.file != "" {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(tc.file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, tc.file), []byte(tc.text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			p, err := readPattern(t, dir)
			if got := p.Path(day, tc.ext); err != nil || got != tc.want {
				t.Errorf("%s, want %s: %v", got, tc.want, err)
			}
		})
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".obsidian"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".obsidian/daily-notes.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readPattern(t, dir); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("settings that are no JSON: %v", err)
	}
}

func readPattern(t *testing.T, dir string) (daily.Pattern, error) {
	t.Helper()
	files, err := fsys.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	}()
	return daily.Read(context.Background(), files)
}

func TestFill(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	now := time.Date(2026, 11, 25, 9, 5, 0, 0, time.UTC)
	got := daily.Fill("# {{title}}\n{{date}} {{ time }} {{date:dddd}} {{time:HH}} {{other}}", day, now, "T")
	if want := "# T\n2026-11-23 09:05 Monday 09 {{other}}"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		p          daily.Pattern
		org        bool
		text, want string
	}{
		{daily.Pattern{}, false, " Call Ada.\n", "Call Ada."},
		{daily.Pattern{}, true, "Call Ada.", "* Call Ada."},
		{daily.Pattern{}, true, "** Deeper", "** Deeper"},
		{daily.Pattern{Outline: true}, false, "Call Ada.\nSoon.", "- Call Ada.\n  Soon."},
		{daily.Pattern{Outline: true}, false, "- Call Ada.", "- Call Ada."},
		{daily.Pattern{Outline: true}, true, "Call Ada.", "* Call Ada."},
	} {
		if got := tc.p.Block(tc.text, tc.org); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.p, got, tc.want)
		}
	}
}
