package importer

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
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
)

// file keeps the bytes of the file that a page was made from.
func (m *fromQuaid) file(t *Tally, in foreign.Import) {
	switch p := m.byRow[in.Page]; {
	case p == nil:
		m.out.note(t, leftOut, fmt.Sprintf("raw_imports %d", in.ID), "its page is not there")
	case p.there():
		t.There++
		p.past = append(p.past, in)
	default:
		t.Brought++
		p.past = append(p.past, in)
	}
}

func (m *fromQuaid) tag(t *Tally, x foreign.Tag) {
	p := m.byRow[x.Page]
	what := fmt.Sprintf("tag %d, %s", x.ID, x.Name)
	if p == nil {
		m.out.note(t, leftOut, what, "its page is not there")
		return
	}
	tag := strings.TrimPrefix(strings.TrimSpace(x.Name), "#")
	if slices.ContainsFunc(p.node().Tags, func(have string) bool { return kb.NameKey(have) == kb.NameKey(tag) }) {
		t.There++
		return
	}
	m.edit(t, p, what, doc.AddTag{Tag: tag})
}

// edit applies an edit to a page, and counts it.
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

func (m *fromQuaid) entry(t *Tally, x foreign.Entry) {
	p := m.byRow[x.Page]
	what := fmt.Sprintf("timeline_entries %d, %s %s", x.ID, x.Date, kb.InLine(x.Summary))
	text := kb.InLine(x.Summary)
	switch {
	case p == nil:
		m.out.note(t, leftOut, what, "its page is not there")
	case !doc.IsDate(x.Date):
		m.out.note(t, leftOut, what, fmt.Sprintf("%q is not a date", x.Date))
	case slices.ContainsFunc(p.node().Entries, func(e doc.Entry) bool {
		return e.Date == x.Date && kb.InLine(e.Text) == text && (kb.InLine(e.Source) == kb.InLine(x.Source) || x.Source == "")
	}):
		t.There++
	default:
		m.edit(t, p, what, doc.AddEntry{Date: x.Date, Source: kb.InLine(x.Source), Text: text, Detail: x.Detail})
	}
}

// link adds a link that the text lacks.
func (m *fromQuaid) link(t *Tally, l foreign.QuaidLink) {
	from, to := m.byRow[l.From], m.byRow[l.To]
	what := fmt.Sprintf("links %d, %s", l.ID, l.Type)
	switch {
	case from == nil || to == nil:
		m.out.note(t, leftOut, what, "one of its pages is not there")
		return
	case l.ValidFrom != "" && !doc.IsDate(l.ValidFrom) || l.ValidUntil != "" && !doc.IsDate(l.ValidUntil):
		m.out.note(t, leftOut, what, fmt.Sprintf("%q or %q is not a date", l.ValidFrom, l.ValidUntil))
		return
	}
	what = fmt.Sprintf("links %d, %s %s %s", l.ID, m.key(from), l.Type, m.key(to))
	b, why := m.relate(from, to, l)
	m.out.note(t, b, what, why)
}

// leads reports whether a target in one page refers to the other page.
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

