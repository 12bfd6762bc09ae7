package webui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	memspace "github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/webui/render"
)

const (
	// hitsShown is how many pages a search shows at once.
	hitsShown = 10
	// bytesPerToken is how long a token of English is, about.
	bytesPerToken = 4
	// passageBudget is the number of tokens that their passages have together.
	passageBudget = 3000
)

// search is the start page.
func search(v *view) (page, error) {
	q := v.param("q")
	form := el("form.ask", attr{"action", v.base + "/"}, attr{"method", "get"}, attr{"role", "search"},
		el("input", attr{"type", "search"}, attr{"name", "q"}, attr{"value", q}, attr{"aria-label", "Search the memory"},
			attr{"placeholder", "Search, or ask a question"}, attr{"autocomplete", "off"}, flag(q == "", "autofocus", "")),
		v.kept("space", "type", "status", "tag", "after", "before", "mode", "view"),
		el("button.primary", attr{"type", "submit"}, "Search"))
	var body node
	var err error
	switch {
	case q == "" && v.filters() == 0 && v.day == "":
		body, err = v.start()
	case v.param("view") == "agent" && q != "":
		body, err = v.asAgent(q)
	default:
		body, err = v.results(q)
	}
	if err != nil {
		return page{}, err
	}
	title := "Search"
	if q != "" {
		title = q
	}
	return page{title: title, place: "/", body: nodes{
		el("h1.skip", "Search"), form, el("div", attr{"id", "results"}, attr{"aria-live", "polite"}, body)}}, nil
}

// kept are parameters that a form sends again.
func (v *view) kept(names ...string) nodes {
	var out nodes
	for _, n := range names {
		if x := v.param(n); x != "" {
			out = append(out, el("input", attr{"type", "hidden"}, attr{"name", n}, attr{"value", x}))
		}
	}
	return out
}

// filters is how many facets are chosen.
func (v *view) filters() (n int) {
	for _, name := range []string{"space", "type", "status", "tag", "after", "before"} {
		if v.param(name) != "" {
			n++
		}
	}
	return n
}

// question is what the address asks for, as arguments of recall.
func (v *view) question(q string) args {
	in := args{"query": q, "space": cmp.Or(v.param("space"), "*")}
	if t := v.param("type"); t != "" {
		in["type"] = []string{t}
	}
	if t := v.param("tag"); t != "" {
		in["tags"] = []string{t}
	}
	if s := v.param("status"); s != "" {
		in["where"] = []string{"status:" + s}
	}
	for _, name := range []string{"after", "before"} {
		if d := v.param(name); d != "" {
			in[name] = d
		}
	}
	return in
}

// results are the pages that were found, with facets.
func (v *view) results(q string) (node, error) {
	in := v.question(q)
	in["detail"], in["limit"], in["budget"], in["depth"] = true, hitsShown, passageBudget, "section" // a whole page would leave no room for others
	mode := v.param("mode")
	if mode == "fts" || mode == "vector" || mode == "exact" {
		in["mode"] = mode
	}
	if o := v.param("offset"); o != "" {
		in["offset"] = number(o)
	}
	var facets node
	wait := v.meanwhile(func(v *view) (err error) {
		facets, err = v.facets(q)
		return err
	})
	answer, err := v.asked("recall", in)
	found, err := decoded(answer, err)
	unfaceted := wait()
	if err != nil {
		return nil, err
	}
	hits := found.list("items")
	for i, p := range answer.(interface{ Pages() []api.Page }).Pages() {
		hits[i]["path"] = p.Path // it says in which format the text is
	}
	bar := el("div.tabs", attr{"role", "navigation"}, attr{"aria-label", "Ways to search"},
		v.tab("Words and meaning", mode == "", "mode", ""),
		v.tab("Words", mode == "fts", "mode", "fts"),
		v.tab("Meaning", mode == "vector", "mode", "vector"),
		opt(q != "", el("a", href(v.with("view", "agent", "offset", "")), "As the agent sees it")),
		el("span.end", atLeast(found), sureness(found)))
	if len(hits) == 0 {
		none, err := v.nothing(found)
		return nodes{bar, none}, err
	}
	list := el("ol.hits", each(hits, func(h data) node { return v.hit(h, q) }))
	return nodes{bar, notes(found), el("div.columns", facets, el("div", list, v.more(found)))}, unfaceted
}

