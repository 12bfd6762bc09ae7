package write

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// keepIDs makes sure that an index rebuilt from the documents gives each of
// them the id that it has after this change set: the one in the document, else
// the one derived from its path. If neither is the page's id, it is written
// into the document.
func (s *changeSet) keepIDs(ctx context.Context) error {
	return s.w.Memory.View(ctx, func(tx store.Tx) error { return s.keepIDsTx(ctx, tx) })
}

func (s *changeSet) keepIDsTx(ctx context.Context, tx store.Tx) error {
	ids := s.idsAfter()
	for _, t := range s.docs {
		if t.gone || !t.textChanged() {
			continue
		}
		id := &identity{ids: ids, t: t, codec: doc.ForNote(s.w.Codecs, t.space.Syntax, t.to), now: s.w.Now()}
		if err := id.keep(ctx, tx); err != nil {
			return err
		}
		if t.keepsID() {
			t.nameLostKeys(id.codec)
		}
	}
	return nil
}

// idKey is an id in the space of a row.
type idKey struct {
	space int64
	id    kb.ID
}

// idsAfter returns the ids of the documents after a change set. Each document
// is parsed once: a move may change thousands.
type idsAfter struct {
	written map[*target]string // as written in the documents
	holders map[idKey]int      // how many documents have an id
	touched map[docKey]bool    // where documents of the change set were before
}

func (s *changeSet) idsAfter() *idsAfter {
	ids := &idsAfter{written: map[*target]string{}, holders: map[idKey]int{}, touched: map[docKey]bool{}}
	var after []*target
	for _, t := range s.docs {
		if t.exists() {
			ids.touched[docKey{t.space.Row, t.path}] = true
		}
		if t.gone {
			continue
		}
		after = append(after, t)
	}
	written := make([]string, len(after))
	_ = each(len(after), func(i int) error {
		t := after[i]
		written[i] = doc.ForNote(s.w.Codecs, t.space.Syntax, t.to).Parse(t.to, t.new).Nodes[0].ID
		return nil
	})
	for i, t := range after {
		ids.written[t] = written[i]
		ids.holders[ids.of(t)]++
	}
	return ids
}

// of returns the id of a document: the written one, else its previous one; none
// for a new document.
func (ids *idsAfter) of(t *target) idKey {
	id, _ := kb.ParseID(ids.written[t])
	if id == "" && t.exists() {
		id = t.row.ID
	}
	return idKey{t.space.Row, id}
}

// pin records that a document now contains its id.
func (ids *idsAfter) pin(t *target, id kb.ID) {
	ids.holders[ids.of(t)]--
	ids.written[t] = string(id)
	ids.holders[ids.of(t)]++
}

// others reports whether another document of the change set has an id.
func (ids *idsAfter) others(t *target, id kb.ID) bool {
	n := ids.holders[idKey{t.space.Row, id}]
	if ids.of(t).id == id {
		n--
	}
	return n > 0
}

// identity is a document during keepIDs.
type identity struct {
	ids   *idsAfter
	t     *target
	codec doc.Codec
	now   time.Time
}

func (i *identity) keep(ctx context.Context, tx store.Tx) error {
	t := i.t
	written := i.ids.written[t]
	carried, _ := kb.ParseID(written)
	own, err := i.own(ctx, tx)
	if err != nil || carried == own {
		return err
	}
	had := sync.OnceValue(i.had) // of few documents
	switch {
	case carried != "" && t.keepsID() && had() == own:
		return i.pin(own, "kept its id, not that of the new text")
	case carried != "":
		return nil // the id in the document counts; see findShared for one that another page has
	case written == "" && i.declares():
		return i.declare(own)
	case written != "" && had() == "":
		return nil // an id of somebody else's making, which is not ours to replace
	case t.keepsID() && had() == own:
		return i.pin(own, "kept its id")
	}
	follows, err := i.follows(ctx, tx, own)
	if err != nil || follows {
		return err
	}
	if had() == own {
		return i.pin(own, "kept its id: its path would give it another")
	}
	return i.pin(own, "id added: its path would give it another")
}

// had returns the id that the document carried before.
func (i *identity) had() kb.ID {
	if !i.t.exists() {
		return ""
	}
	id, _ := kb.ParseID(i.codec.Parse(i.t.path, i.t.old).Nodes[0].ID)
	return id
}

// own returns the id that the page has, or will have if its document contains
// none.
func (i *identity) own(ctx context.Context, tx store.Tx) (kb.ID, error) {
	t := i.t
	if t.exists() {
		return t.row.ID, nil
	}
	if t.put != nil && t.put.ID != "" {
		held, err := i.held(ctx, tx, t.put.ID)
		if err != nil || !held {
			return t.put.ID, err
		}
	}
	for attempt := 0; ; attempt++ {
		id := kb.DerivedID(t.space.ID, t.to, "", attempt)
		if held, err := i.held(ctx, tx, id); err != nil || !held {
			return id, err
		}
	}
}

