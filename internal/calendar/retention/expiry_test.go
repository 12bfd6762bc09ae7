package retention_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

const rules = `id = "7655a114-538a-51ea-b901-b74aa64beadb"
name = "k"

[[retention.page]]
paths = ["scratch/keep-*.md"]
age = "2w"

[[retention.page]]
paths = ["scratch/*.md"]
age = "48h"

[[retention.page]]
paths = ["weekly/*.md"]
age = "365d"
to = "old"

[[retention.page]]
paths = ["drop/**"]
age = "48h"

[[retention.section]]
page = "agent.md"
heading = "Weekly {week}"
keep = 2
max_bytes = 60

[[retention.section]]
page = "activity/*.md"
heading = "{date}"
days = 90
`

type bed struct {
	*apptest.Bed
	app   *memory.Session
	clock *apptest.Clock
	root  string
}

// newBed is a directory with files that were changed at a time.
func newBed(t *testing.T, now time.Time, files map[string]string) *bed {
	t.Helper()
	b := &bed{Bed: apptest.New(t)}
	b.clock = b.Clock(now, 0)
	b.root = b.Dir("k", map[string]string{".cairn/space.toml": rules})
	for name, text := range files {
		b.write(name, text)
	}
	b.Opts.Space = "k"
	b.app = b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), b.app, space.AddRequest{Root: b.root, Accept: true}))(t)
	apptest.OK(gitsync.Sync(t.Context(), b.app, gitsync.SyncRequest{}))(t)
	return b
}

// write is what an editor does.
func (b *bed) write(name, text string) {
	b.T.Helper()
	b.Dir("k", map[string]string{name: text})
	now := b.clock.Last()
	if err := os.Chtimes(filepath.Join(b.root, name), now, now); err != nil {
		b.T.Fatal(err)
	}
}

func (b *bed) expire(dryRun bool) api.JobReport {
	b.T.Helper()
	return apptest.OK(jobs.Maintain(b.T.Context(), b.app, jobs.MaintainRequest{Jobs: []string{"expire"}, Force: true, DryRun: dryRun}))(b.T).Items[0]
}

// has are those of the files that there are.
func (b *bed) has(names ...string) string {
	out := ""
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(b.root, name)); err == nil {
			out += name + " "
		}
	}
	return strings.TrimSpace(out)
}

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// Pages go to the hour, by the first rule that fits, and can be restored; a change begins
// their time anew, whoever made it.
func TestPagesGo(t *testing.T) {
	t.Parallel()
	names := []string{"scratch/a.md", "scratch/b.md", "scratch/keep-c.md", "weekly/2026-W48.md", "old/2026-W48.md", "d.md"}
	b := newBed(t, noon, map[string]string{names[0]: "A.\n", names[1]: "B.\n", names[2]: "C.\n", names[3]: "W.\n", "d.md": "[a](scratch/a.md)\n"})
	ctx := t.Context()
	b.clock.Set(noon.Add(47 * time.Hour))
	b.write("scratch/b.md", "B, edited.\n")
	apptest.OK(gitsync.Sync(ctx, b.app, gitsync.SyncRequest{}))(t)
	b.clock.Set(noon.Add(48*time.Hour - time.Second))
	if r := b.expire(false); len(r.Expired) != 0 {
		t.Errorf("a second too early: %+v", r)
	}
	b.clock.Set(noon.Add(48 * time.Hour))
	if r := b.expire(true); len(r.Expired) != 1 || b.has("scratch/a.md") == "" {
		t.Errorf("a dry run: %+v", r)
	}
	if r := b.expire(false); r.State != api.JobDone || len(r.Expired) != 1 || r.Expired[0].Page != "scratch/a.md" || r.Did != "1 page; k: scratch/a.md deleted" {
		t.Errorf("%+v", r)
	}
	if got, want := b.has(names...), "scratch/b.md scratch/keep-c.md weekly/2026-W48.md d.md"; got != want {
		t.Errorf("after 48 hours there are %s, not %s", got, want)
	}
	if r := b.expire(false); len(r.Expired) != 0 {
		t.Errorf("again: %+v", r)
	}
	apptest.OK(change.Restore(ctx, b.app, change.RestoreRequest{Ref: "k:scratch/a"}))(t)
	if got := string(apptest.OK(os.ReadFile(filepath.Join(b.root, "scratch/a.md")))(t)); got != "A.\n" {
		t.Errorf("restored: %q", got)
	}
	b.clock.Set(noon.Add(365 * 24 * time.Hour))
	b.expire(false)
	if got, want := b.has(names...), "old/2026-W48.md d.md"; got != want {
		// What was restored has the time of the disk, which is not that of the test.
		t.Errorf("after a year there are %s, not %s", got, want)
	}
}

