package history

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// Made is a version with the write that created it.
type Made struct {
	kb.Version
	Of kb.Write
}

// Document is a document with a history, existing or deleted.
type Document struct {
	Space kb.Space
	ID    kb.ID // id of its versions
}

// Versions lists the versions of a document, newest first; limit 0 is all.
func Versions(ctx context.Context, sess *memory.Session, d Document, limit, offset int) (api.List[api.Version], error) {
	var made []Made
	out, err := listed(ctx, sess, only(store.VersionFilter{Spaces: []int64{d.Space.Row}, Page: d.ID}), limit, offset, &made)
	if err != nil {
		return out, err
	}
	commits, err := Commits(ctx, sess, d.Space, made)
	for i := range commits {
		out.Items[i].Commit = commits[i]
	}
	return out, err
}

// Deleted lists the deletions of pages that do not exist any more, newest first;
// limit 0 is all.
func Deleted(ctx context.Context, sess *memory.Session, limit, offset int) (api.List[api.Version], error) {
	return list(ctx, sess, func(tx store.Tx) (f store.VersionFilter, err error) {
		f.Deleted = true
		f.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, false)
		return f, err
	}, limit, offset)
}

// PastPage returns the document of a page's ref. If the page was not found, with
// missing as the error, it returns a deleted document.
func PastPage(ctx context.Context, sess *memory.Session, raw string, p kb.Page, missing error) (d Document, err error) {
	if missing != nil && kb.CodeOf(missing) != kb.NotFound {
		return d, missing
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if missing == nil {
			d, err = DocumentOf(ctx, tx, p)
			return err
		}
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		v, err := deleted(ctx, sess, tx, all, raw)
		if err != nil {
			return err
		}
		if v == nil {
			return missing
		}
		d.ID = v.Page
		if i := slices.IndexFunc(all, func(s kb.Space) bool { return s.Row == v.Space }); i >= 0 {
			d.Space = all[i]
		}
		return nil
	})
	return d, err
}

// deleted finds the deletion of the page with a ref, nil if there is none.
func deleted(ctx context.Context, sess *memory.Session, tx store.Tx, all []kb.Space, raw string) (*kb.Version, error) {
	r := ref.Parse(raw, all)
	home := sess.Refs.Home(ctx, tx, all, r.Space)
	if err := space.InPin(sess.Spaces, all, home.ID); err != nil {
		return nil, err
	}
	f := store.VersionFilter{Deleted: true}
	if home.Row != 0 {
		f.Spaces = []int64{home.Row}
	}
	versions, _, err := tx.History().Versions(ctx, f, 1<<30, 0)
	for i, v := range versions {
		digits := strings.ReplaceAll(string(v.Page), "-", "")
		if v.Page == r.ID || r.Prefix != "" && strings.HasPrefix(digits, r.Prefix) || v.Path == r.Name || link.Slug(v.Path) == r.Name {
			return &versions[i], err
		}
	}
	if err != nil || r.ID != "" || r.Prefix != "" {
		return nil, err
	}
	candidates := make([]link.Page, len(versions))
	for i, v := range versions {
		candidates[i] = link.Page{Row: int64(i), ID: v.Page, Path: v.Path}
	}
	if meant := link.Meant(r.Name, candidates); len(meant) == 1 {
		return &versions[meant[0]], nil
	}
	return nil, nil
}

// only is a filter that needs no data of the memory.
func only(f store.VersionFilter) func(store.Tx) (store.VersionFilter, error) {
	return func(store.Tx) (store.VersionFilter, error) { return f, nil }
}

// list lists the versions that match a filter.
func list(ctx context.Context, sess *memory.Session, filter func(store.Tx) (store.VersionFilter, error), limit, offset int) (api.List[api.Version], error) {
	return listed(ctx, sess, filter, limit, offset, nil)
}

// listed is list, and with made adds the data of the writes.
func listed(ctx context.Context, sess *memory.Session, filter func(store.Tx) (store.VersionFilter, error), limit, offset int, made *[]Made) (api.List[api.Version], error) {
	out := api.List[api.Version]{Items: []api.Version{}}
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		spaces, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		names := space.Names(spaces)
		f, err := filter(tx)
		if err != nil {
			return err
		}
		found, total, err := tx.History().Versions(ctx, f, api.Limit(limit), offset)
		if err != nil {
			return err
		}
		out.Total, out.Next = total, api.Next(offset, len(found), total)
		writes := map[int64]kb.Write{}
		for _, v := range found {
			w, known := writes[v.Write]
			if !known {
				if w, err = tx.History().Write(ctx, v.Write); err != nil {
					return err
				}
				writes[v.Write] = w
			}
			shown := describeVersion(v, names[v.Space])
			shown.Op, shown.Message = w.Operation, w.Message
			out.Items = append(out.Items, shown)
			if made != nil {
				*made = append(*made, Made{v, w})
			}
		}
		return nil
	})
	return out, err
}

