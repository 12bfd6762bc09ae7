package webui

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/merge"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/webui/render"
)

// source returns the text of a page as it is, with its version. Forms need all of it, and
// credentials in it are the person's own. A text for which a form has no room is a part.
func (v *view) source(ref string) (api.Text, error) {
	v.calls = append(v.calls, call{find("read"), args{"ref": ref, "budget": pageText}})
	t, err := v.text(read.GetRequest{Ref: ref, Large: maxForm})
	v.id = string(t.ID)
	return t, err
}

// tooLarge refuses to change a text for which a form has no room.
func tooLarge(t api.Text) error {
	if !t.IsPart {
		return nil
	}
	return kb.Errorf(kb.Usage, "the page has more than the %d MB that a form may have", maxForm>>20).
		WithHint("Change it in an editor, or with cairn edit.")
}

// sourceOfForm is source for the page of a form, which may have been moved since. Its old ref may
// be that of another page now.
func (v *view) sourceOfForm(ref string) (api.Text, error) {
	t, err := v.source(ref)
	id := v.field("page")
	if id == "" || id == v.id || err != nil && kb.CodeOf(err) != kb.NotFound {
		t.Ref = ref
		return t, err
	}
	t, moved := v.text(read.GetRequest{Ref: id, Large: maxForm})
	if moved == nil {
		return t, nil
	}
	t.Ref = ref
	return t, cmp.Or(err, moved)
}

// text reads all of a page, however large it is.
func (v *view) text(req read.GetRequest) (api.Text, error) {
	a, err := v.opts.Memory.Session(v.ctx, false)
	if err != nil {
		return api.Text{}, err
	}
	a = a.For(memory.Caller{Actor: v.by})
	defer a.Begin()()
	return read.Get(v.ctx, a, req)
}

// editPage is the form of a page.
func editPage(v *view) (page, error) {
	ref := v.r.PathValue("ref")
	t, err := v.source(ref)
	if err = cmp.Or(err, tooLarge(t)); err != nil {
		return page{}, err
	}
	return v.editor(ref, t.Version, t.Text, nil), nil
}

// area is where a text is typed. A script keeps a draft of it, and finds in the address after
// the form that the draft is saved.
func area(id, name, draft, typed string, rows int, more ...any) node {
	inner := append([]any{attr{"id", id}, attr{"name", name}, attr{"rows", fmt.Sprint(rows)}, attr{"data-draft", draft}}, more...)
	// The first line end of a textarea is dropped.
	return nodes{el("input", attr{"type", "hidden"}, attr{"name", "form"}, attr{"value", ""}), el("textarea", append(inner, raw("\n"+typed))...)}
}

// unsaved marks a text that was typed, and is not that of a page.
func unsaved(typed string) attr { return flag(typed != "", "data-unsaved", "") }

// again shows a form with what was typed into it, and why it was not taken.
func again(err error, form page) *page {
	said := failed(err)
	form.status, form.body = said.status, nodes{el("section.conflict", attr{"role", "alert"}, said.body), form.body}
	return &form
}

