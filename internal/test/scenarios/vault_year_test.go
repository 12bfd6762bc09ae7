package scenarios_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/knowledge/inbox"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// stays are where the user of a vault is in the course of a year: zones of half and quarter
// hours, with clocks that are set by half an hour, and at midnight.
var stays = []struct{ zone, from string }{
	{"Australia/Lord_Howe", "2024-03-20"}, {"Africa/Cairo", "2024-04-18"}, {"Asia/Kathmandu", "2024-06-01"},
	{"America/Sao_Paulo", "2024-08-01"}, {"America/Asuncion", "2024-09-20"}, {"Europe/Berlin", "2024-10-17"}, {"Asia/Kolkata", "2024-12-25"}, {"America/St_Johns", "2025-02-20"},
	{"", "2025-03-25"},
}

// Apia's lost day is longer ago.
var apia = []struct{ zone, from string }{{"Pacific/Apia", "2011-12-20"}, {"Pacific/Kiritimati", "2012-01-10"}, {"", "2012-02-10"}}

// A simulated year of a context vault, with its agents, its user's editor and its schedule;
// of zones, of every hour at which days may begin, of days off and of clocks that are wrong.
// At every moment all that was written into a day is in a file; pages and sections go when
// their time is over, not before; nothing else changes what others wrote; and no day is
// turned over twice.
func TestAYearOfAVault(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	for name, where := range map[string][]struct{ zone, from string }{"a year": stays, "Apia": apia} {
		if name != "Apia" && !slowtest.On() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, _ := dates.ParseDate(where[0].from)
			y := newVault(t, dates.At(time.UTC, first, 12, 0), uint64(len(where)))
			for i, stay := range where[:len(where)-1] {
				until, _ := dates.ParseDate(where[i+1].from)
				y.stay(stay.zone, dates.At(time.UTC, until, 0, 0))
			}
			y.once()
			for _, what := range []string{"log", "editor", "journal", "revision", "scratch", "scratch again", "weekly", "section", "activity", "inbox", "done", "page", "captured", "by hand", "expired", "wrong clock"} {
				if y.did[what] == 0 && name != "Apia" {
					t.Errorf("never %s", what)
				}
			}
			if name != "Apia" && len(y.hours) != 24 {
				t.Errorf("days began at %v", slices.Sorted(maps.Keys(y.hours)))
			}
		})
	}
}

type vaultYear struct {
	*apptest.Bed
	app, agent *memory.Session
	clock      *apptest.Clock
	rng        *rand.Rand
	root       string
	policy     string // text of the preset's
	days       dates.Days
	now        time.Time // what it is, whatever the clock shows
	shown      time.Time // what the clock shows
	n          int
	said       []string             // what was written into days
	young      map[string]time.Time // when pages that go were changed last, by path
	wrong      map[string]bool      // dates on which a clock was wrong
	did        map[string]int
	hours      map[int]bool
}

// newVault is a vault at a time.
func newVault(t *testing.T, now time.Time, seed uint64) *vaultYear {
	y := &vaultYear{
		Bed: apptest.New(t), rng: rand.New(rand.NewPCG(20, seed)), now: now, shown: now,
		young: map[string]time.Time{}, wrong: map[string]bool{}, did: map[string]int{}, hours: map[int]bool{},
	}
	y.clock = y.Clock(y.now, 0)
	y.root = y.Dir("context", nil)
	y.Opts.Space = "context"
	y.app = y.Open()
	if err := os.Mkdir(y.root, 0o700); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), y.app, space.AddRequest{Root: y.root, Name: "context", Preset: "context"}))(t)
	y.agent = y.app.For(memory.Caller{Space: "context", Actor: kb.Actor{Kind: kb.Agent, Name: "x"}})
	y.policy = y.read(".cairn/space.toml")
	return y
}

func (y *vaultYear) file(name string) string { return filepath.Join(y.root, filepath.FromSlash(name)) }

// read returns the text of a file, "" where it is missing.
func (y *vaultYear) read(name string) string {
	text, err := os.ReadFile(y.file(name))
	if err != nil && !os.IsNotExist(err) {
		y.T.Fatal(err)
	}
	return string(text)
}

// edit is what an editor does.
func (y *vaultYear) edit(name, text string) {
	y.T.Helper()
	y.Dir("context", map[string]string{name: text})
	y.touched(name)
}

// touched has a file changed at the time that the clock shows, and not at that of the machine.
func (y *vaultYear) touched(name string) {
	y.T.Helper()
	if err := os.Chtimes(y.file(name), y.shown, y.shown); err != nil {
		y.T.Fatal(err)
	}
}

