package webui

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/surface/webui/render"
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
	asked := len(v.calls)
	p, err := v.ask("read", in)
	if err != nil {
		return page{}, err
	}
	var of render.Part
	if p.str("more") != "" {
		if of, err = v.readWhole(p, in, v.firstLine()); err != nil {
			return page{}, err
		}
	}
	written := strings.SplitAfter(strings.TrimSuffix(string(secrets.Hide([]byte(p.str("text")))), "\n"), "\n")
	part := blamePart(written, of, v.param("from"))
	part.IsCut = of.IsCut
	var around node
	if part.Before > 0 || part.After > 0 || part.IsCut {
		around = v.parts(part)
		v.calls[asked].args = maps.Clone(v.calls[asked].args)
		v.calls[asked].args["lines"] = []int{part.First, part.Last}
	}
	var rows nodes
	for _, l := range b.list("lines") {
		begin := max(l.num("from"), part.First)
		for n := begin; n <= min(l.num("to"), part.Last); n++ {
			first := n == begin
			rows = append(rows, el("tr", flag(first, "class", "first"),
				el("td.origin", opt(first, nodes{
					el("a", href(v.base+"/history/"+escaped(ref)+fmt.Sprintf("?from=%d&to=%d", l.num("version")-1, l.num("version"))), "version "+strconv.Itoa(l.num("version"))),
					text(" " + l.str("actor") + " "), day(l.str("at")),
				})),
				el("td", el("pre", strings.TrimSuffix(written[n-max(1, of.First)], "\n")))))
		}
	}
	return page{title: "Blame of " + ref, body: nodes{
		el("div.crumbs", v.pageLink(ref, ref)), el("h1", "Author of each line"),
		around, el("table.blame", el("tbody", rows)), around,
	}}, nil
}

// blameLines is how many lines of a page are shown at once.
const blameLines = 5000

// blamePart is the part of a text, in lines, with the line that is asked for. The text may be a
// part itself.
func blamePart(written []string, of render.Part, from string) render.Part {
	line, _ := strconv.Atoi(from)
	part, size := render.Part{First: max(1, of.First), Before: of.Before}, 0
	for i, w := range written {
		n := max(1, of.First) + i
		if size += len(w); n > part.First && (size > partSize || n-part.First >= blameLines) {
			if line < n {
				part.After = n
				break
			}
			part.Before, part.First, size = part.First, n, len(w)
		}
		part.Last = n
	}
	part.After = cmp.Or(part.After, of.After)
	return part
}
