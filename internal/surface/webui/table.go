package webui

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/bases"
	"github.com/cairn-kb/cairn/internal/kb"
)

// rowsShown is how many rows of a table are shown at once.
const rowsShown = 50

// viewsIn is the directory of a space in which views are saved.
const viewsIn = "views/"

// tabled are the parameters of a table.
var tabled = []string{"space", "type", "tag", "path", "where", "columns", "sort", "reverse"}

// table shows pages as rows, with their properties as columns.
func table(v *view) (page, error) {
	if all, err := v.run(find("spaces"), nil); err == nil && len(all.list("items")) == 0 {
		return page{title: "Tables", place: "/table", body: nodes{el("h1", "Tables"), v.noMemory()}}, nil
	}
	t := tableOf(v.param)
	body, err := v.table(t)
	if err != nil {
		return page{}, err
	}
	saved, err := v.savedViews()
	if err != nil {
		return page{}, err
	}
	text := func(name, label, value, placeholder string) node {
		return el("label", label+" ", el("input", attr{"type", "text"}, attr{"name", name}, attr{"value", value}, attr{"placeholder", placeholder}, attr{"size", "11"}))
	}
	return page{title: "Tables", place: "/table", body: nodes{
		el("h1", "Tables"), v.written(), saved,
		el("form.filters", attr{"method", "get"},
			v.spaceChoice(t.space), text("type", "Type", strings.Join(t.Types, ", "), "person"), text("tag", "Tag", strings.Join(t.Tags, ", "), "work"),
			text("path", "Folder", t.Folder, "projects"), text("where", "Conditions", strings.Join(t.Where, "; "), "stage=design; n>2"), text("columns", "Columns", strings.Join(t.Order, ", "), "the common ones"),
			v.kept("sort", "reverse"), el("button", attr{"type", "submit"}, "Show")),
		body,
		opt(!v.opts.ReadOnly && t.space != "", el("details.save-view", el("summary", "Save this table as a view"),
			el("form", attr{"method", "post"}, attr{"action", v.base + "/save-view"}, v.kept(tabled...), el("input", attr{"type", "hidden"}, attr{"name", "space"}, attr{"value", t.space}),
				el("label", "Name ", el("input", attr{"type", "text"}, attr{"name", "name"}, attr{"required", ""}, attr{"size", "24"})), el("button", attr{"type", "submit"}, "Save"),
				el("p.quiet.small", "A view is a file "+viewsIn+"NAME.base in the space; Obsidian shows it as well.")))),
	}}, nil
}

// shownTable is a table: a view, in a space.
type shownTable struct {
	bases.View
	space string // "" for all
}

// tableOf reads the parameters of a table.
func tableOf(get func(string) string) shownTable {
	parts := func(name, sep string) (out []string) {
		for _, p := range strings.Split(get(name), sep) {
			if p = strings.TrimSpace(p); p != "" {
				out = append(out, p)
			}
		}
		return out
	}
	return shownTable{bases.View{
		Types: parts("type", ","), Tags: parts("tag", ","), Folder: get("path"), Where: parts("where", ";"),
		Order: parts("columns", ","), Sort: get("sort"), Down: get("reverse") != "",
	}, get("space")}
}

// spaceChoice chooses a space, or all.
func (v *view) spaceChoice(chosen string) node {
	all, err := v.run(find("spaces"), nil)
	if err != nil {
		return nil // the table has the error
	}
	return el("label", "Space ", el("select", attr{"name", "space"}, el("option", attr{"value", ""}, "all"), each(all.list("items"), func(s data) node {
		return el("option", flag(s.str("name") == chosen, "selected", ""), s.str("name"))
	})))
}

// savedViews are the bases of all spaces.
func (v *view) savedViews() (node, error) {
	found, err := v.ask("browse", args{"what": "pages", "type": []string{bases.Type}, "space": "*", "limit": 100})
	if items := found.list("items"); err == nil && len(items) > 0 {
		return el("p.views", el("span.quiet", "Saved views: "), each(items, func(p data) node { return nodes{v.pageLink(p.str("ref"), p.str("title")), text(" ")} })), nil
	}
	return nil, err
}

