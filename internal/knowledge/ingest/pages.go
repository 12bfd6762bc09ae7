package ingest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// target is a page of the plan and its location.
type target struct {
	api.PlannedPage
	space *write.Space
	path  string
	old   kb.Page // Row is 0 for a new page
	codec doc.Codec
	text  []byte // text of old
	side  []byte
}

func (t *target) there() bool { return t.old.Row != 0 }

// unread is the error for a page that the plan would change without having read it.
func (t *target) unread() error {
	return kb.Errorf(kb.Conflict, "%s exists already, in version %d", t.path, t.old.Version).
		WithHint("Nothing was changed.").WithReason(kb.PageExists).With("current_version", t.old.Version).With("path", t.path)
}

// bad reports a fault in a page of the plan.
func (t *target) bad(format string, args ...any) error {
	return kb.Errorf(kb.Invalid, "%s: %s", t.Slug, fmt.Sprintf(format, args...)).With("slug", t.Slug)
}

// pages plans the writes for the pages of the plan.
func (r *run) pages(ctx context.Context) ([]write.Change, error) {
	targets := make([]*target, len(r.req.Pages))
	planned := map[string]*target{} // by slug, in its space
	for i, p := range r.req.Pages {
		t, err := r.locate(ctx, p)
		if err != nil {
			return nil, err
		}
		targets[i] = t
		key := t.space.Name + ":" + kb.NameKey(slugOf(t.path))
		if planned[key] != nil {
			return nil, t.bad("the page occurs twice")
		}
		planned[key] = t
	}
	var changes []write.Change
	for _, t := range targets {
		more, err := r.changes(ctx, t, planned)
		if err != nil {
			return nil, err
		}
		changes = append(changes, more...)
	}
	return changes, nil
}

// locate determines the path of a page, and reads its present state.
func (r *run) locate(ctx context.Context, p api.PlannedPage) (*target, error) {
	p.Slug = strings.TrimSpace(p.Slug)
	t := &target{PlannedPage: p}
	req := change.PutRequest{WriteOptions: r.req.WriteOptions, Ref: p.Slug}
	if req.Expected = p.Expected; p.Expected == nil { // accept the page with that name at any version
		some := 1
		req.Expected = &some
	}
	s, at, err := change.Place(ctx, r.Session, req)
	if err != nil {
		return nil, err
	}
	t.space, t.path = s, at
	if t.codec = doc.ForPath(r.Session.Codecs, at); t.codec == nil {
		return nil, t.bad("there are no pages of this kind")
	}
	t.codec = t.codec.In(s.Syntax)
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		found, err := tx.Pages().ByPath(ctx, s.Row, at)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(found, func(p kb.Page) bool { return p.Node == "" })
		if i < 0 {
			return nil
		}
		t.old = found[i]
		if t.text, err = tx.History().Bytes(ctx, t.old.Hash); err != nil || t.old.Side.IsZero() {
			return err
		}
		t.side, err = tx.History().Bytes(ctx, t.old.Side)
		return err
	})
	return t, err
}

// changes plans one page: derived parts are replaced, and evidence is added to the
// existing evidence.
func (r *run) changes(ctx context.Context, t *target, planned map[string]*target) ([]write.Change, error) {
	text, appended, err := r.derived(ctx, t)
	if err != nil {
		return nil, err
	}
	edits, err := r.evidence(ctx, t, text, appended, planned)
	if err != nil {
		return nil, err
	}
	side, err := r.sideEdits(t)
	if err != nil {
		return nil, err
	}
	if !t.there() || !bytes.Equal(text, t.text) || len(edits)+len(side) > 0 {
		edits = append(edits, r.citing(t, text)...)
	}
	c := write.Change{Space: t.space, Path: t.path, Expected: t.Expected}
	if t.there() {
		c.Of = write.OfPage(t.old)
		if c.Expected, err = r.expected(ctx, t); err != nil {
			return nil, err
		}
	}
	var out []write.Change
	do := func(a write.Action) {
		c.Action = a
		out = append(out, c)
		c.Expected, c.Of = nil, ""
	}
	switch {
	case !t.there() || !bytes.Equal(text, t.text):
		if len(edits) > 0 {
			if text, err = t.codec.Apply(t.codec.Parse(t.path, text), "", edits...); err != nil {
				return nil, err
			}
		}
		do(write.Put{Bytes: text, KeepID: true, Declare: true})
	case len(edits) > 0:
		do(write.Edit{Edits: edits})
	}
	if len(side) > 0 {
		do(write.EditSide{Edits: side})
	}
	if len(out) == 0 && t.there() && t.Expected != nil { // check the version in any case
		do(write.Put{Bytes: t.text})
	}
	return out, nil
}

