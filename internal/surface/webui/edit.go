package webui

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/webui/render"
)

// source returns the text of a page as it is, with its version. Forms need all of it, and
// credentials in it are the person's own.
func (v *view) source(ref string) (text string, version int, _ error) {
	v.calls = append(v.calls, call{find("read"), args{"ref": ref, "budget": pageText}})
	a, err := v.opts.Memory.Session(v.ctx, false)
	if err != nil {
		return "", 0, err
	}
	a = a.For(memory.Caller{Actor: v.by})
	defer a.Begin()()
	t, err := read.Get(v.ctx, a, read.GetRequest{Ref: ref})
	return t.Text, t.Version, err
}

// editPage is the form of a page.
func editPage(v *view) (page, error) {
	ref := v.r.PathValue("ref")
	text, version, err := v.source(ref)
	if err != nil {
		return page{}, err
	}
	return v.editor(ref, version, text, nil), nil
}

// editor is the form with a text, and what is to be said about it.
func (v *view) editor(ref string, version int, typed string, said node) page {
	lines := min(40, max(12, strings.Count(typed, "\n")+4))
	return page{title: "Edit " + ref, body: nodes{
		el("div.crumbs", v.pageLink(ref, ref)), el("h1", "Edit"), said,
		el("form.edit", attr{"method", "post"}, attr{"action", v.base + "/save"},
			el("input", attr{"type", "hidden"}, attr{"name", "ref"}, attr{"value", ref}),
			el("input", attr{"type", "hidden"}, attr{"name", "version"}, attr{"value", fmt.Sprint(version)}),
			el("label.skip", attr{"for", "text"}, "Text of the page"),
			// The first line end of a textarea is dropped.
			el("textarea", attr{"id", "text"}, attr{"name", "text"}, attr{"rows", fmt.Sprint(lines)}, attr{"spellcheck", "true"}, attr{"data-draft", "page:" + ref}, raw("\n"+typed)),
			el("label", "Why (for the history) ", el("input", attr{"type", "text"}, attr{"name", "message"}, attr{"size", "32"})),
			el("div.buttons", el("button.primary", attr{"type", "submit"}, "Save"),
				el("button", attr{"type", "submit"}, attr{"formaction", v.base + "/preview"}, "Preview"),
				el("a.button", href(v.pageAt(ref)), "Leave"),
				el("span.quiet.small", fmt.Sprintf("version %d", version)))),
		el("details", el("summary", "Move or delete"),
			el("form", attr{"method", "get"}, attr{"action", v.base + "/move"}, el("input", attr{"type", "hidden"}, attr{"name", "ref"}, attr{"value", ref}),
				el("label", "New path ", el("input", attr{"type", "text"}, attr{"name", "to"}, attr{"required", ""}, attr{"value", strings.TrimPrefix(ref, space(ref)+":")})), el("button", attr{"type", "submit"}, "Show what happens to links")),
			el("form", attr{"method", "get"}, attr{"action", v.base + "/delete"}, el("input", attr{"type", "hidden"}, attr{"name", "ref"}, attr{"value", ref}), el("button", attr{"type", "submit"}, "Show what deleting does"))),
	}}
}

// typedText is the text of a form, with the line ends of files: browsers send CR LF.
func (v *view) typedText() string {
	t := strings.ReplaceAll(v.r.PostFormValue("text"), "\r\n", "\n")
	if t != "" && !strings.HasSuffix(t, "\n") {
		t += "\n"
	}
	return t
}

// preview shows a text before it is saved, with the form below.
func preview(v *view) (page, error) {
	ref, typed := v.field("ref"), v.typedText()
	version, _ := number(v.field("version")).(int)
	p := v.editor(ref, version, typed, el("section.card", el("h2", "Preview"), el("div.doc", trusted(render.Passage(v.ctx, render.Page{Path: v.pathOf(ref), Text: []byte(typed)}, nil)))))
	return p, nil
}

