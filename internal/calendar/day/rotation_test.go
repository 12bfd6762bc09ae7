package day_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/presets"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// rules are those of a space with a page of the day, which begins at four in Berlin.
const rules = `id = "7655a114-538a-51ea-b901-b74aa64beadb"
name = "k"
time_zone = "Europe/Berlin"

[day]
boundary = 4

[[rotate]]
page = "state/today.md"
to = "state/yesterday.md"
carry = ["Handoff"]
record = "journal/{date}.md"
keep = "inbox/{date}-today.md"
text = """
---
date: {date}
---
# Today

## Log

## Handoff
"""
`

// bed is a directory whose pages turn over.
type bed struct {
	*apptest.Bed
	app   *memory.Session
	clock *apptest.Clock
	root  string
}

func newBed(t *testing.T, policy string, now time.Time) *bed {
	t.Helper()
	b := &bed{Bed: apptest.New(t)}
	b.clock = b.Clock(now, 0)
	b.root = b.Dir("k", map[string]string{".cairn/space.toml": policy})
	b.Opts.Space = "k"
	b.app = b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), b.app, space.AddRequest{Root: b.root, Accept: true}))(t)
	return b
}

// at sets the clock by Berlin's.
func (b *bed) at(text string) {
	b.T.Helper()
	zone := apptest.OK(time.LoadLocation("Europe/Berlin"))(b.T)
	b.clock.Set(apptest.OK(time.ParseInLocation("2006-01-02 15:04", text, zone))(b.T))
}

// write is what an editor does.
func (b *bed) write(name, text string) {
	b.T.Helper()
	b.Dir("k", map[string]string{name: text})
}