// sourceRelation is the relation from a page to its source.
const sourceRelation = "source"

// citing returns the edit that links a page to the page of the source, none if the
// link exists.
func (r *run) citing(t *target, text []byte) []doc.Edit {
	if r.req.Source == nil || t.space.ID != r.home.ID || t.path == r.path {
		return nil
	}
	key := link.Key(link.RelationKind, slugOf(r.path))
	for _, to := range t.codec.Parse(t.path, text).Targets() {
		if link.Key(string(to.Kind), to.Name) == key {
			return nil
		}
	}
	return []doc.Edit{doc.AddRelation{Type: sourceRelation, Target: slugOf(r.path)}}
}

// expected returns the version that the plan was made for, or the current version
// if it has the same bytes: an undo creates a new version.
func (r *run) expected(ctx context.Context, t *target) (*int, error) {
	if t.Expected == nil || *t.Expected == t.old.Version {
		return t.Expected, nil
	}
	same := false
	err := r.Session.DB.View(ctx, func(tx store.Tx) error {
		v, err := tx.History().Version(ctx, t.space.Row, t.old.ID, *t.Expected)
		if kb.CodeOf(err) == kb.NotFound {
			return nil
		}
		same = err == nil && *t.Expected > 0 && v.Hash == t.old.Hash && v.Side.Hash == t.old.Side
		return err
	})
	if err != nil || !same {
		return t.Expected, err
	}
	return &t.old.Version, nil
}

// said reports whether the pages contain everything in the plan, so that it counts
// as applied.
func (r *run) said(ctx context.Context) (bool, error) {
	out := r.out
	defer func() { r.out = out }() // counts made here are not part of the answer
	planned := map[string]*target{}
	for _, p := range r.req.Pages {
		t, err := r.locate(ctx, p)
		if err != nil || !t.there() {
			return false, err
		}
		if says, err := r.saidBy(ctx, t, planned); err != nil || !says {
			return false, err
		}
	}
	return true, nil
}

// saidBy reports whether one page contains everything that the plan has for it.
func (r *run) saidBy(ctx context.Context, t *target, planned map[string]*target) (bool, error) {
	for _, text := range []*string{t.Content, t.Truth} {
		if text == nil || holdsLines(t.text, *text) {
			continue
		}
		if novel, err := r.novel(ctx, t, *text); err != nil || novel {
			return false, err
		}
	}
	if same, err := t.hasMetadata(); err != nil || !same {
		return false, err
	}
	var appended []doc.Entry
	if t.Append != "" {
		var err error
		if appended, err = t.written(); err != nil {
			return false, err
		}
	}
	edits, err := r.evidence(ctx, t, t.text, appended, planned)
	if err != nil || len(edits) > 0 {
		return false, err
	}
	side, err := r.sideEdits(t)
	return len(side) == 0, err
}

// has reports whether the page has all lines of the plan's truth, and its metadata.
// If so, the plan would not change them, and needs no expected version.
func (t *target) has() (bool, error) {
	for _, text := range []*string{t.Content, t.Truth} {
		if text != nil && (strings.TrimSpace(*text) == "" || !holdsLines(t.text, *text)) {
			return false, nil
		}
	}
	return t.hasMetadata()
}

// hasMetadata reports whether the page has the metadata of the plan.
func (t *target) hasMetadata() (bool, error) {
	if len(t.Frontmatter) == 0 {
		return true, nil
	}
	edits, err := t.metadata()
	if err != nil {
		return false, err
	}
	after, err := t.codec.Apply(t.codec.Parse(t.path, t.text), "", edits...)
	return err == nil && bytes.Equal(after, t.text), err
}

// holdsLines reports whether a text has all lines of another one.
func holdsLines(text []byte, lines string) bool {
	has := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		has[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" && !has[line] {
			return false
		}
	}
	return true
}

