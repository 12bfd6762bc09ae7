package webui

import (
	"cmp"
	"fmt"
	"strings"
)

// versions are the states that a page was in, and the difference between two.
func versions(v *view) (page, error) {
	ref := v.r.PathValue("ref")
	in := args{"ref": ref, "limit": 100}
	if o := v.param("offset"); o != "" {
		in["offset"] = number(o)
	}
	all, err := v.ask("history", in)
	if err != nil {
		return page{}, err
	}
	items := all.list("items")
	if len(items) == 0 {
		return page{title: "Versions", body: empty("No versions")}, nil
	}
	newest := items[0]
	title := cmp.Or(newest.str("title"), ref)
	var shown node
	if from, to := v.param("from"), v.param("to"); from != "" || to != "" || len(items) > 1 {
		between := args{"ref": ref, "budget": 20000}
		if from != "" {
			between["from"] = number(from)
		}
		if to != "" {
			between["to"] = number(to)
		}
		d, err := v.ask("diff", between)
		if err != nil {
			return page{}, err
		}
		shown = nodes{el("h2", fmt.Sprintf("From version %s to %s", d.str("from"), d.str("to"))), diffView(d.str("diff")),
			opt(d.yes("diff_cut"), el("p.quiet", "The difference goes on."))}
	}
	rows := each(items, func(x data) node {
		n := x.num("version")
		return el("tr",
			el("td", fmt.Sprint(n)), el("td", day(x.str("at"))), el("td", x.str("actor")),
			el("td", x.str("change"), opt(x.str("message") != "", nodes{text(": "), text(x.str("message"))})),
			el("td", opt(n > 1, el("a", href(v.with("from", fmt.Sprint(n-1), "to", fmt.Sprint(n))), "changes"))),
			el("td", opt(!x.yes("pruned"), el("a", href(v.pageAt(ref)+"?version="+fmt.Sprint(n)), "read"))),
			opt(!v.opts.ReadOnly, el("td", opt(n != newest.num("version") && !x.yes("pruned"), v.form("/restore", "Restore", "ref", ref, "version", fmt.Sprint(n))))))
	})
	return page{title: "Versions of " + title, body: nodes{
		el("div.crumbs", el("a", href(v.pageAt(ref)), ref)), el("h1", "Versions of "+title),
		el("form.filters", attr{"method", "get"}, el("label", "Compare version ", el("input", attr{"type", "text"}, attr{"name", "from"}, attr{"size", "4"}, attr{"value", v.param("from")}, attr{"inputmode", "numeric"})),
			el("label", "with ", el("input", attr{"type", "text"}, attr{"name", "to"}, attr{"size", "4"}, attr{"value", v.param("to")}, attr{"inputmode", "numeric"})), el("button", attr{"type", "submit"}, "Compare")),
		shown,
		el("h2", "All versions"),
		el("div.scroll", attr{"tabindex", "0"}, attr{"role", "region"}, attr{"aria-label", "All versions"}, el("table.versions", el("thead", el("tr", el("th", "Version"), el("th", "When"), el("th", "Who"), el("th", "What"), el("th", el("span.skip", "Changes")), el("th", el("span.skip", "Read")), opt(!v.opts.ReadOnly, el("th", el("span.skip", "Restore"))))), el("tbody", rows))),
		v.more(all)}}, nil
}

// diffView is a unified difference, coloured.
func diffView(diff string) node {
	if diff == "" {
		return el("p.quiet", "There is no difference.")
	}
	var out nodes
	for _, line := range strings.Split(strings.TrimSuffix(diff, "\n"), "\n") {
		kind := ""
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			continue
		case strings.HasPrefix(line, "@@"):
			kind = "hunk"
		case strings.HasPrefix(line, "+"):
			kind = "add"
		case strings.HasPrefix(line, "-"):
			kind = "del"
		}
		out = append(out, el("span", flag(kind != "", "class", kind), line))
	}
	return el("div.diff", attr{"tabindex", "0"}, attr{"role", "region"}, attr{"aria-label", "Difference"}, out)
}

// restore brings back an older version of a page.
func restore(v *view) (string, error) {
	ref := v.r.PostFormValue("ref")
	_, err := v.ask("restore", args{"ref": ref, "version": number(v.r.PostFormValue("version"))})
	return "/page/" + escaped(ref), err
}