// pathOf is a path with the extension of a page, which says in which format its text is.
func (v *view) pathOf(ref string) string {
	p, err := v.run(find("read"), args{"ref": ref, "budget": 1})
	if err != nil {
		return "page.md"
	}
	return cmp.Or(p.str("path"), "page.md")
}

// save writes a page that was made from a version. Changes of others since are merged; if
// they overlap, both texts are shown.
func save(v *view) (string, *page, error) {
	ref, typed := v.field("ref"), v.typedText()
	// The line ends of the page stay as they are.
	now, version, err := v.source(ref)
	if err != nil {
		return "", nil, err
	}
	if strings.Contains(now, "\r\n") {
		typed = strings.ReplaceAll(typed, "\n", "\r\n")
	}
	in := args{"ref": ref, "text": typed, "expected_version": number(v.field("version")), "on_conflict": "merge"}
	if m := v.field("message"); m != "" {
		in["message"] = m
	}
	answer, err := v.ask("write", in)
	if kb.CodeOf(err) == kb.Conflict {
		p := v.editor(ref, version, typed, el("section.conflict", attr{"role", "alert"},
			el("h2", "Somebody else changed the same lines"),
			el("p", "Nothing was saved. Below is your text; next to it is the page as it is now. Saving again replaces it."),
			el("div.sides", el("div", el("h3", "Yours"), el("pre", attr{"tabindex", "0"}, el("code", typed))), el("div", el("h3", fmt.Sprintf("Theirs, version %d", version)), el("pre", attr{"tabindex", "0"}, el("code", now))))))
		p.status = http.StatusConflict
		return "", &p, nil
	}
	if err != nil {
		said := failed(err)
		p := v.editor(ref, mustInt(number(v.field("version"))), typed, el("section", attr{"role", "alert"}, said.body))
		p.status = said.status
		return "", &p, nil
	}
	to := wrote("/page/"+escaped(ref), answer)
	for _, p := range answer.list("pages") {
		if n := p.strs("notes"); len(n) > 0 {
			to += "&merged=" + url.QueryEscape(n[0])
		}
	}
	return to, nil, nil
}

func mustInt(x any) int { n, _ := x.(int); return n }

// moving shows what a move does to links, before it is done.
func moving(v *view) (page, error) {
	in := args{"ref": v.param("ref"), "to": v.param("to"), "dry_run": true}
	return v.confirm("move", "Move "+v.param("ref"), "/move", "Move", in, "ref", v.param("ref"), "to", v.param("to"))
}

// deleting shows what a page was linked from, before it is deleted.
func deleting(v *view) (page, error) {
	return v.confirm("delete", "Delete "+v.param("ref"), "/delete", "Delete", args{"ref": v.param("ref"), "dry_run": true}, "ref", v.param("ref"))
}

func (v *view) confirm(op, title, action, label string, in args, pairs ...string) (page, error) {
	would, err := v.ask(op, in)
	if err != nil {
		return page{}, err
	}
	back, err := v.ask("links", args{"ref": v.param("ref"), "way": "in", "temporal": "all", "limit": linksShown})
	if err != nil {
		return page{}, err
	}
	pages := would.list("pages")
	return page{title: title, body: nodes{
		el("h1", title), el("p.quiet", "Nothing has changed yet."),
		el("h2", "Changes"), el("ul", each(pages, func(p data) node {
			return el("li", p.str("ref")+" ", el("span.badge", p.str("change")), opt(p.str("diff") != "", el("details", el("summary", "Difference"), diffView(p.str("diff")))))
		})),
		el("h2", fmt.Sprintf("Links to it · %d", back.num("total"))), v.linkList(back, "No page links here."),
		el("div.buttons", opt(!v.opts.ReadOnly, v.form(action, label, pairs...)), el("a.button", href(v.pageAt(v.param("ref"))), "Leave it")),
	}}, nil
}

