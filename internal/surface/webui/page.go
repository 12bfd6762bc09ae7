package webui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/webui/render"
)

const (
	// pageText is how many tokens of a page are shown at once.
	pageText = 100000
	// partSize is how many bytes of a page are shown at once. Browsers lay out twice as many in
	// about a second.
	partSize = 96_000
	// maxRendered is how many bytes a page may have that is rendered. Of a larger one, a part is
	// shown as it is written: what the parser makes of a text takes many times its size.
	maxRendered = 8 << 20
	// coloursAtFirst is how many bytes of code are coloured when a page is shown, in addition to
	// code that was coloured before: chroma colours some 1,000 a millisecond. A script asks for
	// the other colours afterwards.
	coloursAtFirst = 2 << 10
)

// longProperties is how many bytes of properties are folded, which would fill the first screen.
const longProperties = 1000

// linksShown is how many backlinks are shown at once.
const linksShown = 50

// passage is the text of a hit, rendered.
func (v *view) passage(h data, words []string) node {
	name := "passage.md"
	if strings.HasSuffix(h.str("path"), ".org") {
		name = "passage.org"
	}
	return trusted(quoted(render.Passage(v.ctx, render.Page{Path: name, Text: []byte(h.str("text"))}, words)))
}

// quoted takes the headings of a passage out of the outline of the screen that quotes it.
func quoted(passage string) string {
	for level := '1'; level <= '6'; level++ {
		passage = strings.ReplaceAll(passage, "<h"+string(level)+">", `<div class="heading">`)
		passage = strings.ReplaceAll(passage, "</h"+string(level)+">", "</div>")
	}
	return passage
}

// line is a line of a page, rendered without links.
func (v *view) line(of string) node {
	shown := strings.TrimSpace(render.Passage(v.ctx, render.Page{Path: "line.md", Text: []byte(of)}, nil))
	if inner, ok := strings.CutPrefix(shown, "<p>"); ok && strings.Count(shown, "<p>") == 1 {
		shown = strings.TrimSuffix(inner, "</p>")
	}
	return el("span", trusted(shown))
}

// sentence is the line of a page around a name or a link, without the marks of its block.
func (v *view) sentence(line string) node {
	line = blockMarks().ReplaceAllString(line, "")
	if line == "" {
		return nil
	}
	return el("p", v.line(line))
}

// blockMarks are those of headings, quotes, list items and tasks.
var blockMarks = lazyregexp.New(`^(?:[ \t]*(?:[-*+>]|#{1,6}|\d+[.)]|\[[ xX]\])(?:[ \t]+|$))*`)

// readPage is the screen of a page.
func readPage(v *view) (page, error) {
	ref := v.r.PathValue("ref")
	in := args{"ref": ref, "budget": pageText}
	if n := v.param("version"); n != "" {
		in["version"] = number(n)
	}
	asked := len(v.calls)
	p, err := v.ask("read", in)
	if err != nil {
		return page{}, err
	}
	var part render.Part
	if p.str("more") != "" {
		if part, err = v.readWhole(p, v.calls[asked].args, v.firstLine()); err != nil {
			return page{}, err
		}
	}
	ref = p.str("ref")
	var nearby surroundings // they take as long to find as the text to render
	wait := v.meanwhile(func(v *view) (err error) {
		nearby, err = v.surroundings(ref, v.param("from")+v.param("at")+v.param("line") == "")
		return err
	})
	shown, out, err := v.document(p, part)
	if failed := wait(); cmp.Or(err, failed) != nil {
		return page{}, cmp.Or(err, failed)
	}
	if !shown.Part.IsWhole() {
		v.calls[asked].args = maps.Clone(v.calls[asked].args)
		v.calls[asked].args["lines"] = []int{shown.Part.First, shown.Part.Last}
	}
	aside, err := v.around(p, shown, out, nearby)
	if err != nil {
		return page{}, err
	}
	title := cmp.Or(p.str("title"), ref)
	if strings.HasSuffix(p.str("path"), ".base") {
		shown, err := v.views(p)
		if err != nil {
			return page{}, err
		}
		if shown != nil {
			return page{title: title, place: "/table", body: nodes{v.written(), v.head(p, ref, title), shown}}, nil
		}
	}
	body := v.body(p, shown)
	if strings.HasSuffix(p.str("path"), ".canvas") {
		if drawn := v.canvas(p); drawn != nil {
			body = nodes{drawn, el("details", el("summary", "As it is written"), body)}
		}
	}
	return page{title: title, body: el("div.reader",
		el("article", attr{"data-ref", ref}, attr{"data-version", p.str("version")}, flag(shown.Plain > 0, "data-plain", ""), v.written(), v.head(p, ref, title), body), aside)}, nil
}