// editor is the form with a text, and what is to be said about it.
func (v *view) editor(ref string, version int, typed string, said node, more ...any) page {
	lines := min(40, max(12, strings.Count(typed, "\n")+4))
	v.nonce = rand.Text()
	id := cmp.Or(v.field("page"), v.id)
	return page{title: "Edit " + ref, body: nodes{
		el("div.crumbs", v.pageLink(ref, ref)), el("h1", "Edit"), said,
		// A browser must not fill in an old text beside a new version.
		el("form.edit", attr{"method", "post"}, attr{"action", v.base + "/save"}, attr{"autocomplete", "off"},
			el("input", attr{"type", "hidden"}, attr{"name", "ref"}, attr{"value", ref}),
			el("input", attr{"type", "hidden"}, attr{"name", "page"}, attr{"value", id}),
			el("input", attr{"type", "hidden"}, attr{"name", "version"}, attr{"value", fmt.Sprint(version)}),
			el("label.skip", attr{"for", "text"}, "Text of the page"),
			el("div.field", area("text", "text", "page:"+cmp.Or(id, ref), typed, lines, append([]any{attr{"spellcheck", "true"}, attr{"data-space", space(ref)}, attr{"data-editor", v.at("editor.js")}, attr{"data-nonce", v.nonce}, attr{"data-preview", "1"}}, more...)...)),
			el("label", "Why (for the history) ", el("input", attr{"type", "text"}, attr{"name", "message"}, attr{"size", "32"}, attr{"value", v.field("message")})),
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

// preview shows a text before it is saved, with the form below. A script that shows it next to
// the form gets no second one.
func preview(v *view) (page, error) {
	ref, typed := v.field("ref"), v.typedText()
	path := v.pathOf(ref)
	shown := el("section.card", el("h2", "Preview"), el("div.doc", attr{"dir", "auto"}, trusted(render.Document(v.ctx, render.Source{
		Page: render.Page{Path: path, Text: []byte(typed), FileAt: v.filesOf(space(ref), path)}, TagAt: v.tagged,
	}).HTML)))
	if v.r.Header.Get(suggests) != "" {
		return page{title: "Preview", body: shown}, nil
	}
	return v.editor(ref, v.formVersion(), typed, shown, unsaved(typed)), nil
}

// formVersion is the version of the page that the text of a form was made from.
func (v *view) formVersion() int { n, _ := number(v.field("version")).(int); return n }

// pathOf is a path with the extension of a page, which says in which format its text is.
func (v *view) pathOf(ref string) string {
	p, err := v.run(find("read"), args{"ref": ref, "budget": 1})
	if kb.CodeOf(err) == kb.NotFound { // it may have been deleted
		if past, err := v.run(find("history"), args{"ref": ref, "limit": 1}); err == nil && len(past.list("items")) > 0 {
			p = past.list("items")[0]
		}
	}
	return cmp.Or(p.str("path"), "page.md")
}

// save writes a page that was made from a version. Changes of others since are merged; if
// they overlap, both texts are shown.
func save(v *view) (string, *page, error) {
	typed, from := v.typedText(), v.formVersion()
	t, err := v.sourceOfForm(v.field("ref"))
	ref, now, version := t.Ref, t.Text, t.Version
	if err = cmp.Or(err, tooLarge(t)); err != nil {
		said := opt(kb.CodeOf(err) == kb.NotFound, el("p", "Copy your text into a ", el("a", href(v.base+"/new"), "new page"), " to keep it."))
		return "", again(err, v.editor(ref, from, typed, said, unsaved(typed))), nil
	}
	base := now
	if from != version {
		if was, err := v.ask("read", args{"ref": ref, "version": from, "budget": pageText}); err == nil {
			base = was.str("text")
		}
	}
	typed = lineEndsOf(base, typed)
	in := args{"ref": ref, "text": typed, "expected_version": number(v.field("version")), "on_conflict": "merge"}
	if m := v.field("message"); m != "" {
		in["message"] = m
	}
	answer, err := v.ask("write", in)
	if kb.CodeOf(err) == kb.Conflict && kb.AsError(err).Details["current_version"] != nil {
		title := "The page is not in the version of the form"
		if kb.AsError(err).Details["lines"] != nil {
			title = "Somebody else changed the same lines"
		} else if from > version {
			title = fmt.Sprintf("The page has no version %d yet", from)
		}
		merged := typed
		if base != now {
			path := v.pathOf(ref)
			if text := merge.Proposal(doc.ForNote(memory.Codecs(), "", path), path, []byte(base), []byte(typed), []byte(now)); text != nil {
				merged = string(text)
			}
		}
		pane := func(title, of string, from, to string) node {
			return el("div", el("h3", title), opt(from != to, diffView(history.UnifiedDiff("", []byte(from), "", []byte(to)), of)),
				el("details", flag(from == to, "open", ""), el("summary", "The whole text"), el("pre", attr{"tabindex", "0"}, el("code", to))))
		}
		said := "The text below is a merge: it has the changes of both, and yours where both changed the same lines. Saving it makes it the page."
		if base == now {
			said = "The text below is yours. Saving it again replaces the page."
		}
		p := v.editor(ref, version, merged, el("section.conflict", attr{"role", "alert"},
			el("h2", title),
			el("p", "Nothing was saved. "+said),
			el("div.panes",
				pane(fmt.Sprintf("Your changes since version %d", from), "yours", base, typed),
				pane(fmt.Sprintf("Theirs, now version %d", version), "theirs", base, now),
				el("div", el("h3", "Merge, against theirs"), diffView(history.UnifiedDiff("", []byte(now), "", []byte(merged)), "merge")))), unsaved(typed))
		p.status = http.StatusConflict
		return "", &p, nil
	}
	if err != nil {
		return "", again(err, v.editor(ref, from, typed, nil, unsaved(typed))), nil
	}
	merged := func(note string) bool { return strings.HasPrefix(note, "merged with version ") }
	if slices.ContainsFunc(answer.list("pages"), func(p data) bool { return slices.ContainsFunc(p.strs("notes"), merged) }) {
		return wrote("/page/"+escaped(ref), answer, "merged", "1"), nil, nil
	}
	return wrote("/page/"+escaped(ref), answer), nil, nil
}

// lineEndsOf gives the lines of a text that a browser sent the line ends of the page that it
// was made from. New lines have that of the line before.
func lineEndsOf(base, typed string) string {
	if !strings.Contains(base, "\r\n") {
		return typed
	}
	ends, last := map[string][]bool{}, false
	for line := range strings.Lines(base) {
		text, crlf := strings.CutSuffix(line, "\r\n")
		text = strings.TrimSuffix(text, "\n")
		if len(ends) == 0 {
			last = crlf
		}
		ends[text] = append(ends[text], crlf)
	}
	var out strings.Builder
	for line := range strings.Lines(typed) {
		text, ended := strings.CutSuffix(line, "\n")
		if of := ends[text]; len(of) > 0 {
			last, ends[text] = of[0], of[1:]
		}
		out.WriteString(text)
		if ended && last {
			out.WriteByte('\r')
		}
		if ended {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// moving shows what a move does to links, before it is done.
func moving(v *view) (page, error) {
	return v.confirm("move", "Move "+v.param("ref"), "/move", "Move", "ref", v.param("ref"), "to", v.param("to"))
}

// deleting shows what a page was linked from, before it is deleted.
func deleting(v *view) (page, error) {
	return v.confirm("delete", "Delete "+v.param("ref"), "/delete", "Delete", "ref", v.param("ref"))
}

// confirm shows what an operation would do to a page. The form does it to that version.
func (v *view) confirm(op, title, action, label string, pairs ...string) (page, error) {
	t, err := v.source(v.param("ref"))
	if err != nil {
		return page{}, err
	}
	in := args{"expected_version": t.Version, "dry_run": true}
	for i := 0; i+1 < len(pairs); i += 2 {
		in[pairs[i]] = pairs[i+1]
	}
	pairs = append(pairs, "page", v.id, "version", fmt.Sprint(t.Version))
	would, err := v.ask(op, in)
	if err != nil {
		return page{}, err
	}
	back, err := v.ask("links", args{"ref": v.param("ref"), "way": "in", "temporal": "all", "quotes": true, "limit": linksShown})
	if err != nil {
		return page{}, err
	}
	pages := slices.DeleteFunc(would.list("pages"), func(p data) bool { return p.str("change") == "" }) // their links hold as they are
	loses := ""
	if op == "delete" {
		loses = ".loses"
	}
	return page{title: title, body: nodes{
		el("h1", title), el("p.quiet", "Nothing has changed yet. It can be undone."),
		el("h2", "Changes"), el("ul", each(pages[:min(changesShown, len(pages))], func(p data) node {
			return el("li", p.str("ref")+" ", el("span.badge", p.str("change")), opt(p.str("diff") != "", el("details", el("summary", "Difference"), diffView(p.str("diff"), p.str("ref")))))
		})),
		furtherPages(pages),
		el("h2", "Links to it · "+thousands(back.num("total"))), v.linkList(back, "No page links here."),
		el("div.buttons.confirm"+loses, opt(!v.opts.ReadOnly, v.form(action, label, pairs...)), el("a.button", href(v.pageAt(v.param("ref"))), "Leave it")),
	}}, nil
}

func doMove(v *view) (string, error) {
	t, err := v.sourceOfForm(v.field("ref"))
	if err != nil {
		return "", err
	}
	answer, err := v.ask("move", args{"ref": t.Ref, "to": v.field("to"), "expected_version": number(v.field("version"))})
	to := "/today"
	for _, p := range answer.list("pages") {
		if p.str("change") == "moved" {
			to = "/page/" + escaped(p.str("ref"))
		}
	}
	return wrote(to, answer), err
}

func doDelete(v *view) (string, error) {
	t, err := v.sourceOfForm(v.field("ref"))
	if err != nil {
		return "", err
	}
	answer, err := v.ask("delete", args{"ref": t.Ref, "expected_version": number(v.field("version"))})
	return wrote("/today", answer), err
}

// merging shows what the merge of a page into another does, before it is done.
func merging(v *view) (page, error) {
	ref, into := v.param("ref"), v.param("into")
	in, version, err := v.mergeOf(ref, into)
	if err != nil {
		return page{}, err
	}
	in["dry_run"], in["diff"] = true, true
	would, err := v.ask("edit", in)
	if err != nil {
		return page{}, err
	}
	pages := would.list("pages")
	return page{title: "Merge", place: "/today", body: nodes{
		el("h1", "Merge"), el("p.quiet", "Nothing has changed yet. The text of ", v.pageLink(ref, ref), " becomes a part of ", v.pageLink(into, into), ", links follow, and the page goes. It can be undone."),
		each(pages[:min(changesShown, len(pages))], func(p data) node {
			return el("section", el("h2", cmp.Or(p.str("title"), p.str("ref")), " ", el("span.badge", p.str("change"))), opt(p.str("diff") != "", diffView(p.str("diff"), p.str("ref"))))
		}),
		furtherPages(pages),
		el("div.buttons.confirm", opt(!v.opts.ReadOnly, v.form("/merge", "Merge", "ref", ref, "into", into, "version", fmt.Sprint(version))), el("a.button", href(v.base+"/today"), "Leave it")),
	}}, nil
}

// mergeOf are the arguments that merge a page, in its version, into another.
func (v *view) mergeOf(ref, into string) (in args, version int, _ error) {
	p, err := v.run(find("read"), args{"ref": ref, "budget": 1})
	return args{"ref": ref, "edits": []args{{"do": "merge", "text": into}}, "expected_version": p.num("version")}, p.num("version"), err
}

func doMerge(v *view) (string, error) {
	in, _, err := v.mergeOf(v.field("ref"), v.field("into"))
	if err != nil {
		return "", err
	}
	in["expected_version"] = number(v.field("version"))
	answer, err := v.ask("edit", in)
	return wrote("/today", answer), err
}

// newForm is the form of a new page.
func newForm(v *view) (page, error) { return v.newPage(v.param, "") }

// newPage is the form of a new page with what is known of it.
func (v *view) newPage(known func(string) string, typed string) (page, error) {
	all, err := v.ask("spaces", nil)
	if err != nil {
		return page{}, err
	}
	return page{title: "New page", body: nodes{el("h1", "New page"),
		el("form.edit", attr{"method", "post"}, attr{"action", v.base + "/create"},
			el("label", "Title ", el("input", attr{"type", "text"}, attr{"name", "title"}, attr{"required", ""}, attr{"value", known("title")})),
			opt(len(all.list("items")) > 0, el("label", "Space ", el("select", attr{"name", "space"}, each(all.list("items"), func(s data) node {
				chosen := known("space") == s.str("name") || known("space") == "" && s.yes("default")
				return el("option", flag(chosen, "selected", ""), s.str("name"))
			})))),
			el("label", "Template ", el("input", attr{"type", "text"}, attr{"name", "template"}, attr{"list", "templates"}, attr{"value", known("template")}, attr{"placeholder", "none; or one of .cairn/templates"}, attr{"size", "28"})),
			el("datalist", attr{"id", "templates"}, each([]string{"person", "company", "decision", "commitment", "action", "original", "concept", "deal", "meeting"}, func(t string) node {
				return el("option", attr{"value", t})
			})),
			el("label", attr{"for", "text"}, "Text"),
			area("text", "text", "new", typed, 12, attr{"data-similar", ""}, unsaved(typed)),
			el("div.buttons", el("button.primary", attr{"type", "submit"}, "Create"), el("a.button", href(v.base+"/today"), "Leave")))}}, nil
}

func create(v *view) (string, *page, error) {
	answer, err := v.created()
	if err != nil {
		form, ferr := v.newPage(v.field, v.typedText())
		if ferr != nil {
			return "", nil, err
		}
		return "", again(err, form), nil
	}
	to := "/today"
	if ref := stored(answer); ref != "" {
		to = "/today?existing=" + url.QueryEscape(ref)
	} else if pages := answer.list("pages"); len(pages) > 0 {
		to = "/page/" + escaped(pages[0].str("ref"))
		if v.field("template") != "" {
			to = "/edit/" + escaped(pages[0].str("ref"))
		}
	}
	return wrote(to, answer), nil, nil
}

// created makes the page of a form.
func (v *view) created() (data, error) {
	title, in, typed := v.field("title"), v.field("space"), v.typedText()
	switch t := v.field("template"); {
	case t == "":
		return v.ask("remember", args{"title": title, "text": cmp.Or(typed, title), "space": in, "new": true})
	case strings.TrimSpace(typed) != "":
		return nil, kb.Errorf(kb.Usage, "a template has a text of its own: choose none, or leave the text empty")
	default:
		return v.ask("new_page", args{"template": t, "title": title, "space": in})
	}
}

// daily opens the note of today; where there is none yet, a form adds its first line.
func daily(v *view) (page, error) {
	note, err := v.ask("daily", args{"dry_run": true, "space": v.param("space")})
	if err != nil && kb.AsError(err).Reason == kb.SpaceUndecided {
		return page{title: "Today's note", body: nodes{el("h1", "Today's note"), el("p.quiet", "There are several spaces and no default. Choose one:"),
			el("ul", each(v.undecided(), func(name string) node {
				return el("li", el("a", href(v.base+"/daily?"+url.Values{"space": {name}}.Encode()), name))
			}))}}, nil
	}
	if err != nil && kb.CodeOf(err) != kb.NotFound {
		return page{}, err
	}
	if ref := note.str("ref"); ref != "" && len(note.list("pages")) == 0 {
		t, err := v.source(ref)
		if err = cmp.Or(err, tooLarge(t)); err == nil {
			return v.editor(ref, t.Version, t.Text, v.written()), nil
		}
		if kb.CodeOf(err) != kb.NotFound {
			return page{}, err
		}
	}
	return v.newDaily(""), nil
}

// undecided are the spaces among which a new page needs one chosen; none where there is a
// default. A screen with many forms asks the memory once.
func (v *view) undecided() []string {
	if v.looked {
		return v.among
	}
	v.looked = true
	a, err := v.opts.Memory.Session(v.ctx, false)
	if err == nil {
		_, err = a.Spaces.Current(v.ctx)
	}
	if err != nil { // the answer to the form has any other
		v.among, _ = kb.AsError(err).Details["spaces"].([]string)
	}
	return v.among
}

// spaceToWrite chooses the space of a new page where it is undecided.
func (v *view) spaceToWrite() node {
	names := v.undecided()
	if len(names) == 0 {
		return nil
	}
	return el("label", "Space ", el("select", attr{"name", "space"}, attr{"required", ""}, el("option", attr{"value", ""}, "choose one"), each(names, func(name string) node {
		return el("option", flag(name == v.field("space"), "selected", ""), name)
	})))
}

// newDaily is the form of a note of today that is not there yet.
func (v *view) newDaily(typed string) page {
	return page{title: "Today's note", body: nodes{el("h1", "Today's note"),
		el("p.quiet", "There is no note of today yet. Its first line makes it."),
		opt(!v.opts.ReadOnly, el("form.edit", attr{"method", "post"}, attr{"action", v.base + "/daily"},
			el("input", attr{"type", "hidden"}, attr{"name", "space"}, attr{"value", cmp.Or(v.field("space"), v.param("space"))}), el("label", attr{"for", "text"}, "First line"),
			area("text", "text", "daily", typed, 3, attr{"required", ""}, unsaved(typed)), el("div.buttons", el("button.primary", attr{"type", "submit"}, "Add"))))}}
}

func addDaily(v *view) (string, *page, error) {
	typed := v.typedText()
	answer, err := v.ask("daily", args{"text": typed, "space": v.field("space")})
	if err != nil {
		return "", again(err, v.newDaily(typed)), nil
	}
	to := "/daily"
	if r := answer.str("ref"); r != "" {
		to = "/page/" + escaped(r)
	}
	return wrote(to, answer), nil, nil
}

// maxWords bounds the words of a kind that are offered while somebody types.
const maxWords = 500

// words are the tags, relations and properties that a space uses, for completion.
func (s *Server) words(w http.ResponseWriter, r *http.Request, by kb.Actor) {
	v := &view{Server: s, ctx: r.Context(), r: r, by: by}
	in := v.spaceFilter()
	tags, err := v.run(find("browse"), args{"what": "tags", "space": in, "limit": maxWords})
	var rows, linked data
	if err == nil {
		rows, err = v.run(find("rows"), args{"space": in, "limit": 1})
	}
	if err == nil {
		linked, err = v.run(find("map"), args{"space": in, "limit": maxWords})
	}
	if err != nil {
		s.refuse(w, failed(err).status, kb.AsError(err).Error())
		return
	}
	out := map[string][]string{"property": rows.strs("columns")}
	for _, t := range tags.list("items") {
		out["tag"] = append(out["tag"], t.str("tag"))
	}
	seen := map[string]bool{}
	for _, l := range linked.list("links") {
		if t := l.str("type"); t != "" && t != "links_to" {
			seen[t] = true
		}
	}
	out["relation"] = sorted(seen)
	text, err := json.Marshal(out)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, "The words cannot be written.")
		return
	}
	v.send(w, http.StatusOK, "application/json", text)
}
