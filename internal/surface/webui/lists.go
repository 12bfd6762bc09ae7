package webui

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// screens are what can be read, by path.
var screens = map[string]func(*view) (page, error){
	"/{$}":              search,
	"/page/{ref...}":    readPage,
	"/history/{ref...}": versions,
	"/graph":            graph,
	"/timeline":         timeline,
	"/tasks":            tasks,
	"/spaces":           spaces,
	"/health":           health,
	"/activity":         activity,
	"/setup":            setup,
	"/today":            today,
	"/blame/{ref...}":   blame,
	"/table":            table,
	"/leaving":          leaving,
}

// previews are screens before a change. They are not offered where the server only reads.
var previews = map[string]func(*view) (page, error){
	"/take-back":     previewBack,
	"/edit/{ref...}": editPage,
	"/move":          moving,
	"/merge":         merging,
	"/delete":        deleting,
	"/new":           newForm,
	"/daily":         daily,
	"/start":         firstRun,
	"/connect":       connecting,
}

// changes are the forms, by path. They are not offered where the server only reads.
var changes = map[string]func(*view) (to string, _ error){
	"/restore":   restore,
	"/sync":      syncSpace,
	"/take-back": doTakeBack,
	"/undo":      undoWrite,
	"/keep":      keep,
	"/seen":      seen,
	"/dismiss":   dismissItem,
	"/resolve":   resolveItem,
	"/row":       saveRow,
	"/save-view": saveView,
	"/move":      doMove,
	"/merge":     doMerge,
	"/delete":    doDelete,
	"/start":     addNotes,
	"/connect":   connect,
}

// texts are the forms with a text. Where it is not taken, they show it again.
var texts = map[string]func(*view) (to string, again *page, _ error){
	"/save":    save,
	"/capture": captureNote,
	"/answer":  answerGap,
	"/create":  create,
	"/daily":   addDaily,
	"/check":   checkClient,
}

// number is a parameter that should be a number; the operation refuses another.
func number(s string) any {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return s
}

// spaceFilter chooses one space, or all.
func (v *view) spaceFilter() string { return cmp.Or(v.param("space"), "*") }

// byDay groups items by the day that they are of, in their order.
func (v *view) byDay(items []data, date string, one func(data) node) node {
	var out nodes
	for i := 0; i < len(items); {
		d := items[i].str(date)
		if len(d) > 10 {
			d = d[:10]
		}
		var rows nodes
		for ; i < len(items) && strings.HasPrefix(items[i].str(date), d); i++ {
			rows = append(rows, el("li", one(items[i])))
			if d == "" {
				i++
				break
			}
		}
		out = append(out, el("li", el("time", attr{"datetime", d}, d), el("ul", rows)))
	}
	return el("ol.days", out)
}

// timeline is all dated entries, and the pages of each day.
func timeline(v *view) (page, error) {
	in := args{"space": v.spaceFilter(), "limit": 100}
	if o := v.param("offset"); o != "" {
		in["offset"] = number(o)
	}
	for _, name := range []string{"after", "before"} {
		if d := v.param(name); d != "" {
			in[name] = d
		}
	}
	entries, err := v.ask("timeline", in)
	if err != nil {
		return page{}, err
	}
	drawn, err := v.entryDays()
	if err != nil {
		return page{}, err
	}
	var list node = empty("No dated entries", el("p", "Entries of a page's timeline look like this, below a line of its own:"), el("pre", "---\n- 2026-11-27 | meeting — What happened"))
	if items := entries.list("items"); len(items) > 0 {
		list = v.byDay(items, "date", func(e data) node {
			return nodes{v.pageLink(e.str("page"), ""), opt(e.str("source") != "", nodes{text(" "), el("span.badge", e.str("source"))}),
				el("div", v.line(e.str("text"))), opt(e.str("detail") != "", el("div.quiet.small", e.str("detail")))}
		})
	}
	return page{title: "Timeline", place: "/timeline", body: nodes{
		el("h1", "Timeline"),
		el("form.filters", attr{"method", "get"},
			el("label", "From ", el("input", attr{"type", "text"}, attr{"name", "after"}, attr{"value", v.param("after")}, attr{"placeholder", "2026-01-01"}, attr{"size", "12"})),
			el("label", "to ", el("input", attr{"type", "text"}, attr{"name", "before"}, attr{"value", v.param("before")}, attr{"placeholder", "today"}, attr{"size", "12"})),
			el("button", attr{"type", "submit"}, "Show"), el("span.quiet.small", count(entries.num("total"), "entry", "entries"))),
		drawn, notes(entries), list, v.more(entries)}}, nil
}

