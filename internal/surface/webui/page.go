package webui

import (
	"cmp"
	"fmt"
	"strings"
)

// pageText is how many tokens of a page are read at most; the operation allows no more.
const pageText = 100000

// linksShown is how many backlinks are shown at once.
const linksShown = 50

// passage is the text of a hit.
func (v *view) passage(h data, words []string) node {
	return el("p", marked(h.str("text"), words))
}

// readPage is the screen of a page.
func readPage(v *view) (page, error) {
	ref := v.r.PathValue("ref")
	in := args{"ref": ref, "budget": pageText}
	if n := v.param("version"); n != "" {
		in["version"] = number(n)
	}
	p, err := v.ask("read", in)
	if err != nil {
		return page{}, err
	}
	ref = p.str("ref")
	aside, err := v.around(ref)
	if err != nil {
		return page{}, err
	}
	title := cmp.Or(p.str("title"), ref)
	return page{title: title, body: el("div.reader",
		el("article", attr{"data-ref", ref}, attr{"data-version", p.str("version")}, v.head(p, ref, title), v.body(p)), aside)}, nil
}

// head is the title of a page with what is to be known of it.
func (v *view) head(p data, ref, title string) node {
	return el("header.head",
		el("div.crumbs", ref),
		el("h1", title),
		el("div.row",
			opt(p.str("type") != "", el("span.badge", p.str("type"))), status(p.str("status")),
			opt(p.yes("contested"), el("span.badge.contested", attr{"title", "a contradiction concerns this page"}, "contested")),
			opt(p.yes("stale"), el("span.badge.stale", attr{"title", "its truth is older than its timeline"}, "stale")),
			each(p.strs("tags"), func(t string) node { return el("a.tag", href(v.base+"/?tag="+query1(t)), "#"+t) }),
			el("span", "version "+p.str("version")), day(p.str("updated_at")),
			el("a.button", href(v.base+"/history/"+escaped(ref)), "Versions"),
			v.editors(p.str("file"))))
}

// body is the text of a page, line by line.
func (v *view) body(p data) node {
	first := 1
	if lines := p.strs("lines"); len(lines) > 0 {
		_, _ = fmt.Sscan(lines[0], &first)
	}
	var rows nodes
	for i, line := range strings.Split(strings.TrimSuffix(p.str("text"), "\n"), "\n") {
		n := fmt.Sprint(first + i)
		rows = append(rows, el("tr", attr{"id", "L" + n}, el("td", n), el("td", line)))
	}
	return nodes{el("table.source", el("tbody", rows)), opt(p.str("more") != "", el("p.quiet", "Not shown: "+p.str("more")))}
}

// around is what belongs to a page.
func (v *view) around(ref string) (node, error) {
	back, err := v.ask("links", args{"ref": ref, "way": "in", "temporal": "all", "limit": linksShown})
	if err != nil {
		return nil, err
	}
	return el("aside.aside", attr{"aria-label", "About this page"},
		el("section", el("h2", fmt.Sprintf("Backlinks · %d", back.num("total"))), v.linkList(back, "No page links here."))), nil
}

func (v *view) linkList(all data, none string) node {
	items := all.list("items")
	if len(items) == 0 {
		return el("p.quiet", none)
	}
	return el("ul", each(items, func(l data) node {
		p := l.sub("page")
		return el("li", v.pageLink(p.str("ref"), p.str("title")),
			opt(l.str("type") != "" && l.str("type") != "links_to", nodes{text(" "), el("span.badge", l.str("type"))}),
			opt(l.str("context") != "", el("p", l.str("context"))))
	}))
}
