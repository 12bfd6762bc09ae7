package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite/kt"
	"github.com/cairn-kb/cairn/internal/store/sqlite/quaid"
)

// evidence adds to the pages what stands in tables of its own.
func (m *fromQuaid) evidence(context.Context) error {
	m.tags()
	m.entries()
	m.relations()
	m.superseded()
	m.data()
	m.assertions()
	t := m.out.tally("raw_imports", len(m.from.Imports))
	for _, in := range m.from.Imports {
		switch p := m.byRow[in.Page]; {
		case p == nil:
			m.out.note(t, leftOut, fmt.Sprintf("raw_imports %d", in.ID), "its page is not there")
		case p.there():
			t.There++
		default:
			t.Brought++
		}
	}
	return nil
}

func (m *fromQuaid) tags() {
	t := m.out.tally("tags", len(m.from.Tags))
	for _, x := range m.from.Tags {
		p := m.byRow[x.Page]
		what := fmt.Sprintf("tag %d, %s", x.ID, x.Name)
		if p == nil {
			m.out.note(t, leftOut, what, "its page is not there")
			continue
		}
		tag := strings.TrimPrefix(strings.TrimSpace(x.Name), "#")
		if slices.ContainsFunc(p.node().Tags, func(have string) bool { return kb.NameKey(have) == kb.NameKey(tag) }) {
			t.There++
			continue
		}
		m.edit(t, p, what, doc.AddTag{Tag: tag})
	}
}

// edit makes an edit, and counts what it is of.
func (m *fromQuaid) edit(t *Tally, p *quaidPage, what string, e doc.Edit) {
	switch err := p.apply(e); {
	case err == nil:
		t.Brought++
	case kb.CodeOf(err) == kb.Conflict:
		t.There++
	default:
		m.out.note(t, leftOut, what, kb.AsError(err).Message)
	}
}

func (m *fromQuaid) entries() {
	t := m.out.tally("timeline_entries", len(m.from.Entries))
	for _, x := range m.from.Entries {
		p := m.byRow[x.Page]
		what := fmt.Sprintf("timeline_entries %d, %s %s", x.ID, x.Date, inLine(x.Summary))
		text := inLine(x.Summary)
		switch {
		case p == nil:
			m.out.note(t, leftOut, what, "its page is not there")
		case !doc.IsDate(x.Date):
			m.out.note(t, leftOut, what, fmt.Sprintf("%q is no date", x.Date))
		case slices.ContainsFunc(p.node().Entries, func(e doc.Entry) bool {
			return e.Date == x.Date && inLine(e.Text) == text && (inLine(e.Source) == inLine(x.Source) || x.Source == "")
		}):
			t.There++
		default:
			m.edit(t, p, what, doc.AddEntry{Date: x.Date, Source: inLine(x.Source), Text: text, Detail: x.Detail})
		}
	}
}

// relations adds the links that the texts do not have.
func (m *fromQuaid) relations() {
	t := m.out.tally("links", len(m.from.Links))
	for _, l := range m.from.Links {
		from, to := m.byRow[l.From], m.byRow[l.To]
		what := fmt.Sprintf("links %d, %s", l.ID, l.Type)
		switch {
		case from == nil || to == nil:
			m.out.note(t, leftOut, what, "one of its pages is not there")
			continue
		case l.ValidFrom != "" && !doc.IsDate(l.ValidFrom) || l.ValidUntil != "" && !doc.IsDate(l.ValidUntil):
			m.out.note(t, leftOut, what, fmt.Sprintf("%q or %q is no date", l.ValidFrom, l.ValidUntil))
			continue
		}
		what = fmt.Sprintf("links %d, %s %s %s", l.ID, from.key, l.Type, to.key)
		b, why := m.relate(from, to, l)
		m.out.note(t, b, what, why)
	}
}