// files are the documents on the disk.
func (y *vaultYear) files() map[string]string {
	y.T.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(y.root), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".md" {
			out[name] = y.read(name)
		}
		return err
	})
	if err != nil {
		y.T.Fatal(err)
	}
	return out
}

// stay lets time pass in a zone. After a fortnight days begin at another hour.
func (y *vaultYear) stay(zone string, until time.Time) {
	z, ok := dates.Zone(zone)
	if !ok {
		y.T.Fatal(zone)
	}
	for i := 0; y.now.Before(until) && !y.T.Failed(); i++ {
		if i%14 == 0 {
			y.days = dates.Days{Zone: z, Hour: len(y.hours) % 24}
			y.hours[y.days.Hour] = true
			y.shown = y.now
			y.edit(".cairn/space.toml", fmt.Sprintf("time_zone = %q\n", zone)+strings.Replace(y.policy, "boundary = 4", fmt.Sprint("boundary = ", y.days.Hour), 1))
		}
		y.now = y.now.Add(time.Duration(4+y.rng.IntN(22)) * time.Hour)
		if y.rng.IntN(40) == 0 {
			y.now = y.now.Add(time.Duration(y.rng.IntN(9*24)) * time.Hour)
		}
		y.shown = y.now
		if y.rng.IntN(30) == 0 {
			y.shown = y.now.AddDate(1, 0, 0)
			for is := y.days.Of(y.now) - 1; is <= y.days.Of(y.now)+1; is++ {
				y.wrong[is.String()] = true
			}
			y.did["wrong clock"]++
		}
		y.clock.Set(y.shown)
		y.step()
	}
}

// step has somebody do something and then the schedule what is due, and checks what changed.
func (y *vaultYear) step() {
	y.T.Helper()
	ctx := y.T.Context()
	before := y.files()
	wrote := y.act()
	apptest.OK(gitsync.Sync(ctx, y.app, gitsync.SyncRequest{}))(y.T)
	r := apptest.OK(jobs.Maintain(ctx, y.app, jobs.MaintainRequest{Jobs: []string{"rotate", "expire", "regions"}}))(y.T)
	expired := false
	for _, j := range r.Items {
		if len(j.Failures) > 0 {
			y.T.Fatalf("%d: %+v", y.n, j)
		}
		expired = expired || j.Job == "expire" && j.State == api.JobDone
	}
	now := y.files()
	y.day(now)
	y.ages(now, expired)
	y.others(before, now, wrote, expired)
	if y.rng.IntN(10) == 0 {
		y.again(now)
	}
}