// entryDays draws how many timeline entries each day of a year has, of the newest ones.
func (v *view) entryDays() (node, error) {
	if v.param("offset") != "" {
		return nil, nil
	}
	found, err := v.ask("timeline", args{"space": v.spaceFilter(), "limit": 1000})
	counts := map[string]int{}
	for _, e := range found.list("items") {
		if _, err := time.Parse(time.DateOnly, e.str("date")); err == nil {
			counts[e.str("date")]++
		}
	}
	if err != nil || len(counts) == 0 {
		return nil, err
	}
	drawn, _ := v.heatMap(counts, "entry", "entries", func(day string) string {
		t, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return v.with()
		}
		return v.with("after", day, "before", t.AddDate(0, 0, 1).Format(time.DateOnly), "year", "")
	})
	return drawn, nil
}

// tasks lists the tasks of a space.
func tasks(v *view) (page, error) {
	show := cmp.Or(v.param("show"), "open")
	in := args{"space": v.spaceFilter(), "limit": 100}
	switch show {
	case "open":
		in["open"] = true
	case "done":
		in["done"] = true
	case "due":
		in["open"], in["due"] = true, "in 7 days"
	}
	if o := v.param("offset"); o != "" {
		in["offset"] = number(o)
	}
	found, err := v.ask("tasks", in)
	if err != nil {
		return page{}, err
	}
	today := v.opts.Now().Format(time.DateOnly)
	var list node = empty("Nothing here", el("p", "Tasks are checkboxes in pages: ", el("code", "- [ ] Call Ada 📅 2026-12-01")))
	if items := found.list("items"); len(items) > 0 {
		list = el("ul.tasks", each(items, func(t data) node {
			done, due := t.yes("done"), cmp.Or(t.str("due"), t.str("scheduled"))
			when := el("time", attr{"datetime", due}, due)
			if !done && due != "" && due < today {
				when = el("time.late", attr{"datetime", due}, due+" overdue")
			}
			state := t.str("state")
			return el("li", flag(done, "class", "done"), el("span.box", attr{"role", "img"}, attr{"aria-label", state}),
				el("div", el("div.what", v.line(t.str("text"))),
					el("div.from", el("a", href(v.pageAt(t.str("page"))+"?line="+t.str("line")+"#here"), t.str("page")))),
				opt(due != "", when))
		}))
	}
	return page{title: "Tasks", place: "/tasks", body: nodes{
		el("h1", "Tasks"),
		el("div.tabs", v.tab("Open", show == "open", "show", ""), v.tab("Due in a week", show == "due", "show", "due"), v.tab("Done", show == "done", "show", "done"), v.tab("All", show == "all", "show", "all"),
			el("span.end", count(found.num("total"), "task", "tasks"))),
		notes(found), list, v.more(found)}}, nil
}

// spaces are the parts of the memory.
func spaces(v *view) (page, error) {
	all, err := v.ask("spaces", nil)
	if err != nil {
		return page{}, err
	}
	var cards nodes
	for _, s := range all.list("items") {
		one, err := v.ask("spaces", args{"name": s.str("name")})
		if err != nil {
			return page{}, err
		}
		if full := one.list("items"); len(full) > 0 {
			s = full[0]
		}
		policy := s.str("policy")
		cards = append(cards, el("li.card",
			el("h2", el("a", href(v.base+"/?space="+url.QueryEscape(s.str("name"))), s.str("name"))),
			opt(s.str("description") != "", el("p", s.str("description"))),
			el("dl.facts",
				fact("Pages", pagesOf(s)),
				fact("Kind", s.str("kind")), fact("Directory", s.str("root")), fact("Preset", s.str("preset")),
				fact("Policy in", s.str("policy_in")), fact("Last read", clock(s.str("synced_at")))),
			v.policyWords(s),
			opt(policy != "", el("details", el("summary", "Policy as it is written"), el("pre", attr{"tabindex", "0"}, el("code", policy)))),
			opt(!v.opts.ReadOnly && s.str("root") != "", v.form("/sync", "Read its files now", "space", s.str("name")))))
	}
	var body node = el("ul.cards", cards)
	if len(cards) == 0 {
		body = empty("There are no spaces yet", el("p", el("code", "cairn space add ~/notes")))
	}
	return page{title: "Spaces", place: "/spaces", body: nodes{el("h1", "Spaces"), body,
		opt(!v.opts.ReadOnly, el("p", el("a.button", href(v.base+"/start"), "Add a directory of notes")))}}, nil
}