// leads reports whether a name that stands in a page leads to another one.
func leads(from, to *quaidPage, x doc.Target) bool {
	slug := strings.TrimSuffix(to.path, path.Ext(to.path))
	name := x.Name
	if x.Kind == doc.MarkLink {
		name = path.Join(path.Dir(from.path), name)
	}
	name = strings.TrimSuffix(name, ".md")
	key := link.Key(link.RelationKind, name)
	for _, own := range []string{slug, to.Slug, to.home.name + "/" + slug, to.home.name + ":" + slug, to.Title, path.Base(slug)} {
		if own != "" && link.Key(link.RelationKind, own) == key {
			return true
		}
	}
	return false
}

// relate gives a page a relation, unless its text has it.
func (m *fromQuaid) relate(from, to *quaidPage, l quaid.Link) (became, string) {
	node := from.node()
	plain := l.Kind == "wiki_link" || (l.Type == "related" || l.Type == "") && l.Context == "" && l.ValidFrom == "" && l.ValidUntil == ""
	if plain && (slices.ContainsFunc(node.Links, func(x doc.Link) bool { return leads(from, to, x.Target) }) ||
		slices.ContainsFunc(node.Relations, func(x doc.Relation) bool { return leads(from, to, x.Target) })) {
		return already, ""
	}
	kind := cmp.Or(unbracketed(l.Type), "related")
	asked := kb.Interval{From: l.ValidFrom, Until: l.ValidUntil}
	for _, x := range node.Relations {
		have := kb.Interval{From: x.From, Until: x.Until}
		switch {
		case doc.FoldName(x.Type) != doc.FoldName(kind) || !leads(from, to, x.Target):
		case have == asked:
			return already, ""
		case have.Overlaps(asked):
			return leftOut, fmt.Sprintf("the page says the same for %s already, which overlaps", have)
		}
	}
	target := strings.TrimSuffix(to.path, path.Ext(to.path))
	if from.home != to.home {
		target = to.home.name + "/" + target
	}
	err := from.apply(doc.AddRelation{Type: kind, Target: target, From: l.ValidFrom, Until: l.ValidUntil, Context: oneLine(l.Context)})
	switch kb.CodeOf(err) {
	case "":
		return brought, ""
	case kb.Conflict:
		return already, ""
	}
	return leftOut, kb.AsError(err).Message
}

// superseded gives pages that take the place of others the relation that says so. One that
// would close a circle is left out.
func (m *fromQuaid) superseded() {
	t := Tally{Kind: "superseded_by"}
	by := map[int64]int64{}
	for _, p := range m.from.Pages {
		if p.SupersededBy != 0 {
			by[p.ID] = p.SupersededBy
		}
	}
	for _, row := range m.from.Pages {
		if row.SupersededBy == 0 {
			continue
		}
		t.Total++
		old, next := m.byRow[row.ID], m.byRow[row.SupersededBy]
		what := "superseded_by of page " + row.Slug
		if old == nil || next == nil {
			m.out.note(&t, leftOut, what, "one of the two pages is not there")
			continue
		}
		if circle(by, row.ID) {
			delete(by, row.ID)
			m.out.note(&t, leftOut, what, "the pages supersede each other in a circle")
			continue
		}
		if b, why := m.relate(next, old, quaid.Link{Type: "supersedes", Kind: "programmatic"}); b != brought {
			m.out.note(&t, b, what, why)
			continue
		}
		t.Brought++
		if old.node().Status == "" && !old.there() {
			_ = old.apply(doc.SetProperty{Key: "status", Value: string(kb.Superseded)}) // the relation says it, too
		}
	}
	if t.Total > 0 {
		m.out.Counts = append(m.out.Counts, t)
	}
}

// circle reports whether a chain comes back to where it begins.
func circle(next map[int64]int64, start int64) bool {
	seen := map[int64]bool{}
	for at := next[start]; at != 0 && !seen[at]; at = next[at] {
		if at == start {
			return true
		}
		seen[at] = true
	}
	return false
}