// follows reports whether a document without an id gets this one by its path.
func (i *identity) follows(ctx context.Context, tx store.Tx, own kb.ID) (bool, error) {
	if own != kb.DerivedID(i.t.space.ID, i.t.to, "", 0) {
		return false, nil
	}
	held, err := i.held(ctx, tx, own)
	return !held, err
}

// held reports whether another page of the space has an id after this change
// set.
func (i *identity) held(ctx context.Context, tx store.Tx, id kb.ID) (bool, error) {
	t := i.t
	if i.ids.others(t, id) {
		return true, nil
	}
	if t.exists() && t.row.ID == id {
		return false, nil
	}
	pages, err := tx.Pages().ByID(ctx, id)
	return slices.ContainsFunc(pages, func(p kb.Page) bool {
		return p.SpaceID == t.space.ID && (p.Node != "" || !i.ids.touched[docKey{t.space.Row, p.Path}])
	}), err
}

// pin writes the page's id into the document. Documents that take no metadata
// (no text, broken frontmatter) stay without one.
func (i *identity) pin(id kb.ID, note string) error {
	written, err := i.write(id)
	if written {
		i.t.notes = append(i.t.notes, note)
	}
	return err
}

// write puts the page's id, and more metadata, into the document, and reports
// whether it takes any.
func (i *identity) write(id kb.ID, more ...doc.Edit) (bool, error) {
	t := i.t
	value := string(id)
	if t.exists() {
		n := i.codec.Parse(t.path, t.old).Nodes[0]
		if p, ok := n.Property("id"); ok && n.ID == value && len(p.Values) == 1 {
			value = p.Values[0] // as the document had it
		}
	}
	edits := append([]doc.Edit{doc.SetProperty{Key: "id", Value: value}}, more...)
	bytes, err := i.codec.Apply(i.codec.Parse(t.to, t.new), "", edits...)
	if kb.CodeOf(err) == kb.Invalid {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	t.new = bytes
	i.ids.pin(t, id)
	return true, nil
}

// declares reports whether the document is new and contains an id.
func (i *identity) declares() bool {
	t := i.t
	return !t.exists() && t.put != nil && t.put.Declare && len(i.matter()) > 0
}

// matter returns the keys that a new document needs: without an id and a title
// org-roam ignores a file, and so do the programs of some Markdown syntaxes. A
// space with a lint rule that requires them gets them, too.
func (i *identity) matter() []string {
	keys, rules := doc.SyntaxOf(i.t.space.Syntax).Matter, i.t.space.Policy.Lint
	if i.codec.Format() == doc.Org ||
		len(keys) == 0 && (rules.Severity(policy.LintIDMissing) == policy.Fatal || rules.Severity(policy.LintTitleMissing) == policy.Fatal) {
		return []string{"title"}
	}
	return keys
}

// declare writes the page's id, and what else it needs and has not.
func (i *identity) declare(id kb.ID) error {
	n := i.codec.Parse(i.t.to, i.t.new).Nodes[0]
	var more []doc.Edit
	for _, key := range i.matter() {
		if _, ok := n.Property(key); ok || key == "id" {
			continue
		}
		set := doc.SetProperty{Key: key}
		switch key {
		case "title":
			set.Value = n.Title
			if name := doc.TitleFromPath(i.t.to); n.Title == name {
				set.Value = doc.SyntaxOf(i.t.space.Syntax).Title(name)
			}
		case "created", "updated":
			set.Value = strconv.FormatInt(i.now.UnixMilli(), 10)
		}
		more = append(more, set)
	}
	_, err := i.write(id, more...)
	return err
}

// keepsID reports whether an id that the document carried stays in it.
func (t *target) keepsID() bool { return t.put != nil && t.put.KeepID }

// nameLostKeys notes the metadata keys that the document lost.
func (t *target) nameLostKeys(codec doc.Codec) {
	if !t.exists() {
		return
	}
	has := map[string]bool{}
	for _, p := range codec.Parse(t.to, t.new).Nodes[0].Metadata {
		has[strings.ToLower(p.Key)] = true
	}
	var lost []string
	for _, p := range codec.Parse(t.path, t.old).Nodes[0].Metadata {
		if key := strings.ToLower(p.Key); !has[key] {
			has[key] = true
			lost = append(lost, p.Key)
		}
	}
	if len(lost) > 0 {
		t.notes = append(t.notes, "metadata that the new text does not have is gone: "+strings.Join(lost, ", "))
	}
}
