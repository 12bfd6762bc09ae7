package scenarios_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	layout "github.com/cairn-kb/cairn/internal/calendar/presets"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
	"github.com/cairn-kb/cairn/presets"
)

// upkeep is something that is done to a space beside the work of its users.
type upkeepCase struct {
	policy string            // "" for that of the preset context, with a few of its pages
	pages  map[string]string // those that there are
	days   int               // how long it is left alone before
	run    func(t *testing.T, s *scene) error
	parts  bool     // each page may be a write of its own, where one of all of them fails
	passes []string // pages that may be otherwise, or missing, for a moment
	step   int      // how many calls lie between two at which it stops; 0 for 1
	want   map[string]string
}

// job does one job of the schedule, and fails where the job does.
func job(name string) func(t *testing.T, s *scene) error {
	return func(t *testing.T, s *scene) error {
		r, err := jobs.Maintain(t.Context(), s.app, jobs.MaintainRequest{Jobs: []string{name}, Force: true})
		if err == nil && len(r.Items[0].Failures) > 0 {
			err = fsys.ErrCrashed
		}
		return err
	}
}

// laidOut are the pages of the preset context that these tests begin with.
var laidOut = []string{"_index.md", "identity/profile.md", "plans/roadmap.md", "policies/management.md"}

const turned = "name = \"notes\"\n[[rotate]]\npage = \"today.md\"\nto = \"yesterday.md\"\ncarry = [\"Handoff\"]\nrecord = \"journal/{date}.md\"\nkeep = \"inbox/{date}-today.md\"\ntext = \"---\\ndate: {date}\\n---\\n# Today\\n\\n## Log\\n\\n## Handoff\\n\"\n"

var upkeeps = map[string]upkeepCase{
	"rotation": {
		policy: turned, days: 3, run: job("rotate"),
		pages: map[string]string{
			"today.md":     "---\ndate: 2026-06-01\n---\n# Today\n\n## Log\n\n- wove\n\n## Handoff\n\n- warp\n",
			"yesterday.md": "---\ndate: 2026-05-31\n---\n# Today\n\n## Log\n\n- spun\n\n## Handoff\n",
			"a.md":         "[[today]]\n",
		},
		want: map[string]string{"today.md": "- warp", "yesterday.md": "- wove", "inbox/2026-05-31-today.md": "- spun"},
	},
	"pages that go": {
		policy: "name = \"notes\"\n[[retention.page]]\npaths = [\"scratch/*.md\"]\nage = \"48h\"\n[[retention.page]]\npaths = [\"weekly/*.md\"]\nage = \"48h\"\nto = \"old\"\n",
		days:   3, run: job("expire"), parts: true,
		pages: map[string]string{
			"scratch/a.md": "A.\n", "scratch/b.md": "---\nx: 1\n---\nB.\n", "weekly/w.md": "[[a]]\n", "hub.md": "[w](weekly/w.md) [[b]]\n",
		},
		want: map[string]string{"old/w.md": "[[a]]", "hub.md": "old/w.md"},
	},
	"sections that go": {
		policy: "name = \"notes\"\n[[retention.section]]\npage = \"agent.md\"\nheading = \"Weekly {week}\"\nkeep = 1\n[[retention.section]]\npage = \"activity/*.md\"\nheading = \"{date}\"\ndays = 2\n",
		days:   3, run: job("expire"), parts: true,
		pages: map[string]string{
			"agent.md":         "# Log\r\n\n## Weekly 2026-W21\n\nold\n\n## Weekly 2026-W22\n\nnew\n\n## Other\n",
			"activity/mail.md": "# Mail\n\n## 2026-06-01\n\nread\n\n## 2026-06-04\n\nsent\n", "activity/b.md": "## 2026-05-01\n\nx\n",
		},
		want: map[string]string{"agent.md": "new", "activity/mail.md": "sent"},
	},
	"regions": {
		policy: "name = \"notes\"\n[[region]]\npage = \"_index.md\"\nshow = \"catalog\"\n[[region]]\npage = \"e/*/_index.md\"\nshow = \"tree\"\ntext = \"# {name}\\n\\n<!-- reconciler-section -->\\n<!-- /reconciler-section -->\\n\"\n",
		run:    job("regions"), parts: true, passes: []string{"_index.md"}, // which lists the pages that are made
		pages: map[string]string{
			"_index.md": "# Mine\r\n<!-- reconciler-section -->\nold\n<!-- /reconciler-section -->\nmine, too", "e/work/a.md": "# Alpha\n", "e/home/b.md": "# Beta\n",
		},
		want: map[string]string{"_index.md": "mine, too", "e/work/_index.md": "Alpha", "e/home/_index.md": "Beta"},
	},
	"migration": {
		passes: laidOut, step: 5, // they give way first
		pages: map[string]string{
			"user/profile.md": "# Ada\n\n[[rules/mcp]]\n", "roadmap.md": "---\ndate: 2026-05-01\n---\n# Plan\n\n## Annual Goals\n\n## Quarterly Focus\n\n## Long-term Plans\n\n## Agent Action Plan\n\n## Recurring\n\n## Mine\n", "rules/mcp.md": "# MCP\n",
			"context-index.md": "# Index\n\nEverything hangs together.\n", "daily/2026-05-01.md": "no frontmatter\n", "hub.md": "[p](user/profile.md)\n",
		},
		run: func(t *testing.T, s *scene) error {
			_, err := layout.Migrate(t.Context(), s.app, layout.MigrateRequest{Bring: []layout.Brought{{From: "integrations.md", To: "policies/integrations", Text: []byte("# Ours\n")}}})
			return err
		},
		want: map[string]string{
			"identity/profile.md": "# Ada", "plans/roadmap.md": "## Mine", "policies/mcp.md": "# MCP", "_index.md": "Everything hangs together.",
			"journal/daily/2026-05-01.md": "no frontmatter", "hub.md": "identity/profile.md", "policies/integrations.md": "# Ours",
		},
	},
}