// files are the documents on the disk.
func (b *bed) files() map[string]string {
	b.T.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(b.root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		rel := apptest.OK(filepath.Rel(b.root, name))(b.T)
		out[filepath.ToSlash(rel)] = string(apptest.OK(os.ReadFile(name))(b.T))
		return nil
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return out
}

// read reads the page of the day as an agent does.
func (b *bed) read() string {
	b.T.Helper()
	return apptest.OK(read.Get(b.T.Context(), b.app, read.GetRequest{Ref: "k:state/today"}))(b.T).Text
}

func rotationDay(date, log, handoff string) string {
	text := "---\ndate: " + date + "\n---\n# Today\n\n## Log\n"
	if log != "" {
		text += "\n" + log + "\n"
	}
	text += "\n## Handoff\n"
	if handoff != "" {
		text += "\n" + handoff + "\n"
	}
	return text
}

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// Whoever reads or writes first turns the day over, once. Texts are copied byte for
// byte, what was handed off goes on, and what nobody recorded stays as a file.
func TestADayTurnsOver(t *testing.T) {
	t.Parallel()
	b := newBed(t, rules, noon)
	ctx := t.Context()
	if got := b.read(); got != rotationDay("2026-11-25", "", "") {
		t.Fatalf("the first day: %q", got)
	}
	apptest.OK(change.EditPage(ctx, b.app, change.EditRequest{Ref: "k:state/today", Edits: []doc.Edit{
		doc.Append{Section: "Log", Text: "- wove"}, doc.Append{Section: "Handoff", Text: "- warp the loom"},
	}}))(t)
	first := b.files()["state/today.md"]

	b.at("2026-11-26 03:59")
	if got := b.read(); got != first {
		t.Errorf("before the day begins: %q", got)
	}
	b.at("2026-11-26 04:00")
	apptest.OK(change.EditPage(ctx, b.app, change.EditRequest{Ref: "k:state/today", Edits: []doc.Edit{doc.Append{Section: "Log", Text: "- second"}}}))(t)
	want := map[string]string{"state/yesterday.md": first, "state/today.md": rotationDay("2026-11-26", "- second", "- warp the loom")}
	if diff := cmp.Diff(want, b.files()); diff != "" {
		t.Errorf("the second day, begun by a write: %s", diff)
	}

	// The journal of the first day is missing, so that its text stays.
	second := b.files()["state/today.md"]
	b.at("2026-11-27 09:00")
	b.read()
	want = map[string]string{
		"state/today.md": rotationDay("2026-11-27", "", "- warp the loom"), "state/yesterday.md": second, "inbox/2026-11-25-today.md": first,
	}
	if diff := cmp.Diff(want, b.files()); diff != "" {
		t.Errorf("the third day: %s", diff)
	}
	// That of the second is there, and days were missed.
	b.write("journal/2026-11-26.md", "A day.\n")
	b.write("state/today.md", rotationDay("2026-11-27", "- third", ""))
	b.at("2026-12-03 04:00")
	r := apptest.OK(jobs.Maintain(ctx, b.app, jobs.MaintainRequest{Jobs: []string{"rotate"}}))(t)
	if r.Items[0].State != api.JobDone || len(r.Items[0].Rotated) != 1 || r.Items[0].Next.Sub(b.clock.Last()) != 24*time.Hour {
		t.Errorf("%+v", r.Items[0])
	}
	want["journal/2026-11-26.md"] = "A day.\n"
	want["state/yesterday.md"], want["state/today.md"] = rotationDay("2026-11-27", "- third", ""), rotationDay("2026-12-03", "", "")
	if diff := cmp.Diff(want, b.files()); diff != "" {
		t.Errorf("after days that were missed: %s", diff)
	}
	history := apptest.OK(history.List(ctx, b.app, history.ListRequest{Ref: "k:state/today"}))(t).Items
	if history[0].Actor != string(kb.Schedule) || history[0].Op != "rotate" {
		t.Errorf("%+v", history[0])
	}
	if r := apptest.OK(jobs.Maintain(ctx, b.app, jobs.MaintainRequest{Jobs: []string{"rotate"}}))(t); r.Items[0].State != api.JobWaiting {
		t.Errorf("again: %+v", r.Items[0])
	}

	// A day on which nothing was written leaves no copy.
	b.at("2026-12-04 04:00")
	b.read()
	b.at("2026-12-05 04:00")
	b.read()
	b.at("2026-12-06 04:00")
	b.read()
	got := slices.Sorted(maps.Keys(b.files()))
	if diff := cmp.Diff([]string{"inbox/2026-11-25-today.md", "inbox/2026-11-27-today.md", "journal/2026-11-26.md", "state/today.md", "state/yesterday.md"}, got); diff != "" {
		t.Errorf("after days without work: %s", diff)
	}
}

// A memory that is made anew of the files goes on with the same day, and ends it alike.
func TestARebuildGivesTheSameDay(t *testing.T) {
	t.Parallel()
	b := newBed(t, rules, noon)
	for i, moment := range []string{"2026-11-24 12:00", "2026-11-25 12:00", "2026-11-26 12:00"} {
		b.at(moment)
		b.read()
		b.write("state/today.md", strings.Replace(b.files()["state/today.md"], "## Log\n", fmt.Sprint("## Log\n\n- line ", i, "\n"), 1))
	}
	b.read()
	anew := newBed(t, rules, noon)
	for name, text := range b.files() {
		anew.write(name, text)
	}
	for _, moment := range []string{"2026-11-26 13:00", "2026-11-27 04:00", "2026-11-28 04:00"} {
		for _, x := range []*bed{b, anew} {
			x.at(moment)
			x.read()
		}
		if diff := cmp.Diff(b.files(), anew.files()); diff != "" {
			t.Errorf("%s: %s", moment, diff)
		}
	}
	if n := len(b.files()); n != 5 { // of three days in the inbox
		t.Errorf("%d files", n)
	}
}

// What an editor or a wrong clock leaves is set right, and no text is lost.
func TestDatesThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ now, text, want string }{
		"none":           {"2026-11-25 12:00", "# Today\n\n## Log\n\n- wove\n", "---\ndate: 2026-11-25\n---\n\n# Today\n\n## Log\n\n- wove\n"},
		"no date":        {"2026-11-25 12:00", "---\ndate: soon\nkept: yes\n---\n\nText.\n", "---\ndate: 2026-11-25\nkept: yes\n---\n\nText.\n"},
		"tomorrow":       {"2026-11-25 12:00", rotationDay("2026-11-26", "- in Tokyo", ""), rotationDay("2026-11-26", "- in Tokyo", "")},
		"in two days":    {"2026-11-25 12:00", rotationDay("2026-11-27", "- wove", ""), rotationDay("2026-11-25", "- wove", "")},
		"in a year":      {"2026-11-25 12:00", rotationDay("2027-11-25", "- wove", ""), rotationDay("2026-11-25", "- wove", "")},
		"with a comment": {"2026-11-25 12:00", "---\ndate: 2027-11-25 # set\n---\nText.\n", "---\ndate: 2026-11-25 # set\n---\nText.\n"},
		"before 4":       {"2026-11-25 03:59", rotationDay("2026-11-24", "- wove", ""), rotationDay("2026-11-24", "- wove", "")},
	} {
		b := newBed(t, rules, noon)
		b.write("state/today.md", tt.text)
		b.at(tt.now)
		if got := b.read(); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
		if _, turned := b.files()["state/yesterday.md"]; turned {
			t.Errorf("%s: the day was turned over", name)
		}
	}
}