// Where a rule is about all files of a directory, those that are not pages go as well.
func TestOtherFilesGo(t *testing.T) {
	t.Parallel()
	names := []string{"drop/mail.eml", "drop/in/b.txt", "drop/new.txt", "scratch/c.txt"}
	b := newBed(t, noon, map[string]string{names[0]: "M\n", names[1]: "B\n", names[3]: "C\n"})
	b.clock.Set(noon.Add(48*time.Hour - time.Second))
	b.write(names[2], "N\n")
	if r := b.expire(false); len(r.Expired) != 0 {
		t.Errorf("a second too early: %+v", r)
	}
	b.clock.Set(noon.Add(48 * time.Hour))
	if r := b.expire(true); len(r.Expired) != 2 || b.has(names[0]) == "" {
		t.Errorf("a dry run: %+v", r)
	}
	if r := b.expire(false); r.State != api.JobDone || len(r.Expired) != 2 {
		t.Errorf("%+v", r)
	}
	if got, want := b.has(names...), "drop/new.txt scratch/c.txt"; got != want {
		t.Errorf("after 48 hours there are %s, not %s", got, want)
	}
}

// A page that goes where one of its name is gets another one.
func TestPagesGoBesideOthers(t *testing.T) {
	t.Parallel()
	b := newBed(t, noon, map[string]string{"weekly/2026-W48.md": "W.\n", "old/2026-W48.md": "Before.\n"})
	b.clock.Set(noon.Add(365 * 24 * time.Hour))
	if r := b.expire(false); r.State != api.JobDone || len(r.Expired) != 1 || r.Expired[0].To != "old/2026-W48-2.md" {
		t.Errorf("%+v", r)
	}
	if got := string(apptest.OK(os.ReadFile(filepath.Join(b.root, "old/2026-W48.md")))(t)); got != "Before.\n" {
		t.Errorf("%q", got)
	}
	if got, want := b.has("weekly/2026-W48.md", "old/2026-W48-2.md"), "old/2026-W48-2.md"; got != want {
		t.Errorf("after a year there are %s, not %s", got, want)
	}
}

// An edit that no sync has seen keeps the page.
func TestAPageThatIsEdited(t *testing.T) {
	t.Parallel()
	b := newBed(t, noon, map[string]string{"scratch/a.md": "A.\n"})
	b.clock.Set(noon.Add(100 * time.Hour))
	b.write("scratch/a.md", "A, edited.\n")
	if r := b.expire(false); r.State != api.JobDone || len(r.Expired) != 0 {
		t.Errorf("%+v", r)
	}
	if got := string(apptest.OK(os.ReadFile(filepath.Join(b.root, "scratch/a.md")))(t)); got != "A, edited.\n" {
		t.Errorf("%q", got)
	}
}

// The newest sections stay by their dates, of doubles the last, and all else byte for
// byte; a large one is told of and stays whole.
func TestSectionsGo(t *testing.T) {
	t.Parallel()
	section := func(week int, text string) string { return fmt.Sprintf("## Weekly 2026-W%02d\n\n%s\n\n", week, text) }
	long := strings.Repeat("long ", 20)
	text := "---\nx: 1 # mine\n---\n# Log\r\n\n" + section(40, "first") + section(42, "doubled") + "## Other\n\nkept\n\n" + section(41, long) + section(42, "last") + section(39, "late") + "## Weekly 2026-W99x\n\nno week\n"
	want := "---\nx: 1 # mine\n---\n# Log\r\n\n" + "## Other\n\nkept\n\n" + section(41, long) + section(42, "last") + "## Weekly 2026-W99x\n\nno week\n"
	b := newBed(t, noon, map[string]string{"agent.md": text})
	r := b.expire(false)
	if len(r.Expired) != 1 || !cmp.Equal(r.Expired[0].Sections, []string{"Weekly 2026-W40", "Weekly 2026-W42", "Weekly 2026-W39"}) || len(r.Expired[0].Large) != 1 {
		t.Errorf("%+v", r)
	}
	if got := string(apptest.OK(os.ReadFile(filepath.Join(b.root, "agent.md")))(t)); got != want {
		t.Errorf("%s", cmp.Diff(want, got))
	}
	r = b.expire(false)
	if len(r.Expired) != 1 || r.Expired[0].Changes() || r.Did != "0 pages; k: agent.md: Weekly 2026-W41, 122 bytes, is large" {
		t.Errorf("again: %+v", r)
	}
	v := apptest.OK(history.List(t.Context(), b.app, history.ListRequest{Ref: "k:agent"}))(t).Items
	if v[0].Actor != string(kb.Schedule) || v[0].Op != "expire" {
		t.Errorf("%+v", v[0])
	}
	apptest.OK(change.EditPage(t.Context(), b.app, change.EditRequest{Ref: "k:agent", Edits: []doc.Edit{doc.Append{Text: section(50, "new")}}}))(t)
	if r := b.expire(false); !cmp.Equal(r.Expired[0].Sections, []string{"Weekly 2026-W41"}) {
		t.Errorf("a third: %+v", r)
	}
}