// readWhole gives the answer of an operation all text of a large page. Only a document that is
// read from its beginning tells code from prose and has its credentials found. Of a text that is
// not rendered it is the part that the reader asked for, which is not whole.
func (v *view) readWhole(p data, in args, line int) (part render.Part, err error) {
	ref, _ := in["ref"].(string)
	version, _ := in["version"].(int)
	asOf, _ := in["as_of"].(string)
	t, err := v.text(read.GetRequest{Ref: ref, Version: version, AsOf: asOf, Unread: true, Large: maxRendered, Line: line})
	if err != nil {
		return part, err
	}
	p["text"], p["lines"], p["ended_lines"] = t.Text, numbers(t.Lines[:]), numbers(t.Ended)
	if t.IsPart {
		part = render.Part{First: t.Lines[0], Last: t.Lines[1], Before: t.Before, After: t.After, IsCut: t.IsCut}
	}
	return part, nil
}

// firstLine is the line that the address of a part of a large page names, 0 for none.
func (v *view) firstLine() int {
	line, _ := strconv.Atoi(cmp.Or(v.param("from"), v.param("line")))
	return line
}

// numbers are numbers as an answer has them.
func numbers(of []int) []any {
	var out []any
	for _, n := range of {
		out = append(out, json.Number(strconv.Itoa(n)))
	}
	return out
}

// parts links to the text before and after the part of a large page.
func (v *view) parts(of render.Part) node {
	if of.IsWhole() {
		return nil
	}
	at := func(line int) string { return v.with("from", fmt.Sprint(line), "line", "", "at", "") }
	shown := fmt.Sprintf("Lines %d to %d are shown. ", of.First, of.Last)
	if of.IsCut {
		shown = fmt.Sprintf("The beginning of line %d is shown, which is too long to be shown whole. ", of.First)
	}
	return el("p.notes", shown,
		opt(of.Before > 0, nodes{el("a", href(at(of.Before)), attr{"rel", "prev"}, "The part before"), text(" ")}),
		opt(of.After > 0, el("a", href(at(of.After)), attr{"rel", "next"}, "The next part")))
}

// element is the address of an element of this page, in whichever part it is.
func (v *view) element(id string) string { return v.with("at", id, "from", "", "line", "") + "#" + id }

// linksOf returns the links of a page in its lines, nil for all, as the index has them, and where they lead. Ask gives
// the answers of an operation as they are: a large page may have tens of thousands of links.
func linksOf(ref string, lines []int, ask func(name string, in args) (any, error)) (links []api.Link, resolve func(doc.Target, int) render.Target, _ error) {
	type key struct {
		target string
		line   int
	}
	byLine, byName := map[key]render.Target{}, map[string]render.Target{}
	for offset := 0; ; {
		in := args{"ref": ref, "way": "out", "temporal": "all", "limit": 1000}
		if lines != nil {
			in["lines"] = lines
		}
		if offset > 0 {
			in["offset"] = offset
		}
		answer, err := ask("links", in)
		if err != nil {
			return nil, nil, err
		}
		out := answer.(interface{ Part() api.List[api.Link] }).Part()
		for _, l := range out.Items {
			to := render.Target{State: l.State}
			if l.Page != nil {
				to.Ref, to.Title = l.Page.Ref, l.Page.Title
			}
			byLine[key{l.Target, l.Line}] = to
			byName[l.Target] = to
		}
		links = append(links, out.Items...)
		next, _ := strconv.Atoi(out.Next)
		if next <= offset {
			break
		}
		offset = next
	}
	return links, func(t doc.Target, line int) render.Target {
		for _, name := range []string{t.Raw, t.Name} {
			if to, ok := byLine[key{name, line}]; ok {
				return to
			}
		}
		return cmp.Or(byName[t.Raw], byName[t.Name])
	}, nil
}