// act has somebody do something, and returns the paths of what they wrote.
func (y *vaultYear) act() (wrote []string) {
	y.T.Helper()
	y.n++
	word := fmt.Sprintf("word%05d", y.n)
	is := y.days.Of(y.shown)
	do := []string{
		"log", "editor", "journal", "revision", "scratch", "scratch again", "weekly", "section", "activity", "inbox", "done", "page", "captured", "by hand",
	}[y.rng.IntN(14)]
	put := func(name, text string) {
		y.T.Helper()
		apptest.OK(change.Put(y.T.Context(), y.agent, change.PutRequest{Ref: "context:" + strings.TrimSuffix(name, ".md"), Text: []byte(text), Overwrite: true}))(y.T)
		wrote = append(wrote, name)
		y.touched(name)
	}
	young := func() string { // one of the pages that go
		for _, name := range slices.Sorted(maps.Keys(y.young)) {
			if strings.HasPrefix(name, "state/scratch/") {
				return name
			}
		}
		return ""
	}
	switch do {
	case "log":
		kind := []string{"log", "task", "note"}[y.rng.IntN(3)]
		apptest.OK(day.AddToday(y.T.Context(), y.agent, day.TodayRequest{Kind: kind, Text: word}))(y.T)
		y.said = append(y.said, word)
	case "editor": // which knows nothing of days
		text := y.read("state/today.md")
		y.edit("state/today.md", strings.Replace(text, "## Handoff\n", "## Handoff\n\n- "+word+"\n", 1))
		y.said = append(y.said, word)
	case "journal":
		date, ok := dateIn(y.read("state/yesterday.md"))
		name := "journal/daily/" + date.String() + ".md"
		if !ok || y.read(name) != "" {
			return nil
		}
		var lines []string
		for line := range strings.Lines(y.read("state/yesterday.md")) {
			if strings.Contains(line, "word") {
				lines = append(lines, line)
			}
		}
		put(name, diary(date, strings.Join(lines, "")))
	case "revision": // an agent writes anew what the user has written into
		names := slices.Sorted(maps.Keys(y.files()))
		names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "journal/daily/") })
		if len(names) == 0 {
			return nil
		}
		name := names[len(names)-1]
		date, _ := dates.ParseDate(strings.TrimSuffix(path.Base(name), ".md"))
		y.edit(name, y.read(name)+"\nBy its user, "+word+".\n")
		y.said = append(y.said, word)
		put(name, diary(date, "Anew.\n"))
		if text := y.read(name); !strings.Contains(text, "## Agent revision — ") || !strings.Contains(text, "Anew.") {
			y.T.Errorf("%d: %s", y.n, text)
		}
	case "scratch", "scratch again":
		name := "state/scratch/" + is.String() + "-" + word + ".md"
		if do == "scratch again" {
			if name = young(); name == "" {
				return nil
			}
		}
		put(name, word+"\n")
		y.young[name] = y.shown
	case "weekly":
		year, week := is.Time().ISOWeek()
		name := fmt.Sprintf("journal/weekly/%04d-W%02d.md", year, week)
		put(name, word+"\n")
		y.young[name] = y.shown
	case "section":
		year, week := is.Time().ISOWeek()
		heading := fmt.Sprintf("Weekly %04d-W%02d", year, week)
		if y.rng.IntN(3) == 0 {
			heading = "Monthly " + is.Time().Format("2006-01")
		}
		apptest.OK(change.EditPage(y.T.Context(), y.agent, change.EditRequest{Ref: "context:journal/agent", Edits: []doc.Edit{doc.Append{Text: "## " + heading + "\n\n" + word}}}))(y.T)
		wrote = append(wrote, "journal/agent.md")
	case "activity":
		name := "state/activity/mail.md"
		put(name, cmp.Or(y.read(name), "# Mail\n")+"\n## "+is.String()+"\n\n"+word+"\n")
	case "inbox":
		put("state/inbox/"+is.String()+"-"+word+".md", word+"\n")
	case "done":
		for name := range y.files() {
			if strings.HasPrefix(name, "state/inbox/") && !strings.HasSuffix(name, "today.md") && !strings.Contains(name, "-today-") {
				apptest.OK(inbox.Done(y.T.Context(), y.agent, inbox.DoneRequest{Ref: "context:" + strings.TrimSuffix(name, ".md")}))(y.T)
				to := "state/scratch/inbox-" + path.Base(name)
				y.touched(to)
				y.young[to] = y.shown
				wrote = append(wrote, name, to)
				break
			}
		}
		if wrote == nil {
			return nil
		}
	case "page":
		name := []string{"plans/projects/", "knowledge/entities/work/meetings/", "knowledge/entities/health/notes/", "identity/health/"}[y.rng.IntN(4)] + word + ".md"
		put(name, "---\nstate: active\ntype: project\n---\n# "+word+"\n")
	case "captured":
		put("policies/management-captures/p"+fmt.Sprint(y.n%7)+".md", "---\nstatus: "+[]string{"active", "removed"}[y.rng.IntN(2)]+"\n---\n# "+word+"\n")
	case "by hand":
		name := []string{"_index.md", "identity/profile.md", "policies/management.md", "plans/projects/_index.md"}[y.rng.IntN(4)]
		y.edit(name, strings.Replace(y.read(name), "\n# ", "\n<!-- "+word+" -->\r\n# ", 1))
		wrote = append(wrote, name)
	}
	y.did[do]++
	return wrote
}

// diary is the journal of a day.
func diary(date dates.Date, summary string) string {
	return fmt.Sprintf("---\ndate: %s\nweekday: %s\ntype: daily\nowner: agent\nagent_generated: true\ncalendar_events: 0\nmessages_handled: 1\nupdated: %[1]sT08:00:00Z\n---\n\n"+
		"# %[1]s\n\n## Summary\n\n%[3]s\n## Schedule\n\n## Tasks\n\n## Conversations\n", date, date.Time().Weekday(), summary)
}

// day checks the page of the day, and that nothing that was written into one is lost.
func (y *vaultYear) day(now map[string]string) {
	y.T.Helper()
	date, ok := dateIn(now["state/today.md"])
	if is := y.days.Of(y.shown); !ok || date != is && date != is+1 {
		y.T.Errorf("%d: on the %s of %s it is of %s", y.n, is, y.days.Zone, date)
	}
	all := strings.Join(slices.Collect(maps.Values(now)), "\n")
	for _, word := range y.said {
		if !strings.Contains(all, word) {
			y.T.Errorf("%d: %s is lost", y.n, word)
		}
	}
}

