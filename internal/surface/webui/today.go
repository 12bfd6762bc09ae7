package webui

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

const (
	needsShown    = 20   // items that need somebody, at most
	sessionsShown = 20   // sessions at once
	sessionsOpen  = 2    // of them with their differences; of the others, those that are asked for
	sessionPages  = 50   // pages of a session that are listed with others
	messagesShown = 10   // messages of its writes
	sessionDiff   = 3000 // tokens of the differences of a session
	evidenceShown = 3    // lines about a problem
	looked        = 5    // pages of agents in which faults and names without a link are looked for
)

// today is the start of the day: what agents wrote since the person looked, and what needs
// the person.
func today(v *view) (page, error) {
	in := args{"limit": sessionsShown}
	if o := v.param("offset"); o != "" {
		in["offset"] = number(o)
	}
	defer func() {
		for _, begin := range v.later {
			begin()
		}
	}()
	own, err := v.ask("reviewed", nil)
	if err != nil {
		return page{}, err
	}
	v.dismissed = own.sub("dismissed")
	var (
		found        data
		cards, looks nodes
	)
	// What needs the person takes as long to find.
	wait := v.meanwhile(func(v *view) (err error) {
		if found, cards, err = v.sessions(in); err == nil {
			err = v.needLooks(found.list("items"), v.adds(&looks))
		}
		return err
	})
	needs, err := v.needs()
	if failed := wait(); err == nil {
		err = failed
	}
	if err != nil {
		return page{}, err
	}
	needs = slices.Concat(needs, looks)
	needs = needs[:min(len(needs), needsShown)]
	var done node
	if len(cards) == 0 && len(needs) == 0 && !v.looking {
		done = empty("Nothing needs you.", el("p.quiet", "What agents write from now on will be here."))
	}
	return page{title: "Today", place: "/today", body: nodes{
		el("h1", "Today"),
		v.written(),
		opt(!v.opts.ReadOnly, v.capture("")),
		done,
		opt(len(cards) > 0, nodes{
			el("h2", "Written by agents · "+thousands(found.num("total"))),
			el("p.quiet.small", "Since ", day(found.str("since")), opt(found.num("decided") > 0, text(fmt.Sprintf("; %s decided", count(found.num("decided"), "session is", "sessions are")))), " · ", v.wayOfDifferences()),
			el("ul.sessions", cards), v.more(found),
			opt(!v.opts.ReadOnly, v.form("/seen", "I have seen all of it", "through", found.str("through"))),
		}),
		opt(len(needs) > 0, nodes{el("h2", fmt.Sprintf("Needs you · %d", len(needs))), el("ul.cards.needs", needs)}),
		opt(v.looking, el("p.quiet", "Problems and duplicates are still being looked for; those that are shown are from an earlier look. ", el("a", href(v.base+"/today"), "Show them"))),
	}}, nil
}

// sessions are the cards of the sessions that the person did not see.
func (v *view) sessions(in args) (found data, cards nodes, err error) {
	if found, err = v.ask("unreviewed", in); err != nil {
		return nil, nil, err
	}
	for i, s := range found.list("items") {
		card, err := v.session(s, i < sessionsOpen)
		if err != nil {
			return nil, nil, err
		}
		cards = append(cards, card)
	}
	return found, cards, nil
}

// capture is the form of a note.
func (v *view) capture(typed string) node {
	return el("form.capture", attr{"method", "post"}, attr{"action", v.base + "/capture"},
		el("label", attr{"for", "capture"}, "Note something"),
		area("capture", "text", "capture", typed, 2, attr{"required", ""}, attr{"placeholder", "One thing worth keeping, in a sentence or two"}, attr{"data-similar", ""}, unsaved(typed)),
		el("div.row", v.spaceToWrite(), el("button.primary", attr{"type", "submit"}, "Keep it"), el("a", href(v.base+"/new"), "New page"), el("a", href(v.base+"/daily"), "Today's note")))
}

// undoTime is how long after a write its undo is offered where it was made.
const undoTime = time.Hour