// table shows the rows of a table.
func (v *view) table(t shownTable) (node, error) {
	in := args{"space": cmp.Or(t.space, "*"), "limit": rowsShown}
	for name, list := range map[string][]string{"type": t.Types, "tags": t.Tags, "where": t.Where, "columns": t.Order} {
		if len(list) > 0 {
			in[name] = list
		}
	}
	if t.Folder != "" {
		in["path"] = t.Folder
	}
	if t.Sort != "" {
		in["sort"] = t.Sort
	}
	if t.Down {
		in["reverse"] = true
	}
	if o := v.param("offset"); o != "" {
		in["offset"] = number(o)
	}
	found, err := v.ask("rows", in)
	if err != nil {
		return nil, err
	}
	rows, columns := found.list("items"), found.strs("columns")
	if len(rows) == 0 {
		return nodes{notes(found), empty("No pages here", el("p", "Choose another type, tag or condition."))}, nil
	}
	head := func(label, by string) node {
		order, arrow, reverse := "", "", ""
		switch {
		case t.Sort == by && t.Down:
			order, arrow = "descending", " ↓"
		case t.Sort == by:
			order, arrow, reverse = "ascending", " ↑", "1"
		}
		return el("th", attr{"scope", "col"}, flag(order != "", "aria-sort", order), el("a", href(v.with("sort", by, "reverse", reverse, "offset", "", "edit", "")), label+arrow))
	}
	var forms, body nodes
	for i, r := range rows {
		if v.param("edit") == r.str("ref") && !v.opts.ReadOnly {
			_, fields, err := v.properties(r.str("ref"))
			if err != nil {
				return nil, err
			}
			id := fmt.Sprintf("row-%d", i)
			forms = append(forms, v.rowForm(id, r))
			body = append(body, v.editedRow(id, r, columns, fields))
			continue
		}
		cells := each(columns, func(c string) node {
			value := r.sub("columns").str(c)
			return el("td", attr{"data-column", c}, flag(value == "", "class", "none"), v.cell(value))
		})
		body = append(body, el("tr", el("th", attr{"scope", "row"}, v.pageLink(r.str("ref"), r.str("title")), opt(t.space == "", el("span.quiet.small", " "+r.str("space")))), cells,
			opt(!v.opts.ReadOnly, el("td", el("a", href(v.with("edit", r.str("ref"))+"#editing"), attr{"aria-label", "Edit " + cmp.Or(r.str("title"), r.str("ref"))}, "Edit")))))
	}
	return nodes{
		notes(found), forms,
		el("p.quiet.small", count(found.num("total"), "page", "pages")),
		el("div.scroll", attr{"tabindex", "0"}, attr{"role", "region"}, attr{"aria-label", "Table"}, el("table.rows",
			el("thead", el("tr", head("Page", "title"), each(columns, func(c string) node { return head(c, c) }), opt(!v.opts.ReadOnly, el("th", el("span.skip", "Edit"))))),
			el("tbody", body))),
		v.more(found),
	}, nil
}

// cell is a value, with its links and addresses.
func (v *view) cell(value string) node {
	if strings.ContainsAny(value, "[:/*`") {
		return v.line(value)
	}
	return text(value)
}

// rowForm is the form of a row that is edited. Its fields are in the cells.
func (v *view) rowForm(id string, r data) node {
	return el("form", attr{"method", "post"}, attr{"action", v.base + "/row"}, attr{"id", id}, attr{"autocomplete", "off"},
		el("input", attr{"type", "hidden"}, attr{"name", "ref"}, attr{"value", r.str("ref")}),
		el("input", attr{"type", "hidden"}, attr{"name", "version"}, attr{"value", r.str("version")}),
		el("input", attr{"type", "hidden"}, attr{"name", "to"}, attr{"value", strings.TrimPrefix(v.with("edit", ""), v.base)}))
}

// property is one in the metadata of a page.
type property struct {
	key   string // as written
	value string // as a row has it; "" for none
	line  bool   // at most one value, on one line, so that another can replace it
}

// properties returns a page with the properties of its metadata, by doc.PropertyKey. The foot
// does not name it: the values are those of the row, and this says which of them have a field.
func (v *view) properties(ref string) (data, map[string]property, error) {
	note, err := v.run(find("note"), args{"ref": ref, "budget": 1})
	if err != nil {
		return nil, nil, err
	}
	out := map[string]property{}
	for key := range note.sub("frontmatter") {
		out[doc.PropertyKey(key)] = property{key: key}
	}
	for _, key := range note.strs("inline") {
		value := strings.Join(strings.Fields(note.sub("frontmatter").str(key)), " ")
		out[doc.PropertyKey(key)] = property{key, value, true}
	}
	return note, out, nil
}

// editedRow is a row with a field for each value. Lists, values of several lines, and those
// that the row has from the text, are edited in the page.
func (v *view) editedRow(id string, r data, columns []string, fields map[string]property) node {
	field := func(name, label, value string, more ...any) node {
		return nodes{el("input", append([]any{attr{"type", "text"}, attr{"form", id}, attr{"name", name}, attr{"value", value}, attr{"aria-label", label}, attr{"size", "12"}}, more...)...),
			el("input", attr{"type", "hidden"}, attr{"form", id}, attr{"name", "was-" + name}, attr{"value", value})}
	}
	cells := make(nodes, 0, len(columns))
	for i, c := range columns {
		value := r.sub("columns").str(c)
		f, written := fields[doc.PropertyKey(c)]
		if written && !f.line || f.value != value || strings.Contains(c, ".") || c == "tags" || c == "aliases" {
			cells = append(cells, el("td", attr{"title", "Edit this in the page"}, v.cell(value)))
			continue
		}
		cells = append(cells, el("td", el("input", attr{"type", "hidden"}, attr{"form", id}, attr{"name", fmt.Sprintf("key-%d", i)}, attr{"value", cmp.Or(f.key, c)}), field(fmt.Sprintf("value-%d", i), c, value)))
	}
	return el("tr.editing", attr{"id", "editing"}, el("th", attr{"scope", "row"}, field("title", "Title", r.str("title"), attr{"autofocus", ""})), cells,
		el("td", el("button.primary", attr{"type", "submit"}, attr{"form", id}, "Save"), " ", el("a", href(v.with("edit", "")), "Leave")))
}