// What cannot be read or written is said, keeps its bytes, and stops nobody.
func TestADayThatCannotBeTurned(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"metadata that is no map": "---\n- date: 2026-11-20\n---\nText.\n",
		"a merge":                 "---\ndate: 2026-11-20\n---\n<<<<<<< a\nText.\n=======\nOther.\n>>>>>>> b\n",
	} {
		b := newBed(t, rules, noon)
		b.write("state/today.md", text)
		b.write("a.md", "A.\n")
		if got := apptest.OK(read.Get(t.Context(), b.app, read.GetRequest{Ref: "k:a"}))(t).Text; got != "A.\n" {
			t.Errorf("%s: %q", name, got)
		}
		r := apptest.OK(jobs.Maintain(t.Context(), b.app, jobs.MaintainRequest{Jobs: []string{"rotate"}}))(t).Items[0]
		if r.State != api.JobFailed || !strings.Contains(r.Failures[0].Message, "state/today.md could not be turned over") {
			t.Errorf("%s: %+v", name, r)
		}
		if got := b.files()["state/today.md"]; got != text {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A policy that cannot be read is why nothing is done, and not that it says nothing of days.
func TestAPolicyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	b := newBed(t, rules, noon)
	b.write(".cairn/space.toml", strings.Replace(rules, "Europe/Berlin", "Mars/Phobos", 1))
	r := apptest.OK(jobs.Maintain(t.Context(), b.app, jobs.MaintainRequest{Jobs: []string{"rotate"}}))(t).Items[0]
	if r.State != api.JobWaiting || !strings.Contains(r.Reason, "a policy cannot be read") {
		t.Errorf("%+v", r)
	}
}

// A page that says its id keeps it, and its copies do not say it.
func TestIDsStay(t *testing.T) {
	t.Parallel()
	const id = "3f0c4d6e-95f0-4e0f-8a5e-6f6e2f5b8a11"
	b := newBed(t, rules, noon)
	b.write("state/today.md", "---\nid: "+id+"\ndate: 2026-11-24\n---\nText.\n")
	if got := b.read(); !strings.Contains(got, "id: "+id) || strings.Contains(got, "Text") {
		t.Errorf("today: %q", got)
	}
	if got, want := b.files()["state/yesterday.md"], "---\ndate: 2026-11-24\n---\nText.\n"; got != want {
		t.Errorf("yesterday: %q", got)
	}
}

// The page of a week, in other words, in a database, and in Org.
func TestAWeekInAnotherLanguage(t *testing.T) {
	t.Parallel()
	const german = `format = "org"

[[rotate]]
page = "woche.org"
to = "vorwoche.org"
every = "week"
key = "tag"
carry = ["Offen"]
keep = "archiv/{week}.org"
text = "#+title: Woche {week}\n\n* Getan\n\n* Offen\n"
`
	b := &bed{Bed: apptest.New(t)}
	b.clock = b.Clock(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), 0)
	b.app = b.Open()
	b.Opts.Space = "w"
	ctx := t.Context()
	apptest.OK(gitsync.AddSpace(ctx, b.app, space.AddRequest{Name: "w", Database: true}))(t)
	apptest.OK(presets.Rewrite(ctx, b.app, space.RewriteRequest{Name: "w", Text: []byte(german)}))(t)
	get := func(ref string) string {
		t.Helper()
		return apptest.OK(read.Get(ctx, b.app, read.GetRequest{Ref: ref}))(t).Text
	}
	// Whatever reads first in the space begins the week.
	apptest.OK(read.Search(ctx, b.app, retrieve.SearchRequest{Query: "x", Sync: true}))(t)
	if got := get("w:woche"); !strings.Contains(got, "Woche 2026-W48") || !strings.Contains(got, "2026-11-25") {
		t.Fatalf("%q", got)
	}
	apptest.OK(change.EditPage(ctx, b.app, change.EditRequest{Ref: "w:woche", Edits: []doc.Edit{doc.Append{Section: "Offen", Text: "- Kette"}}}))(t)
	first := get("w:woche")
	b.clock.Set(time.Date(2026, 11, 29, 23, 59, 0, 0, time.UTC))
	if get("w:woche") != first {
		t.Error("the week is over on Sunday")
	}
	b.clock.Set(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC))
	if got := get("w:woche"); !strings.Contains(got, "Woche 2026-W49") || !strings.Contains(got, "- Kette") || get("w:vorwoche") != first {
		t.Errorf("%q", got)
	}
	apptest.OK(change.EditPage(ctx, b.app, change.EditRequest{Ref: "w:woche", Edits: []doc.Edit{doc.Append{Section: "Getan", Text: "- Schuss"}}}))(t)
	b.clock.Set(time.Date(2026, 12, 7, 0, 0, 0, 0, time.UTC))
	get("w:woche")
	if got := apptest.OK(retrieve.Pages(ctx, b.app, retrieve.ListRequest{Limit: 10}))(t); got.Total != 2 {
		t.Errorf("%d pages: what was open in the first week is still", got.Total)
	}
	b.clock.Set(time.Date(2026, 12, 14, 0, 0, 0, 0, time.UTC))
	get("w:woche")
	if got := get("w:archiv/2026-W49"); !strings.Contains(got, "- Schuss") {
		t.Errorf("%q", got)
	}
}