// What stays of a page that is not plain UTF-8 stays byte for byte, too.
func TestSectionsGoInEveryEncoding(t *testing.T) {
	t.Parallel()
	text := "# Caf\u00e9\n\n## 2026-08-26\n\ntoo old\n\n## Notes\n\nkept\n"
	want := strings.Replace(text, "## 2026-08-26\n\ntoo old\n\n", "", 1)
	for _, enc := range []doc.Encoding{doc.UTF8BOM, doc.Latin1, doc.UTF16LE, doc.UTF16BE} {
		encoded := func(s string) string { return string(apptest.OK(doc.Encode([]byte(s), enc))(t)) }
		b := newBed(t, noon, map[string]string{"activity/mail.md": encoded(text)})
		b.expire(false)
		if got := string(apptest.OK(os.ReadFile(filepath.Join(b.root, "activity/mail.md")))(t)); got != encoded(want) {
			t.Errorf("%s: %q", enc, got)
		}
	}
}

// A section that holds another one of a date does not go.
func TestSectionsWithinSections(t *testing.T) {
	t.Parallel()
	text := "# Weekly 2026-W01\n\n## Weekly 2026-W02\n\na\n\n## Weekly 2026-W03\n\nb\n\n## Weekly 2026-W04\n\nc\n"
	b := newBed(t, noon, map[string]string{"agent.md": text})
	b.expire(false)
	want := "# Weekly 2026-W01\n\n## Weekly 2026-W03\n\nb\n\n## Weekly 2026-W04\n\nc\n"
	if got := string(apptest.OK(os.ReadFile(filepath.Join(b.root, "agent.md")))(t)); got != want {
		t.Errorf("%q", got)
	}
}

// Sections go by their age in days, of every page that a glob fits; several of one date stay.
func TestSectionsGoByAge(t *testing.T) {
	t.Parallel()
	text := "# Mail\n\n## 2026-08-26\n\ntoo old\n\n## 2026-08-27\n\na\n\n## 2026-11-25\n\nb\n\n## 2026-11-25\n\nc\n\n## Notes\n\nkept\n"
	b := newBed(t, noon, map[string]string{"activity/mail.md": text, "activity/calendar.md": text, "activity/deep/x.md": text})
	r := b.expire(true)
	if len(r.Expired) != 2 || r.Expired[0].Page != "activity/calendar.md" || !cmp.Equal(r.Expired[1].Sections, []string{"2026-08-26"}) {
		t.Errorf("a dry run: %+v", r)
	}
	b.expire(false)
	want := strings.Replace(text, "## 2026-08-26\n\ntoo old\n\n", "", 1)
	for name, want := range map[string]string{"activity/mail.md": want, "activity/calendar.md": want, "activity/deep/x.md": text} {
		if got := string(apptest.OK(os.ReadFile(filepath.Join(b.root, name)))(t)); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if r := b.expire(false); len(r.Expired) != 0 {
		t.Errorf("again: %+v", r)
	}
	b.clock.Set(noon.Add(24 * time.Hour))
	if r := b.expire(false); len(r.Expired) != 2 || !cmp.Equal(r.Expired[0].Sections, []string{"2026-08-27"}) {
		t.Errorf("a day later: %+v", r)
	}
}
