package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

// CaptureAnswer is the outcome for texts. The page fields are those of the first
// text.
type CaptureAnswer struct {
	api.Written
	Captured
	Each []Captured `json:"each,omitempty"` // for several texts
}

// Dropped reports that a text was not stored and is not on the page that is its
// answer.
func (a CaptureAnswer) Dropped() bool {
	return slices.ContainsFunc(append([]Captured{a.Captured}, a.Each...), func(c Captured) bool { return len(c.Existing) > 0 && c.Existing[0].Text != nil })
}

// Captured is the outcome for one text.
type Captured struct {
	Ref     string    `json:"ref"`
	Space   string    `json:"space"`
	Tags    []string  `json:"tags"`
	Links   []Linked  `json:"links"`   // added to the page
	Similar []api.Hit `json:"similar"` // similar pages, most similar first

	// Existing is the page that already has the text or the requested title.
	// Nothing was written then.
	Existing []Existing `json:"existing,omitempty"`

	// Calls are alternative ways to store the text when there are similar pages.
	Calls []Call `json:"calls,omitempty"`
}

// Existing is a page that already has a text or a title.
type Existing struct {
	api.Page
	Text *string `json:"text,omitempty"` // of the page, if different
}

// Call captures the same text in another way.
type Call struct {
	Do      string `json:"do"`               // extend, update, keep
	Delete  string `json:"delete,omitempty"` // ref of the page created from the text, to be deleted first
	Capture With   `json:"capture"`
}

// With holds the arguments for capturing the text.
type With struct {
	Extend string `json:"extend,omitempty"`
	Update string `json:"update,omitempty"`
	Keep   bool   `json:"keep,omitempty"`
}

// callsFor returns the calls that add a text to the most similar page, or replace
// that page's text, instead of the page created from the text; that page is "" if
// none was created.
func callsFor(similar, made string) []Call {
	return []Call{
		{Do: "extend", Delete: made, Capture: With{Extend: similar}},
		{Do: "update", Delete: made, Capture: With{Update: similar}},
	}
}

// Linked is a relation added to a page.
type Linked struct {
	Type  string  `json:"type"`
	Ref   string  `json:"ref"`
	Score float64 `json:"score,omitempty"` // similarity of the page, for an automatic link
}

// Limits of the listed similar pages, and of automatic links.
const (
	maxSimilar = 3
	maxLinked  = 3
)

// Capture stores texts, each as a new page unless the request names the page that
// it extends or updates. If a page has the text already, that page is the answer,
// and nothing is written. The same applies to a page with the requested title. A
// title derived from the text gets a number instead, unless Heading is set and a
// page with the heading of the text is similar. The answer lists similar pages. If
// the policy or the request demands it, nothing is written and similar pages cause
// kb.Conflict with the reason kb.SimilarFound.
func Capture(ctx context.Context, sess *memory.Session, req api.CaptureRequest) (CaptureAnswer, error) {
	sess = sess.In(req.Space)
	if err := checkCapture(&req); err != nil {
		return CaptureAnswer{}, err
	}
	if req.Extend+req.Update != "" {
		var out CaptureAnswer
		_, err := change.Retry(ctx, req.WriteOptions, func() (_ api.Written, err error) {
			out, err = amend(ctx, sess, req)
			return out.Written, err
		})
		return out, err
	}
	s, err := sess.Spaces.OpenForNew(ctx, req.DryRun)
	if err != nil {
		return CaptureAnswer{}, err
	}
	b := batch{engine: sess, req: req, space: s, taken: map[string]bool{}, replaced: map[string]bool{}}
	if err := b.resolveReplaced(ctx); err != nil {
		return CaptureAnswer{}, err
	}
	for _, text := range req.Each {
		if err := b.add(ctx, text); err != nil {
			return CaptureAnswer{}, err
		}
	}
	if err := b.mayKeep(); err != nil {
		return b.answer(api.Written{}), err
	}
	for try := 0; ; try++ {
		changes, err := b.changes(ctx)
		if err != nil {
			return CaptureAnswer{}, err
		}
		if len(changes) == 0 {
			return b.answer(api.Written{DryRun: req.DryRun, Pages: []api.WrittenPage{}}), nil
		}
		w, err := change.ApplySynced(ctx, sess, "capture", req.WriteOptions, changes, b.synced)
		if err == nil || kb.AsError(err).Reason != kb.PageExists || try == maxRaces {
			return b.answer(w), err
		}
		// The name was taken in the meantime, or a file that is not indexed yet has
		// it.
		b.synced = kb.Space{}
		for _, c := range changes {
			b.taken[kb.FoldPath(c.Path)] = true
		}
	}
}