// describeVersion describes a version of a page in the space with this name,
// without the data of its write.
func describeVersion(v kb.Version, space string) api.Version {
	return api.Version{
		Seq: v.Seq, Write: v.Write, Space: space, Page: v.Page, Version: v.Version, Change: v.Change,
		Ref: space + ":" + link.Slug(v.Path), Path: v.Path, Title: v.Title, Bytes: v.Size, SidecarBytes: v.Side.Size, Pruned: v.Pruned,
		Actor: v.Actor.String(), At: v.Time.UTC(),
	}
}

// RecentRequest asks for recent changes.
type RecentRequest struct {
	Since         string // date or date phrase; "" is 7 days
	Actor         string // "agent", "agent:name", or a name
	Limit, Offset int    // Limit 0 is all
	All           bool

	After int64 // instead of Since: changes after the one with this number
}

// Recent lists changes, newest first.
func Recent(ctx context.Context, sess *memory.Session, req RecentRequest) (api.List[api.Version], error) {
	if req.Since == "" {
		req.Since = "7 days"
	}
	since, err := query.Since(req.Since, sess.Now())
	if err != nil {
		return api.List[api.Version]{}, err
	}
	if req.After != 0 {
		since = time.Time{}
	}
	return list(ctx, sess, func(tx store.Tx) (f store.VersionFilter, err error) {
		f.Actor, f.Since, f.After = ParseActor(req.Actor), since, req.After
		f.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, req.All)
		return f, err
	}, req.Limit, req.Offset)
}

// Changes lists the changes in any space after the change with the number after,
// newest first, and their total.
func Changes(ctx context.Context, sess *memory.Session, after int64, limit int) (api.List[api.Version], error) {
	return list(ctx, sess, only(store.VersionFilter{After: after}), limit, 0)
}

// ParseActor parses "kind:name", a kind, or a name.
func ParseActor(s string) kb.Actor {
	kind, name, _ := strings.Cut(s, ":")
	switch k := kb.ActorKind(kind); k {
	case kb.Human, kb.Agent, kb.Sync, kb.Schedule:
		return kb.Actor{Kind: k, Name: name}
	}
	return kb.Actor{Name: s}
}

// diff compares two versions of a document.
func diff(ctx context.Context, sess *memory.Session, d Document, req DiffRequest) (api.DiffResult, error) {
	ctx, leave := store.Join(ctx, sess.DB)
	defer leave()
	var (
		out          api.DiffResult
		older, newer kb.Version
	)
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		if newer, err = versionOf(ctx, tx, d, req.To); err != nil {
			return err
		}
		number := req.From
		if number == 0 {
			number = newer.Version - 1
		}
		if number > 0 {
			if older, err = versionOf(ctx, tx, d, number); err != nil {
				return err
			}
		}
		out = api.DiffResult{Ref: d.Space.Name + ":" + link.Slug(newer.Path), From: number, To: newer.Version}
		return nil
	})
	if err != nil {
		return out, err
	}
	ctx, over, err := turn.Alone(ctx, sess.DB, max(older.Size, newer.Size))
	if err != nil {
		return out, err
	}
	defer over()
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		was, err := StateOf(ctx, tx, older)
		if err != nil {
			return err
		}
		is, err := StateOf(ctx, tx, newer)
		if req.Hide != nil {
			out.Diff = was.masked(is, req.Hide)
		} else {
			out.Diff = was.Diff(is)
		}
		return err
	})
	return out, err
}

func versionOf(ctx context.Context, tx store.Tx, d Document, number int) (kb.Version, error) {
	v, err := tx.History().Version(ctx, d.Space.Row, d.ID, number)
	if kb.CodeOf(err) == kb.NotFound {
		return v, kb.Errorf(kb.NotFound, "there is no version %d of it", number).WithReason(kb.NoSuchVersion)
	}
	return v, err
}