func (v *view) tab(name string, now bool, pairs ...string) node {
	return el("a", href(v.with(append(pairs, "offset", "")...)), flag(now, "aria-current", "true"), name)
}

func atLeast(found data) string {
	n := count(found.num("total"), "page", "pages")
	if found.yes("total_at_least") {
		return "at least " + n
	}
	return n
}

func sureness(found data) node {
	m := found.str("match")
	if m == "" {
		return nil
	}
	says := m + " match"
	if m == "none" {
		says = "no match"
	}
	return nodes{text(" "), el("span.badge.is-"+plainWord(m), attr{"title", "how well the best page answers"}, says)}
}

// hit is one page that was found.
func (v *view) hit(h data, q string) node {
	ref, lines := h.str("ref"), h.strs("text_lines")
	if len(lines) == 0 {
		lines = h.strs("lines")
	}
	to := v.pageAt(ref)
	if len(lines) > 0 {
		to += "?line=" + lines[0] + "#here"
	}
	why := h.sub("why")
	return el("li.hit",
		el("h2", el("a", href(to), trusted(render.Marked(safetext.Line(cmp.Or(h.str("title"), ref)), why.strs("terms")))),
			status(h.str("status")), opt(h.yes("contested"), status("contested")), opt(h.yes("stale"), status("stale"))),
		el("div.meta", el("span", ref), opt(h.str("type") != "", el("span", h.str("type"))), day(h.str("date")),
			opt(len(lines) == 2, el("span", "lines "+strings.Join(lines, "–")))),
		opt(h.str("text") != "", el("div.passage", v.passage(data{"path": h["path"], "text": fromMatch(h.str("text"), why.strs("terms"))}, why.strs("terms")))),
		opt(len(why) > 0, el("div.why", explain(why, q))))
}

// leadIn is how many lines of a passage may come before the first one with a word of the
// question: more of them would hide it.
const leadIn = 4

// fromMatch returns a passage from a few lines before the first one with a word of the
// question, at a place where it can be divided.
func fromMatch(passage string, words []string) string {
	lines := strings.Split(passage, "\n")
	at := slices.IndexFunc(lines, func(line string) bool {
		line = strings.ToLower(line)
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, strings.ToLower(w)) })
	})
	if at < 0 {
		return passage
	}
	for i := at - 1; i >= max(0, at-2); i-- {
		if strings.HasPrefix(lines[i], "#") || strings.HasPrefix(lines[i], "* ") {
			at = i // its heading
			break
		}
	}
	before := 0
	for _, line := range lines[:at] {
		if strings.TrimSpace(line) != "" {
			before++
		}
		if strings.Contains(line, "```") || strings.Contains(line, "~~~") || strings.HasPrefix(strings.ToLower(line), "#+begin") {
			return passage // it may go on
		}
	}
	if before <= leadIn || strings.HasPrefix(lines[at], "|") || strings.HasPrefix(lines[at], " ") {
		return passage
	}
	return "…\n\n" + strings.Join(lines[at:], "\n")
}