// A diary that was written before the day was over does not replace it, a handoff is
// carried once, and text without a section goes to the log.
func TestADayIsKeptWhereItsRecordIsOlder(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := newBed(t, strings.Replace(rules, `carry = ["Handoff"]`, `carry = ["Handoff"]`+"\n"+`into = "Plan"`+"\n"+
		`add = [{ name = "log", section = "Log", line = "- {text}" }]`, 1), noon)
	b.app = b.Open()
	text := "---\ndate: {date}\n---\n# Today\n\n## Plan\n\n## Log\n\n## Handoff\n"
	policy := filepath.Join(b.root, ".cairn", "space.toml")
	with := strings.Replace(string(apptest.OK(os.ReadFile(policy))(t)), "# Today\n\n## Log", "# Today\n\n## Plan\n\n## Log", 1)
	if err := os.WriteFile(policy, []byte(with), 0o600); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.AddSpace(ctx, b.app, space.AddRequest{Root: b.root, Accept: true}))(t)
	day := func(date, plan, log, handoff string) string {
		out := strings.Replace(text, "{date}", date, 1)
		for heading, body := range map[string]string{"Plan": plan, "Log": log, "Handoff": handoff} {
			if body != "" {
				out = strings.Replace(out, "## "+heading+"\n", "## "+heading+"\n\n"+body+"\n", 1)
			}
		}
		return out
	}
	add := func(section, text string) {
		t.Helper()
		apptest.OK(change.EditPage(ctx, b.app, change.EditRequest{Ref: "k:state/today", Edits: []doc.Edit{doc.Append{Section: section, Text: text}}}))(t)
	}
	b.read()
	b.at("2026-11-25 19:00")
	add("", "- early")
	add("Handoff", "- warp")
	b.at("2026-11-25 20:00")
	b.write("journal/2026-11-25.md", "The day so far.\n")
	apptest.OK(gitsync.Sync(ctx, b.app, gitsync.SyncRequest{}))(t)
	b.at("2026-11-25 23:00")
	add("", "- late")
	first := day("2026-11-25", "", "- early\n- late", "- warp")
	if diff := cmp.Diff(first, b.files()["state/today.md"]); diff != "" {
		t.Fatal(diff)
	}

	b.at("2026-11-26 09:00")
	if got, want := b.read(), day("2026-11-26", "- warp", "", ""); got != want {
		t.Errorf("the handoff of yesterday: %s", cmp.Diff(want, got))
	}
	add("", "- second")
	b.at("2026-11-27 09:00")
	b.write("journal/2026-11-26.md", "All of the day.\n")
	apptest.OK(gitsync.Sync(ctx, b.app, gitsync.SyncRequest{}))(t)
	if got, want := b.read(), day("2026-11-27", "", "", ""); got != want {
		t.Errorf("the handoff of the day before yesterday: %s", cmp.Diff(want, got))
	}
	if got := b.files()["inbox/2026-11-25-today.md"]; got != first {
		t.Errorf("the day with the late entry is not kept: %q", got)
	}
	b.at("2026-11-28 09:00")
	b.read()
	if got, kept := b.files()["inbox/2026-11-26-today.md"]; kept {
		t.Errorf("a day is kept that its record covers: %q", got)
	}
	b.at("2026-11-29 09:00")
	b.read()
	if got, kept := b.files()["inbox/2026-11-27-today.md"]; kept {
		t.Errorf("a day is kept in which nobody wrote: %q", got)
	}

	// A record and a later line of an editor that one sync finds.
	b.write("journal/2026-11-29.md", "The day so far.\n")
	b.write("state/today.md", day("2026-11-29", "", "- late", "")) // the later file
	b.at("2026-11-30 09:00")
	apptest.OK(gitsync.Sync(ctx, b.app, gitsync.SyncRequest{}))(t)
	b.read()
	b.at("2026-12-01 09:00")
	b.read()
	if got := b.files()["inbox/2026-11-29-today.md"]; !strings.Contains(got, "- late") {
		t.Errorf("the day with a line of an editor is not kept: %q", got)
	}
}