// written reports what this person just wrote, and offers to undo it. The address alone
// proves nothing: anybody can make a link with it.
func (v *view) written() node {
	left := v.left()
	n := v.param("wrote")
	if n == "" || strings.Trim(n, "0123456789") != "" {
		return left
	}
	write, err := v.run(find("change"), args{"write": number(n), "budget": 1})
	if err != nil || write.str("actor") != v.by.String() {
		return left
	}
	at, err := time.Parse(time.RFC3339, write.str("until"))
	if err != nil || v.opts.Now().Sub(at) > undoTime {
		return left
	}
	did := "Done: write " + n + "."
	if v.param("merged") != "" {
		did = "Saved, and merged with what others wrote meanwhile: write " + n + "."
	}
	return nodes{el("div.wrote", attr{"role", "status"}, el("span", did),
		opt(!v.opts.ReadOnly, v.form("/undo", "Undo", "write", n, "to", v.here()))), left}
}

// left says how many pages were not taken back, with a link to the reasons; or which page had
// a text already.
func (v *view) left() node {
	if ref := v.param("existing"); ref != "" {
		return el("div.wrote", attr{"role", "status"}, el("span", "Nothing was written: this text is already in ", v.pageLink(ref, ref), "."))
	}
	n, _ := number(v.param("left")).(int)
	if n <= 0 {
		return nil
	}
	var pairs []string
	for _, name := range []string{"write", "last", "ref", "hunk", "version"} {
		if x := v.param(name); x != "" {
			pairs = append(pairs, name, x)
		}
	}
	return el("div.wrote", attr{"role", "status"}, el("span", "Not taken back, since later changes overlap: "+count(n, "page", "pages")+". "), v.askBack("Show why", pairs...))
}

// session is the card of a session, with its differences folded. Where it is not open, they
// are behind a link.
func (v *view) session(s data, open bool) (node, error) {
	span := []string{"write", s.str("write"), "last", s.str("last")}
	changed := s.num("changed")
	id := "session-" + s.str("write")
	var names nodes
	if open = open || v.param("open") == s.str("write"); open {
		from, _ := number(v.param("from")).(int)
		if v.param("open") != s.str("write") || from < 0 || from >= changed {
			from = 0
		}
		c, err := v.ask("change", args{"write": s.num("write"), "last": s.num("last"), "budget": sessionDiff, "offset": from})
		if err != nil {
			return nil, err
		}
		changed = c.num("changed")
		pages := c.list("pages")
		pages = pages[:min(sessionPages, len(pages))]
		until := from + len(pages)
		names = each(pages, func(p data) node { return v.changedPage(p, span) })
		further := func(label string, from int) node {
			return el("a.button", href(v.with("open", s.str("write"), "from", fmt.Sprint(from))+"#"+id), label)
		}
		if changed > sessionPages {
			names = nodes{names, el("p.quiet.small", fmt.Sprintf("Pages %s to %s of %s", thousands(from+1), thousands(until), thousands(changed))),
				el("div.buttons", opt(from > 0, further("Pages before", max(from-sessionPages, 0))), opt(until < changed, further("Pages after", until)))}
		}
	} else {
		names = nodes{
			el("ul.small", each(s.list("pages")[:min(sessionPages, len(s.list("pages")))], func(p data) node {
				return el("li", el("span.badge.is-"+plainWord(p.str("change")), p.str("change")), " ", v.pageLink(p.str("ref"), p.str("title")), opt(p.str("decision") != "", nodes{text(" "), el("span.badge", p.str("decision"))}))
			})),
			opt(changed > sessionPages, el("p.quiet.small", fmt.Sprintf("and %d more", changed-sessionPages))),
			el("p", el("a.button", href(v.with("open", s.str("write"), "from", "")+"#"+id), "Show the changes")),
		}
	}
	when := clock(s.str("from"))
	if until := clock(s.str("until")); until != when {
		when += " to " + strings.TrimPrefix(until, when[:min(11, len(when))])
	}
	messages := s.strs("messages")
	return el("li.card", attr{"id", id},
		el("header", el("h3", s.str("actor")),
			el("div.row", el("span", when), el("span", strings.Join(s.strs("spaces"), ", ")), workedOn(s), el("span", count(s.num("writes"), "write", "writes")+", "+count(changed, "page", "pages")))),
		each(messages[:min(messagesShown, len(messages))], func(m string) node { return el("p.small", m) }),
		opt(len(messages) > messagesShown, el("p.quiet.small", "and "+count(len(messages)-messagesShown, "more message", "more messages"))),
		el("div.changes", names),
		opt(!v.opts.ReadOnly, el("div.buttons", v.form("/keep", "Keep all", span...), v.askBack("Take all back", span...)))), nil
}