// explain says in words why a page was found.
func explain(why data, q string) string {
	var parts []string
	if x := why.str("exact"); x != "" {
		parts = append(parts, "its "+x)
	}
	if terms, fields := why.strs("terms"), why.strs("fields"); len(terms) > 0 {
		said := "the words " + strings.Join(terms, ", ")
		if len(terms) == 1 {
			said = "the word " + terms[0]
		}
		if len(fields) > 0 {
			said += " in " + strings.Join(fields, ", ")
		}
		if r := why.sub("words").num("rank"); r > 0 {
			said += fmt.Sprintf(" (%s)", doc.Ordinal(r))
		}
		parts = append(parts, said)
	}
	if m := why.sub("meaning"); len(m) > 0 {
		parts = append(parts, fmt.Sprintf("meaning (%s)", doc.Ordinal(m.num("rank"))))
	}
	for _, x := range []struct{ name, says string }{
		{"names", "a name in the question"}, {"type", "its type"}, {"time", "its time"},
		{"beside", "its neighbour in a series"}, {"whole", "a part of it"},
	} {
		if len(why.sub(x.name)) > 0 {
			parts = append(parts, x.says)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Found by " + strings.Join(parts, "; ") + "."
}

// nothing is shown where no page was found. The notes of an answer of a memory without pages
// are for agents.
func (v *view) nothing(found data) (node, error) {
	all, err := v.run(find("spaces"), nil)
	if memspace.NothingYet(err) || err == nil && !slices.ContainsFunc(all.list("items"), func(s data) bool { return s.num("pages") > 0 }) {
		return v.noMemory(), nil
	}
	if v.day != "" && err == nil {
		days, err := v.writeDays()
		if written := sorted(days); err == nil && len(written) > 0 && v.day < written[0] {
			return empty("Nothing was stored on "+v.day+" yet",
				el("p", "The first page is of "+written[0]+"."),
				el("p", el("a.button.primary", href(v.present()+"/"+query(&url.URL{RawQuery: url.Values{"q": {v.param("q")}}.Encode()})), "Search the memory as it is now"))), nil
		}
	}
	return nodes{notes(found), empty("No page was found",
		el("p", "Try fewer or other words, search by meaning, or leave out a filter."),
		opt(v.filters() > 0, el("p", el("a.button", href(v.with("space", "", "type", "", "status", "", "tag", "", "after", "", "before", "", "offset", "")), "Remove all filters"))),
		opt(v.param("mode") != "", el("p", el("a.button", href(v.with("mode", "")), "Search words and meaning"))))}, err
}

// facetsShown is how many values of a facet are shown.
const facetsShown = 8

// facets narrow a search: what the pages that words find have in common.
func (v *view) facets(q string) (node, error) {
	in := v.question(q)
	counts, err := v.ask("facets", in)
	if err != nil {
		return nil, err
	}
	var out nodes
	for _, k := range []struct{ title, param string }{{"Space", "space"}, {"Type", "type"}, {"Status", "status"}, {"Tag", "tag"}, {"Month", "month"}} {
		chosen := v.param(k.param)
		if k.param == "month" {
			chosen = month(v.param("after"))
		}
		values := counts.list(k.param)
		if len(values) == 0 || len(values) == 1 && chosen == "" && k.param != "tag" {
			continue
		}
		out = append(out, el("section", el("h2", k.title), el("ul", each(values[:min(facetsShown, len(values))], func(c data) node {
			n := c.str("value")
			set := []string{k.param, n, "offset", ""}
			switch {
			case n == chosen && k.param == "month":
				set = []string{"after", "", "before", "", "offset", ""}
			case n == chosen:
				set = []string{k.param, "", "offset", ""}
			case k.param == "month":
				set = []string{"after", n + "-01", "before", nextMonth(n), "offset", ""}
			}
			return el("li", el("a", href(v.with(set...)), flag(n == chosen, "aria-current", "true"),
				el("span", n), el("span", thousands(c.num("count")))))
		}))))
	}
	return el("nav.facets", attr{"aria-label", "Narrow these results"}, out), nil
}

func month(day string) string {
	if len(day) < 7 {
		return ""
	}
	return day[:7]
}

// asAgent shows what an agent gets for this question, as it gets it.
func (v *view) asAgent(q string) (node, error) {
	in := args{"query": q}
	if s := v.param("space"); s != "" {
		in["space"] = s
	} else {
		in["space"] = "*"
	}
	v.calls = append(v.calls, call{find("recall"), in})
	given, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	// The tool, and not its operation: it leaves out what an agent does not need.
	tool, err := operation.FindTool("recall")
	if err != nil {
		return nil, err
	}
	out, err := tool.Run(v.ctx, v.opts.Memory, memory.Caller{Actor: v.by}, given)
	if err != nil {
		return nil, err
	}
	answer, err := decoded(out, nil)
	if err != nil {
		return nil, err
	}
	sent, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	var shown bytes.Buffer
	e := json.NewEncoder(&shown)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		return nil, err
	}
	said := notes(answer)
	if len(answer.list("items")) == 0 {
		if said, err = v.nothing(answer); err != nil {
			return nil, err
		}
	}
	return nodes{
		el("div.tabs", el("a", href(v.with("view", "")), "Results"), el("a", attr{"aria-current", "true"}, href(v.with()), "As the agent sees it"),
			el("span.end", fmt.Sprintf("about %d tokens", (len(sent)+bytesPerToken-1)/bytesPerToken), sureness(answer))),
		el("p.quiet", "The answer of the tool recall to this question, complete: an agent that asks gets this and nothing else."),
		said,
		el("div.agent", el("pre", attr{"tabindex", "0"}, el("code", shown.String()))),
	}, nil
}

// start is what the start page shows before there is a question.
func (v *view) start() (node, error) {
	state, err := v.ask("status", nil)
	if err != nil {
		return nil, err
	}
	if len(state.list("spaces")) == 0 {
		return v.noMemory(), nil
	}
	recent, err := v.ask("browse", args{"what": "recent", "space": "*", "limit": 60})
	if err != nil {
		return nil, err
	}
	tags, err := v.ask("browse", args{"what": "tags", "space": "*", "limit": 40})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var pages []data
	for _, p := range recent.list("items") {
		if r := p.str("ref"); r != "" && !seen[r] && p.str("change") != "deleted" && len(pages) < 12 {
			seen[r] = true
			pages = append(pages, p)
		}
	}
	return nodes{
		el("p.quiet", count(state.num("pages"), "page", "pages")+" in "+count(len(state.list("spaces")), "space", "spaces")+", "+count(state.num("links"), "link", "links")+". ",
			opt(state.num("open_gaps") > 0, el("span", count(state.num("open_gaps"), "open question", "open questions")+".")), " ",
			opt(len(state.strs("problems")) > 0, el("a", href(v.base+"/health"), count(len(state.strs("problems")), "thing needs", "things need")+" attention"))),
		el("h2", "Changed lately"),
		el("ul.cards", each(pages, func(p data) node {
			return el("li.card", el("h3", v.pageLink(p.str("ref"), p.str("title"))),
				el("div.row", el("span", space(p.str("ref"))), day(p.str("date")), el("span", p.str("actor"))))
		})),
		opt(len(tags.list("items")) > 0, el("h2", "Tags")),
		el("p.tag-cloud", each(tags.list("items"), func(t data) node {
			return nodes{el("a.tag", href(v.tagged(t.str("tag"))), "#"+t.str("tag")+" ", el("span", t.str("pages"))), text(" ")}
		})),
	}, nil
}

// noMemory is shown before anything is stored.
func (v *view) noMemory() node {
	return empty("There is no memory yet",
		el("p", "A memory begins with a directory of notes, or with the first page that somebody writes. After that its pages are found here."),
		opt(!v.opts.ReadOnly, el("p", el("a.button.primary", href(v.base+"/start"), "Begin with your notes"), " ", el("a.button", href(v.base+"/new"), "Write a page"), " ", el("a.button", href(v.base+"/today"), "Note something"))),
		el("p", "In a terminal:"),
		el("p", el("code", "cairn space add ~/notes")), el("p", el("code", `cairn put hello "The first page."`)))
}

// space is the space of a ref.
func space(ref string) string {
	s, _, _ := strings.Cut(ref, ":")
	return s
}
