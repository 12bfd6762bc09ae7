package webui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// blame is the text of a page with the author of each line.
func blame(v *view) (page, error) {
	ref := v.r.PathValue("ref")
	in := args{"ref": ref}
	if n := v.param("version"); n != "" {
		in["version"] = number(n)
	}
	b, err := v.ask("blame", in)
	if err != nil {
		return page{}, err
	}
	in = args{"ref": ref, "budget": pageText, "version": b.num("version")}
	p, err := v.ask("read", in)
	if err != nil {
		return page{}, err
	}
	shown := strings.Count(strings.TrimSuffix(p.str("text"), "\n"), "\n") + 1
	if p.str("more") != "" {
		if err := v.readWhole(p, in); err != nil {
			return page{}, err
		}
	}
	written := strings.Split(string(secrets.Hide([]byte(p.str("text")))), "\n")[:shown]
	var rows nodes
	for _, l := range b.list("lines") {
		for n := l.num("from"); n <= l.num("to") && n <= len(written); n++ {
			first := n == l.num("from")
			rows = append(rows, el("tr", flag(first, "class", "first"),
				el("td.origin", opt(first, nodes{
					el("a", href(v.base+"/history/"+escaped(ref)+fmt.Sprintf("?from=%d&to=%d", l.num("version")-1, l.num("version"))), "version "+strconv.Itoa(l.num("version"))),
					text(" " + l.str("actor") + " "), day(l.str("at")),
				})),
				el("td", el("pre", written[n-1]))))
		}
	}
	return page{title: "Blame of " + ref, body: nodes{
		el("div.crumbs", v.pageLink(ref, ref)), el("h1", "Author of each line"),
		el("table.blame", el("tbody", rows)),
		opt(p.str("more") != "", el("p.quiet", "Not shown: "+p.str("more"))),
	}}, nil
}