// maxColumns bounds the fields of a row that are read.
const maxColumns = 200

// saveRow writes the values of a row that were changed, and leaves all else of the page as
// it is. What others changed meanwhile stays; of the same value, theirs does.
func saveRow(v *view) (string, error) {
	var edits []args
	was := map[string]string{}
	if title := v.field("title"); title != v.field("was-title") && title != "" {
		edits, was["title"] = append(edits, args{"do": "title", "text": title}), v.field("was-title")
	}
	for i := range maxColumns {
		key, value, before := v.field(fmt.Sprintf("key-%d", i)), v.field(fmt.Sprintf("value-%d", i)), v.field(fmt.Sprintf("was-value-%d", i))
		switch {
		case key == "" || value == before:
			continue
		case value == "":
			edits = append(edits, args{"do": "unset", "key": key})
		default:
			edits = append(edits, args{"do": "set", "key": key, "text": value})
		}
		was[key] = before
	}
	to := strings.TrimPrefix(v.inside(cmp.Or(v.field("to"), "/table")), v.base)
	if len(edits) == 0 {
		return to, nil
	}
	ref := v.field("ref")
	in := args{"ref": ref, "edits": edits, "expected_version": number(v.field("version"))}
	answer, err := v.ask("edit", in)
	if kb.CodeOf(err) == kb.Conflict {
		if in["expected_version"], err = v.sameValues(ref, was); err == nil {
			answer, err = v.ask("edit", in)
		}
	}
	return wrote(to, answer), err
}

// sameValues returns the version of a page whose values are still these.
func (v *view) sameValues(ref string, was map[string]string) (int, error) {
	p, fields, err := v.properties(ref)
	if err != nil {
		return 0, err
	}
	for _, key := range sorted(was) {
		f, written := fields[doc.PropertyKey(key)]
		if key == "title" {
			f = property{value: p.str("title"), line: true}
		}
		if written && !f.line {
			return 0, kb.Errorf(kb.Conflict, "somebody else gave %s several values or lines meanwhile; nothing was saved", key)
		}
		if f.value != was[key] {
			return 0, kb.Errorf(kb.Conflict, "somebody else set %s to %q meanwhile; nothing was saved", key, f.value)
		}
	}
	return p.num("version"), nil
}

// saveView writes a table as a base.
func saveView(v *view) (string, error) {
	t := tableOf(v.field)
	t.Name = v.field("name")
	text, err := bases.Format(t.View)
	if err != nil {
		return "", err
	}
	slug := doc.Slug(t.Name)
	if slug == "" || t.space == "" {
		return "", kb.Errorf(kb.Usage, "a view needs a name and a space")
	}
	answer, err := v.ask("write", args{"ref": t.space + ":" + viewsIn + slug + ".base", "text": string(text)})
	to := "/table"
	if pages := answer.list("pages"); len(pages) > 0 {
		to = "/page/" + escaped(pages[0].str("ref"))
	}
	return wrote(to, answer), err
}

// views shows a page with views as tables. A view that does more than to filter and sort is
// shown as it is written.
func (v *view) views(p data) (node, error) {
	views, err := bases.Views([]byte(p.str("text")))
	if err != nil || len(views) == 0 {
		return nil, nil // it is shown as text
	}
	chosen, _ := number(v.param("view")).(int)
	chosen = min(max(chosen, 0), len(views)-1)
	of := views[chosen]
	tabs := opt(len(views) > 1, el("div.tabs", func() nodes {
		var out nodes
		for i, w := range views {
			out = append(out, v.tab(cmp.Or(w.Name, fmt.Sprintf("View %d", i+1)), i == chosen, "view", fmt.Sprint(i), "sort", "", "reverse", "", "edit", ""))
		}
		return out
	}()))
	if of.Needs != "" {
		return nodes{tabs, el("ul.notes", el("li", "Only Obsidian shows this view: it needs "+of.Needs+"."))}, nil
	}
	if s := v.param("sort"); s != "" {
		of.Sort, of.Down = s, v.param("reverse") != ""
	}
	shown, err := v.table(shownTable{of, space(p.str("ref"))})
	return nodes{tabs, shown, el("p", el("a", href(v.base+"/table?"+tableQuery(of, space(p.str("ref")))), "Change this table"))}, err
}

// tableQuery are the parameters of a view.
func tableQuery(t bases.View, in string) string {
	q := url.Values{"space": {in}}
	for name, value := range map[string]string{
		"type": strings.Join(t.Types, ", "), "tag": strings.Join(t.Tags, ", "), "path": t.Folder, "where": strings.Join(t.Where, "; "),
		"columns": strings.Join(t.Order, ", "), "sort": t.Sort,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if t.Down {
		q.Set("reverse", "1")
	}
	return q.Encode()
}