// embedded is a page within another. Its links are looked up when it has any.
func (v *view) embedded(ref string) (render.Page, bool) {
	in := v.then(find("read"), args{"ref": ref, "budget": pageText})
	p, err := v.run(find("read"), in)
	if err == nil && p.str("more") != "" {
		_, err = v.readWhole(p, in, 0)
	}
	if err != nil {
		return render.Page{}, false
	}
	ref = p.str("ref")
	path := cmp.Or(p.str("path"), "embedded.md")
	return render.Page{
		Path: path, Text: []byte(p.str("text")), FileAt: v.filesOf(space(ref), path),
		Resolve: v.resolveAll(ref),
	}, true
}

// resolveAll resolves the links of a page, which are looked up for the first of them.
func (v *view) resolveAll(ref string) func(doc.Target, int) render.Target {
	all := sync.OnceValue(func() func(doc.Target, int) render.Target {
		_, resolve, err := linksOf(ref, nil, func(name string, in args) (any, error) { return v.perform(find(name), in) })
		if err != nil {
			return func(doc.Target, int) render.Target { return render.Target{} }
		}
		return resolve
	})
	return func(t doc.Target, line int) render.Target { return all()(t, line) }
}

// document renders the text of a page, or its part, and returns the links in it. A part that was
// read is shown as it is written.
func (v *view) document(p data, part render.Part) (out render.Result, links []api.Link, err error) {
	ref := p.str("ref")
	path := cmp.Or(p.str("path"), strings.TrimPrefix(ref, space(ref)+":")+".md")
	ended := map[int]bool{}
	for _, l := range p.strs("ended_lines") {
		n, _ := strconv.Atoi(l)
		ended[n] = true
	}
	first := 1
	if lines := p.strs("lines"); len(lines) > 0 {
		first, _ = strconv.Atoi(lines[0])
	}
	here, _ := strconv.Atoi(v.param("line"))
	from, _ := strconv.Atoi(v.param("from"))
	colours := coloursAtFirst
	if v.suggests() || v.day != "" || v.param("version") != "" { // a script looks again, or never
		colours = 0
	}
	v.outside = v.pictures()
	resolve := func(doc.Target, int) render.Target { return render.Target{} }
	out = render.Document(v.ctx, render.Source{
		Page: render.Page{
			Path: path, Text: []byte(p.str("text")), FileAt: v.filesOf(space(ref), path),
			Resolve: func(t doc.Target, line int) render.Target { return resolve(t, line) },
		},
		Ref: ref, First: first, Here: here, Ended: ended, Read: part,
		Size: partSize, Wholes: v.wholes, Colours: colours, At: v.param("at"), From: from, PartAt: v.element,
		Chosen: func(part render.Part) {
			var lines []int
			if !part.IsWhole() {
				lines = []int{part.First, part.Last}
			}
			var found func(doc.Target, int) render.Target
			if links, found, err = linksOf(ref, lines, v.asked); err != nil {
				return
			}
			all := v.resolveAll(ref)
			resolve = func(t doc.Target, line int) render.Target {
				if lines != nil && (line < part.First || line > part.Last) { // in a footnote of another part
					return all(t, line)
				}
				return found(t, line)
			}
		},
		Embed:    v.embedded,
		PageAt:   v.pageAt,
		TagAt:    v.tagged,
		Pictures: v.outside, PicturesAt: v.withPictures, Credentials: v.credentials(),
	})
	return out, links, err
}

