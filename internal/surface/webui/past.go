package webui

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// inPast are the screens that show the memory as it was. Their addresses begin with /at/DAY,
// and so do all links on them.
var inPast = []string{"/{$}", "/page/{ref...}", "/graph", "/timeline", "/tasks", "/table"}

// past answers below the address of a day. Nothing can be written there.
func (s *Server) past(within func(http.Handler) http.Handler, day string) http.Handler {
	then := *s
	then.base, then.day, then.opts.ReadOnly = s.base+"/at/"+day, day, true
	mux := http.NewServeMux()
	for _, pattern := range inPast {
		mux.HandleFunc("GET "+pattern, then.door(within, then.screen(screens[pattern])))
	}
	mux.HandleFunc("GET /graph.json", then.door(within, then.graphData))
	mux.HandleFunc("/", then.door(within, func(w http.ResponseWriter, r *http.Request, _ kb.Actor) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.refuse(w, http.StatusForbidden, "The past cannot be changed.")
			return
		}
		http.Redirect(w, r, s.base+r.URL.EscapedPath()+query(r.URL), http.StatusSeeOther) // it shows what there is now
	}))
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return http.HandlerFunc(s.Nothing)
	}
	return s.below("/at/"+day, mux)
}

// present is the base of the addresses that show what there is now.
func (s *Server) present() string { return strings.TrimSuffix(s.base, "/at/"+s.day) }

// date is the day that is shown.
func (v *view) date() string { return cmp.Or(v.day, v.opts.Now().Format(time.DateOnly)) }

// here is the address of this screen without the day, for the same screen on another day.
func (v *view) here() string {
	q := v.r.URL.Query()
	for _, name := range append([]string{"to"}, ofWrites...) {
		q.Del(name)
	}
	at := &url.URL{RawQuery: q.Encode()}
	return v.r.URL.EscapedPath() + query(at)
}

// then adds the day to the arguments of an operation that can answer as of a time.
func (v *view) then(op *operation.Operation, in args) args {
	if v.day == "" || in["as_of"] != nil || in["version"] != nil || op.Input().Properties["as_of"] == nil {
		return in
	}
	in = maps.Clone(in)
	if in == nil {
		in = args{}
	}
	in["as_of"] = v.day
	return in
}

// writeDays counts the changes of each day that has any.
func (v *view) writeDays() (map[string]int, error) {
	found, err := v.ask("activity", args{"space": "*", "since": "1970-01-01"})
	counts := map[string]int{}
	for _, d := range found.list("items") {
		counts[d.str("day")] += d.num("changes")
	}
	return counts, err
}

// ribbon says as of which day everything is shown, and leads to the days around it.
func (v *view) ribbon() node {
	if v.day == "" {
		return nil
	}
	counts, err := v.writeDays()
	if err != nil {
		counts = nil // the days are a help to get elsewhere
	}
	days := sorted(counts)
	here := v.here()
	at := func(day string) string { return v.present() + "/at/" + day + here }
	i, found := slices.BinarySearch(days, v.day)
	var before, after node
	if i > 0 {
		before = el("a.button", href(at(days[i-1])), attr{"rel", "prev"}, "← "+days[i-1])
	}
	if found {
		i++
	}
	if i < len(days) {
		after = el("a.button", href(at(days[i])), attr{"rel", "next"}, days[i]+" →")
	}
	return el("aside.ribbon", attr{"aria-label", "Time"}, attr{"data-days", strings.Join(days, " ")}, attr{"data-day", v.day}, attr{"data-here", here}, attr{"data-now", v.present()},
		el("p", "As of ", el("time", attr{"datetime", v.day}, longDay(v.day)), el("span.quiet", ", the end of the day. Nothing can be changed here.")),
		el("div.row", before, after, el("a.button", href(v.present()+"/time?to="+url.QueryEscape(here)), "Another day"), el("a.button.primary", href(v.present()+here), "Back to now")))
}

// longDay is a day in words.
func longDay(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return t.Format("Monday, 2 January 2006")
}

// chosen leads from a day that was chosen in the form to the screen as of it.
func (s *Server) chosen(w http.ResponseWriter, r *http.Request, by kb.Actor) {
	day := r.URL.Query().Get("day")
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		s.screen(days)(w, r, by)
		return
	}
	to := strings.TrimPrefix(s.inside(cmp.Or(r.URL.Query().Get("to"), "/")), s.base)
	http.Redirect(w, r, s.base+"/at/"+day+to, http.StatusSeeOther)
}