// vault is a bed of a space that something is about to be done to.
func (u upkeepCase) bed(t *testing.T) *faultBed {
	t.Helper()
	begin := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	now := begin
	clock := func() time.Time { return now }
	b := &faultBed{root: apptest.OK(filepath.EvalSymlinks(t.TempDir()))(t), now: clock, files: fsys.NewMem(clock), extra: fsys.NewMem(clock)}
	if err := os.Mkdir(filepath.Join(b.root, "notes"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := b.scene(t)
	add := space.AddRequest{Root: filepath.Join(b.root, "notes"), Name: "notes"}
	if u.policy == "" {
		add.Preset = "context"
		s.app.Presets = apptest.Presets{List: func(string) []string { return laidOut }, Read: presets.File}
	}
	apptest.OK(gitsync.AddSpace(t.Context(), s.app, add))(t)
	for name, text := range u.pages {
		for i, c := range name {
			if err := s.files.Mkdir(name[:i], 0o755); c == '/' && err != nil && !errors.Is(err, fs.ErrExist) {
				t.Fatal(err)
			}
		}
		replace(t, s.files, name, text)
	}
	apptest.OK(gitsync.Sync(t.Context(), s.app, gitsync.SyncRequest{Space: "notes", Full: true}))(t)
	if u.policy == "" {
		apptest.OK(read.Get(t.Context(), s.app, read.GetRequest{Ref: "hub"}))(t) // begins the day
	} else {
		replace(t, s.files, ".cairn/space.toml", u.policy)
		apptest.Accept(t, s.app, "notes")
	}
	apptest.OK(backup.Compact(t.Context(), s.app))(t)
	if err := s.app.Close(); err != nil {
		t.Fatal(err)
	}
	s.app = nil
	b.db, b.files = apptest.OK(os.ReadFile(s.opts.DB))(t), s.files
	s.close()
	now = begin.AddDate(0, 0, u.days)
	return b
}

// documents are the files of the space that users see.
func (s *scene) documents() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	tree(s.t, s.files, ".", func(name, text string) {
		if !strings.HasPrefix(name, ".cairn/") {
			out[name] = text
		}
	})
	return out
}

// What is done beside the work of users is stopped before every call to the file system or
// the memory, or one such call fails. The next process finds each page as it was or as it
// becomes, and as the memory says it; no text is lost; and doing it again does the rest,
// and then nothing.
func TestCrashOfUpkeep(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	step := slowtest.Step(41)
	for name, u := range upkeeps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bed := u.bed(t)
			s := bed.scene(t)
			before := s.documents()
			if err := u.run(t, s); err != nil {
				t.Fatal(err)
			}
			after := s.documents()
			s.close()
			for path, text := range u.want {
				if !strings.Contains(after[path], text) {
					t.Fatalf("undisturbed %s says %q, not %q", path, after[path], text)
				}
			}
			seen := map[string]int{}
			for n := 1; u.stopped(t, bed, n, n%3 == 0, before, after, seen) && !t.Failed(); n += step * max(u.step, 1) {
			}
			if step == 1 && (seen["before"] < 3 || seen["after"] < 3) {
				t.Errorf("%v: it stops at the wrong places", seen)
			}
		})
	}
}