// workedOn names the projects of a session, by their tags, else the folders of its pages.
func workedOn(s data) node {
	if names := s.strs("projects"); len(names) > 0 {
		return el("span", "project "+strings.Join(names, ", "))
	}
	var folders []string
	for _, p := range s.list("pages") {
		_, slug, _ := strings.Cut(p.str("ref"), ":")
		if folder, _, ok := strings.Cut(slug, "/"); ok && !slices.Contains(folders, folder+"/") {
			folders = append(folders, folder+"/")
		}
	}
	if len(folders) == 0 {
		return nil
	}
	slices.Sort(folders)
	more := ""
	if len(folders) > foldersNamed {
		more = fmt.Sprintf(" and %d more", len(folders)-foldersNamed)
		if s.num("changed") > len(s.list("pages")) {
			more = " and more"
		}
		folders = folders[:foldersNamed]
	}
	return el("span", "in "+strings.Join(folders, ", ")+more)
}

// foldersNamed is how many folders of a session are named.
const foldersNamed = 3

// askBack is a link to the preview of what is taken back.
func (v *view) askBack(label string, pairs ...string) node {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return el("a.button", href(v.base+"/take-back?"+q.Encode()), label)
}

// changedPage is a page of a session: its difference in parts, folded.
func (v *view) changedPage(p data, span []string) node {
	ref := p.str("ref")
	of := append(span[:len(span):len(span)], "ref", p.str("id")) // another page may have the name now
	decided := p.str("decision")
	hunks := p.list("hunks")
	change := p.str("change")
	return el("details",
		el("summary", el("span.badge.is-"+plainWord(change), change), " ", cmp.Or(p.str("title"), ref), opt(decided != "", nodes{text(" "), el("span.badge", decided)}),
			el("span.quiet.small", " "+lines(hunks))),
		el("p.small", v.pageLink(ref, ref), opt(p.num("from_version") > 0, nodes{text(" · "), el("a", href(v.base+"/history/"+escaped(ref)+fmt.Sprintf("?from=%d&to=%d", p.num("from_version"), p.num("to_version"))), "versions")})),
		each(hunks, func(h data) node {
			part := append(of[:len(of):len(of)], "hunk", h.str("hunk"), "version", p.str("to_version"))
			return el("div.part", v.hunkView(h.str("diff"), ref+" "+h.str("hunk")+" "+p.str("to_version"), ref), opt(!v.opts.ReadOnly && change == "changed" && len(hunks) > 1, v.askBack("Take this part back", part...)))
		}),
		opt(p.str("left") != "", el("p.quiet", "Not shown: "+p.str("left")+".")),
		opt(len(hunks) == 0 && p.str("left") == "" && change == "changed", el("p.quiet", "The text is the same: only assertions or data of other programs changed.")),
		opt(!v.opts.ReadOnly && decided == "", el("div.buttons", v.form("/keep", "Keep this page", of...), v.askBack("Take this page back", of...))))
}

// lines counts the lines that hunks add and remove.
func lines(hunks []data) string {
	more, less := 0, 0
	for _, h := range hunks {
		for line := range strings.Lines(h.str("diff")) {
			switch line[0] {
			case '+':
				more++
			case '-':
				less++
			}
		}
	}
	if more+less == 0 {
		return ""
	}
	return fmt.Sprintf("+%d −%d", more, less)
}

// span are the writes that a form or an address names.
func span(get func(string) string) args {
	in := args{"write": number(get("write"))}
	for _, name := range []string{"last", "hunk", "version"} {
		if x := get(name); x != "" {
			in[name] = number(x)
		}
	}
	if ref := get("ref"); ref != "" {
		in["ref"] = ref
	}
	return in
}