// tagged is the address of the pages with a tag.
func (v *view) tagged(tag string) string { return v.base + "/?tag=" + url.QueryEscape(tag) }

// maxPictures is of how many other servers pictures are shown at once.
const maxPictures = 20

// pictures are the origins of which the reader asked to see pictures.
func (v *view) pictures() (origins []string) {
	for _, at := range v.r.URL.Query()["pictures"] {
		u, err := url.Parse(at)
		if err != nil || len(origins) == maxPictures {
			continue
		}
		if origin, ok := render.OriginOf(u); ok {
			origins = append(origins, origin)
		}
	}
	return origins
}

// withPictures is the address of this screen with the pictures of one more server.
func (v *view) withPictures(origin string) string {
	u, err := url.Parse(v.with())
	if err != nil {
		return v.with()
	}
	q := u.Query()
	q.Add("pictures", origin)
	return u.EscapedPath() + "?" + q.Encode()
}

// credentials reports whether the reader asked to see credentials.
func (v *view) credentials() bool { return v.param("credentials") == "shown" }

// ofSecrets says that credentials of a text are masked, with a link that shows them.
func (v *view) ofSecrets(n int) node {
	switch {
	case n == 0:
		return nil
	case v.credentials():
		return el("p.notes", count(n, "credential is", "credentials are")+" shown. ", el("a", href(v.with("credentials", "")), "Mask"))
	}
	return el("p.notes", count(n, "credential is", "credentials are")+" masked. ", el("a", href(v.with("credentials", "shown")), "Show"))
}

// head is the title of a page with its type, tags and version.
func (v *view) head(p data, ref, title string) node {
	return el("header.head",
		el("div.crumbs", ref),
		el("h1", title),
		el("div.row",
			// The index has these of today. In the past, the table of properties has them.
			opt(v.day == "", nodes{
				opt(p.str("type") != "", el("span.badge", p.str("type"))), status(p.str("status")),
				opt(p.yes("contested"), el("span.badge.is-contested", attr{"title", "a contradiction concerns this page"}, "contested")),
				opt(p.yes("stale"), el("span.badge.is-stale", attr{"title", "its truth is older than its timeline"}, "stale")),
				each(p.strs("tags"), func(t string) node { return el("a.tag", href(v.tagged(t)), "#"+t) }),
			}),
			el("span", "version "+p.str("version")), day(p.str("updated_at")),
			opt(!v.opts.ReadOnly, el("a.button", href(v.base+"/edit/"+escaped(ref)), "Edit")),
			el("a.button", href(v.base+"/graph?ref="+url.QueryEscape(ref)), "Graph"),
			el("a.button", href(v.base+"/blame/"+escaped(ref)), "Blame"),
			el("a.button", href(v.base+"/history/"+escaped(ref)), "Versions"),
			v.editors(p.str("file"))))
}

// body is the text of a page.
func (v *view) body(p data, shown render.Result) node {
	props := slices.DeleteFunc(slices.Clone(shown.Properties), func(x render.Property) bool { return v.day == "" && slices.Contains(inHead, x.Key) })
	doc := "div.doc"
	if h := shown.Headings; len(h) > 0 && h[0].Level == 1 && h[0].Text == p.str("title") && firstHeading().MatchString(shown.HTML) {
		doc = "div.doc.titled"
	}
	size := 0
	for _, x := range props {
		size += len(x.HTML)
	}
	properties := el("table.props", el("tbody", each(props, func(x render.Property) node {
		return el("tr", el("th", attr{"scope", "row"}, x.Key), el("td", trusted(x.HTML)))
	})))
	if size > longProperties {
		properties = el("details.props", el("summary", fmt.Sprintf("Properties · %d", len(props))), properties)
	}
	return nodes{
		opt(len(props) > 0 && shown.Part.Before == 0, properties),
		v.ofSecrets(shown.Secrets),
		v.parts(shown.Part),
		el(doc, attr{"dir", "auto"}, trusted(shown.HTML)),
		v.parts(shown.Part),
	}
}