// data puts what sources gave of pages beside them.
func (m *fromQuaid) data() {
	t := m.out.tally("raw_data", len(m.from.Raw))
	for _, x := range m.from.Raw {
		p := m.byRow[x.Page]
		what := fmt.Sprintf("raw_data %d, %s", x.ID, x.Source)
		if p == nil {
			m.out.note(t, leftOut, what, "its page is not there")
			continue
		}
		if have, there := p.raw[x.Source]; there {
			if sameJSON(have, x.Data) {
				t.There++
			} else {
				m.out.note(t, leftOut, what, "the page has other data of this source already, which stays")
			}
			continue
		}
		fetched, err := kt.Time(x.Fetched)
		if err != nil {
			fetched = m.Change.Writer.Now()
		}
		edit := sidecar.SetSource{Name: inLine(x.Source), Data: m.hide(p, []byte(x.Data)), Fetched: fetched}
		if _, err := sidecar.Apply(nil, edit); err != nil {
			m.out.note(t, leftOut, what, kb.AsError(err).Message)
			continue
		}
		if p.raw == nil {
			p.raw = map[string]string{}
		}
		p.raw[x.Source] = x.Data
		p.edits = append(p.edits, edit)
		t.Brought++
	}
}

// hide masks the credentials in what stands beside a page.
func (m *fromQuaid) hide(p *quaidPage, text []byte) []byte {
	if p.home.space == nil {
		return text
	}
	return m.mask(p.home.space, p.path+", beside it", text)
}