// previewBack shows what taking changes back would do.
func previewBack(v *view) (page, error) {
	in := span(v.param)
	in["dry_run"] = true
	would, err := v.ask("take_back", in)
	if err != nil {
		return page{}, err
	}
	pages := would.list("pages")
	var pairs []string
	for _, name := range []string{"write", "last", "ref", "hunk", "version"} {
		if x := v.param(name); x != "" {
			pairs = append(pairs, name, x)
		}
	}
	return page{title: "Take back", place: "/today", body: nodes{
		el("h1", "Take back"),
		el("p.quiet", "Nothing has changed yet. This is what would, and it can be undone. ", v.wayOfDifferences()),
		each(pages[:min(changesShown, len(pages))], func(p data) node {
			return el("section", el("h2", v.pageLink(p.str("ref"), p.str("title")), " ", el("span.badge", p.str("change"))), v.hunkView(p.str("diff"), p.str("ref"), p.str("ref")))
		}),
		furtherPages(pages),
		opt(len(would.list("skipped")) > 0, nodes{el("h2", "Left as they are"), el("ul", each(would.list("skipped"), func(s data) node { return el("li", s.str("path")+": "+s.str("reason")) }))}),
		opt(len(pages) == 0, el("p", "Nothing can be taken back.")),
		el("div.buttons.confirm.loses", opt(len(pages) > 0 && !v.opts.ReadOnly, v.form("/take-back", "Take back", pairs...)), el("a.button", href(v.base+"/today"), "Leave it")),
	}}, nil
}

// changesShown is how many pages of a preview are shown with their differences.
const changesShown = 50

// furtherPages names the pages of a preview after those that are shown with their differences.
func furtherPages(pages []data) node {
	if len(pages) <= changesShown {
		return nil
	}
	rest := pages[changesShown:]
	return nodes{el("h2", "And "+count(len(rest), "more page", "more pages")),
		el("ul.small.folders", each(rest[:min(mapList, len(rest))], func(p data) node {
			return el("li", cmp.Or(p.str("title"), p.str("ref")), " ", el("span.badge", p.str("change")))
		})),
		opt(len(rest) > mapList, el("p.quiet.small", fmt.Sprintf("The list has the first %d of them.", mapList)))}
}

func (v *view) field(name string) string { return strings.TrimSpace(v.r.PostFormValue(name)) }

// wrote is the place to go on after a write, where it can be undone, with further pairs of
// the query. Nothing that it says of an older write stays.
func wrote(to string, answer data, pairs ...string) string {
	n := answer.num("write")
	if n == 0 {
		return to
	}
	path, given, _ := strings.Cut(to, "?")
	q, err := url.ParseQuery(given)
	if err != nil {
		q = url.Values{}
	}
	for _, name := range ofWrites {
		q.Del(name)
	}
	q.Set("wrote", fmt.Sprint(n))
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + q.Encode()
}

func doTakeBack(v *view) (string, error) {
	answer, err := v.ask("take_back", span(v.field))
	q := url.Values{}
	if n := answer.num("write"); n > 0 {
		q.Set("wrote", fmt.Sprint(n))
	}
	if left := len(answer.list("skipped")); left > 0 {
		q.Set("left", fmt.Sprint(left))
		for _, name := range []string{"write", "last", "ref", "hunk", "version"} {
			if x := v.field(name); x != "" {
				q.Set(name, x)
			}
		}
	}
	return strings.TrimSuffix("/today?"+q.Encode(), "?"), err
}

// undoWrite undoes a write and leads back. A page that the undo moved is at its old address
// again, and one that it deleted has none.
func undoWrite(v *view) (string, error) {
	answer, err := v.ask("undo", args{"write": number(v.field("write")), "space": "*"})
	if err != nil {
		return "", err
	}
	to := strings.TrimPrefix(v.inside(cmp.Or(v.field("to"), "/today")), v.base)
	at, isPage := strings.CutPrefix(to, "/page/")
	if !isPage {
		return to, nil
	}
	at, _, _ = strings.Cut(at, "?")
	if ref, err := url.PathUnescape(at); err == nil {
		if _, err = v.run(find("read"), args{"ref": ref, "budget": 1}); kb.CodeOf(err) != kb.NotFound {
			return to, nil
		}
	}
	for _, p := range answer.list("pages") {
		if p.str("change") == string(kb.Moved) {
			return "/page/" + escaped(p.str("ref")), nil
		}
	}
	return "/today", nil
}

func keep(v *view) (string, error) {
	in := span(v.field)
	in["do"] = "keep"
	_, err := v.ask("review", in)
	return "/today", err
}