// policyWords says what cairn does by the policy of a space, and what waits for consent.
func (v *view) policyWords(s data) node {
	part := func(p data) node { return el("li", el("code", p.str("part")), " "+p.str("does")) }
	acts, waiting := s.list("acts"), s.list("waiting")
	return nodes{
		el("h3", "By its policy, cairn may"),
		opt(len(acts) > 0, el("ul", each(acts, part))),
		opt(len(acts) == 0, el("p.quiet", "do nothing by itself: no page is deleted, moved or committed.")),
		opt(len(waiting) > 0, nodes{el("h3", el("span.badge.is-warning", "not accepted"), " It does not"), el("ul", each(waiting, part)),
			el("pre", attr{"tabindex", "0"}, el("code", "cairn space add "+shellWord(s.str("root"))+" --accept"))}),
		opt(len(waiting) == 0 && len(acts) > 0, el("p.small", el("span.badge.is-ok", "accepted"), " all of it")),
	}
}

// pagesOf is how many pages a space has, once it was read.
func pagesOf(s data) string {
	if s.str("pages") == "" {
		return "not read yet"
	}
	return thousands(s.num("pages"))
}

// fact is a row of a list of facts; nil without a value.
func fact(name, value string) node {
	if value == "" {
		return nil
	}
	return nodes{el("dt", name), el("dd", value)}
}

// clock is a time as people read it.
func clock(at string) string {
	if len(at) >= 16 && at[10] == 'T' {
		return at[:10] + " " + at[11:16] + " UTC"
	}
	return at
}

// form is a button that changes something.
func (v *view) form(action, label string, pairs ...string) node {
	parts := []any{attr{"method", "post"}, attr{"action", v.base + action}}
	for i := 0; i+1 < len(pairs); i += 2 {
		parts = append(parts, el("input", attr{"type", "hidden"}, attr{"name", pairs[i]}, attr{"value", pairs[i+1]}))
	}
	return el("form", append(parts, el("button", attr{"type", "submit"}, label))...)
}

// syncSpace reads the files of a space.
func syncSpace(v *view) (string, error) {
	_, err := v.ask("sync", args{"space": v.r.PostFormValue("space")})
	return "/spaces", err
}

// health is what needs attention.
func health(v *view) (page, error) {
	checks, err := v.ask("doctor", nil)
	if err != nil {
		return page{}, err
	}
	said, err := v.ask("check", args{"space": "*"})
	if err != nil {
		return page{}, err
	}
	gaps, err := v.ask("gaps", nil)
	if err != nil {
		return page{}, err
	}
	broken, err := v.ask("status", args{"detail": true})
	if err != nil {
		return page{}, err
	}
	progress, _, err := v.embeddingProgress(broken)
	if err != nil {
		return page{}, err
	}
	var bad, good nodes
	for _, c := range checks.list("items") {
		row := el("li.card", el("h3", el("span.badge.is-"+plainWord(c.str("state")), c.str("state")), " "+c.str("name")), el("p", c.str("reason")),
			opt(c.str("remedy") != "", el("p.quiet", c.str("remedy"))),
			opt(len(c.strs("items")) > 0, el("details", el("summary", count(len(c.strs("items")), "item", "items")), el("ul", each(c.strs("items"), func(i string) node { return el("li.small", i) })))))
		if c.str("state") == "ok" {
			good = append(good, row)
		} else {
			bad = append(bad, row)
		}
	}
	stats := broken.sub("stats")
	number := func(name string) string { return thousands(stats.num(name)) }
	var top node = el("p.badge.is-ok", "Every check passed")
	if len(bad) > 0 {
		top = el("ul.cards", bad)
	}
	return page{title: "Health", place: "/health", body: nodes{
		el("h1", "Health"), top,
		el("h2", "Contradictions · "+thousands(said.num("total"))), v.contradictions(said),
		el("h2", fmt.Sprintf("Open questions · %d", gaps.num("total"))), v.gaps(gaps),
		el("h2", "Searchable by meaning"), progress,
		el("h2", "Numbers"),
		el("dl.facts.card", fact("Pages", number("pages")), fact("Links", number("links")), fact("Broken links", number("unresolved_links")),
			fact("Links that may mean several pages", number("ambiguous_links")), fact("Observations", number("observations")),
			fact("Timeline entries", number("timeline_entries")), fact("Tags", number("tags")),
			fact("Database", bytesText(stats.num("database_bytes")))),
		el("details", el("summary", count(len(good), "check", "checks")+" passed"), el("ul.cards", good)),
	}}, nil
}

