package day_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// stays are where the user is in the course of the year, each with a change of its
// clocks, or a day that never was.
var stays = []struct{ zone, from string }{
	{"Australia/Lord_Howe", "2024-03-25"}, // half an hour
	{"Africa/Cairo", "2024-04-18"},        // midnight is missing
	{"Asia/Kathmandu", "2024-06-01"},
	{"America/Sao_Paulo", "2024-08-01"},
	{"Europe/Berlin", "2024-10-17"},
	{"America/New_York", "2024-10-30"},
	{"Asia/Kolkata", "2024-12-25"},
	{"America/St_Johns", "2025-03-01"},
}

// Apia's lost day is longer ago.
var apia = []struct{ zone, from string }{{"Pacific/Apia", "2011-12-24"}, {"Pacific/Kiritimati", "2012-01-05"}}

// A year of an agent and an editor who write when they like, over zones, hours at which
// days begin, days off and clocks that are wrong for a while. At any time all that was
// ever written stands in a file; no day begins twice, none goes back.
func TestAYear(t *testing.T) {
	t.Parallel()
	for name, where := range map[string][]struct{ zone, from string }{"a year": stays, "Apia": apia} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(20, 26))
			first, _ := dates.ParseDate(where[0].from)
			b := newBed(t, rules, dates.At(time.UTC, first, 12, 0))
			y := year{bed: b, random: random, wrong: map[string]bool{}}
			for i, stay := range where {
				from, _ := dates.ParseDate(stay.from)
				zone, ok := dates.Zone(stay.zone)
				if !ok {
					t.Fatal(stay.zone)
				}
				y.days = dates.Days{Zone: zone, Hour: random.IntN(24)}
				if there := dates.At(zone, from, random.IntN(24), random.IntN(60)); there.After(y.now) {
					y.now = there
				}
				b.write(".cairn/space.toml", strings.NewReplacer("Europe/Berlin", stay.zone, "boundary = 4", fmt.Sprintf("boundary = %d", y.days.Hour)).Replace(rules))
				for n := range 22 {
					y.step(i*100 + n)
				}
			}
			y.once()
		})
	}
}

type year struct {
	*bed
	random *rand.Rand
	days   dates.Days
	now    time.Time
	said   []string        // all that was ever written
	wrong  map[string]bool // days on which a clock was
}

// step lets time pass, has somebody write, and checks what must be true.
func (y *year) step(n int) {
	y.T.Helper()
	y.now = y.now.Add(time.Duration(1+y.random.IntN(20)) * time.Hour)
	if y.random.IntN(12) == 0 {
		y.now = y.now.Add(time.Duration(y.random.IntN(7*24)) * time.Hour)
	}
	shown := y.now
	if y.random.IntN(15) == 0 {
		shown = shown.AddDate(1, 0, 0) // a clock that is wrong until the next step
		is := y.days.Of(y.now)
		y.wrong[is.String()], y.wrong[(is+1).String()] = true, true
	}
	y.clock.Set(shown)
	ctx, word := y.T.Context(), fmt.Sprintf("- word%05d", n)
	today := filepath.Join(y.root, "state", "today.md")
	switch y.random.IntN(4) {
	case 0:
		apptest.OK(change.EditPage(ctx, y.app, change.EditRequest{Ref: "k:state/today", Edits: []doc.Edit{doc.Append{Section: "Log", Text: word}}}))(y.T)
		y.said = append(y.said, word)
	case 1: // an editor, which knows nothing of days
		if text, err := os.ReadFile(today); err == nil {
			y.write("state/today.md", strings.Replace(string(text), "## Log\n", "## Log\n"+word+"\n", 1))
			y.said = append(y.said, word)
		}
	case 2: // the journal of the day before, as a person writes it
		before, err := os.ReadFile(filepath.Join(y.root, "state", "yesterday.md"))
		if date, ok := dated(string(before)); err == nil && ok {
			y.write("journal/"+date.String()+".md", string(before))
		}
	default:
		apptest.OK(jobs.Maintain(ctx, y.app, jobs.MaintainRequest{Jobs: []string{"rotate"}, Force: true}))(y.T)
	}
	before := y.files()
	text := y.read()
	now := y.files()
	date, ok := dated(text)
	if is := y.days.Of(shown); !ok || date != is && date != is+1 {
		y.T.Fatalf("%d: on the %s of %s it is of %s", n, is, y.days.Zone, date)
	}
	all := ""
	for path, text := range now {
		all += text
		if strings.HasPrefix(path, "journal/") && text != before[path] {
			y.T.Fatalf("%d: %s was touched", n, path)
		}
	}
	for _, word := range y.said {
		if !strings.Contains(all, word) {
			y.T.Fatalf("%d: %s is lost", n, word)
		}
	}
}

// once checks that each day took over from the one before it once, by the history.
func (y *year) once() {
	y.T.Helper()
	seen := map[string]bool{}
	for _, v := range apptest.OK(history.List(y.T.Context(), y.app, history.ListRequest{Ref: "k:state/yesterday", Limit: 1000}))(y.T).Items {
		if strings.Contains(v.Message, " is state/yesterday.md now") {
			_, date, _ := strings.Cut(v.Message, " of ")
			date, _, _ = strings.Cut(date, " ")
			if seen[v.Message] && !y.wrong[date] {
				y.T.Errorf("twice: %s", v.Message)
			}
			seen[v.Message] = true
		}
	}
	if len(seen) < 10 {
		y.T.Errorf("%d days", len(seen))
	}
}

func dated(text string) (dates.Date, bool) {
	_, rest, _ := strings.Cut(text, "date: ")
	date, _, _ := strings.Cut(rest, "\n")
	return dates.ParseDate(date)
}

// Servers, maintain and agents that look at the same moment turn the day over once.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t, rules, noon)
	b.read()
	b.write("state/today.md", rotationDay("2026-11-25", "- wove", ""))
	b.at("2026-11-26 04:00")
	var wg sync.WaitGroup
	for i := range 4 {
		a := b.Open()
		wg.Go(func() {
			var err error
			switch i {
			case 0:
				_, err = jobs.Maintain(t.Context(), a, jobs.MaintainRequest{Jobs: []string{"rotate"}})
			case 1:
				_, err = change.EditPage(t.Context(), a, change.EditRequest{Ref: "k:state/today", Edits: []doc.Edit{doc.Append{Section: "Log", Text: "- second"}}})
			default:
				_, err = read.Get(t.Context(), a, read.GetRequest{Ref: "k:state/today"})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	files := b.files()
	if got := files["state/yesterday.md"]; got != rotationDay("2026-11-25", "- wove", "") {
		t.Errorf("yesterday: %q", got)
	}
	if got := files["state/today.md"]; got != rotationDay("2026-11-26", "- second", "") {
		t.Errorf("today: %q", got)
	}
	if n := len(apptest.OK(history.List(t.Context(), b.app, history.ListRequest{Ref: "k:state/yesterday"}))(t).Items); n != 1 {
		t.Errorf("%d versions of yesterday", n)
	}
}
