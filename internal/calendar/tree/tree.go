package tree

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Place is a path in the served space.
type Place struct {
	Space *write.Space
	Path  string // of a page, with its extension; of a directory, without / at its end
	// Directory means that pages are below the path, and none is at it.
	Directory bool
	// Table is the name of the table on the page, "" for the page itself, and
	// Row the key of a row of it.
	Table, Row string
	// Methods are the methods among PUT, PATCH and DELETE that the caller may use
	// there.
	Methods []string
}

// Find resolves a name to a place: a page with or without its extension, a
// directory, or an alias of either. For a write, a name resolves to a page even
// when only a directory of that name exists.
func Find(ctx context.Context, sess *memory.Session, name string, toWrite bool) (Place, error) {
	s, err := openSpace(ctx, sess)
	if err != nil {
		return Place{}, err
	}
	if err := s.Present(); err != nil {
		return Place{}, err
	}
	dir := strings.HasSuffix(name, "/")
	out := Place{Space: s, Path: strings.TrimSuffix(name, "/")}
	if out.Path == "" {
		out.Directory = true
		return out, nil
	}
	states, err := readStates(ctx, sess, s)
	if err != nil {
		return out, err
	}
	at := func(p string) bool { return there(sess, s, states, p) }
	page := findPage(sess, s, out.Path)
	if !at(page) {
		page = another(states, out.Path, page)
	}
	switch to, ok := s.Policy.Unaliased(page); {
	case !dir && at(page):
	case (dir || !toWrite) && below(states, out.Path):
		out.Directory = true
		return out, nil
	case ok:
		page = to
	case table(sess, &out):
		return out, nil
	default:
		// A directory may have an alias, too, which applies to the pages below it.
		if to, ok := s.Policy.Unaliased(out.Path + "/x"); ok && (dir || !toWrite) && path.Base(to) == "x" && below(states, path.Dir(to)) {
			out.Path, out.Directory = path.Dir(to), true
			return out, nil
		}
	}
	if dir {
		return out, kb.Errorf(kb.NotFound, "there is no directory %s", out.Path)
	}
	out.Path = page
	if err := s.CheckPath(page); err != nil && !at(page) {
		return out, err
	}
	out.Methods = s.Policy.Methods(sess.Actor, page)
	return out, nil
}

// table finds the table, or the row of a table, that a place refers to.
func table(sess *memory.Session, at *Place) bool {
	t, key, ok := at.Space.Policy.TableAt(at.Path)
	if !ok {
		return false
	}
	at.Path, at.Table, at.Row = t.Page, t.Name, key
	if key != "" && at.Space.Check(policy.Request{Actor: sess.Actor, Operation: policy.OpEdit, Path: t.Page}) == nil {
		at.Methods = []string{"PUT", "PATCH", "DELETE"}
	}
	return true
}

// findPage returns the path of the page with this name.
func findPage(sess *memory.Session, s *write.Space, name string) string {
	if doc.ForPath(sess.Codecs, name) == nil {
		name += change.Extension(sess, s)
	}
	return name
}

// readStates returns the documents of a space by path, after a sync of its
// directory.
func readStates(ctx context.Context, sess *memory.Session, s *write.Space) (map[string]store.FileState, error) {
	if _, err := freshness.ToRead(ctx, sess, []kb.Space{s.Space}, nil); err != nil {
		return nil, err
	}
	out := map[string]store.FileState{}
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Documents().States(ctx, s.Row)
		for _, d := range all {
			out[d.Path] = d
		}
		return err
	})
	return out, err
}