// ages checks that pages went when their time was over, and not before.
func (y *vaultYear) ages(now map[string]string, expired bool) {
	y.T.Helper()
	for name, changed := range y.young {
		limit := 48 * time.Hour
		if strings.HasPrefix(name, "journal/") {
			limit = 365 * 24 * time.Hour
		}
		_, there := now[name]
		age := y.shown.Sub(changed)
		if over := expired && age >= limit; there == over {
			y.T.Errorf("%d: %s of %s is there: %t (looked: %t)", y.n, name, age, there, expired)
		}
		if !there {
			delete(y.young, name)
			y.did["expired"]++
		}
	}
}

// others checks that what nobody wrote is as it was, but for what the schedule makes.
func (y *vaultYear) others(before, now map[string]string, wrote []string, expired bool) {
	y.T.Helper()
	for name := range now {
		if strings.HasPrefix(name, "knowledge/entities/") && path.Base(name) == "_index.md" || strings.HasPrefix(name, "state/inbox/") && strings.Contains(name, "-today") {
			if before[name] == "" {
				wrote = append(wrote, name)
			}
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(now))) {
		was, is := unmade(before[name]), unmade(now[name])
		switch {
		case name == "state/today.md", name == "state/yesterday.md":
			continue
		case name == "journal/agent.md" || name == "state/activity/mail.md":
			if slices.Contains(wrote, name) {
				was = y.read(name)
			}
			if expired {
				was = y.trimmed(was)
			}
		case slices.Contains(wrote, name):
			continue
		case is == "" && (strings.HasPrefix(name, "state/scratch/") || strings.HasPrefix(name, "journal/weekly/")):
			continue // as ages allows it
		}
		if was != is {
			y.T.Errorf("%d: nobody wrote %s (%s, expired %t): %s", y.n, name, y.days.Of(y.shown), expired, diff.Diff(was, is))
		}
	}
}

// unmade is a text without what is made between the marks.
func unmade(text string) string {
	head, rest, found := strings.Cut(text, "<!-- reconciler-section -->")
	_, tail, closed := strings.Cut(rest, "<!-- /reconciler-section -->")
	if !found || !closed {
		return text
	}
	return head + "<>" + tail
}

// trimmed is a text without the sections whose time is over.
func (y *vaultYear) trimmed(text string) string {
	blocks := strings.SplitAfter(text, "\n## ")
	last, keep := map[string]int{}, map[string]bool{}
	label := func(i int) string { heading, _, _ := strings.Cut(blocks[i], "\n"); return heading }
	for i := 1; i < len(blocks); i++ {
		last[label(i)] = i
	}
	for kind, most := range map[string]int{"Weekly ": 12, "Monthly ": 24} {
		var of []string
		for l := range last {
			if strings.HasPrefix(l, kind) {
				of = append(of, l)
			}
		}
		slices.Sort(of)
		for _, l := range of[max(0, len(of)-most):] {
			keep[l] = true
		}
	}
	oldest := (y.days.Of(y.shown) - 90).String()
	var out []string
	for i, b := range blocks {
		l := label(i)
		_, err := time.Parse(time.DateOnly, l)
		if b = strings.TrimSuffix(b, "## "); i == 0 || keep[l] && last[l] == i || err == nil && l >= oldest {
			out = append(out, b)
		}
	}
	return strings.Join(out, "## ")
}

// again checks that what is made is not made again.
func (y *vaultYear) again(now map[string]string) {
	y.T.Helper()
	for range 2 {
		r := apptest.OK(jobs.Maintain(y.T.Context(), y.app, jobs.MaintainRequest{Jobs: []string{"rotate", "regions"}, Force: true}))(y.T)
		if d := diff.Diff(now, y.files()); d != "" || len(r.Items[0].Rotated)+len(r.Items[1].Rotated) > 0 {
			y.T.Errorf("%d: again: %+v %s", y.n, r.Items, d)
		}
	}
}

// once checks that each day took over from the one before it once, by the history.
func (y *vaultYear) once() {
	y.T.Helper()
	seen := map[string]bool{}
	for _, v := range apptest.OK(history.List(y.T.Context(), y.app, history.ListRequest{Ref: "context:state/yesterday", Limit: 1000}))(y.T).Items {
		from, _, turned := strings.Cut(strings.TrimPrefix(v.Message, "state/today.md of "), " is state/yesterday.md now")
		if !turned {
			continue
		}
		if seen[from] && !y.wrong[from] {
			y.T.Errorf("twice: %s", v.Message)
		}
		seen[from] = true
	}
	if len(seen) < 20 {
		y.T.Errorf("%d days", len(seen))
	}
}

func dateIn(text string) (dates.Date, bool) {
	_, rest, _ := strings.Cut(text, "\ndate: ")
	date, _, _ := strings.Cut(rest, "\n")
	return dates.ParseDate(date)
}