func bytesText(n int) string {
	switch {
	case n <= 0:
		return ""
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func (v *view) contradictions(said data) node {
	items := said.list("items")
	if len(items) == 0 {
		return el("p.quiet", "None are known.")
	}
	side := func(s data) node {
		return el("li", v.pageLink(s.str("ref"), s.str("title")), opt(s.str("date") != "", nodes{text(" "), day(s.str("date"))}), el("div", s.str("quote")), el("div.quiet.small", s.str("source")))
	}
	var certain, others nodes
	for _, c := range items {
		card := el("li.card", el("h3", c.str("subject")), el("p", c.str("text")), el("ul", side(c.sub("a")), side(c.sub("b"))))
		if c.yes("certain") {
			certain = append(certain, card)
		} else {
			others = append(others, card)
		}
	}
	possible := count(len(others), "possible contradiction", "possible contradictions")
	if total := said.num("total"); total > len(items) {
		possible = thousands(len(others)) + " of " + count(total-len(certain), "possible contradiction", "possible contradictions")
	}
	return nodes{
		opt(len(certain) > 0, el("ul.cards", certain)),
		opt(len(others) > 0, el("details", el("summary", possible), el("ul.cards", others))),
	}
}

func (v *view) gaps(all data) node {
	items := all.list("items")
	if len(items) == 0 {
		return el("p.quiet", "The memory could answer what it was asked, or nobody noted a gap.")
	}
	return el("ul.cards", each(items, func(g data) node {
		return el("li.card", el("p", cmp.Or(g.str("words"), g.str("redacted_question"), "A question without its words")), v.askedBy(g))
	}))
}

// activity is who changed what, by day.
func activity(v *view) (page, error) {
	in := args{"what": "recent", "space": v.spaceFilter(), "since": cmp.Or(v.param("since"), "30 days ago"), "limit": 1000}
	if o := v.param("offset"); o != "" {
		in["offset"] = number(o)
	}
	found, err := v.ask("browse", in)
	if err != nil {
		return page{}, err
	}
	items := found.list("items")
	var list node = empty("No changes in this time", el("p", "Writes of people and agents, and changes to files, appear here."))
	if len(items) > 0 {
		listed, large := byWrite(items)
		list = nodes{bars(items, v.opts.Now()), v.byDay(listed, "date", func(c data) node {
			if all := large[c.str("write")]; all != nil {
				return v.manyChanges(all)
			}
			return nodes{v.pageLink(c.str("ref"), c.str("title")), text(" "), el("span.badge", c.str("change")),
				el("div.quiet.small", c.str("actor"), " · ", clock(c.str("date")), " · write "+c.str("write"))}
		})}
	}
	return page{title: "Activity", place: "/activity", body: nodes{
		el("h1", "Activity"),
		el("div.tabs", v.tab("30 days", v.param("since") == "", "since", ""), v.tab("A week", v.param("since") == "7 days ago", "since", "7 days ago"), v.tab("A year", v.param("since") == "1 year ago", "since", "1 year ago"),
			el("span.end", count(found.num("total"), "change", "changes"))),
		notes(found), list, opt(len(items) < found.num("total"), el("p.quiet", "The bars count the "+count(len(items), "change", "changes")+" of this part.")), v.more(found)}}, nil
}

// oneByOne is how many changes of a write are listed one by one.
const oneByOne = 10

// byWrite leaves out of a list of changes all but the first one of each write that changed many
// pages, and returns all of those.
func byWrite(items []data) (listed []data, large map[string][]data) {
	large = map[string][]data{}
	for i := 0; i < len(items); {
		write, end := items[i].str("write"), i+1
		for end < len(items) && items[end].str("write") == write {
			end++
		}
		if end-i <= oneByOne {
			listed = append(listed, items[i:end]...)
		} else {
			listed, large[write] = append(listed, items[i]), items[i:end]
		}
		i = end
	}
	return listed, large
}

// manyChanges is a write that changed many pages.
func (v *view) manyChanges(all []data) node {
	first, changes := all[0], map[string]int{}
	for _, c := range all {
		changes[c.str("change")]++
	}
	return nodes{el("details", el("summary", count(len(all), "page", "pages"), each(sorted(changes), func(of string) node {
		if len(changes) == 1 {
			return nodes{text(" "), el("span.badge", of)}
		}
		return nodes{text(" "), el("span.badge", thousands(changes[of])+" "+of)}
	})), el("ul.folders", each(all, func(c data) node { return el("li", v.pageLink(c.str("ref"), c.str("title"))) }))),
		el("div.quiet.small", first.str("actor"), " · ", clock(first.str("date")), " · write "+first.str("write"))}
}

// bars are the changes of each day, as a drawing: by people, by agents, and others.
func bars(items []data, now time.Time) node {
	const days, width, height = 30, 900.0, 120.0
	type day struct{ human, agent, other int }
	counts := make([]day, days)
	most := 1
	for _, c := range items {
		at, err := time.Parse(time.RFC3339, c.str("date"))
		if err != nil {
			continue
		}
		ago := int(now.UTC().Truncate(24*time.Hour).Sub(at.UTC().Truncate(24*time.Hour)).Hours() / 24)
		if ago < 0 || ago >= days {
			continue
		}
		d := &counts[days-1-ago]
		switch {
		case strings.HasPrefix(c.str("actor"), "human"):
			d.human++
		case strings.HasPrefix(c.str("actor"), "agent"):
			d.agent++
		default:
			d.other++
		}
		most = max(most, d.human+d.agent+d.other)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="bars" viewBox="0 0 %g %g" role="img" aria-label="Changes of each of the last %d days">`, width, height+24, days)
	step := width / days
	for i, d := range counts {
		y := height
		for _, part := range []struct {
			n    int
			name string
		}{{d.other, "other"}, {d.agent, "agent"}, {d.human, "human"}} {
			if part.n == 0 {
				continue
			}
			h := max(1.5, float64(part.n)/float64(most)*(height-8))
			y -= h
			fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="1.5"><title>%d by %s</title></rect>`, part.name, float64(i)*step+2, y, step-4, h, part.n, part.name)
		}
		if i%7 == days%7 || i == days-1 {
			end, anchor := (float64(i)+.5)*step, "middle"
			if i == days-1 {
				end, anchor = width, "end"
			}
			fmt.Fprintf(&b, `<text x="%.1f" y="%g" text-anchor="%s">%s</text>`, end, height+18, anchor, now.UTC().AddDate(0, 0, i-days+1).Format("2 Jan"))
		}
	}
	b.WriteString("</svg>")
	return nodes{trusted(b.String()), el("p.key", el("span", el("i.human"), "people"), el("span", el("i.agent"), "agents"), el("span", el("i.other"), "sync and schedule"))}
}