// derived returns the text of the page with its new truth and metadata. A truth
// without new content is left unchanged; the entries of an omitted content are
// returned.
func (r *run) derived(ctx context.Context, t *target) (text []byte, appended []doc.Entry, err error) {
	text = t.text
	has := false
	if t.there() && t.Expected == nil {
		if has, err = t.has(); err != nil || !has {
			return nil, nil, cmp.Or(err, t.unread())
		}
	}
	switch {
	case has:
		if t.Content != nil {
			appended = t.codec.Parse(t.path, []byte(*t.Content)).Nodes[0].Entries
		}
	case t.Content != nil:
		text = []byte(*t.Content)
		if len(text) > 0 && text[len(text)-1] != '\n' {
			text = append(text, '\n')
		}
		if t.there() {
			d := t.codec.Parse(t.path, text)
			says, err := r.novel(ctx, t, d.Slice(d.Nodes[0].Truth))
			if err != nil || !says {
				return t.text, d.Nodes[0].Entries, err
			}
		}
	case !t.there():
		if text, err = r.fresh(t); err != nil {
			return nil, nil, err
		}
	case t.Truth != nil:
		says, err := r.novel(ctx, t, *t.Truth)
		if err != nil {
			return nil, nil, err
		}
		if says {
			if text, err = t.codec.Apply(t.codec.Parse(t.path, text), "", doc.SetTruth{Text: *t.Truth}); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(t.Frontmatter) > 0 {
		edits, err := t.metadata()
		if err != nil {
			return nil, nil, err
		}
		if len(edits) > 0 {
			if text, err = t.codec.Apply(t.codec.Parse(t.path, text), "", edits...); err != nil {
				return nil, nil, err
			}
		}
	}
	if t.Append != "" {
		more, err := t.written()
		return text, append(appended, more...), err
	}
	return text, appended, nil
}

// fresh renders a new page from its parts.
func (r *run) fresh(t *target) ([]byte, error) {
	kind, more := t.space.Policy.NewPage(t.path)
	p := doc.NewPage{Type: kind, Title: doc.TitleFromPath(t.path)}
	if t.Truth != nil {
		p.Body = strings.TrimRight(*t.Truth, " \t\r\n")
		d := t.codec.Parse(t.path, []byte(p.Body))
		if h := d.Nodes[0].Headings; len(h) > 0 && h[0].Level == 1 {
			p.Title = h[0].Text
		}
	}
	for _, key := range slices.Sorted(maps.Keys(more)) {
		p.Metadata = append(p.Metadata, doc.Property{Key: key, Values: []string{more[key]}})
	}
	return t.codec.New(p)
}

// metadata returns the edits that set the frontmatter.
func (t *target) metadata() (edits []doc.Edit, err error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(t.Frontmatter, &keys); err != nil {
		return nil, t.bad("frontmatter is not an object")
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		var (
			list []any
			text string
			raw  = keys[key]
		)
		switch {
		case string(raw) == "null":
			edits = append(edits, doc.RemoveProperty{Key: key})
		case json.Unmarshal(raw, &text) == nil:
			edits = append(edits, doc.SetProperty{Key: key, Value: text})
		case json.Unmarshal(raw, &list) == nil && !slices.ContainsFunc(list, nested):
			values := make([]string, len(list))
			for i, v := range list {
				values[i] = fmt.Sprint(v)
			}
			edits = append(edits, doc.SetList{Key: key, Values: values})
		default:
			edits = append(edits, doc.SetProperty{Key: key, Value: string(raw), Written: true})
		}
	}
	return edits, nil
}

func nested(v any) bool {
	switch v.(type) {
	case map[string]any, []any, nil:
		return true
	}
	return false
}

// written parses entries in the form that pages have.
func (t *target) written() ([]doc.Entry, error) {
	line := "x\n\n---\n\n"
	if t.codec.Format() == doc.Org {
		line = "x\n\n-----\n\n"
	}
	d := t.codec.Parse(t.path, []byte(line+strings.TrimSpace(t.Append)+"\n"))
	n := d.Nodes[0]
	covered := 0
	for _, e := range n.Entries {
		covered += len(strings.TrimSpace(d.Slice(e.Span)))
	}
	if len(n.Entries) == 0 || covered+len(n.Entries) < len(strings.TrimSpace(t.Append)) {
		return nil, t.bad("timeline_append has a line that is not an entry: write - **YYYY-MM-DD** | source — what happened")
	}
	return n.Entries, nil
}

// evidence returns the edits that add missing entries, relations and tags.
func (r *run) evidence(ctx context.Context, t *target, text []byte, appended []doc.Entry, planned map[string]*target) (edits []doc.Edit, err error) {
	n := t.codec.Parse(t.path, text).Nodes[0]
	entry := func(e doc.AddEntry) {
		has := func(x doc.Entry) bool {
			return x.Date == e.Date && words(x.Text) == words(e.Text) && (e.Source == "" || words(x.Source) == words(e.Source))
		}
		added := func(x doc.Edit) bool {
			a, ok := x.(doc.AddEntry)
			return ok && a.Date == e.Date && words(a.Text) == words(e.Text) && words(a.Source) == words(e.Source)
		}
		if slices.ContainsFunc(n.Entries, has) || slices.ContainsFunc(edits, added) {
			r.out.There++
			return
		}
		edits = append(edits, e)
	}
	for _, e := range slices.Backward(appended) { // each is inserted above the previous one
		entry(doc.AddEntry{Date: e.Date, Source: e.Source, Text: e.Text, Detail: e.Detail})
	}
	for _, e := range t.Entries {
		date, err := change.Date(e.Date, r.Session.Now())
		if err != nil {
			return nil, t.bad("%v", err)
		}
		entry(doc.AddEntry{Date: date, Source: e.Source, Text: words(e.Summary), Detail: e.Detail})
	}
	for _, tag := range t.Tags {
		if !doc.HasTag(n.Tags, tag) {
			edits = append(edits, doc.AddTag{Tag: tag})
		}
	}
	if t.there() && !bytes.Equal(text, t.text) {
		kept := t.keepRelations(&n)
		for _, e := range kept { // the plan's links may include them
			n.Relations = append(n.Relations, doc.Relation{Type: e.Type, Target: doc.Target{Name: e.Target}, From: e.From, Until: e.Until, Context: e.Context})
			edits = append(edits, e)
		}
	}
	for _, l := range t.Links {
		edit, err := r.relation(ctx, t, &n, l, planned)
		if err != nil {
			return nil, err
		}
		if edit == nil {
			r.out.There++
			continue
		}
		edits = append(edits, edit)
	}
	return edits, nil
}

// relations returns the section in which cairn writes relations.
const relations = "Relations"

// keepRelations returns the edits that keep a page's relations in their own section
// when its truth is replaced: relations are ended and removed explicitly, never by
// omission.
func (t *target) keepRelations(n *doc.Node) (edits []doc.AddRelation) {
	old := t.codec.Parse(t.path, t.text).Nodes[0]
	for _, x := range old.Relations {
		kept := slices.ContainsFunc(old.Headings, func(h doc.Heading) bool { return h.Text == relations && h.Section.Contains(x.Span) })
		has := func(y doc.Relation) bool {
			return doc.FoldName(y.Type) == doc.FoldName(x.Type) && kb.NameKey(y.Target.Name) == kb.NameKey(x.Target.Name) && (y.From == x.From || y.From == "" || x.From == "")
		}
		if kept && !slices.ContainsFunc(n.Relations, has) {
			edits = append(edits, doc.AddRelation{Type: x.Type, Target: x.Target.Name, From: x.From, Until: x.Until, Context: x.Context})
		}
	}
	return edits
}

// words joins the lines of a text.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// relation returns the edit that adds a relation, nil if it exists.
func (r *run) relation(ctx context.Context, t *target, n *doc.Node, l api.PlannedLink, planned map[string]*target) (doc.Edit, error) {
	add := doc.AddRelation{Type: cmp.Or(l.Type, "related"), Context: l.Context}
	var err error
	if add.From, err = change.Date(l.ValidFrom, r.Session.Now()); err != nil {
		return nil, t.bad("%v", err)
	}
	if add.Until, err = change.Date(l.ValidUntil, r.Session.Now()); err != nil {
		return nil, t.bad("%v", err)
	}
	names := []string{strings.TrimSpace(l.To)}
	to, err := r.leads(ctx, t, l.To, planned, &add.Target)
	if err != nil {
		return nil, err
	}
	names = append(names, add.Target, path.Base(names[0]), to.Slug, to.Title)
	names = append(names, to.Aliases...)
	for _, have := range n.Relations {
		same := func(name string) bool {
			return name != "" && link.Key(link.RelationKind, name) == link.Key(link.RelationKind, have.Target.Name)
		}
		if doc.FoldName(have.Type) != doc.FoldName(add.Type) || !slices.ContainsFunc(names, same) {
			continue
		}
		switch {
		case have.Until == "" && add.Until != "" && (add.From == "" || add.From == have.From):
			return doc.CloseRelation{Type: have.Type, Target: have.Target.Name, Until: add.Until}, nil
		case have.From == add.From && have.Until == add.Until, add.From == "" && add.Until == "" && have.Until == "":
			return nil, nil
		}
	}
	return add, nil
}

// leads finds the target page of a link, which may be a page of the plan, and the
// link text that resolves to it. A page that the plan creates does not exist yet.
func (r *run) leads(ctx context.Context, t *target, to string, planned map[string]*target, target *string) (page kb.Page, err error) {
	to = strings.TrimSpace(to)
	name := to
	if in, slug, other := strings.Cut(to, ":"); other && in == t.space.Name {
		name = slug
	}
	if p := planned[t.space.Name+":"+kb.NameKey(strings.TrimSuffix(name, ".md"))]; p != nil && !p.there() {
		*target = slugOf(p.path)
		return page, nil
	}
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		page, err = r.Refs.Resolve(ctx, tx, to)
		if err == nil {
			*target, err = change.TargetAs(ctx, r.Session, tx, kb.Page{SpaceID: t.space.ID, Space: t.space.Name, Path: t.path}, page, to)
		}
		return err
	})
	return page, err
}

