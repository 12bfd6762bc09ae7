package brief

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// look is the state of one briefing over a memory.
type look struct {
	*memory.Session
	req        Request
	tx         store.Tx
	spaces     []int64 // nil for all
	now, since time.Time
	today      string
}

// open are the tags and the values of the key status that mark unfinished work.
var open = []string{"open", "active"}

// rows returns the pages that match one of several filters.
func (l *look) rows(ctx context.Context, filters ...store.Filter) ([]int64, error) {
	var out []int64
	for _, f := range filters {
		f.Spaces = l.spaces
		rows, err := l.tx.Pages().Rows(ctx, f)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// notDone returns the filters for unfinished pages of some types, by tag or status.
func notDone(types []string, where ...store.Where) []store.Filter {
	is := store.Where{Key: "status", Is: store.OneOf, Texts: open}
	return []store.Filter{{Types: types, Tags: open, Where: where}, {Types: types, Where: append(slices.Clip(where), is)}}
}

// candidate is a page that may be listed, with its sort keys.
type candidate struct {
	kb.Page
	values map[string]string
}

// inOrder returns the first pages of rows in an order, equal ones by space and
// slug, with the values of keys.
func (l *look) inOrder(ctx context.Context, rows []int64, keys []string, order func(a, b candidate) int) ([]candidate, error) {
	places, err := l.tx.Pages().Places(ctx, rows)
	if err != nil {
		return nil, err
	}
	values := make(map[int64]map[string]string, len(rows))
	if len(keys) > 0 {
		found, err := l.tx.Claims().Properties(ctx, store.Claimants{Pages: rows}, keys)
		if err != nil {
			return nil, err
		}
		for _, v := range found {
			if values[v.Page] == nil {
				values[v.Page] = map[string]string{}
			}
			if _, twice := values[v.Page][v.Key]; !twice {
				values[v.Page][v.Key] = v.Text
			}
		}
	}
	all := make([]candidate, len(places))
	for i, p := range places {
		all[i] = candidate{p, values[p.Row]}
	}
	if order != nil {
		slices.SortStableFunc(all, order)
	}
	all = all[:min(len(all), maxOf)]
	rows = make([]int64, len(all))
	for i, c := range all {
		rows[i] = c.Row
	}
	pages, err := l.tx.Pages().Get(ctx, rows)
	for i, p := range pages {
		all[i].Page = p
	}
	return all[:len(pages)], err
}

func item(p kb.Page) api.BriefingItem {
	return api.BriefingItem{Ref: p.Ref(), Title: p.Title, Text: p.Summary}
}

// calendar lists the entries of the day: its meetings, and timeline entries
// about it.
func (l *look) calendar(ctx context.Context, s *api.BriefingSection) error {
	rows, err := l.meetings(ctx)
	if err != nil {
		return err
	}
	meetings, err := l.inOrder(ctx, rows, []string{"date"}, byValue("date"))
	if err != nil {
		return err
	}
	for _, m := range meetings {
		it := item(m.Page)
		it.Date = m.values["date"]
		if it.People, err = l.attendees(ctx, m.Page); err != nil {
			return err
		}
		s.Items = append(s.Items, it)
	}
	s.Total = len(rows)
	tomorrow := l.now.AddDate(0, 0, 1).Format(time.DateOnly)
	f := store.EntryFilter{Pages: store.Filter{Spaces: l.spaces}, After: l.today, Before: tomorrow, Source: "meeting"}
	entries, total, err := l.tx.Items().Entries(ctx, f, maxOf, 0)
	for _, e := range entries {
		switch {
		case e.Date != l.today: // a month or a year
			total--
		case slices.Contains(rows, e.Page.Row):
			total--
		default:
			s.Items = append(s.Items, api.BriefingItem{Ref: e.Page.Ref(), Title: e.Page.Title, Text: e.Text, Date: e.Date, Line: e.Line})
		}
	}
	s.Total += total
	return err
}

// meetings returns the pages of today's meetings. They are queried once, which
// costs more than the other queries about them.
func (l *look) meetings(ctx context.Context) ([]int64, error) {
	rows, err := l.rows(ctx, store.Filter{Where: []store.Where{{Key: "date", Is: store.Equals, Text: l.today}}})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	pages, err := l.tx.Pages().Get(ctx, rows)
	if err != nil {
		return nil, err
	}
	tagged, err := l.rows(ctx, store.Filter{Tags: []string{"meeting"}})
	if err != nil {
		return nil, err
	}
	rows = rows[:0]
	for _, p := range pages {
		if _, tagged := slices.BinarySearch(tagged, p.Row); tagged || strings.EqualFold(p.Type, "meeting") {
			rows = append(rows, p.Row)
		}
	}
	slices.Sort(rows)
	return rows, nil
}

// maxPeople limits the listed attendees of a meeting.
const maxPeople = 10

// attendees returns the people listed in the metadata of meetings of one space,
// then the people that the meetings link to.
func (l *look) attendees(ctx context.Context, meeting kb.Page) (out []api.BriefingPerson, err error) {
	values, err := l.tx.Claims().Properties(ctx, store.Claimants{Pages: []int64{meeting.Row}}, []string{"attendees", "participants"})
	if err != nil {
		return nil, err
	}
	in, err := space.OfPage(ctx, l.tx, meeting)
	if err != nil {
		return nil, err
	}
	named, err := index.LeadValues(ctx, l.tx, in.Row, map[int64]kb.Page{meeting.Row: meeting}, values)
	if err != nil {
		return nil, err
	}
	linked, err := l.tx.Links().From(ctx, meeting.Row)
	if err != nil {
		return nil, err
	}
	var rows []int64
	for _, n := range named {
		rows = append(rows, n.To)
	}
	for _, end := range linked {
		rows = append(rows, end.To)
	}
	byRow, err := store.PagesByRow(ctx, l.tx, rows)
	if err != nil {
		return nil, err
	}
	shown := map[string]bool{}
	tell := func(row int64, name string) {
		who := api.BriefingPerson{Name: name}
		if p, known := byRow[row]; known {
			who = api.BriefingPerson{Ref: p.Ref(), Name: p.Title, Summary: p.Summary}
		}
		if key := cmp.Or(who.Ref, who.Name); key != "" && !shown[key] && len(out) < maxPeople {
			shown[key] = true
			out = append(out, who)
		}
	}
	for _, n := range named {
		tell(n.To, n.Name)
	}
	for _, end := range linked {
		if byRow[end.To].Type == person {
			tell(end.To, "")
		}
	}
	return out, nil
}

// deals returns the deals in progress.
func (l *look) deals(ctx context.Context, s *api.BriefingSection) error {
	rows, err := l.rows(ctx, notDone([]string{"deal"})...)
	if err != nil {
		return err
	}
	pages, err := l.inOrder(ctx, rows, nil, nil)
	for _, p := range pages {
		s.Items = append(s.Items, item(p.Page))
	}
	s.Total = len(rows)
	return err
}

// commitments returns those that are due soon or overdue.
func (l *look) commitments(ctx context.Context, s *api.BriefingSection) error {
	due := store.Where{Key: "due", Is: store.AtMost, Text: l.ahead()}
	rows, err := l.rows(ctx, notDone([]string{"commitment"}, due)...)
	if err != nil {
		return err
	}
	s.Total = len(rows)
	s.Items, err = l.toDo(ctx, rows, byDue)
	return err
}

// actions returns the open actions, most important first.
func (l *look) actions(ctx context.Context, s *api.BriefingSection) error {
	rows, err := l.rows(ctx, notDone([]string{"action_item", "action"})...)
	if err != nil {
		return err
	}
	s.Total = len(rows)
	s.Items, err = l.toDo(ctx, rows, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(urgency(a.values["priority"]), urgency(b.values["priority"])), byDue(a, b))
	})
	return err
}