// StateOf returns a version as one end of a diff: an empty state if the page did
// not exist.
func StateOf(ctx context.Context, tx store.Tx, v kb.Version) (s State, err error) {
	if v.Version == 0 || v.Change == kb.Deleted {
		return s, nil
	}
	s.Path = v.Path
	if s.Text, err = textOf(ctx, tx, v); err != nil {
		return s, err
	}
	s.Side, err = sideOf(ctx, tx, v)
	return s, err
}

// textOf returns the text of a version, which retention may have pruned.
func textOf(ctx context.Context, tx store.Tx, v kb.Version) ([]byte, error) {
	return bytesOf(ctx, tx, v, v.Hash)
}

// sideOf is textOf for the sidecar, nil if there was none.
func sideOf(ctx context.Context, tx store.Tx, v kb.Version) ([]byte, error) {
	if !v.Side.Exists() {
		return nil, nil
	}
	return bytesOf(ctx, tx, v, v.Side.Hash)
}

func bytesOf(ctx context.Context, tx store.Tx, v kb.Version, hash kb.Hash) ([]byte, error) {
	b, err := tx.History().Bytes(ctx, hash)
	if kb.CodeOf(err) == kb.NotFound {
		return nil, kb.Errorf(kb.NotFound, "version %d of %s has been pruned", v.Version, v.Path).
			WithReason(kb.VersionPruned).With("version", v.Version).With("path", v.Path)
	}
	return b, err
}

// PlanRestore plans to restore a page to a version, at its present path, or at its
// last path if it was deleted. Version 0 is the last version of a deleted page,
// else the one before the newest. An agent may not restore a version without later
// additions of other actors.
func PlanRestore(ctx context.Context, sess *memory.Session, d Document, version int, opts api.WriteOptions) (write.Request, error) {
	var (
		bytes, side []byte
		path        string
		gone, sided bool
	)
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		newest, err := versionOf(ctx, tx, d, 0)
		if err != nil {
			return err
		}
		path = newest.Path
		if gone = newest.Change == kb.Deleted; gone {
			taken, err := occupied(ctx, tx, d.Space.Row, path, d.ID)
			if err != nil {
				return err
			}
			if taken {
				return anotherAt(path)
			}
		}
		number := version
		if number == 0 {
			number = newest.Version - 1
		}
		if number == 0 {
			return kb.Errorf(kb.NotFound, "there is no version before the first")
		}
		v, err := versionOf(ctx, tx, d, number)
		if err != nil {
			return err
		}
		if v.Change == kb.Deleted {
			return kb.Errorf(kb.Usage, "in version %d the page was deleted", number).WithHint("Restore an older version.")
		}
		if err := turn.Check(ctx, max(v.Size, newest.Size)); err != nil {
			return err
		}
		sided = v.Side.Hash != newest.Side.Hash
		if side, err = sideOf(ctx, tx, v); err != nil {
			return err
		}
		if bytes, err = textOf(ctx, tx, v); err != nil {
			return err
		}
		if sess.Actor.Kind == kb.Agent && !gone && opts.Expected == nil {
			opts.Expected = &newest.Version // mayRestore has not checked later writes
		}
		return mayRestore(ctx, sess, tx, d, v, bytes, newest)
	})
	if err != nil {
		return write.Request{}, err
	}
	w, err := sess.Spaces.Open(ctx, d.Space.Row)
	if err != nil {
		return write.Request{}, err
	}
	changes := []write.Change{{
		Space: w, Path: path, Expected: opts.Expected, Action: write.Put{Bytes: bytes, Overwrite: !gone, ID: d.ID, Returned: sess.Actor.Kind != kb.Agent},
	}}
	if sided {
		changes = append(changes, write.Change{Space: w, Path: path, Expected: opts.Expected, Action: write.PutSide{Bytes: side}})
	}
	return write.Request{
		Actor: sess.Actor, Operation: "restore", Message: opts.Message, DryRun: opts.DryRun, AllowSecrets: opts.AllowSecrets,
		Changes: changes,
	}, nil
}

// occupied reports whether another document than the one with this id is at path.
func occupied(ctx context.Context, tx store.Tx, space int64, path string, id kb.ID) (bool, error) {
	there, err := tx.Pages().ByPath(ctx, space, path)
	return len(there) > 0 && there[0].ID != id, err
}

// anotherAt refuses to restore a deleted page to a path in use.
func anotherAt(path string) error {
	return kb.Errorf(kb.Conflict, "another page is at %s now", path).
		WithHint("Nothing was changed.").WithReason(kb.PathTaken).With("path", path)
}