func sameJSON(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// assertions puts what is asserted beside pages, with what stands in the place of what.
func (m *fromQuaid) assertions() {
	t := m.out.tally("assertions", len(m.from.Assertions))
	rows, numbers, busy := map[int64]quaid.Assertion{}, map[int64]int64{}, map[int64]bool{}
	for _, a := range m.from.Assertions {
		rows[a.ID] = a
	}
	broken := 0
	var put func(a quaid.Assertion)
	put = func(x quaid.Assertion) {
		if _, done := numbers[x.ID]; done {
			return
		}
		busy[x.ID] = true
		what := fmt.Sprintf("assertions %d, %s %s %s", x.ID, inLine(x.Subject), inLine(x.Predicate), inLine(x.Object))
		before, there := rows[x.Supersedes]
		switch {
		case x.Supersedes == 0:
		case !there:
			m.out.lose(what, fmt.Sprintf("supersedes_id %d: that is not there", x.Supersedes))
		case busy[before.ID]:
			m.out.lose(what, fmt.Sprintf("supersedes_id %d: assertions supersede each other in a circle", x.Supersedes))
			before = quaid.Assertion{}
		default:
			put(before)
		}
		busy[x.ID] = false
		for _, text := range []string{x.Subject, x.Predicate, x.Object} {
			if inLine(text) != text {
				broken++
				break
			}
		}
		b, why := m.assert(x, numbers[before.ID], numbers)
		m.out.note(t, b, what, why)
	}
	for _, a := range m.from.Assertions {
		put(a)
	}
	if broken > 0 {
		m.out.lose(api.Plural(broken, "assertion"), "line breaks became spaces")
	}
}

// assert puts one assertion beside its page, and notes its number.
func (m *fromQuaid) assert(x quaid.Assertion, supersedes int64, numbers map[int64]int64) (became, string) {
	numbers[x.ID] = 0
	p := m.byRow[x.Page]
	if p == nil {
		return leftOut, "its page is not there"
	}
	text := func(s string) string {
		line := inLine(s)
		if hidden := m.hide(p, []byte(line)); string(hidden) != line {
			return string(hidden)
		}
		return line
	}
	a := sidecar.Assertion{
		Subject: text(x.Subject), Predicate: text(x.Predicate), Object: text(x.Object), ValidFrom: x.ValidFrom, ValidUntil: x.ValidUntil,
		Supersedes: supersedes, Confidence: x.Confidence, AssertedBy: inLine(x.By), Source: text(x.Source), Evidence: text(x.Evidence), Created: x.Created,
	}
	if !strings.Contains(inLine(string(p.text)), a.Evidence) { // no words of the page: a note, which is no evidence that got lost
		a.Source, a.Evidence = strings.TrimSpace(a.Source+" "+a.Evidence), ""
	}
	if at, err := kt.Time(x.Created); err == nil && !at.IsZero() {
		a.Created = at.Format(time.RFC3339)
	}
	nth := 0
	for _, have := range p.side {
		if have.Claim() != a.Claim() {
			continue
		}
		if have.ValidUntil == a.ValidUntil {
			numbers[x.ID] = link.AssertionNumber(p.id, a.Claim(), nth)
			return already, ""
		}
		nth++
	}
	edit := sidecar.AddAssertion{Assertion: a}
	if _, err := sidecar.Apply(nil, edit); err != nil {
		return leftOut, kb.AsError(err).Message
	}
	numbers[x.ID] = link.AssertionNumber(p.id, a.Claim(), nth)
	p.side, p.edits = append(p.side, a), append(p.edits, edit)
	return brought, ""
}

// decodeHash reads a hash as it is shown.
func decodeHash(text string, to *kb.Hash) bool {
	b, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(b) != len(to) {
		return false
	}
	copy(to[:], b)
	return true
}

// questions plans the gaps: those that are questions.
func (m *fromQuaid) questions(ctx context.Context) error {
	t := m.out.tally("knowledge_gaps", len(m.from.Gaps))
	if len(m.from.Gaps) == 0 {
		return nil
	}
	known := map[int64]map[kb.Hash]bool{}
	for _, h := range m.homes {
		if h.space == nil {
			continue
		}
		have := map[kb.Hash]bool{}
		known[h.space.Row] = have
		err := m.DB.View(ctx, func(tx store.Tx) error {
			all, _, err := tx.Gaps().List(ctx, []int64{h.space.Row}, true, -1, 0)
			for _, g := range all {
				have[g.Hash] = true
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, x := range m.from.Gaps {
		what := fmt.Sprintf("knowledge_gaps %d", x.ID)
		if strings.HasPrefix(x.Context, "derived ") {
			m.out.note(t, leftOut, what, "it is no question but a link that leads nowhere, which cairn finds: "+inLine(x.Context))
			continue
		}
		g, why := m.gap(x)
		switch {
		case g == nil:
			m.out.note(t, leftOut, what, why)
		case known[g.Space][g.Hash]:
			t.There++
		default:
			if why != "" {
				m.out.lose(what, why)
			}
			if known[g.Space] != nil {
				known[g.Space][g.Hash] = true
			}
			t.Brought++
			m.gaps = append(m.gaps, g)
		}
	}
	return nil
}

// gap is a gap as it is kept here; why says what it lost, or why there is none.
func (m *fromQuaid) gap(x quaid.Gap) (g *kb.Gap, why string) {
	h := m.home()
	if p := m.byRow[x.Page]; p != nil {
		h = p.home
	}
	g = &kb.Gap{Context: inLine(x.Context), Score: x.Score, Sensitivity: kb.GapInternal, Asker: kb.Actor{Kind: kb.Agent, Name: "quaid"}}
	if h.space != nil {
		g.Space = h.space.Row
		g.Context = string(m.mask(h.space, "a gap", []byte(g.Context)))
	}
	if !decodeHash(x.Hash, &g.Hash) {
		return nil, "query_hash is no SHA-256"
	}
	if x.Text != "" {
		g.Hash = kb.QuestionHash(x.Text)
	}
	at := func(text string) time.Time {
		if t, err := kt.Time(text); err == nil && !t.IsZero() {
			return t
		}
		return m.Change.Writer.Now()
	}
	g.Last = at(x.Detected)
	switch approval := (&kb.GapApproval{Approver: inLine(x.Approver), Actor: m.Change.Actor, Time: at(x.Approved)}); {
	case x.Sensitivity == string(kb.GapExternal) && x.Text != "":
		g.Sensitivity, approval.Question = kb.GapExternal, x.Text
		g.Approval = approval
	case x.Sensitivity == string(kb.GapRedacted) && x.Redacted != "":
		g.Sensitivity, approval.Redacted = kb.GapRedacted, x.Redacted
		g.Approval = approval
	case x.Sensitivity != string(kb.GapInternal) && x.Sensitivity != "":
		why = "it was " + x.Sensitivity + " without the wording: it is internal"
	}
	if g.Approval != nil && g.Approval.Approver == "" {
		g.Approval, g.Sensitivity, why = nil, kb.GapInternal, "it does not say who approved: it is internal"
	}
	if x.Resolved != "" {
		g.Answer = &kb.GapAnswer{Actor: m.Change.Actor, Time: at(x.Resolved)}
		for _, p := range m.all {
			if x.Slug != "" && p.Slug == x.Slug && (g.Answer.Page == "" || p.home == h) {
				g.Answer.Page = p.id
				if p.home.space != nil {
					g.Answer.Space = p.home.space.Row
				}
			}
		}
		if g.Answer.Page == "" && x.Slug != "" {
			return nil, "it was resolved by " + x.Slug + ", which is not there"
		}
		if g.Answer.Page == "" {
			return nil, "it was resolved, by no page"
		}
	}
	return g, why
}

// home is the space of what belongs to no page: that of new pages.
func (m *fromQuaid) home() *quaidHome {
	for _, c := range m.from.Collections {
		if h := m.homes[quaidGroup{collection: c.ID}]; h != nil && c.Target {
			return h
		}
	}
	return m.homes[m.order[0]]
}

// keepGaps stores the gaps that are brought.
func (m *fromQuaid) keepGaps(ctx context.Context, tx store.Tx) error {
	for _, g := range m.gaps {
		logged := *g
		if err := tx.Gaps().Log(ctx, &logged); err != nil {
			return err
		}
		if g.Approval == nil && g.Answer == nil {
			continue
		}
		logged.Sensitivity, logged.Approval, logged.Answer = g.Sensitivity, g.Approval, g.Answer
		if err := tx.Gaps().Update(ctx, logged); err != nil {
			return err
		}
	}
	return nil
}

// resolutions dismisses the contradictions that were resolved, where the pages still
// contradict each other: in the transaction that brings the pages, so that they are there
// with these or not at all. The others are found again. Tx is nil in a dry run.
func (m *fromQuaid) resolutions(ctx context.Context, tx store.Tx) error {
	t := m.out.tally("contradictions", len(m.from.Contradictions))
	for _, x := range m.from.Contradictions {
		what := fmt.Sprintf("contradictions %d, %s", x.ID, inLine(x.Text))
		p, other := m.byRow[x.Page], m.byRow[x.Other]
		switch {
		case p == nil:
			m.out.note(t, leftOut, what, "its page is not there")
			continue
		case x.Resolved == "":
			m.out.note(t, leftOut, what, "what pages contradict each other in is found in what they say")
			continue
		case tx == nil:
			m.out.note(t, leftOut, what, "it was resolved; an import dismisses what the pages still contradict in")
			continue
		}
		b, err := m.dismiss(ctx, tx, p, cmp.Or(other, p), x)
		if err != nil {
			return err
		}
		m.out.note(t, b, what, "it was resolved, and the pages do not contradict each other here")
	}
	return nil
}

// dismiss dismisses what two pages contradict each other in.
func (m *fromQuaid) dismiss(ctx context.Context, tx store.Tx, p, other *quaidPage, x quaid.Contradiction) (became, error) {
	a, err := p.stored(ctx, tx)
	if err != nil {
		return leftOut, err
	}
	b, err := other.stored(ctx, tx)
	if err != nil {
		return leftOut, err
	}
	note := m.hide(p, []byte("resolved in quaid on "+x.Resolved+": "+inLine(x.Text)))
	dismissed, before, err := m.Change.Check.DismissBetween(ctx, tx, a, b, string(note))
	switch {
	case before > 0:
		return already, err
	case dismissed > 0:
		return brought, err
	}
	return leftOut, err
}