// sideEdits returns the edits for the assertions in the page's sidecar.
func (r *run) sideEdits(t *target) (edits []sidecar.Edit, err error) {
	var have []sidecar.Assertion
	if t.side != nil {
		f, err := sidecar.Parse(t.side)
		if err != nil {
			return nil, t.bad("%v", err)
		}
		for _, at := range f.Assertions {
			if a, err := f.Assertion(at); err == nil {
				have = append(have, a)
			}
		}
	}
	for _, x := range t.Assertions {
		a := sidecar.Assertion{
			Statement: kb.Statement{
				Subject: words(x.Subject), Predicate: words(x.Predicate), Object: words(x.Object), Confidence: x.Confidence, AssertedBy: "agent",
				Source: words(x.Source), Evidence: words(x.Evidence), Supersedes: x.Supersedes,
			},
			Created: r.Session.Now().UTC().Format("2006-01-02T15:04:05Z07:00"),
		}
		if r.Session.Actor.Kind == kb.Human {
			a.AssertedBy = "manual"
		}
		for _, d := range []struct {
			said string
			is   *string
		}{{x.ValidFrom, &a.ValidFrom}, {x.ValidUntil, &a.ValidUntil}} {
			if *d.is, err = change.Date(d.said, r.Session.Now()); err != nil {
				return nil, t.bad("%v", err)
			}
		}
		edit, there := sidecar.Edit(sidecar.AddAssertion{Assertion: a}), false
		nth := map[kb.Claim]int{}
		for _, h := range have {
			claim := h.Claim()
			switch {
			case claim != a.Claim():
			case h.ValidUntil == a.ValidUntil:
				there = true
			case h.ValidUntil == "":
				edit = sidecar.EndAssertion{Claim: claim, Nth: nth[claim], Until: a.ValidUntil}
			}
			nth[claim]++
		}
		if there {
			r.out.There++
			continue
		}
		have = append(have, a)
		edits = append(edits, edit)
	}
	return edits, nil
}

// novel reports whether a truth has new content for the page, and records one that
// does not. A forced truth always has.
func (r *run) novel(ctx context.Context, t *target, truth string) (bool, error) {
	d := t.codec.Parse(t.path, t.text)
	old := d.Slice(d.Nodes[0].Truth)
	if n := d.Nodes[0].Head; n.Len() > 0 && d.Nodes[0].Truth.Start < n.End {
		old = d.Slice(doc.Span{Start: n.End, End: d.Nodes[0].Truth.End})
	}
	if r.req.Force || strings.TrimSpace(old) == "" || strings.TrimSpace(old) == strings.TrimSpace(truth) {
		return true, nil
	}
	left := Left{Slug: slugOf(t.path), Words: lifecycle.SharedWords(old, truth), Reason: "duplicate"}
	if left.Words <= lifecycle.SameWords {
		near, err := embedding.Near(ctx, r.Session, t.old.Row, truth)
		if err != nil || near <= lifecycle.SameMeaning {
			return true, err
		}
		left.Reason, left.Meaning = "near_duplicate", near
	}
	r.out.Left = append(r.out.Left, left)
	return false, nil
}