func seen(v *view) (string, error) {
	_, err := v.ask("review", args{"do": "seen", "through": number(v.field("through"))})
	return "/today", err
}

func dismissItem(v *view) (string, error) {
	item, note := v.field("item"), v.field("note")
	if id, ok := strings.CutPrefix(item, "contradiction:"); ok {
		_, err := v.ask("dismiss", args{"id": id, "note": cmp.Or(note, "dismissed in the web UI")})
		return "/today", err
	}
	_, err := v.ask("review", args{"do": "dismiss", "item": item, "note": note})
	return "/today", err
}

func captureNote(v *view) (string, *page, error) {
	answer, err := v.ask("remember", args{"text": v.field("text"), "space": v.field("space")})
	if err != nil {
		return "", again(err, page{title: "Note something", place: "/today", body: v.capture(v.field("text"))}), nil
	}
	if ref := stored(answer); ref != "" {
		return "/today?existing=" + url.QueryEscape(ref), nil, nil
	}
	return wrote("/today", answer), nil, nil
}

// stored is the ref of a page that had the text already, "" where the text was written.
func stored(answer data) string {
	if had := answer.list("existing"); len(answer.list("pages")) == 0 && len(had) > 0 {
		return had[0].str("ref")
	}
	return ""
}

func resolveItem(v *view) (string, error) {
	answer, err := v.ask("resolve", args{"id": v.field("id"), "keep": v.field("keep")})
	return wrote("/today", answer), err
}

// answerGap writes the answer to a question as a page, and resolves the question with it.
func answerGap(v *view) (string, *page, error) {
	id, question, typed := v.field("id"), v.field("question"), v.field("answer")
	answer, err := v.ask("remember", args{"title": question, "text": typed, "new": true, "space": v.field("space")})
	if err != nil {
		return "", again(err, page{title: question, place: "/today", body: v.answer(id, question, typed)}), nil
	}
	to, ref := wrote("/today", answer), stored(answer)
	if ref != "" {
		to = "/today?existing=" + url.QueryEscape(ref)
	} else if pages := answer.list("pages"); len(pages) > 0 {
		ref = pages[0].str("ref")
	}
	if ref != "" {
		_, err = v.ask("gap_resolve", args{"id": number(id), "ref": ref})
	}
	return to, nil, err
}

// answer is the form of an answer to a question.
func (v *view) answer(id, question, typed string) node {
	return el("form.answer", attr{"method", "post"}, attr{"action", v.base + "/answer"},
		el("input", attr{"type", "hidden"}, attr{"name", "id"}, attr{"value", id}), el("input", attr{"type", "hidden"}, attr{"name", "question"}, attr{"value", question}),
		el("label", attr{"for", "gap-" + id}, "Your answer becomes a page that the next search finds"),
		area("gap-"+id, "answer", "gap-"+id, typed, 2, attr{"required", ""}, unsaved(typed)), v.spaceToWrite(), el("button", attr{"type", "submit"}, "Answer"))
}

// needs are the items that need the person, the worst first, without those of needLooks.
func (v *view) needs() (nodes, error) {
	var lists [4]nodes // in the order in which they are shown
	contradictions := v.meanwhile(func(v *view) error { return v.needContradictions(v.adds(&lists[0])) })
	stale := v.meanwhile(func(v *view) error { return v.needStale(v.adds(&lists[3])) })
	err := v.needAnswers(v.adds(&lists[1]))
	if err == nil {
		err = v.needState(v.adds(&lists[2]))
	}
	err = cmp.Or(err, contradictions(), stale())
	if err != nil {
		return nil, err
	}
	out := slices.Concat(lists[:]...)
	out = out[:min(len(out), needsShown)]
	err = v.needDuplicates(&out)
	return out, err
}

// adds returns the function that adds an item, unless it is dismissed or there are enough.
func (v *view) adds(to *nodes) need {
	return func(id, kind, title string, inner ...any) {
		if _, dismissed := v.dismissed[id]; dismissed || len(*to) == needsShown {
			return
		}
		dismiss := el("details.dismiss", el("summary", "Dismiss"), el("form", attr{"method", "post"}, attr{"action", v.base + "/dismiss"},
			el("input", attr{"type", "hidden"}, attr{"name", "item"}, attr{"value", id}),
			el("label", "Why ", el("input", attr{"type", "text"}, attr{"name", "note"}, attr{"size", "24"})), el("button", attr{"type", "submit"}, "Dismiss")))
		*to = append(*to, el("li.card", append(append([]any{el("h3", el("span.badge.is-"+plainWord(kind), kind), " ", title)}, inner...), opt(!v.opts.ReadOnly, dismiss))...))
	}
}