// toDo formats the pages of rows with their due dates and assignees.
func (l *look) toDo(ctx context.Context, rows []int64, order func(a, b candidate) int) (out []api.BriefingItem, err error) {
	pages, err := l.inOrder(ctx, rows, []string{"due", "owner", "priority"}, order)
	for _, p := range pages {
		it := item(p.Page)
		it.Date, it.Owner, it.Priority = p.values["due"], p.values["owner"], p.values["priority"]
		it.Overdue = l.past(it.Date)
		out = append(out, it)
	}
	return out, err
}

// byDue sorts by due date: a month after its days, and pages without a date last.
func byDue(a, b candidate) int {
	const later = "~" // sorts after any digit and hyphen
	return cmp.Compare(a.values["due"]+later, b.values["due"]+later)
}

// urgency ranks a priority given as a word, an Org letter or a number.
func urgency(priority string) float64 {
	words := []string{"urgent", "critical", "highest", "a", "high", "b", "", "normal", "medium", "c", "low", "lowest"}
	if n, ok := kb.Number(priority); ok {
		return n
	}
	if i := slices.Index(words, strings.ToLower(priority)); i >= 0 {
		return float64(i)
	}
	return float64(len(words))
}

// ahead returns the last day of the briefing's range.
func (l *look) ahead() string { return l.now.AddDate(0, 0, dueDays).Format(time.DateOnly) }