// days chooses the day as of which a screen is shown.
func days(v *view) (page, error) {
	to := v.inside(cmp.Or(v.param("to"), "/"))
	to = strings.TrimPrefix(to, v.base)
	if day := v.param("day"); day != "" { // a day that chosen did not take
		return page{}, kb.Errorf(kb.Usage, "%q is not a day: write it as 2026-03-01", day)
	}
	counts, err := v.writeDays()
	if err != nil {
		return page{}, err
	}
	var body node = empty("No writes yet", el("p", "Each day on which something is written will be here."))
	at := func(day string) string { return v.base + "/at/" + day + to }
	if len(counts) > 0 {
		body = v.calendar(counts, "change", "changes", at)
	}
	return page{title: "Time", body: nodes{
		el("h1", "Time"),
		el("p.quiet", "Search, pages, links and graph as they were at the end of a day. Nothing can be changed there."),
		el("form.filters", attr{"method", "get"}, el("input", attr{"type", "hidden"}, attr{"name", "to"}, attr{"value", to}),
			el("label", "Day ", el("input", attr{"type", "date"}, attr{"name", "day"}, attr{"required", ""}, attr{"max", v.date()}, attr{"value", v.date()})), el("button", attr{"type", "submit"}, "Show")),
		body}}, nil
}

// calendar is a year of days as squares, with the days as a list.
func (v *view) calendar(counts map[string]int, one, many string, at func(day string) string) node {
	drawn, shown := v.heatMap(counts, one, many, at)
	return nodes{drawn, el("ul.day-list", each(shown, func(day string) node {
		return el("li", el("a", href(at(day)), day), el("span.quiet", " "+count(counts[day], one, many)))
	}))}
}

// heatMap draws a year of days as squares, darker for more. The parameter year chooses the
// year, without it the newest with any; shown are its days, the newest first.
func (v *view) heatMap(counts map[string]int, one, many string, at func(day string) string) (drawn node, shown []string) {
	names := sorted(counts)
	years := map[string]int{}
	for _, day := range names {
		years[day[:4]] += counts[day]
	}
	all := sorted(years)
	year := v.param("year")
	if years[year] == 0 {
		year = all[len(all)-1]
	}
	first, err := time.Parse("2006", year)
	if err != nil {
		return nil, nil
	}
	most := 1
	for _, day := range names {
		if strings.HasPrefix(day, year) {
			most, shown = max(most, counts[day]), append(shown, day)
		}
	}
	slices.Reverse(shown)
	const step, left, top = 16, 30, 18
	offset := (int(first.Weekday()) + 6) % 7 // weeks begin on Monday
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="heat" viewBox="0 0 %d %d" role="group" aria-label="%s of each day of %s">`, left+54*step, top+7*step, strings.ToUpper(many[:1])+many[1:], year)
	for i, name := range []string{"Mon", "", "Wed", "", "Fri", "", ""} {
		if name != "" {
			fmt.Fprintf(&b, `<text x="0" y="%d">%s</text>`, top+i*step+11, name)
		}
	}
	for day := first; day.Year() == first.Year(); day = day.AddDate(0, 0, 1) {
		n := offset + day.YearDay() - 1
		x, y := left+n/7*step, top+n%7*step
		if day.Day() == 1 {
			fmt.Fprintf(&b, `<text x="%d" y="10">%s</text>`, x, day.Format("Jan"))
		}
		name := day.Format(time.DateOnly)
		c := counts[name]
		if c == 0 {
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="13" height="13" rx="2"/>`, x, y)
			continue
		}
		label := name + ": " + count(c, one, many)
		square := fmt.Sprintf(`<rect class="h%d" x="%d" y="%d" width="13" height="13" rx="2"><title>%s</title></rect>`, heat(c, most), x, y, label)
		// The list has the same links, for the keyboard and for screen readers.
		fmt.Fprintf(&b, `<a href="%s" tabindex="-1" aria-hidden="true">%s</a>`, text(at(name)).escaped(), square)
	}
	b.WriteString("</svg>")
	return nodes{
		opt(len(all) > 1, el("div.tabs", each(all, func(y string) node { return v.tab(y, y == year, "year", y) }))),
		el("div.scroll.newest", attr{"tabindex", "0"}, attr{"role", "region"}, attr{"aria-label", "Calendar of " + year}, trusted(b.String())),
	}, shown
}

// heat is the shade of a count, from 1 to 4.
func heat(n, most int) int { return min(4, 1+3*n/max(most, 1)) }