// relate adds a relation to a page, unless its text has it.
func (m *fromQuaid) relate(from, to *quaidPage, l foreign.QuaidLink) (became, string) {
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

// replacements plans the relations of pages to the pages that they replace. A relation that
// would close a cycle is left out.
func (m *fromQuaid) replacements(rows []foreign.Page) {
	r := &m.rows
	by := map[int64]int64{}
	for _, row := range rows {
		by[row.ID] = row.SupersededBy
	}
	for i, row := range rows {
		old, next := m.byRow[row.ID], m.byRow[row.SupersededBy]
		what := "superseded_by of page " + row.Slug
		m.report(&r.superseded, i, func(t *Tally) {
			t.Total++
			switch {
			case old == nil || next == nil:
				m.out.note(t, leftOut, what, "one of the two pages is not there")
			case circle(by, row.ID):
				delete(by, row.ID)
				m.out.note(t, leftOut, what, "the pages supersede each other in a circle")
			default:
				r.replaced[next.ID] = append(r.replaced[next.ID], replacement{old, what, i})
				r.needed[next.nth] = true
			}
		})
	}
	if r.superseded.Total > 0 {
		r.superseded.Kind = "superseded_by"
	}
}

// supersede adds the relations of pages to the pages that they replace, and sets the status
// of the latter.
func (m *fromQuaid) supersede(pages []*quaidPage) {
	r := &m.rows
	for _, p := range pages {
		for _, x := range r.replaced[p.ID] {
			m.report(&r.superseded, x.nth, func(t *Tally) {
				b, why := m.relate(p, x.page, foreign.QuaidLink{Type: "supersedes", Kind: "programmatic"})
				m.out.note(t, b, x.what, why)
				if m.ahead {
					r.said[x.page.ID] = b == brought
				}
			})
		}
		if r.said[p.ID] && !p.there() && p.node().Status == "" {
			_ = p.apply(doc.SetProperty{Key: "status", Value: string(kb.Superseded)}) // the relation has the same meaning
		}
	}
}

// circle reports whether a chain returns to its start.
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

// datum adds the data of a source to the sidecar of a page.
func (m *fromQuaid) datum(t *Tally, x foreign.Raw) {
	p := m.byRow[x.Page]
	what := fmt.Sprintf("raw_data %d, %s", x.ID, x.Source)
	if p == nil {
		m.out.note(t, leftOut, what, "its page is not there")
		return
	}
	if have, there := p.raw[x.Source]; there {
		if sameJSON(have, x.Data) {
			t.There++
		} else {
			m.out.note(t, leftOut, what, "the page has other data of this source already, which stays")
		}
		return
	}
	fetched, err := foreign.Time(x.Fetched)
	if err != nil {
		fetched = m.Writer.Now()
	}
	edit := sidecar.SetSource{Name: kb.InLine(x.Source), Data: m.hide(p, []byte(x.Data)), Fetched: fetched}
	if _, err := sidecar.Apply(nil, edit); err != nil {
		m.out.note(t, leftOut, what, kb.AsError(err).Message)
		return
	}
	if p.raw == nil {
		p.raw = map[string]string{}
	}
	p.raw[x.Source] = x.Data
	p.edits = append(p.edits, edit)
	t.Brought++
}

// hide masks the credentials in a page's sidecar.
func (m *fromQuaid) hide(p *quaidPage, text []byte) []byte {
	if p.home.space == nil {
		return text
	}
	return m.mask(p.home.space, p.path+", its sidecar", text)
}

func sameJSON(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// inTurn sorts rows for the import: each comes after the row that it replaces, since it
// refers to the number of that row. before maps a position to the replaced row.
func (m *fromQuaid) inTurn(all []ownedRow, before map[int]int64) {
	if len(before) == 0 {
		return
	}
	r := &m.rows
	const waiting, done = 1, 2
	state, turn := make([]byte, len(all)), int32(0)
	var stack []int
	for i := range all {
		for at := i; state[at] == 0; {
			state[at] = waiting
			stack = append(stack, at)
			id, replaces := before[at]
			if !replaces {
				break
			}
			next, there := slices.BinarySearchFunc(all, id, func(row ownedRow, id int64) int { return cmp.Compare(row.id, id) })
			switch {
			case !there:
				r.dangling[all[at].id] = true
			case state[next] == waiting:
				r.circular[all[at].id] = true
			default:
				if p := int(all[next].page); p >= 0 && p != int(all[at].page) {
					r.asked[id], r.needed[p] = 0, true
				}
				at = next
				continue
			}
			break
		}
		for _, at := range slices.Backward(stack) {
			state[at], all[at].nth = done, turn
			turn++
		}
		stack = stack[:0]
	}
}

// assertion adds an assertion to the sidecar of its page, and records which one
// it replaces.
func (m *fromQuaid) assertion(t *Tally, x foreign.Assertion) {
	r := &m.rows
	what := fmt.Sprintf("assertions %d, %s %s %s", x.ID, kb.InLine(x.Subject), kb.InLine(x.Predicate), kb.InLine(x.Object))
	before, there := r.numbers[x.Supersedes]
	switch {
	case r.dangling[x.ID]:
		m.out.lose(what, fmt.Sprintf("supersedes_id %d: that is not there", x.Supersedes))
	case r.circular[x.ID]:
		m.out.lose(what, fmt.Sprintf("supersedes_id %d: assertions supersede each other in a circle", x.Supersedes))
		before = 0
	case !there:
		before = r.asked[x.Supersedes]
	}
	if kb.InLine(x.Subject) != x.Subject || kb.InLine(x.Predicate) != x.Predicate || kb.InLine(x.Object) != x.Object {
		if !m.ahead {
			r.broken++
		}
	}
	number, b, why := m.assert(x, before)
	r.numbers[x.ID] = number
	if _, asked := r.asked[x.ID]; asked && m.ahead {
		r.asked[x.ID] = number
	}
	m.out.note(t, b, what, why)
}

// assert adds an assertion to the sidecar of a page, and returns its number.
func (m *fromQuaid) assert(x foreign.Assertion, supersedes int64) (number int64, b became, why string) {
	p := m.byRow[x.Page]
	if p == nil {
		return 0, leftOut, "its page is not there"
	}
	text := func(s string) string {
		line := kb.InLine(s)
		if hidden := m.hide(p, []byte(line)); string(hidden) != line {
			return string(hidden)
		}
		return line
	}
	a := sidecar.Assertion{
		Statement: kb.Statement{
			Subject: text(x.Subject), Predicate: text(x.Predicate), Object: text(x.Object), ValidFrom: x.ValidFrom, ValidUntil: x.ValidUntil,
			Supersedes: supersedes, Confidence: x.Confidence, AssertedBy: kb.InLine(x.By), Source: text(x.Source), Evidence: text(x.Evidence),
		},
		Created: x.Created,
	}
	if !strings.Contains(kb.InLine(string(p.text)), a.Evidence) { // not a quotation from the page: it becomes a note, so that no evidence is lost
		a.Source, a.Evidence = strings.TrimSpace(a.Source+" "+a.Evidence), ""
	}
	if at, err := foreign.Time(x.Created); err == nil && !at.IsZero() {
		a.Created = at.Format(time.RFC3339)
	}
	nth := 0
	for _, have := range p.side {
		if have.Claim() != a.Claim() {
			continue
		}
		if have.ValidUntil == a.ValidUntil {
			return link.AssertionNumber(m.id(p), a.Claim(), nth), already, ""
		}
		nth++
	}
	edit := sidecar.AddAssertion{Assertion: a}
	if _, err := sidecar.Apply(nil, edit); err != nil {
		return 0, leftOut, kb.AsError(err).Message
	}
	p.side, p.edits = append(p.side, a), append(p.edits, edit)
	return link.AssertionNumber(m.id(p), a.Claim(), nth), brought, ""
}

// decodeHash parses the text form of a hash.
func decodeHash(text string, to *kb.Hash) bool {
	b, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(b) != len(to) {
		return false
	}
	copy(to[:], b)
	return true
}

// questions plans the import of gaps that are questions.
func (m *fromQuaid) questions(ctx context.Context) error {
	var known map[int64]map[kb.Hash]bool
	s := &m.rows.gaps
	s.Kind = foreign.Gaps.Name
	return foreign.Gaps.Each(ctx, m.from, func(x foreign.Gap) (err error) {
		if known == nil {
			known, err = m.knownGaps(ctx)
		}
		s.Total++
		m.report(s, s.Total, func(t *Tally) {
			what := fmt.Sprintf("knowledge_gaps %d", x.ID)
			if strings.HasPrefix(x.Context, "derived ") {
				m.out.note(t, leftOut, what, "not a question but a broken link, which cairn finds: "+kb.InLine(x.Context))
				return
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
		})
		return err
	})
}

// knownGaps returns the gaps of the spaces, by space.
func (m *fromQuaid) knownGaps(ctx context.Context) (map[int64]map[kb.Hash]bool, error) {
	known := map[int64]map[kb.Hash]bool{}
	err := m.Session.DB.View(ctx, func(tx store.Tx) error {
		for _, h := range m.homes {
			if h.space == nil {
				continue
			}
			all, _, err := tx.Gaps().List(ctx, []int64{h.space.Row}, true, -1, 0)
			if err != nil {
				return err
			}
			have := map[kb.Hash]bool{}
			for _, g := range all {
				have[g.Hash] = true
			}
			known[h.space.Row] = have
		}
		return nil
	})
	return known, err
}

// gap converts a gap; why lists the losses, or the reason why it was skipped.
func (m *fromQuaid) gap(x foreign.Gap) (g *kb.Gap, why string) {
	h := m.home()
	if p := m.byRow[x.Page]; p != nil {
		h = p.home
	}
	g = &kb.Gap{Context: kb.InLine(x.Context), Score: x.Score, Sensitivity: kb.GapInternal, Asker: kb.Actor{Kind: kb.Agent, Name: "quaid"}}
	if h.space != nil {
		g.Space = h.space.Row
		g.Context = string(m.mask(h.space, "a gap", []byte(g.Context)))
	}
	if !decodeHash(x.Hash, &g.Hash) {
		return nil, "query_hash is not a SHA-256"
	}
	if x.Text != "" {
		g.Hash = kb.QuestionHash(x.Text)
	}
	at := func(text string) time.Time {
		if t, err := foreign.Time(text); err == nil && !t.IsZero() {
			return t
		}
		return m.Writer.Now()
	}
	g.Last = at(x.Detected)
	switch approval := (&kb.GapApproval{Approver: kb.InLine(x.Approver), Actor: m.Actor, Time: at(x.Approved)}); {
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
		g.Answer = &kb.GapAnswer{Actor: m.Actor, Time: at(x.Resolved)}
		for _, p := range m.all {
			if x.Slug != "" && p.Slug == x.Slug && (g.Answer.Page == "" || p.home == h) {
				g.Answer.Page = m.id(p)
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

// home returns the space of data without a page, which is that of new pages.
func (m *fromQuaid) home() *quaidHome {
	for _, c := range m.from.Collections {
		if h := m.homes[quaidGroup{collection: c.ID}]; h != nil && c.Target {
			return h
		}
	}
	return m.homes[m.order[0]]
}

// keepGaps stores the imported gaps.
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

// resolutions dismisses the resolved contradictions of pages that still contradict each
// other, in the transaction that adds the pages, so that both are committed or neither is.
// Contradictions that were not resolved are found again. tx is nil in a dry run.
func (m *fromQuaid) resolutions(ctx context.Context, tx store.Tx) error {
	s := &m.rows.contradictions
	s.Kind = foreign.Contradictions.Name
	var open []foreign.Contradiction
	err := foreign.Contradictions.Each(ctx, m.from, func(x foreign.Contradiction) error {
		if x.Resolved == "" {
			open = append(open, x)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = foreign.Contradictions.Each(ctx, m.from, func(x foreign.Contradiction) (err error) {
		s.Total++
		m.report(s, s.Total, func(t *Tally) {
			b, why := leftOut, ""
			switch p, other := m.byRow[x.Page], m.byRow[x.Other]; {
			case p == nil:
				why = "its page is not there"
			case x.Resolved == "":
				why = "what pages contradict each other in is found in what they say"
			case tx == nil:
				why = "it was resolved; an import dismisses what the pages still contradict in"
			default:
				why = "it was resolved, and the pages do not contradict each other here"
				b, err = m.dismiss(ctx, tx, p, cmp.Or(other, p), x, open)
			}
			m.out.note(t, b, fmt.Sprintf("contradictions %d, %s", x.ID, kb.InLine(x.Text)), why)
		})
		return err
	})
	if err != nil {
		return err
	}
	return m.from.Unchanged()
}

// dismiss dismisses the contradictions between two pages that a resolved contradiction of
// quaid is about. Those that may match an open one of quaid stay.
func (m *fromQuaid) dismiss(ctx context.Context, tx store.Tx, p, other *quaidPage, x foreign.Contradiction, open []foreign.Contradiction) (became, error) {
	a, err := p.stored(ctx, tx)
	if err != nil {
		return leftOut, err
	}
	b, err := other.stored(ctx, tx)
	if err != nil {
		return leftOut, err
	}
	note := m.hide(p, []byte("resolved in quaid on "+x.Resolved+": "+kb.InLine(x.Text)))
	dismissed, before, err := contradiction.DismissBetween(ctx, m.Session, tx, a, b, string(note), func(c api.Contradiction) bool {
		return concerns(x.Text, c) && !slices.ContainsFunc(open, func(o foreign.Contradiction) bool {
			return (o.Page == x.Page || o.Page == x.Other) && concerns(o.Text, c)
		})
	})
	switch {
	case before > 0:
		return already, err
	case dismissed > 0:
		return brought, err
	}
	return leftOut, err
}

// concerns reports whether the text of a contradiction in quaid is about a contradiction
// found here: it contains its predicate, and one of its objects if it contains any.
func concerns(text string, c api.Contradiction) bool {
	words := " " + strings.ReplaceAll(kb.NameKey(text), "-", " ") + " "
	names := func(name string) bool {
		key := strings.ReplaceAll(kb.NameKey(name[strings.LastIndexByte(name, '/')+1:]), "-", " ")
		return key != "" && strings.Contains(words, " "+key+" ")
	}
	if !names(c.A.Predicate) && !names(c.B.Predicate) {
		return false
	}
	_, objects, listed := strings.Cut(text, ":")
	return !listed || strings.TrimSpace(objects) == "" || names(c.A.Object) || names(c.B.Object)
}