type need = func(id, kind, title string, inner ...any)

func (v *view) needContradictions(add need) error {
	said, err := v.ask("check", args{"space": "*", "limit": needsShown})
	if err != nil {
		return err
	}
	for _, c := range said.list("items") {
		if !c.yes("certain") {
			continue
		}
		side := func(name string) node {
			s := c.sub(name)
			return el("li", v.pageLink(s.str("ref"), s.str("title")), " ", day(s.str("date")), el("blockquote", s.str("quote")), el("p.quiet.small", s.str("source")),
				opt(!v.opts.ReadOnly, v.form("/resolve", "Keep "+strings.ToUpper(name), "id", c.str("id"), "keep", name)))
		}
		add("contradiction:"+c.str("id"), "contradiction", c.str("subject"), el("p", c.str("text")), el("ul.sides", side("a"), side("b")),
			el("p.quiet.small", "Keeping one side ends the other: its text stays, with an end."))
	}
	return nil
}

func (v *view) needAnswers(add need) error {
	gaps, err := v.ask("gaps", args{"space": "*", "limit": needsShown})
	if err != nil {
		return err
	}
	for _, g := range gaps.list("items") {
		words := cmp.Or(g.str("words"), g.str("question"), g.str("redacted_question"))
		id := g.str("id")
		var form node
		if words != "" && !v.opts.ReadOnly {
			form = v.answer(id, words, "")
		}
		add("gap:"+id, "question", cmp.Or(words, "A question without its words"),
			v.askedBy(g), form)
	}
	return nil
}

// askedBy says how often a question was asked, and by whom last.
func (v *view) askedBy(gap data) node {
	return el("p.quiet.small", "asked "+count(gap.num("count"), "time", "times")+", last by "+gap.str("asked_by")+" ", day(gap.str("last_asked_at")))
}

// needState are failed reads, and policies that nobody accepted.
func (v *view) needState(add need) error {
	all, err := v.ask("spaces", nil)
	if err != nil {
		return err
	}
	for _, s := range all.list("items") {
		v.spaces, v.pages = append(v.spaces, s.str("name")), v.pages+s.num("pages")
	}
	op, detail := find("status"), args{"detail": true}
	v.calls = append(v.calls, call{op, detail})
	// Some problems come and go without a change of the memory, such as those of files.
	minute := v.opts.Now().Format("2006-01-02T15:04")
	state, err := v.slowly("problems", minute, func(v *view) (data, error) { return v.run(op, detail) })
	if err != nil {
		return err
	}
	for _, c := range state.list("checks") {
		items := c.strs("items")
		// Not by its text: most have numbers that change with each write. The remedy tells the
		// troubles of one check apart, such as commits that are not pushed and those that diverged.
		add("problem:"+c.str("name")+" "+c.str("state")+" "+c.str("remedy"), "problem", c.str("reason"),
			opt(len(items) > 0, el("ul.small", each(items[:min(evidenceShown, len(items))], func(i string) node { return el("li", i) }))),
			el("p", c.str("remedy")+" ", el("a", href(v.base+"/health"), "Health")))
	}
	for _, s := range all.list("items") {
		parts := s.list("waiting")
		if len(parts) == 0 {
			continue
		}
		add("policy:"+s.str("name"), "policy", "Parts of the policy of "+s.str("name")+" wait for your consent",
			el("ul", each(parts, func(p data) node {
				return el("li", el("code", p.str("part")), " "+p.str("does"))
			})),
			el("pre", attr{"tabindex", "0"}, el("code", "cairn space add "+shellWord(s.str("root"))+" --accept")))
	}
	return nil
}