// firstHeading is a text that begins with a heading, which may repeat the title above it.
var firstHeading = lazyregexp.New(`^\s*(?:<section[^>]*>\s*)?<h1[ >]`)

// inHead are the properties that the head of a page shows.
var inHead = []string{"title", "type", "status", "tags", "id"}

// surroundings are what the memory has around a page. Names of pages without a link, those in the
// page and the page's in others, are those of now.
type surroundings struct {
	names, mentions, backlinks, timeline data
	neighbours                           node
}

// surroundings looks them up, the names in the page only where its first part is sure to be
// shown: all of the text is read for them.
func (v *view) surroundings(ref string, first bool) (out surroundings, err error) {
	if v.day == "" {
		if first {
			if out.names, err = v.ask("unlinked", args{"ref": ref, "limit": 20}); err != nil {
				return out, err
			}
		}
		if out.mentions, err = v.ask("mentions", args{"ref": ref, "limit": 20}); err != nil {
			return out, err
		}
	}
	in := args{"ref": ref, "way": "in", "temporal": "all", "quotes": true, "limit": linksShown}
	if o := v.param("offset"); o != "" {
		in["offset"] = number(o)
	}
	if out.backlinks, err = v.ask("links", in); err != nil {
		return out, err
	}
	if out.timeline, err = v.ask("timeline", args{"ref": ref, "limit": 20}); err != nil {
		return out, err
	}
	out.neighbours, err = v.neighbours(ref, 1, 24, 280)
	return out, err
}

// around shows what belongs to a page.
func (v *view) around(p data, shown render.Result, out []api.Link, nearby surroundings) (node, error) {
	ref := p.str("ref")
	var relations []api.Link
	for _, l := range out {
		if l.Kind == link.RelationKind && l.Type != kb.PlainLink {
			relations = append(relations, l)
		}
	}
	names := nearby.names
	if names == nil && v.day == "" && shown.Part.Before == 0 {
		var err error
		if names, err = v.ask("unlinked", args{"ref": ref, "limit": 20}); err != nil {
			return nil, err
		}
	}
	relationsTitle := "Relations"
	if !shown.Part.IsWhole() {
		relationsTitle = "Relations in this part"
	}
	outline := outlineOf(shown)
	level := 6
	for _, h := range outline {
		level = min(level, h.Level)
	}
	return el("aside.aside", attr{"aria-label", "About this page"},
		opt(len(outline) > 1, el("section.outline", el("h2", "Outline"), el("ul", each(outline, func(h render.Heading) node {
			at := "#" + h.ID
			if !inPart(h, shown.Part) {
				at = v.element(h.ID)
			}
			return el("li", el(fmt.Sprintf("a.l%d", h.Level-level+1), href(at), h.Text))
		})), opt(len(outline) < len(shown.Headings), el("p.quiet.small", fmt.Sprintf("%d of %d headings", len(outline), len(shown.Headings)))))),
		opt(len(relations) > 0, el("section", el("h2", relationsTitle), el("ul", each(relations, func(l api.Link) node {
			var end node = text(l.Target)
			if l.Page != nil {
				end = v.pageLink(l.Page.Ref, l.Page.Title)
			}
			return el("li", flag(l.Ended, "class", "quiet"), l.Type+" ", end, opt(l.ValidFrom+l.ValidUntil != "", el("p", period(l.ValidFrom, l.ValidUntil))))
		})))),
		opt(nearby.neighbours != nil, el("section", el("h2", "Neighbours"), nearby.neighbours, el("a", href(v.base+"/graph?ref="+url.QueryEscape(ref)), "Larger"))),
		el("section", el("h2", "Backlinks · "+thousands(nearby.backlinks.num("total"))), v.linkList(nearby.backlinks, "No page links here."), v.more(nearby.backlinks)),
		opt(len(nearby.mentions.list("items")) > 0, el("section", el("h2", "Mentions without a link · "+thousands(nearby.mentions.num("total"))), el("ul", each(nearby.mentions.list("items"), func(m data) node {
			at := v.pageAt(m.str("ref")) + "?line=" + m.strs("lines")[0] + "#here"
			return el("li", el("a", href(at), cmp.Or(m.str("title"), m.str("ref"))), v.sentence(m.str("context")))
		})))),
		opt(len(names.list("items")) > 0, el("section", el("h2", "Names without a link"), el("ul", each(names.list("items"), func(n data) node {
			return el("li", v.pageLink(n.str("to"), n.str("title")), el("p", linesOf(n)))
		})))),
		opt(len(nearby.timeline.list("items")) > 0, el("section", el("h2", "Timeline"), el("ul", each(nearby.timeline.list("items"), func(e data) node {
			return el("li", day(e.str("date")), " ", v.line(e.str("text")))
		})))),
		opt(len(p.list("warnings")) > 0, el("section", el("h2", "Problems"), el("ul", each(p.list("warnings"), func(w data) node {
			return el("li", w.str("text"), el("p", "line "+w.str("line")))
		})))),
	), nil
}