// stopped stops it before the n-th call, or lets that call fail, and reports whether there
// are as many.
func (u upkeepCase) stopped(t *testing.T, bed *faultBed, n int, fails bool, before, after map[string]string, seen map[string]int) bool {
	t.Helper()
	s := bed.scene(t)
	defer s.close()
	what, keep := unflushed(n)
	if fails {
		what, keep = "fails", fsys.KeepAll
		s.count.arm(n, faultModes[0])
	} else {
		s.count.crash(n)
	}
	err := u.run(t, s)
	calls := s.count.disarm()
	s.reopened(keep)
	now := s.documents()
	rest := func(all map[string]string) map[string]string {
		all = maps.Clone(all)
		maps.DeleteFunc(all, func(path, _ string) bool { return fsys.IsTemp(path) || slices.Contains(u.passes, path) })
		return all
	}
	switch {
	case maps.Equal(rest(now), rest(before)):
		seen["before"]++
	case maps.Equal(rest(now), rest(after)):
		seen["after"]++
	case u.parts:
		seen["between"]++
		eitherWay(t, n, rest(now), rest(before), rest(after))
	default:
		t.Errorf("call %d, %s (%v): neither before nor after:\n%s", n, what, err, cmp.Diff(after, now))
	}
	s.agrees(n, now)
	s.keeps(n, before, now)
	if left := s.temps(); len(left) > 0 && !fails { // that could not be removed
		t.Errorf("call %d, %s: there are %q", n, what, left)
	}
	for range 2 {
		if err := u.run(t, s); err != nil {
			t.Errorf("call %d, %s: again: %v", n, what, err)
		}
		apptest.OK(gitsync.Sync(t.Context(), s.app, gitsync.SyncRequest{Space: "notes", Full: true}))(t)
		if diff := cmp.Diff(after, s.documents()); diff != "" {
			t.Errorf("call %d, %s: done again: %s", n, what, diff)
		}
	}
	if calls < n && err != nil {
		t.Error(err)
	}
	return calls >= n
}

// eitherWay checks that each page is as it was or as it becomes.
func eitherWay(t *testing.T, n int, now, before, after map[string]string) {
	t.Helper()
	all := slices.Concat(slices.Collect(maps.Keys(now)), slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)))
	for _, path := range all {
		text, there := now[path]
		old, was := before[path]
		fresh, becomes := after[path]
		if (there != was || text != old) && (there != becomes || text != fresh) {
			t.Errorf("call %d: %s is neither before nor after: %q", n, path, text)
		}
	}
}

// agrees checks that the memory says what the files do, and that nothing is left over.
func (s *scene) agrees(n int, files map[string]string) {
	s.t.Helper()
	var dump bytes.Buffer
	apptest.OK(doctor.Dump(s.t.Context(), s.app, &dump))(s.t)
	for line := range bytes.Lines(dump.Bytes()) {
		var page struct{ Path, Hash string }
		if err := json.Unmarshal(line, &page); err != nil {
			s.t.Fatal(err)
		}
		if text, there := files[page.Path]; !there || page.Hash != fmt.Sprintf("%x", sha256.Sum256([]byte(text))) {
			s.t.Errorf("call %d: the memory has another %s", n, page.Path)
		}
	}
	if said := bytes.Count(dump.Bytes(), []byte("\n")); said != len(files)-len(s.temps()) {
		s.t.Errorf("call %d: the memory has %d pages of %d", n, said, len(files))
	}
	if left := apptest.OK(apptest.Unfinished(s.t.Context(), s.app))(s.t); left != 0 {
		s.t.Errorf("call %d: %d writes are unfinished", n, left)
	}
}

// keeps checks that each text stands in a file, or in the history of its page.
func (s *scene) keeps(n int, before, now map[string]string) {
	s.t.Helper()
	texts := slices.Collect(maps.Values(now))
	history := apptest.OK(history.Recent(s.t.Context(), s.app, history.RecentRequest{Since: "2026-01-01", All: true, Limit: 1000}))(s.t).Items
	for path, text := range before {
		if slices.Contains(texts, text) {
			continue
		}
		found := false
		for _, v := range history {
			if v.Path != path {
				continue
			}
			old, err := read.Get(s.t.Context(), s.app, read.GetRequest{Ref: string(v.Page), Version: v.Version})
			found = found || err == nil && old.Text == text
		}
		if !found {
			s.t.Errorf("call %d: what %s said is lost", n, path)
		}
	}
}
