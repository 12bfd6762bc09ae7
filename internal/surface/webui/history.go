package webui

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
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
	from, to := v.param("from"), v.param("to")
	if from != "" || to != "" || len(items) > 1 {
		d, err := v.difference(ref, from, to)
		if err != nil {
			return page{}, err
		}
		from, to = fmt.Sprint(d.From), fmt.Sprint(d.To)
		shown = nodes{el("h2", fmt.Sprintf("From version %d to %d", d.From, d.To)), el("p.small", v.wayOfDifferences()), v.hunkView(d.Diff, "", ref)}
	}
	rows := each(items, func(x data) node {
		n := x.num("version")
		return el("tr",
			el("td", fmt.Sprint(n)), el("td", day(x.str("at"))), el("td", x.str("actor")),
			el("td", x.str("change"), opt(x.str("message") != "", nodes{text(": "), text(x.str("message"))})),
			el("td", opt(n > 1, el("a", href(v.with("from", fmt.Sprint(n-1), "to", fmt.Sprint(n))), "changes"))),
			el("td", opt(!x.yes("pruned"), el("a", href(v.pageAt(ref)+"?version="+fmt.Sprint(n)), "read"))),
			opt(!v.opts.ReadOnly, el("td", opt(n != newest.num("version") && !x.yes("pruned"), v.form("/restore", "Restore", "ref", ref, "page", newest.str("page"), "version", fmt.Sprint(n))))))
	})
	return page{title: "Versions of " + title, body: nodes{
		el("div.crumbs", el("a", href(v.pageAt(ref)), ref)), el("h1", "Versions of "+title),
		opt(shown != nil, el("form.filters", attr{"method", "get"}, el("label", "Compare version ", el("input", attr{"type", "text"}, attr{"name", "from"}, attr{"size", "4"}, attr{"value", from}, attr{"inputmode", "numeric"})),
			el("label", "with ", el("input", attr{"type", "text"}, attr{"name", "to"}, attr{"size", "4"}, attr{"value", to}, attr{"inputmode", "numeric"})), el("button", attr{"type", "submit"}, "Compare"))),
		shown,
		el("h2", "All versions"),
		el("div.scroll", attr{"tabindex", "0"}, attr{"role", "region"}, attr{"aria-label", "All versions"}, el("table.versions", el("thead", el("tr", el("th", "Version"), el("th", "When"), el("th", "Who"), el("th", "What"), el("th", el("span.skip", "Changes")), el("th", el("span.skip", "Read")), opt(!v.opts.ReadOnly, el("th", el("span.skip", "Restore"))))), el("tbody", rows))),
		v.more(all)}}, nil
}

// difference compares two versions as the operation does, and masks credentials in the
// shown lines, where not every credential is whole.
func (v *view) difference(ref, from, to string) (out api.DiffResult, err error) {
	in, req := args{"ref": ref}, history.DiffRequest{Ref: ref, Hide: secrets.Hide}
	for _, end := range []struct {
		name, given string
		number      *int
	}{{"from", from, &req.From}, {"to", to, &req.To}} {
		if end.given == "" {
			continue
		}
		n, err := strconv.Atoi(end.given)
		if err != nil || n < 0 {
			return out, kb.Errorf(kb.Usage, "%q is not the number of a version", end.given)
		}
		*end.number, in[end.name] = n, n
	}
	v.calls = append(v.calls, call{find("diff"), in})
	a, err := v.opts.Memory.Session(v.ctx, false)
	if err != nil {
		return out, err
	}
	a = a.For(memory.Caller{Actor: v.by})
	defer a.Begin()()
	return history.Compare(v.ctx, a, req)
}

// restore brings back an older version of the page of a form, which may have been moved since.
// Its old ref may be that of another page now.
func restore(v *view) (string, error) {
	ref := v.field("ref")
	answer, err := v.ask("restore", args{"ref": cmp.Or(v.field("page"), ref), "version": number(v.field("version"))})
	for _, p := range answer.list("pages") {
		ref = cmp.Or(p.str("ref"), ref)
	}
	return wrote("/page/"+escaped(ref), answer), err
}