// linesOf names the lines in which something is.
func linesOf(x data) string {
	all := x.strs("lines")
	if len(all) == 1 {
		return "line " + all[0]
	}
	return "lines " + strings.Join(all, ", ")
}

// maxOutline is how many headings an outline has, of this part and of all.
const maxOutline = 500

// inPart reports whether a heading is shown.
func inPart(h render.Heading, part render.Part) bool {
	return part.IsWhole() || h.Line >= part.First && h.Line <= part.Last
}

// outlineOf are the headings of a page. Of very many these are the ones of the part that is
// shown, the first of the deepest level that has room, and of other parts those of as many
// levels as there is room for.
func outlineOf(shown render.Result) []render.Heading {
	all := shown.Headings
	if len(all) <= maxOutline {
		return all
	}
	var own, levels [7]int
	for _, h := range all {
		if inPart(h, shown.Part) {
			own[min(h.Level, 6)]++
		} else {
			levels[min(h.Level, 6)]++
		}
	}
	deepest := func(of [7]int) (level, left int) {
		for left = maxOutline; level < 6 && of[level+1] <= left; level++ {
			left -= of[level+1]
		}
		return level, left
	}
	here, left := deepest(own)
	others, _ := deepest(levels)
	return slices.DeleteFunc(slices.Clone(all), func(h render.Heading) bool {
		level := min(h.Level, 6)
		if !inPart(h, shown.Part) {
			return level > others
		}
		if level == here+1 {
			left--
			return left < 0
		}
		return level > here
	})
}

// period is the time for which a relation holds.
func period(from, until string) string {
	switch {
	case until == "":
		return "since " + from
	case from == "":
		return "until " + until
	}
	return from + " – " + until
}

func (v *view) linkList(all data, none string) node {
	items := all.list("items")
	if len(items) == 0 {
		return el("p.quiet", none)
	}
	var out nodes
	for i := 0; i < len(items); {
		l := items[i]
		var types nodes
		for first := i; i < len(items) && sameLine(items[first], items[i]); i++ {
			if t := items[i].str("type"); t != "" && t != "links_to" && (i == first || t != items[i-1].str("type")) {
				types = append(types, text(" "), el("span.badge", t))
			}
		}
		p := l.sub("page")
		out = append(out, el("li", v.pageLink(p.str("ref"), p.str("title")), types,
			v.sentence(l.str("quote")), opt(l.yes("ended"), el("p", period(l.str("valid_from"), l.str("valid_until"))))))
	}
	return el("ul", out)
}

// sameLine reports whether two links of a list are quoted with the same line of a page.
func sameLine(a, b data) bool {
	for _, name := range []string{"line", "quote", "valid_from", "valid_until"} {
		if a.str(name) != b.str(name) {
			return false
		}
	}
	return a.sub("page").str("ref") == b.sub("page").str("ref") && a.yes("ended") == b.yes("ended")
}
