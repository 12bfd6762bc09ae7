package daily_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/daily"
	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestFormat(t *testing.T) {
	at := time.Date(2026, 1, 3, 15, 4, 5, 678e6, time.FixedZone("", 3600)) // a Saturday
	for format, want := range map[string]string{
		"YYYY-MM-DD":              "2026-01-03",
		"YYYY/MM-MMMM/DD dddd":    "2026/01-January/03 Saturday",
		"dddd, MMMM Do YYYY":      "Saturday, January 3rd 2026",
		"ddd DD MMM YY":           "Sat 03 Jan 26",
		"GGGG-[W]WW E":            "2026-W01 6",
		"gggg-ww d dd":            "2026-01 6 Sa",
		"[Daily] D.M.":            "Daily 3.1.",
		"HH:mm:ss h:mm A a H k":   "15:04:05 3:04 PM pm 15 15",
		"Q DDD DDDD SSS X ZZ":     "1 3 003 678 1767449045 +0100",
		"YYYYMMDDHHmmss":          "20260103150405",
		"日记 YYYY年M月D日":            "日记 2026年1月3日",
		"Mo Qo Wo wo do DDDo \\D": "1st 1st 1st 1st 6th 3rd D",
	} {
		if got := daily.Format(format, at); got != want {
			t.Errorf("%q writes %q, want %q", format, got, want)
		}
	}
	for day, want := range map[string]string{"2025-12-27": "2025-52", "2025-12-28": "2026-01", "2026-01-04": "2026-02", "2024-01-01": "2024-01"} {
		d, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		if got := daily.Format("gggg-ww", d); got != want {
			t.Errorf("%s is in the week %s, want %s", day, got, want)
		}
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 22: "22nd", 23: "23rd"} {
		if got := daily.Format("Do", time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC)); got != want {
			t.Errorf("the day %d is %q", n, got)
		}
	}
}

// Where a day's note is, the program that made the directory says.
func TestPath(t *testing.T) {
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
			p, err := read(t, dir)
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
	if _, err := read(t, dir); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("settings that are no JSON: %v", err)
	}
}

func read(t *testing.T, dir string) (daily.Pattern, error) {
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
	day := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	now := time.Date(2026, 11, 25, 9, 5, 0, 0, time.UTC)
	got := daily.Fill("# {{title}}\n{{date}} {{ time }} {{date:dddd}} {{time:HH}} {{other}}", day, now, "T")
	if want := "# T\n2026-11-23 09:05 Monday 09 {{other}}"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBlock(t *testing.T) {
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

func FuzzFormat(f *testing.F) {
	f.Add("YYYY-MM-DD[x] SSSSSSSSS \\", int64(0))
	f.Fuzz(func(_ *testing.T, format string, at int64) {
		daily.Format(format, time.Unix(at%1e10, 0).UTC())
	})
}
