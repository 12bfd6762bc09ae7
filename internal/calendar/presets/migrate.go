package presets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	region "github.com/cairn-kb/cairn/internal/calendar/generated"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
	"github.com/cairn-kb/cairn/internal/store"
)

// MigrateRequest asks for the pages of a space to go where its policy has them by now.
type MigrateRequest struct {
	api.WriteOptions
	Bring []Brought
}

// Brought is a file from elsewhere that becomes a page.
type Brought struct {
	From string // what it is called in the report
	To   string // slug or path
	Text []byte
}

// migration is one on its way.
type migration struct {
	*memory.Session
	space *write.Space
	there map[string]store.FileState
	taken map[string]bool // paths to which something goes
	out   []api.MigratedPage

	changes, givingWay []write.Change
}

// Migrate moves the pages of the current space at paths that its aliases
// redirect to the targets, in one write of the caller's; links follow. A page
// of the preset that nobody changed gives way before. A page that an alias
// names by itself, and that leads to one with a generated part, is added to
// that page. If both pages were edited, or if a page would break a schema at
// its new path, both stay.
func Migrate(ctx context.Context, sess *memory.Session, req MigrateRequest) (api.Migration, error) {
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return api.Migration{}, err
	}
	m := &migration{Session: sess, space: s, there: map[string]store.FileState{}, taken: map[string]bool{}, out: []api.MigratedPage{}}
	out := api.Migration{Space: s.Name, DryRun: req.DryRun}
	if err := s.Present(); err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		states, err := tx.Documents().States(ctx, s.Row)
		for _, st := range states {
			m.there[st.Path] = st
		}
		return err
	})
	if err == nil {
		err = m.plan(ctx, req.Bring)
	}
	if err == nil {
		out.Write, err = m.apply(ctx, req.WriteOptions)
	}
	out.Items, out.Total = m.out, len(m.out)
	return out, err
}