// maxRaces is how often another name is tried because the last one was taken in the
// meantime.
const maxRaces = 20

// checkCapture moves the texts to Each, and rejects invalid requests.
func checkCapture(r *api.CaptureRequest) error {
	if r.Text != "" || len(r.Each) == 0 {
		r.Text, r.Each = "", append([]string{r.Text}, r.Each...)
	}
	for i, text := range r.Each {
		if r.Each[i] = strings.TrimSpace(text); r.Each[i] == "" {
			return empty()
		}
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return kb.Errorf(kb.Invalid, "not UTF-8 text").WithHint("Nothing was stored. Captured text is UTF-8.")
		}
	}
	amends := r.Extend+r.Update != ""
	switch {
	case r.Extend != "" && r.Update != "":
		return kb.Errorf(kb.Usage, "a text either extends a page or updates one")
	case amends && len(r.Each) > 1:
		return kb.Errorf(kb.Usage, "only one text can extend or update a page")
	case amends && r.Title+r.Type != "":
		return kb.Errorf(kb.Usage, "an existing page keeps its title and type")
	case r.Alias != "" && (amends || len(r.Each) > 1):
		return kb.Errorf(kb.Usage, "an alias is for one new page")
	case len(r.Each) > 1 && r.Title != "":
		return kb.Errorf(kb.Usage, "one title does not fit several texts").WithHint("Each has its first sentence for a title.")
	case r.Summary != "" && len(r.Each) > 1:
		return kb.Errorf(kb.Usage, "a summary is for one page")
	case strings.ContainsAny(r.Summary, "\r\n"):
		return kb.Errorf(kb.Usage, "the summary has several lines").WithHint("Say in one line what the page is about.")
	case r.Keep && r.Ask:
		return kb.Errorf(kb.Usage, "either ask about similar pages, or keep the text without checking")
	}
	return nil
}

func empty() error {
	return kb.Errorf(kb.Usage, "there is nothing to remember: the text is empty").
		WithHint("Give one thing worth knowing next time, in a few sentences.")
}

// batch is a group of texts captured in one write.
type batch struct {
	engine *memory.Session
	req    api.CaptureRequest
	space  *write.Space
	taken  map[string]bool // lower-case paths not available to new pages
	notes  []*note
	synced kb.Space // synced for these texts

	replaced map[string]bool // refs of pages replaced by the texts
}

// resolveReplaced finds the pages that the texts replace. Since the request decides
// on them, they are not reported as similar.
func (b *batch) resolveReplaced(ctx context.Context) error {
	return b.engine.DB.View(ctx, func(tx store.Tx) error {
		for _, raw := range b.req.Supersedes {
			p, err := b.engine.Refs.Resolve(ctx, tx, raw)
			if err != nil {
				return err
			}
			b.replaced[p.Ref()] = true
		}
		return nil
	})
}

// note is one text of a batch.
type note struct {
	Captured
	text, title, fileName string
	path                  string
	auto                  []Linked // to be added automatically
	tags                  []string
}