// needLooks are faults and names without a link in the pages that agents wrote last.
func (v *view) needLooks(sessions []data, add need) error {
	var pages []data
	for _, s := range sessions {
		for _, p := range s.list("pages") {
			if p.str("change") != "deleted" && p.str("decision") == "" && len(pages) < looked &&
				!slices.ContainsFunc(pages, func(o data) bool { return o.str("ref") == p.str("ref") }) {
				pages = append(pages, p)
			}
		}
	}
	edit := func(ref string) node {
		return opt(!v.opts.ReadOnly, el("p", el("a.button", href(v.base+"/edit/"+escaped(ref)), "Edit")))
	}
	if len(pages) == 0 {
		return nil
	}
	refs := make([]string, len(pages))
	for i, p := range pages {
		refs[i] = p.str("ref")
	}
	faults, err := v.ask("lint", args{"refs": refs, "limit": 10 * needsShown})
	if err != nil && kb.CodeOf(err) != kb.NotFound { // one may be gone since
		return err
	}
	for _, p := range pages {
		ref := p.str("ref")
		own := slices.DeleteFunc(faults.list("items"), func(f data) bool {
			return f.str("space")+":"+strings.TrimSuffix(f.str("path"), path.Ext(f.str("path"))) != ref
		})
		if len(own) > 0 {
			add("lint:"+ref+"@"+p.str("to_version"), "lint", cmp.Or(p.str("title"), ref), el("p", v.pageLink(ref, ref)),
				el("ul", each(own, func(f data) node {
					return el("li", f.str("message"), opt(f.num("line") > 0, el("span.quiet", " line "+f.str("line"))))
				})), edit(ref))
		}
	}
	for _, p := range pages {
		ref := p.str("ref")
		names, err := v.ask("unlinked", args{"ref": ref, "limit": 5})
		if kb.CodeOf(err) == kb.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		if items := names.list("items"); len(items) > 0 {
			add("unlinked:"+ref+"@"+p.str("to_version"), "no link", cmp.Or(p.str("title"), ref), el("p", v.pageLink(ref, ref), " names pages without a link to them:"),
				el("ul", each(items, func(n data) node {
					return el("li", v.pageLink(n.str("to"), n.str("title")), el("span.quiet", " "+linesOf(n)))
				})), edit(ref))
		}
	}
	return nil
}

func (v *view) needStale(add need) error {
	found, err := v.ask("stale", args{"space": "*", "limit": needsShown})
	if err != nil {
		return err
	}
	for _, p := range found.list("items") {
		ref := p.str("ref")
		add("stale:"+ref+"@"+p.str("version"), "stale", cmp.Or(p.str("title"), ref), el("p", v.pageLink(ref, ref), " ", p.str("reason")),
			opt(!v.opts.ReadOnly, el("p", el("a.button", href(v.base+"/edit/"+escaped(ref)), "Edit"))))
	}
	return nil
}

// pagesAtOnce is up to how many pages a screen waits for what takes long in many.
const pagesAtOnce = 1500

// slow holds the last answers to a question that takes long after each change of a large memory,
// by who asked.
type slow struct {
	open    context.Context // until the server is closed
	close   context.CancelFunc
	running sync.WaitGroup

	mu sync.Mutex
	by map[string]*slowAnswer
}

type slowAnswer struct {
	last   data
	state  string // of the memory, which it is an answer for
	failed error  // of the last time
	busy   bool
}

func newSlow() *slow {
	s := &slow{by: map[string]*slowAnswer{}}
	s.open, s.close = context.WithCancel(context.Background())
	return s
}

// end breaks off the questions that run, and waits for their end.
func (s *slow) end() {
	s.mu.Lock()
	s.close()
	s.mu.Unlock()
	s.running.Wait()
}

// ask returns the last answer, nil for none, and whether it is an answer for the state that the
// memory is in. If it is not, and nobody asks already, begin asks again, in a goroutine; call
// it when the screen is made. The error is that of the last time.
func (s *slow) ask(ctx context.Context, by, state string, ask func(context.Context) (data, error)) (last data, current bool, begin func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.by[by]
	if of == nil {
		of = &slowAnswer{}
		s.by[by] = of
	}
	if of.last != nil && of.state == state && of.failed == nil {
		return of.last, true, nil, nil
	}
	return of.last, false, func() { s.begin(ctx, of, state, ask) }, of.failed
}

