package scenarios_test

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// wrongMoments are when the editor of a context vault opens a page, and saves it with a line
// more. Between, an agent writes at 5:00 and at 21:00 of each day, and something looks at
// 4:00. Days begin at four.
var wrongMoments = []struct {
	name        string
	page        string
	ago         int    // days between opening and saving
	opens       string // hour and minute
	saves       string
	clock       time.Duration // by which the clock is set back for the time of the save
	empty       bool          // it empties the file first, and something looks
	unseen      bool          // nothing looks until the agent writes again
	nextMorning bool          // nothing looks, and the agent does not write, until the next day
}{
	{name: "just before the rotation", opens: "03:58", saves: "03:59"},
	{name: "as the day begins, over the new page", opens: "03:59", saves: "04:00"},
	{name: "before anything looks", opens: "03:59", saves: "04:01", unseen: true},
	{name: "between the rotation and the first write", opens: "03:00", saves: "04:30"},
	{name: "over the morning", ago: 1, opens: "22:00", saves: "10:00"},
	{name: "over midnight", ago: 1, opens: "23:59", saves: "00:01"},
	{name: "over the evening", ago: 1, opens: "22:00", saves: "23:30", nextMorning: true},
	{name: "after three days", ago: 3, opens: "09:00", saves: "09:00"},
	{name: "the page of yesterday", page: "state/yesterday.md", ago: 1, opens: "12:00", saves: "12:00"},
	{name: "the page of yesterday after days", page: "state/yesterday.md", ago: 4, opens: "12:00", saves: "22:00"},
	{name: "an empty file at the rotation", opens: "03:59", saves: "04:00", empty: true},
	{name: "an empty file by day", opens: "14:00", saves: "14:00", empty: true},
	{name: "with the clock an hour back", opens: "03:30", saves: "04:10", clock: time.Hour},
	{name: "with the clock two days back", ago: 1, opens: "20:00", saves: "16:00", clock: 48 * time.Hour},
}

// A month of a context vault, over the day on which clocks are set forward or back, with an
// editor that saves at the wrong moment: after each look all that was written is in a file,
// the page of the day has its date, and no day is kept twice.
func TestAMonthOfWrongMoments(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	for _, from := range []string{"2027-03-05", "2027-10-09"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			zone := apptest.OK(time.LoadLocation("Europe/Berlin"))(t)
			first, _ := dates.ParseDate(from)
			y := newVault(t, dates.At(zone, first, 12, 0), 1)
			y.days = dates.Days{Zone: zone, Hour: 4}
			y.edit(".cairn/space.toml", "time_zone = \"Europe/Berlin\"\n"+y.policy)
			m := month{vaultYear: y}
			for i := range 30 {
				m.day(first+1+dates.Date(i), i)
			}
			if n := len(m.said); n < 80 {
				t.Errorf("%d lines were written", n)
			}
		})
	}
}

type month struct {
	*vaultYear
	opened [8]map[string]string // texts by page and time, of the days before, newest first
}

// day has a day pass from four in the morning to four of the next, with one of wrongMoments.
func (m *month) day(date dates.Date, i int) {
	at := wrongMoments[i%len(wrongMoments)]
	if at.page == "" {
		at.page = "state/today.md"
	}
	copy(m.opened[1:], m.opened[:])
	m.opened[0] = map[string]string{}
	quiet := false
	for minute := 0; minute < 24*60; minute++ {
		hour, min := (4+minute/60)%24, minute%60
		clock := fmt.Sprintf("%02d:%02d", hour, min)
		of := date
		if hour < 4 {
			of++
		}
		now := dates.At(m.days.Zone, of, hour, min)
		m.now, m.shown = now, now
		m.clock.Set(now)
		for _, w := range wrongMoments {
			if w.opens == clock {
				for _, page := range []string{"state/today.md", "state/yesterday.md"} {
					m.opened[0][page+clock] = m.read(page)
				}
			}
		}
		if clock == "04:00" && !at.unseen {
			m.look(date, at.name)
		}
		if clock == at.saves {
			quiet = at.nextMorning
			m.save(at.page, at.ago, at.opens, at.clock, at.empty, i)
			m.clock.Set(now)
			if !at.unseen && !quiet {
				m.look(0, at.name)
			}
		}
		if clock == "05:00" || clock == "21:00" {
			word := fmt.Sprintf("agent-%02d-%s", i, strings.ReplaceAll(clock, ":", ""))
			m.said = append(m.said, word)
			apptest.OK(day.AddToday(m.T.Context(), m.agent, day.TodayRequest{Kind: "log", Text: word}))(m.T)
			m.look(date, at.name)
		}
	}
}

// save is what the editor does with the text that it opened.
func (m *month) save(page string, ago int, opens string, back time.Duration, empty bool, i int) {
	m.T.Helper()
	if opens < "04:00" {
		ago++ // the day before has it
	}
	text, ok := m.opened[min(ago, len(m.opened)-1)][page+opens]
	if !ok {
		if opens > "04:00" && ago == 0 {
			text = m.read(page)
		} else {
			return // the month has just begun
		}
	}
	m.shown = m.now.Add(-back)
	m.clock.Set(m.shown)
	if back > 0 {
		apptest.OK(jobs.Maintain(m.T.Context(), m.app, jobs.MaintainRequest{Jobs: []string{"rotate"}, Force: true}))(m.T)
	}
	word := fmt.Sprintf("editor-%02d", i)
	text = strings.Replace(text, "## User Tasks\n", "## User Tasks\n\n- "+word+"\n", 1)
	if empty {
		if err := os.WriteFile(m.file(page), nil, 0o600); err != nil {
			m.T.Fatal(err)
		}
		m.touched(page)
		apptest.OK(read.Get(m.T.Context(), m.app, read.GetRequest{Ref: "context:" + strings.TrimSuffix(page, ".md")}))(m.T)
	}
	if i%2 == 0 || empty {
		m.edit(page, text)
	} else {
		m.edit(page+".new.txt", text)
		if err := os.Rename(m.file(page+".new.txt"), m.file(page)); err != nil {
			m.T.Fatal(err)
		}
	}
	m.said = append(m.said, word)
}

// look has the schedule look, and checks the files; date 0 is that of the moment.
func (m *month) look(date dates.Date, when string) {
	m.T.Helper()
	apptest.OK(gitsync.Sync(m.T.Context(), m.app, gitsync.SyncRequest{}))(m.T)
	apptest.OK(jobs.Maintain(m.T.Context(), m.app, jobs.MaintainRequest{Jobs: []string{"rotate"}, Force: true}))(m.T)
	if date == 0 {
		date = m.days.Of(m.now)
	}
	now := m.files()
	if of, _ := dateIn(now["state/today.md"]); of != date {
		m.T.Errorf("%s: on %s the page is of %s", when, date, of)
	}
	all := strings.Join(slices.Collect(maps.Values(now)), "\n")
	for _, word := range m.said {
		if !strings.Contains(all, word) {
			m.T.Errorf("%s, %s: %s is lost", when, m.now.In(m.days.Zone).Format(time.DateTime), word)
		}
	}
	kept := map[string]string{} // the path that has a line of an agent
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if path.Dir(name) != "state/inbox" {
			continue
		}
		for line := range strings.Lines(now[name]) {
			if !strings.Contains(line, "agent-") {
				continue
			}
			if other, twice := kept[line]; twice && dateOnly(now[other]) != dateOnly(now[name]) {
				m.T.Errorf("%s: %s has %q, as %s has", when, name, line, other)
			}
			kept[line] = name
		}
	}
}

func dateOnly(text string) string {
	date, _ := dateIn(text)
	return date.String()
}