// another returns the path of the page that has a name with another extension than
// notes have, such as a base; the path of the note when there is no such page.
func another(states map[string]store.FileState, name, note string) string {
	if note == name {
		return note
	}
	var found []string
	for p := range states {
		if p[:len(p)-len(path.Ext(p))] == name {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		return note
	}
	return found[0]
}

// there reports whether a page exists.
func there(sess *memory.Session, s *write.Space, states map[string]store.FileState, p string) bool {
	if _, ok := states[p]; ok || s.Files == nil {
		return ok
	}
	info, err := s.Files.Lstat(p)
	return err == nil && info.Mode().IsRegular()
}

func below(states map[string]store.FileState, dir string) bool {
	for p := range states {
		if strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return false
}

// openSpace opens the served space: the requested one, or the only one that its
// policy serves. Of several it opens the caller's current space.
func openSpace(ctx context.Context, sess *memory.Session) (*write.Space, error) {
	r := sess.Spaces
	chosen, all, err := r.Chosen(ctx)
	if err != nil {
		return nil, err
	}
	if r.IsAsked() {
		all = []kb.Space{chosen}
	}
	var served []kb.Space
	for _, s := range all {
		p, _, err := r.Policy(ctx, s, nil)
		switch {
		case err != nil && (r.IsAsked() || ctx.Err() != nil || s.Row == chosen.Row): // and it may be the requested one
			return nil, err
		case err == nil && p.API.Context:
			served = append(served, s)
		}
	}
	if len(served) > 1 && slices.ContainsFunc(served, func(s kb.Space) bool { return s.Row == chosen.Row }) {
		served = []kb.Space{chosen}
	}
	switch {
	case len(served) > 1:
		return nil, space.Undecided(served)
	case len(served) == 1:
		return r.OpenSpace(ctx, served[0])
	case r.IsAsked():
		return nil, kb.Errorf(kb.NotFound, "%s is not served here", chosen.Name).
			WithHint("Set context to true in [api] of its policy, or use the preset context.")
	}
	return nil, kb.Errorf(kb.NotFound, "no space is served here").
		WithHint("Set context to true in [api] of a space's policy, or add a space with the preset context.")
}

// maxBytes bounds the size of a file that is read.
const maxBytes = 64 << 20

// Read reads the page at a place, as it is on disk.
func Read(ctx context.Context, sess *memory.Session, at Place) (api.VaultFile, error) {
	out := api.VaultFile{Space: at.Space.Name, Path: at.Path}
	d, err := change.At(ctx, sess, at.Space, at.Path)
	if err != nil && (d == nil || kb.CodeOf(err) != kb.Conflict) {
		return out, err
	}
	if !d.Exists() {
		return out, missing(at)
	}
	out.Version, out.UpdatedAt, out.Current = d.Row.Version, d.Row.Recorded.UTC().Truncate(time.Second), err == nil
	if err == nil {
		out.Text = string(d.Doc.Source)
		return out, nil
	}
	text, _, err := fsys.ReadFile(ctx, at.Space.Files, at.Path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return out, missing(at)
	}
	out.Text = string(text)
	return out, fsys.Explain(err, "read %s", at.Path)
}

func missing(at Place) error {
	return kb.Errorf(kb.NotFound, "there is no page %s in %s", at.Path, at.Space.Name)
}

// List lists the entries of the directory at a place, by name.
func List(ctx context.Context, sess *memory.Session, at Place) (api.VaultListing, error) {
	out := api.VaultListing{Space: at.Space.Name, Path: at.Path, Items: []api.VaultEntry{}}
	states, err := readStates(ctx, sess, at.Space)
	if err != nil {
		return out, err
	}
	prefix := ""
	if at.Path != "" {
		prefix = at.Path + "/"
	}
	directories := map[string]int{}
	for p, d := range states {
		rest, ok := strings.CutPrefix(p, prefix)
		if !ok {
			continue
		}
		if first, _, deeper := strings.Cut(rest, "/"); deeper {
			directories[prefix+first+"/"]++
			continue
		}
		changed := d.ModTime.UTC().Truncate(time.Second)
		out.Items = append(out.Items, api.VaultEntry{Path: p, Bytes: d.Size, UpdatedAt: &changed})
	}
	for p, n := range directories {
		out.Items = append(out.Items, api.VaultEntry{Path: p, Pages: n})
	}
	slices.SortFunc(out.Items, func(a, b api.VaultEntry) int { return strings.Compare(a.Path, b.Path) })
	out.Total = len(out.Items)
	return out, nil
}

// May returns nil when the caller may use a method at a place. Otherwise the error
// is kb.Refused and names the allowed methods.
func May(sess *memory.Session, at Place, method string) error {
	if slices.Contains(at.Methods, method) {
		return nil
	}
	err := kb.Errorf(kb.Refused, "%s may only read %s", sess.Actor, at.Path)
	for m, op := range map[string]policy.Operation{"PUT": policy.OpWrite, "PATCH": policy.OpEdit, "DELETE": policy.OpDelete} {
		if why := at.Space.Check(policy.Request{Actor: sess.Actor, Operation: op, Path: at.Path}); m == method && why != nil {
			err = kb.AsError(why)
		}
	}
	allowed := append([]string{"GET", "HEAD"}, at.Methods...)
	return err.With("allowed", allowed)
}

// Request is a change of the page at a place.
type Request struct {
	api.WriteOptions
	At Place
	// Text is the complete new text, for Put.
	Text []byte
	// Edits are applied by Patch.
	Edits []doc.Edit
}

// Put writes a whole page.
func Put(ctx context.Context, sess *memory.Session, req Request) (api.Written, error) {
	d, err := change.At(ctx, sess, req.At.Space, req.At.Path)
	if err != nil {
		return api.Written{}, err
	}
	check := func(op policy.Operation) error {
		return req.At.Space.Check(policy.Request{Actor: sess.Actor, Operation: op, Path: req.At.Path})
	}
	if refused := check(policy.OpWrite); d.Exists() && refused != nil && check(policy.OpCreate) == nil {
		return api.Written{}, kb.Errorf(kb.Conflict, "%s exists already: %w", req.At.Path, refused).
			With("path", req.At.Path).With("current_version", d.Row.Version).WithHint("Append to it instead.")
	}
	return apply(ctx, sess, "put", req, write.Put{Bytes: req.Text, Overwrite: true, KeepID: true, Declare: true})
}

// Patch edits an existing page.
func Patch(ctx context.Context, sess *memory.Session, req Request) (api.Written, error) {
	d, err := change.At(ctx, sess, req.At.Space, req.At.Path)
	if err != nil {
		return api.Written{}, err
	}
	if !d.Exists() {
		return api.Written{}, missing(req.At)
	}
	return apply(ctx, sess, "edit", req, write.Edit{Edits: req.Edits})
}

// Delete deletes an existing page.
func Delete(ctx context.Context, sess *memory.Session, req Request) (api.Written, error) {
	d, err := change.At(ctx, sess, req.At.Space, req.At.Path)
	if d == nil {
		return api.Written{}, err
	}
	if !d.Exists() {
		return api.Written{}, missing(req.At)
	}
	return apply(ctx, sess, "rm", req, write.Delete{})
}

func apply(ctx context.Context, sess *memory.Session, op string, req Request, a write.Action) (api.Written, error) {
	return change.Apply(ctx, sess, op, req.WriteOptions, []write.Change{{Space: req.At.Space, Path: req.At.Path, Expected: req.Expected, Action: a}})
}