func (m *migration) plan(ctx context.Context, bring []Brought) error {
	var paths []string
	for p := range m.there {
		if to, ok := m.space.Policy.Unaliased(p); ok && to != p {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		to, _ := m.space.Policy.Unaliased(p)
		if err := m.move(ctx, p, m.byDay(p, to)); err != nil {
			return err
		}
	}
	for _, b := range bring {
		if err := m.bring(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// byDay returns the path at which a page is called after the day in its name, if pages are called so
// there and no other page has that name, else to.
func (m *migration) byDay(from, to string) string {
	ext := path.Ext(to)
	day := doc.NameDay(strings.TrimSuffix(path.Base(to), ext))
	if day == "" || !m.space.Policy.NamedByDay(to) {
		return to
	}
	at := path.Join(path.Dir(to), day+ext)
	_, old := m.there[path.Join(path.Dir(from), day+ext)]
	if _, there := m.there[at]; old || there || m.taken[at] {
		return to
	}
	return at
}

// note notes what becomes of a page, and the changes that make it so.
func (m *migration) note(page api.MigratedPage, changes ...write.Change) {
	m.out, m.changes = append(m.out, page), append(m.changes, changes...)
	if len(changes) > 0 {
		m.taken[page.To] = true
	}
}

// move plans what becomes of the page at a path that has another one now.
func (m *migration) move(ctx context.Context, from, to string) error {
	old, err := change.At(ctx, m.Session, m.space, from)
	if err != nil {
		return about(from, err)
	}
	page := api.MigratedPage{From: from, To: to, State: "moved"}
	keep := func(why string) { m.note(api.MigratedPage{From: from, To: to, State: "kept", Why: why}) }
	fresh, at, err := m.fresh(ctx, to)
	if err != nil {
		return about(to, err)
	}
	alone := slices.ContainsFunc(m.space.Policy.Aliases, func(a policy.Alias) bool { return a.From == strings.TrimSuffix(from, path.Ext(from)) })
	generated := slices.ContainsFunc(m.space.Policy.Regions, func(r policy.Region) bool { return glob.Match(r.Page, to) })
	misfit := m.misfit(to, old.Doc.Source)
	switch {
	case m.taken[to]:
		keep("another page goes to " + to)
	case !strings.EqualFold(path.Ext(from), path.Ext(to)):
		keep(to + " is of another format")
	case alone && generated && at.Exists():
		page.State = "merged"
		changes := []write.Change{old.Change(write.Delete{})}
		if text := strings.TrimSpace(string(old.Doc.Text[old.Doc.Nodes[0].Head.End:])); text != "" {
			into := at.Change(write.Edit{Edits: []doc.Edit{doc.Append{Text: text}}})
			into.Expected = nil // its generated part is regenerated when pages give way
			changes = append(changes, into)
		}
		m.note(page, changes...)
	case at.Exists() && !fresh:
		keep("there is " + to + " already, which is not as it was made")
	case m.turns(to) && at.Exists():
		text, err := m.dated(old, to)
		if err != nil {
			return about(from, err)
		}
		m.note(page, old.Change(write.Delete{}), at.Put(text))
	default:
		if at.Exists() {
			m.givingWay = append(m.givingWay, at.Change(write.Delete{}))
		}
		var changes []write.Change
		if edits := m.named(old.Doc, to); len(edits) > 0 {
			changes = append(changes, old.Change(write.Edit{Edits: edits}))
			text, err := old.Codec.Apply(old.Doc, "", edits...)
			if err != nil {
				return about(from, err)
			}
			misfit = m.misfit(to, text)
		}
		if misfit != "" {
			page.Why = "to be completed: " + misfit
		}
		m.note(page, append(changes, old.Change(write.Move{To: to}))...)
	}
	return nil
}

// dated returns the text of a page that becomes one of a day, with the day on which it
// was changed last unless it has a date.
func (m *migration) dated(old *change.Document, to string) ([]byte, error) {
	for _, r := range m.space.Policy.Rotate {
		if _, has := old.Doc.Nodes[0].Property(r.Key); has || to != r.Page && to != r.To {
			continue
		}
		date := m.space.Policy.Calendar(m.Session.Now().Location()).Of(old.Row.ModTime)
		if to == r.To {
			date--
		}
		return old.Codec.Apply(old.Doc, "", doc.SetProperty{Key: r.Key, Value: date.String()})
	}
	return old.Doc.Source, nil
}

// named returns the edits by which a page gets the metadata that follows from its new name.
func (m *migration) named(d *doc.Document, to string) (edits []doc.Edit) {
	derived := m.space.Policy.Derived(to)
	for _, key := range slices.Sorted(maps.Keys(derived)) {
		if _, has := d.Nodes[0].Property(key); !has {
			edits = append(edits, doc.SetProperty{Key: key, Value: derived[key]})
		}
	}
	return edits
}

// fresh reports whether a page is as its preset made it.
func (m *migration) fresh(ctx context.Context, p string) (bool, *change.Document, error) {
	at, err := change.At(ctx, m.Session, m.space, p)
	if err != nil {
		return false, nil, err
	}
	made, _, text, err := lastMade(ctx, m.Session, m.space, p)
	return err == nil && made != nil && sha256.Sum256(region.Emptied(m.space.Policy, p, text)) == made.Hash, at, err
}

// bring plans the page that a file from elsewhere becomes.
func (m *migration) bring(ctx context.Context, b Brought) error {
	to := b.To
	if doc.ForPath(m.Session.Codecs, to) == nil {
		to += change.Extension(m.Session, m.space)
	}
	page := api.MigratedPage{From: b.From, To: to, State: "brought"}
	fresh, at, err := m.fresh(ctx, to)
	if err != nil {
		return about(to, err)
	}
	misfit := m.misfit(to, b.Text)
	switch {
	case m.taken[to]:
		page.State, page.Why = "kept", "another page goes to "+to
	case at.Exists() && bytes.Equal(at.Doc.Source, b.Text):
		return nil
	case at.Exists() && !fresh:
		page.State, page.Why = "kept", "there is "+to+" already, which is not as it was made"
	case misfit != "":
		page.State, page.Why = "kept", "it does not fit there: "+misfit
	default:
		m.note(page, at.Change(write.Put{Bytes: b.Text, Overwrite: true, KeepID: true}))
		return nil
	}
	m.note(page)
	return nil
}

func about(p string, err error) error {
	e := *kb.AsError(err)
	e.Message = p + ": " + e.Message
	return &e
}

// apply deletes the pages that give way, and then makes the changes in one write. What gives
// way is as the preset made it, and comes back if the changes are refused.
func (m *migration) apply(ctx context.Context, opts api.WriteOptions) (int64, error) {
	if len(m.changes) == 0 || opts.DryRun {
		return 0, nil
	}
	opts.Message = "pages go where the policy has them"
	var gone api.Written
	if len(m.givingWay) > 0 {
		var err error
		if gone, err = change.Apply(ctx, m.Session, write.Migrates, opts, m.givingWay); err != nil {
			return 0, err
		}
	}
	w, err := change.Apply(ctx, m.Session, write.Migrates, opts, m.changes)
	if err != nil && w.Write == 0 && gone.Write != 0 {
		_, undone := change.Undo(context.WithoutCancel(ctx), m.Session, history.UndoRequest{Write: gone.Write})
		err = errors.Join(err, undone)
	}
	return w.Write, err
}

// misfit returns the rule that a text would break at a path, "" for none.
func (m *migration) misfit(to string, text []byte) string {
	var out []string
	for _, v := range m.space.Policy.Violations(lint.Content(doc.ForNote(m.Session.Codecs, m.space.Syntax, to).Parse(to, text))) {
		if !v.Advice {
			out = append(out, v.Key+" "+v.Problem)
		}
	}
	return strings.Join(out, "; ")
}

// turns reports whether a page is of a day: then it is recreated as soon as it
// is missing.
func (m *migration) turns(p string) bool {
	return slices.ContainsFunc(m.space.Policy.Rotate, func(r policy.Rotation) bool { return r.Page == p || r.To == p })
}