// setup is how agents come to use the memory.
func setup(v *view) (page, error) {
	state, err := v.ask("status", nil)
	if err != nil {
		return page{}, err
	}
	step := func(title, why string, commands ...string) node {
		return el("li.card", el("h2", title), el("p", why), each(commands, func(c string) node { return el("pre", attr{"tabindex", "0"}, el("code", c)) }))
	}
	return page{title: "Setup", place: "/setup", body: nodes{
		el("h1", "Setup"),
		el("p.quiet", "This memory has "+count(state.num("pages"), "page", "pages")+". These commands connect programs to it; with --dry-run they only show the changes."),
		el("ul.cards",
			opt(v.opts.Clients == nil, step("Agents", "Claude Code, Codex, Cursor and other clients get the memory as tools.", "cairn setup", "cairn setup claude-code --dry-run", "cairn setup --check")),
			el("li.card", el("h2", "Notes"), el("p", "A directory of notes becomes searchable. Its files stay as they are."), el("pre", attr{"tabindex", "0"}, el("code", "cairn space add ~/notes")), opt(!v.opts.ReadOnly, el("a.button", href(v.base+"/start"), "Add one here"))),
			step("Always up to date", "A service reads changed files at once, embeds pages, and keeps this address open.", "cairn serve --http --install --dry-run"),
			step("Programs", "The same answers as JSON, with a token.", `curl -H "Authorization: Bearer $(cairn serve token)" http://127.0.0.1:22476/api/v1/status`),
		),
		opt(v.opts.Clients != nil, nodes{el("h2", attr{"id", "agents"}, "Agents"), v.clients()}),
		el("p", el("a", href(v.base+"/leaving"), "Where your data is, and how to leave"))}}, nil
}

// nextMonth is the first day of the month after one such as 2026-02.
func nextMonth(month string) string {
	t, err := time.Parse("2006-01", month)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 1, 0).Format(time.DateOnly)
}