// add examines a text: an existing page with the same text, similar pages, and its
// tags.
func (b *batch) add(ctx context.Context, text string) error {
	n := &note{text: text, title: b.req.Title, fileName: b.req.Title}
	if n.title == "" {
		n.title = space.TitleOf(text)
		n.fileName = space.ShortName(n.title)
	}
	n.Space = b.space.Name
	n.Tags, n.Links, n.Similar = []string{}, []Linked{}, []api.Hit{}
	b.notes = append(b.notes, n)
	if slices.ContainsFunc(b.notes[:len(b.notes)-1], func(o *note) bool { return o.text == text }) {
		return kb.Errorf(kb.Usage, "two of the texts are the same")
	}
	e := b.engine
	named, synced, err := bearing(ctx, e, b.space, n.title)
	if err != nil {
		return err
	}
	if synced {
		b.synced = b.space.Space
	}
	if len(named) == 0 && b.req.Title != "" {
		if named, err = referred(ctx, e, b.req.Title); err != nil {
			return err
		}
	}
	rules := b.space.Policy.Capture
	if n.tags, err = planTags(ctx, e, b.space, b.req, text); err != nil {
		return err
	}
	least := rules.SimilarFrom()
	if rules.AutoLink > 0 {
		least = min(least, rules.AutoLink)
	}
	headed := b.req.Title == "" && b.req.Heading && heading().MatchString(text) && len(named) > 0
	if headed {
		least = min(least, sameSubject)
	}
	near, err := retrieve.Similar(ctx, e, retrieve.SimilarRequest{Space: b.space.Space, Text: text, Tags: n.tags, Least: least})
	if err != nil {
		return err
	}
	if err := b.existing(ctx, n, named, near); err != nil || len(n.Existing) > 0 {
		return err
	}
	if err := b.similar(ctx, n, named, near); err != nil || b.req.Keep || len(named) == 0 {
		return err
	}
	if headed {
		// Many pages start with a heading such as "Meeting". Those about another
		// subject do not count as having the text.
		named = slices.DeleteFunc(named, func(p kb.Page) bool {
			return !slices.ContainsFunc(near, func(h api.Hit) bool { return h.Ref == p.Ref() && h.Score >= sameSubject })
		})
	}
	if (b.req.Title != "" || headed) && !b.req.Ask && rules.OnSimilar != policy.Ask {
		if done, err := b.titled(ctx, n, named); err != nil || done {
			return err
		}
	}
	return b.number(ctx, n)
}

// sameSubject is the minimum similarity of a text and a page on the same subject. A
// text that also has the page's title is a new state of that page, even if it says
// something else.
const sameSubject = 0.65

// heading returns the heading that gives a text its title.
var heading = lazyregexp.New(`^#{1,6}[ \t]`)

// titled answers with the page that has the title of the request or of the text.
// Pages replaced by another page, in the request or before, do not count.
func (b *batch) titled(ctx context.Context, n *note, named []kb.Page) (done bool, err error) {
	for _, p := range named {
		if b.replaced[p.Ref()] || p.Status == kb.Compacted || p.Status == kb.Superseded || p.Node != "" {
			continue
		}
		body, _, err := planTruth(ctx, b.engine, p)
		if err != nil {
			return false, err
		}
		n.Similar = slices.DeleteFunc(n.Similar, func(h api.Hit) bool { return h.Ref == p.Ref() })
		body = strings.TrimSpace(string(secrets.Hide([]byte(body))))
		return true, b.exists(ctx, n, p, &body)
	}
	return false, nil
}

// exists makes a page the answer to a text. text is the page's text, nil if it is
// the same.
func (b *batch) exists(ctx context.Context, n *note, p kb.Page, text *string) error {
	n.Ref, n.Tags = p.Ref(), p.Tags
	return b.engine.DB.View(ctx, func(tx store.Tx) (err error) {
		n.Existing, err = existing(ctx, tx, p, text)
		return err
	})
}

func existing(ctx context.Context, tx store.Tx, p kb.Page, text *string) ([]Existing, error) {
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return nil, err
	}
	pages, err := v.Pages(ctx, []kb.Page{p})
	if err != nil {
		return nil, err
	}
	return []Existing{{Page: pages[0], Text: text}}, nil
}