// An editor that saves the page of a past day after the rotation does not keep the day
// from turning, with a schedule only as well.
func TestAStaleSaveIsTurnedAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := newBed(t, rules, noon)
	b.read()
	stale := rotationDay("2026-11-25", "- wove", "")
	b.write("state/today.md", stale)
	apptest.OK(jobs.Maintain(ctx, b.app, jobs.MaintainRequest{}))(t)
	b.at("2026-11-26 04:01")
	apptest.OK(jobs.Maintain(ctx, b.app, jobs.MaintainRequest{}))(t)
	b.at("2026-11-26 04:20")
	b.write("state/today.md", strings.Replace(stale, "- wove\n", "- wove\n- more\n", 1))
	b.app = b.Open() // the next run of a timer
	b.at("2026-11-26 04:40")
	apptest.OK(jobs.Maintain(ctx, b.app, jobs.MaintainRequest{}))(t)
	files := b.files()
	if !strings.Contains(files["state/today.md"], "date: 2026-11-26\n") || !strings.Contains(files["state/yesterday.md"], "- wove\n- more\n") {
		t.Errorf("today: %q, yesterday: %q", files["state/today.md"], files["state/yesterday.md"])
	}
}

// The text of a newer day returns when an editor saves a past day over it; what was saved
// replaces the past day, and a handoff that is new in it is added to the plan.
func TestANewerDayReturns(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := newBed(t, rules, noon)
	b.read()
	stale := rotationDay("2026-11-25", "- wove", "- warp")
	b.write("state/today.md", stale)
	b.at("2026-11-26 05:00")
	add := func(text string) {
		t.Helper()
		apptest.OK(change.EditPage(ctx, b.app, change.EditRequest{Ref: "k:state/today", Edits: []doc.Edit{doc.Append{Section: "Log", Text: text}}}))(t)
	}
	add("- second")
	b.at("2026-11-26 10:00")
	stale = strings.Replace(stale, "- warp\n", "- warp\n- cut\n", 1)
	b.write("state/today.md", stale)
	want := map[string]string{"state/today.md": rotationDay("2026-11-26", "- second", "- warp\n- cut"), "state/yesterday.md": stale}
	b.read()
	if diff := cmp.Diff(want, b.files()); diff != "" {
		t.Errorf("after the save: %s", diff)
	}
	b.at("2026-11-26 11:00")
	b.write("state/today.md", stale) // once more
	b.read()
	if diff := cmp.Diff(want, b.files()); diff != "" {
		t.Errorf("after another: %s", diff)
	}

	// Nobody looks until the next day, which begins with what the newer one handed off.
	b.at("2026-11-26 23:00")
	b.write("state/today.md", stale)
	b.at("2026-11-27 09:00")
	b.read()
	want = map[string]string{
		"inbox/2026-11-25-today.md": stale, "state/yesterday.md": want["state/today.md"], "state/today.md": rotationDay("2026-11-27", "", "- warp\n- cut"),
	}
	if diff := cmp.Diff(want, b.files()); diff != "" {
		t.Errorf("the next day: %s", diff)
	}
	add("- third")
	want["state/today.md"] = rotationDay("2026-11-27", "- third", "- warp\n- cut")

	// The page of the past day has its day, too.
	b.at("2026-11-27 10:00")
	b.write("state/yesterday.md", strings.Replace(stale, "- wove\n", "- wove\n- bleached\n", 1))
	want["inbox/2026-11-25-today.md"] = b.files()["state/yesterday.md"]
	apptest.OK(gitsync.Sync(ctx, b.app, gitsync.SyncRequest{}))(t)
	if diff := cmp.Diff(want, b.files()); diff != "" {
		t.Errorf("over yesterday: %s", diff)
	}
	b.at("2026-11-28 09:00")
	b.read()
	if got := b.files()["inbox/2026-11-26-today.md"]; got != want["state/yesterday.md"] {
		t.Errorf("the day is not kept: %q", got)
	}
	r := apptest.OK(history.List(ctx, b.app, history.ListRequest{Ref: "k:state/today"}))(t)
	if !slices.ContainsFunc(r.Items, func(v api.Version) bool {
		return v.Message == "state/today.md is of 2026-11-26 again: the text of 2026-11-25 was saved over it and is in state/yesterday.md"
	}) {
		t.Errorf("%+v", r.Items)
	}
}