// past reports whether a date of any precision is over.
func (l *look) past(date string) bool {
	n := min(len(date), len(l.today))
	return n > 0 && date[:n] < l.today[:n]
}

// threads returns the due tasks within pages.
func (l *look) threads(ctx context.Context, s *api.BriefingSection) error {
	undone, end := false, l.now.AddDate(0, 0, dueDays+1).Format(time.DateOnly)
	f := store.ItemFilter{Pages: store.Filter{Spaces: l.spaces}, Kind: kb.TaskItem, Done: &undone, DueEnd: end}
	tasks, total, err := l.tx.Items().List(ctx, f, maxOf, 0)
	for _, t := range tasks {
		s.Items = append(s.Items, api.BriefingItem{Ref: t.Page.Ref(), Text: t.Text, Date: t.Due, Overdue: l.past(t.Due), Line: t.Line})
	}
	s.Total = total
	return err
}

const person = "person"

// people returns important people with recent entries.
func (l *look) people(ctx context.Context, s *api.BriefingSection) error {
	score := store.Where{Key: "score", Is: store.AtLeast, Text: minScore}
	return l.changed(ctx, s, store.Filter{Types: []string{person}, Where: []store.Where{score}, UpdatedSince: l.now.AddDate(0, 0, -playDays)}, nil)
}

// stale returns the pages that somebody marked stale.
func (l *look) stale(ctx context.Context, s *api.BriefingSection) error {
	return l.changed(ctx, s, store.Filter{Statuses: []kb.Status{kb.Stale}}, nil)
}

// changed lists pages by last change, newest first. describe may be nil.
func (l *look) changed(ctx context.Context, s *api.BriefingSection, f store.Filter, describe func(kb.Page, *api.BriefingItem) error) error {
	f.Spaces = l.spaces
	pages, total, err := l.tx.Pages().List(ctx, f, store.ByUpdated, maxOf, 0)
	for _, p := range pages {
		it := item(p)
		it.Date = p.Updated.In(l.now.Location()).Format(time.DateOnly)
		if describe != nil {
			if err := describe(p, &it); err != nil {
				return err
			}
		}
		s.Items = append(s.Items, it)
	}
	s.Total += total
	return err
}

func byValue(key string) func(a, b candidate) int {
	return func(a, b candidate) int { return cmp.Compare(a.values[key], b.values[key]) }
}