// number adds a number to the title of a text if a page has the title already, so
// that links still resolve to that page.
func (b *batch) number(ctx context.Context, n *note) error {
	title, name := n.title, n.fileName
	for i := 2; ; i++ {
		n.title, n.fileName = fmt.Sprintf("%s (%d)", title, i), fmt.Sprintf("%s (%d)", name, i)
		if named, _, err := bearing(ctx, b.engine, b.space, n.title); err != nil || len(named) == 0 {
			return err
		}
	}
}

// existing finds a page that has the text already.
func (b *batch) existing(ctx context.Context, n *note, named []kb.Page, near []api.Hit) error {
	if b.req.Expected != nil && *b.req.Expected > 0 {
		return kb.Errorf(kb.Usage, "a new page has no version yet").WithHint("Leave the expected version out, or extend or update the page.")
	}
	pages := slices.Clone(named)
	e := b.engine
	err := e.DB.View(ctx, func(tx store.Tx) error {
		for _, h := range near {
			found, err := tx.Pages().ByID(ctx, h.ID)
			if err != nil {
				return err
			}
			pages = append(pages, found...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range pages {
		if p.SpaceID != b.space.ID || p.Status == kb.Compacted || p.Node != "" {
			continue
		}
		body, _, err := planTruth(ctx, e, p)
		if err != nil {
			return err
		}
		if strings.TrimSpace(body) != withoutCR(n.text) {
			continue
		}
		if changed, _ := freshness.Outdated(ctx, e, ref.Place{Page: p, Space: b.space.Space}); !changed {
			return b.exists(ctx, n, p, nil)
		}
	}
	return nil
}

// similar filters pages by similarity. It returns those with the same title first,
// and the ones to link.
func (b *batch) similar(ctx context.Context, n *note, named []kb.Page, near []api.Hit) error {
	rules := b.space.Policy.Capture
	for _, h := range near {
		if h.Score >= rules.SimilarFrom() && !b.replaced[h.Ref] {
			n.Similar = append(n.Similar, h)
		}
		status, known := kb.ParseStatus(string(h.Status))
		if rules.AutoLink > 0 && h.Score >= rules.AutoLink && (status == kb.Active || !known) && len(n.auto) < maxLinked {
			n.auto = append(n.auto, Linked{Type: Related, Ref: h.Ref, Score: h.Score})
		}
	}
	err := b.engine.DB.View(ctx, func(tx store.Tx) error {
		v, err := api.NewViewer(ctx, tx)
		if err != nil {
			return err
		}
		pages, err := v.Pages(ctx, named)
		pages = slices.DeleteFunc(pages, func(p api.Page) bool { return b.replaced[p.Ref] })
		for i := len(pages) - 1; i >= 0; i-- {
			n.Similar = slices.DeleteFunc(n.Similar, func(h api.Hit) bool { return h.Ref == pages[i].Ref })
			n.Similar = slices.Insert(n.Similar, 0, api.Hit{Page: pages[i], Score: 1, Why: api.Why{Exact: "title"}})
		}
		if err != nil {
			return err
		}
		if n.Similar, err = b.current(ctx, tx, v, n.Similar); err != nil {
			return err
		}
		n.Similar = n.Similar[:min(len(n.Similar), maxSimilar)]
		return b.begin(ctx, tx, n.Similar)
	})
	return err
}

// current replaces each superseded page among the similar ones by its successor: a
// text is added to the current page.
func (b *batch) current(ctx context.Context, tx store.Tx, v *api.Viewer, hits []api.Hit) ([]api.Hit, error) {
	var pages []kb.Page
	for _, h := range hits {
		found, err := tx.Pages().ByID(ctx, h.ID)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if p.Ref() == h.Ref {
				pages = append(pages, p)
			}
		}
	}
	successors, err := retrieve.Successors(ctx, b.engine, tx, []kb.Space{b.space.Space}, pages)
	if err != nil {
		return nil, err
	}
	out := make([]api.Hit, 0, len(hits))
	for _, h := range hits {
		i := slices.IndexFunc(pages, func(p kb.Page) bool { return p.Ref() == h.Ref })
		if i >= 0 {
			if next, ok := successors[pages[i].Row]; ok && next.SpaceID == b.space.ID && !b.replaced[next.Ref()] {
				shown, err := v.Pages(ctx, []kb.Page{next})
				if err != nil {
					return nil, err
				}
				h = api.Hit{Page: shown[0], Score: h.Score, Why: h.Why}
			}
		}
		if !slices.ContainsFunc(out, func(x api.Hit) bool { return x.Ref == h.Ref }) {
			out = append(out, h)
		}
	}
	return out, nil
}

// begin sets the first sentence of each similar page, from which the caller sees
// whether it is the same.
func (b *batch) begin(ctx context.Context, tx store.Tx, hits []api.Hit) error {
	for i, h := range hits {
		found, err := tx.Pages().ByID(ctx, h.ID)
		if err != nil {
			return err
		}
		for _, p := range found {
			if p.SpaceID != b.space.ID {
				continue
			}
			source, err := tx.History().Bytes(ctx, p.Hash)
			if err != nil {
				return err
			}
			hits[i].Snippet, hits[i].Marks = retrieve.Begins(kb.Page{}, retrieve.Truth(b.engine.Codecs, p, source)), [][2]int{}
		}
	}
	return nil
}

// amendable returns the ref of the first page that a text can be added to, "" for
// none. A superseded page is not current.
func amendable(similar []api.Hit) string {
	i := slices.IndexFunc(similar, func(h api.Hit) bool { return h.Status != kb.Superseded && h.Status != kb.Compacted })
	if i < 0 {
		return ""
	}
	return similar[i].Ref
}

// mayKeep rejects texts with similar pages when the caller is to decide.
func (b *batch) mayKeep() error {
	rules := b.space.Policy.Capture
	if b.req.Keep || !b.req.Ask && rules.OnSimilar != policy.Ask {
		return nil
	}
	var refs []string
	type page struct {
		Ref   string  `json:"ref"`
		Title string  `json:"title"`
		Score float64 `json:"score"`
	}
	var pages []page
	for _, n := range b.notes {
		for _, h := range n.Similar {
			if !slices.Contains(refs, h.Ref) {
				refs = append(refs, h.Ref)
				pages = append(pages, page{h.Ref, h.Title, h.Score})
			}
		}
	}
	if len(refs) == 0 {
		return nil
	}
	calls := []Call{{Do: "keep", Capture: With{Keep: true}}}
	if at := amendable(b.notes[0].Similar); len(b.notes) == 1 && at != "" {
		calls = append(callsFor(at, ""), calls...)
	}
	return kb.Errorf(kb.Conflict, "similar knowledge exists: %s", strings.Join(refs, ", ")).
		WithReason(kb.SimilarFound).WithFact("ref", refs[0]).With("similar", pages).With("calls", calls)
}

// mayDelete reports whether the caller may delete a created page: impossible
// actions are not proposed.
func (b *batch) mayDelete(made []api.WrittenPage, ref string) bool {
	i := slices.IndexFunc(made, func(p api.WrittenPage) bool { return p.Ref == ref })
	return i >= 0 && b.space.Check(policy.Request{Actor: b.engine.Actor, Operation: policy.OpDelete, Path: made[i].Path}) == nil
}

// answer reports the outcome for the texts.
func (b *batch) answer(w api.Written) CaptureAnswer {
	out := CaptureAnswer{Written: w}
	next := 0
	for _, n := range b.notes {
		c := n.Captured
		if len(c.Existing) == 0 && next < len(w.Pages) {
			c.Ref, c.Tags = w.Pages[next].Ref, w.Pages[next].Tags
			next++
		}
		if c.Tags == nil {
			c.Tags = []string{}
		}
		if at := amendable(c.Similar); len(c.Existing) == 0 && at != "" && w.Write != 0 && b.mayDelete(w.Pages, c.Ref) {
			c.Calls = callsFor(at, c.Ref)
		}
		out.Each = append(out.Each, c)
	}
	if len(out.Each) > 0 {
		out.Captured = out.Each[0]
	}
	if len(out.Each) < 2 {
		out.Each = nil
	}
	return out
}