func doMove(v *view) (string, error) {
	answer, err := v.ask("move", args{"ref": v.field("ref"), "to": v.field("to")})
	to := "/today"
	for _, p := range answer.list("pages") {
		if p.str("change") == "moved" {
			to = "/page/" + escaped(p.str("ref"))
		}
	}
	return wrote(to, answer), err
}

func doDelete(v *view) (string, error) {
	answer, err := v.ask("delete", args{"ref": v.field("ref")})
	return wrote("/today", answer), err
}

// newForm is the form of a new page.
func newForm(v *view) (page, error) {
	all, err := v.ask("spaces", nil)
	if err != nil {
		return page{}, err
	}
	return page{title: "New page", body: nodes{el("h1", "New page"),
		el("form.edit", attr{"method", "post"}, attr{"action", v.base + "/create"},
			el("label", "Title ", el("input", attr{"type", "text"}, attr{"name", "title"}, attr{"required", ""}, attr{"value", v.param("title")})),
			el("label", "Space ", el("select", attr{"name", "space"}, each(all.list("items"), func(s data) node {
				return el("option", flag(s.yes("default"), "selected", ""), s.str("name"))
			}))),
			el("label", "Template ", el("select", attr{"name", "template"}, el("option", attr{"value", ""}, "none"), each([]string{"person", "company", "decision", "commitment", "action", "original", "concept", "deal", "meeting"}, func(t string) node { return el("option", t) }))),
			el("label", attr{"for", "text"}, "Text"),
			el("textarea", attr{"id", "text"}, attr{"name", "text"}, attr{"rows", "12"}, attr{"data-draft", "new"}),
			el("div.buttons", el("button.primary", attr{"type", "submit"}, "Create"), el("a.button", href(v.base+"/today"), "Leave")))}}, nil
}

func create(v *view) (string, error) {
	title, in := v.field("title"), v.field("space")
	var (
		answer data
		err    error
	)
	if t := v.field("template"); t != "" {
		answer, err = v.ask("new_page", args{"template": t, "title": title, "space": in})
	} else {
		answer, err = v.ask("remember", args{"title": title, "text": cmp.Or(v.typedText(), title), "space": in, "new": true})
	}
	if err != nil {
		return "", err
	}
	to := "/today"
	if pages := answer.list("pages"); len(pages) > 0 {
		to = "/page/" + escaped(pages[0].str("ref"))
		if v.field("template") != "" {
			to = "/edit/" + escaped(pages[0].str("ref"))
		}
	}
	return wrote(to, answer), nil
}

// daily opens the note of today; where there is none yet, a form adds its first line.
func daily(v *view) (page, error) {
	note, err := v.ask("daily", nil)
	if err == nil && note.str("ref") != "" && note.sub("note").str("text") != "" {
		p := v.editor(note.str("ref"), note.sub("note").num("version"), "", nil)
		text, version, serr := v.source(note.str("ref"))
		if serr != nil {
			return p, serr
		}
		return v.editor(note.str("ref"), version, text, v.written()), nil
	}
	if err != nil && kb.CodeOf(err) != kb.NotFound {
		return page{}, err
	}
	return page{title: "Today's note", body: nodes{el("h1", "Today's note"),
		el("p.quiet", "There is no note of today yet. Its first line makes it."),
		opt(!v.opts.ReadOnly, el("form.edit", attr{"method", "post"}, attr{"action", v.base + "/daily"}, el("label", attr{"for", "text"}, "First line"),
			el("textarea", attr{"id", "text"}, attr{"name", "text"}, attr{"rows", "3"}, attr{"required", ""}, attr{"data-draft", "daily"}), el("div.buttons", el("button.primary", attr{"type", "submit"}, "Add"))))}}, nil
}

func addDaily(v *view) (string, error) {
	answer, err := v.ask("daily", args{"text": v.typedText()})
	to := "/daily"
	if r := answer.str("ref"); r != "" {
		to = "/page/" + escaped(r)
	}
	return wrote(to, answer), err
}
