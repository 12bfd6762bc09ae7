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

// MigrateRequest asks for the pages of a space to be moved to the paths that its
// policy has for them now.
type MigrateRequest struct {
	api.WriteOptions
	Bring []Brought
}

// Brought is an external file that becomes a page.
type Brought struct {
	From string // name in the report
	To   string // slug or path
	Text []byte
}

// migration is a migration in progress.
type migration struct {
	*memory.Session
	space *write.Space
	there map[string]store.FileState
	taken map[string]bool // destination paths in use
	out   []api.MigratedPage

	changes, givingWay []write.Change
}

// Migrate moves the pages of the current space at paths that its aliases redirect,
// in one write; links follow. A preset page at the destination that nobody changed
// is deleted first. A page with an alias of its own that redirects to a page with a
// generated part is appended to that page. When both pages were edited, or when a
// page would violate a schema at its new path, both stay.
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

// byDay returns the path of a page with its date in the name, if the policy names
// pages by date there and that name is free; otherwise to.
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

// note records the outcome for a page, and its changes.
func (m *migration) note(page api.MigratedPage, changes ...write.Change) {
	m.out, m.changes = append(m.out, page), append(m.changes, changes...)
	if len(changes) > 0 {
		m.taken[page.To] = true
	}
}

// move plans the move of the page at a path with a redirect.
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
			into.Expected = nil // its generated part is regenerated when the old page is deleted
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

// dated adds a date to the text of a page that becomes a daily page, unless it has
// one: the day of its last change.
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

// named returns the edits that set a page's metadata according to its new name.
func (m *migration) named(d *doc.Document, to string) (edits []doc.Edit) {
	derived := m.space.Policy.Derived(to)
	for _, key := range slices.Sorted(maps.Keys(derived)) {
		if _, has := d.Nodes[0].Property(key); !has {
			edits = append(edits, doc.SetProperty{Key: key, Value: derived[key]})
		}
	}
	return edits
}

// fresh reports whether a page is unchanged since its preset created it.
func (m *migration) fresh(ctx context.Context, p string) (bool, *change.Document, error) {
	at, err := change.At(ctx, m.Session, m.space, p)
	if err != nil {
		return false, nil, err
	}
	made, _, text, err := lastMade(ctx, m.Session, m.space, p)
	return err == nil && made != nil && sha256.Sum256(region.Emptied(m.space.Policy, p, text)) == made.Hash, at, err
}

// bring plans the page for an external file.
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

// apply deletes the replaced preset pages, and then makes the changes in one write.
// The deleted pages were unchanged, and are restored if the changes are refused.
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

// misfit returns the schema rule that a text would violate at a path, "" for none.
func (m *migration) misfit(to string, text []byte) string {
	var out []string
	for _, v := range m.space.Policy.Violations(lint.Content(doc.ForNote(m.Session.Codecs, m.space.Syntax, to).Parse(to, text))) {
		if !v.Advice {
			out = append(out, v.Key+" "+v.Problem)
		}
	}
	return strings.Join(out, "; ")
}

// turns reports whether a page is a rotating page, which is recreated as soon as it
// is missing.
func (m *migration) turns(p string) bool {
	return slices.ContainsFunc(m.space.Policy.Rotate, func(r policy.Rotation) bool { return r.Page == p || r.To == p })
}