// A file that an editor has emptied is left to it; if it stays empty, its day goes on.
func TestAnEmptyPage(t *testing.T) {
	t.Parallel()
	b := newBed(t, rules, noon)
	b.read()
	first := rotationDay("2026-11-25", "- wove", "")
	b.write("state/today.md", first)
	b.read()
	b.at("2026-11-26 04:00")
	empty := func(at time.Time) {
		t.Helper()
		b.write("state/today.md", "")
		if err := os.Chtimes(filepath.Join(b.root, "state", "today.md"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	empty(b.clock.Last())
	if got := b.read(); got != "" {
		t.Errorf("while the editor writes: %q", got)
	}
	b.clock.Set(b.clock.Last().Add(11 * time.Second)) // sooner than pages are looked at again
	b.read()
	if got, want := b.files(), map[string]string{"state/yesterday.md": first, "state/today.md": rotationDay("2026-11-26", "", "")}; !maps.Equal(got, want) {
		t.Errorf("empty for eleven seconds: %s", cmp.Diff(want, got))
	}
	empty(noon)
	b.at("2026-11-26 12:00")
	if got := b.read(); got != rotationDay("2026-11-26", "", "") {
		t.Errorf("emptied by day: %q", got)
	}
}

// The next day of a space without a zone begins in that of the machine.
func TestTheZoneOfTheMachine(t *testing.T) {
	t.Parallel()
	b := newBed(t, strings.Replace(rules, "time_zone", "# time_zone", 1), noon)
	b.at("2026-11-26 09:00")
	r := apptest.OK(jobs.Maintain(t.Context(), b.app, jobs.MaintainRequest{Jobs: []string{"rotate"}}))(t)
	if got, want := r.Items[0].Next, time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC); got == nil || !got.Equal(want) {
		t.Errorf("the next day begins at %s, want %s", got, want)
	}
}