// begin asks, unless somebody does.
func (s *slow) begin(ctx context.Context, of *slowAnswer, state string, ask func(context.Context) (data, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of.busy || s.open.Err() != nil { // busy since a change before the newest, maybe
		return
	}
	of.busy = true
	s.running.Go(func() {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the answer is for the next look
		defer cancel()
		defer context.AfterFunc(s.open, cancel)()
		var answer data
		var err error
		defer func() {
			if failure := recover(); failure != nil {
				err = fmt.Errorf("a question failed: %v", failure)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if of.failed = err; err == nil {
				of.last, of.state = answer, state
			}
			of.busy = false
		}()
		answer, err = ask(own)
	})
}

// slowly answers a question. Of many pages it has the last answer, and another one is looked
// for when the screen is made, unless nothing changed since and that was at the same time, to the
// minute or the day that is given.
func (v *view) slowly(name, now string, ask func(*view) (data, error)) (data, error) {
	if v.pages <= pagesAtOnce {
		return ask(v)
	}
	sess, err := v.opts.Memory.Session(v.ctx, false)
	if err != nil {
		return nil, err
	}
	changed, err := sess.DB.Changed(v.ctx)
	if err != nil {
		return nil, err
	}
	state := fmt.Sprint(changed, " ", now)
	later := *v
	found, current, begin, err := v.slow.ask(v.ctx, name+" "+v.by.String(), state, func(ctx context.Context) (data, error) {
		later.ctx = ctx
		return ask(&later)
	})
	if !current {
		v.looking, v.later = true, append(v.later, begin)
	}
	return found, err
}

// duplicates is how many pages with others that are alike are looked for.
const duplicates = 10

// needDuplicates adds pairs of pages that are alike, each page once: those of a series may all
// be alike.
func (v *view) needDuplicates(to *nodes) error {
	if len(*to) == needsShown {
		return nil
	}
	op := find("curate")
	var in []args
	for _, name := range v.spaces {
		in = append(in, args{"kinds": []string{"duplicate"}, "limit": duplicates, "space": name})
		v.calls = append(v.calls, call{op, in[len(in)-1]})
	}
	found, err := v.slowly("duplicates", v.opts.Now().Format(time.DateOnly), func(v *view) (data, error) {
		of := make([][]any, len(in))
		for i, in := range in {
			found, err := v.run(op, in)
			if v.ctx.Err() != nil || kb.CodeOf(err) == kb.Internal {
				return nil, err
			}
			of[i], _ = found["items"].([]any) // not of a directory that is away
		}
		var items []any
		for n := range duplicates { // the first of each space, then the second
			for _, of := range of {
				items = append(items, of[min(n, len(of)):min(n+1, len(of))]...)
			}
		}
		return data{"items": items[:min(len(items), duplicates)]}, nil
	})
	if err != nil {
		return err
	}
	add, shown := v.adds(to), map[string]bool{}
	for _, p := range found.list("items") {
		for _, r := range p.list("reasons") {
			one, other := p.str("ref"), r.str("with")
			id := "duplicate:" + one + " " + other
			if _, dismissed := v.dismissed[id]; dismissed || r.str("kind") != "duplicate" || other == "" || shown[one] || shown[other] {
				continue
			}
			if len(*to) == needsShown {
				return nil
			}
			a, b := v.side(one, other), v.side(other, one)
			if a == nil || b == nil {
				continue
			}
			shown[one], shown[other] = true, true
			add(id, "duplicate", cmp.Or(p.str("title"), one), el("p", r.str("text")),
				el("ul.sides", a, b))
		}
	}
	return nil
}

// sideText is how many tokens of each of two pages are shown next to each other.
const sideText = 150

// side is the beginning of a page, with a link to the preview of its merge into another. It is
// nil for a page that was deleted, or merged, since.
func (v *view) side(ref, into string) node {
	p, err := v.ask("read", args{"ref": ref, "budget": sideText})
	if err != nil {
		return nil
	}
	if status, known := kb.ParseStatus(p.str("status")); known && !kb.Holds(status) {
		return nil
	}
	q := url.Values{"ref": {ref}, "into": {into}}
	return el("li", v.pageLink(ref, ref), text(" "), day(p.str("updated_at")),
		el("div.passage", v.passage(p, nil)),
		opt(!v.opts.ReadOnly, el("p", el("a.button", href(v.base+"/merge?"+q.Encode()), "Merge into "+into))))
}
