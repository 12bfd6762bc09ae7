package app

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/ref"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// HistoryRequest asks for the versions of a page, or with Deleted and no ref
// for the pages that are gone.
type HistoryRequest struct {
	Ref           string
	Deleted       bool
	Limit, Offset int // Limit 0 is all
}

// History lists versions, newest first.
func (a *App) History(ctx context.Context, req HistoryRequest) (List[Version], error) {
	var f store.VersionFilter
	if req.Deleted {
		spaces, err := a.spaces.Scope(ctx, false)
		if err != nil {
			return List[Version]{}, err
		}
		f = store.VersionFilter{Spaces: spaces, Deleted: true}
	} else {
		space, id, err := a.pastPage(ctx, req.Ref)
		if err != nil {
			return List[Version]{}, err
		}
		f = store.VersionFilter{Spaces: []int64{space.Row}, Page: id}
	}
	return a.versions(ctx, f, req.Limit, req.Offset)
}

// pastPage finds a page that is there, or one that was deleted.
func (a *App) pastPage(ctx context.Context, raw string) (space kb.Space, id kb.ID, err error) {
	p, missing := a.fresh(ctx, raw)
	if missing == nil {
		err = a.db.View(ctx, func(tx store.Tx) error {
			space, id, err = document(ctx, tx, p)
			return err
		})
		return space, id, err
	}
	if kb.CodeOf(missing) != kb.NotFound {
		return space, "", missing
	}
	v, err := a.deleted(ctx, raw)
	if err != nil {
		return space, "", err
	}
	if v == nil {
		return space, "", missing
	}
	all, err := a.spaces.All(ctx)
	for _, s := range all {
		if s.Row == v.Space {
			space = s
		}
	}
	return space, v.Page, err
}

// deleted finds the deletion of the page that a ref named, nil when there is
// none.
func (a *App) deleted(ctx context.Context, raw string) (*kb.Version, error) {
	all, err := a.spaces.All(ctx)
	if err != nil {
		return nil, err
	}
	r := ref.Parse(raw, all)
	home := a.refs.Home(ctx, all, r.Space)
	f := store.VersionFilter{Deleted: true}
	if home.Row != 0 {
		f.Spaces = []int64{home.Row}
	}
	var found *kb.Version
	err = a.db.View(ctx, func(tx store.Tx) error {
		versions, _, err := tx.History().Versions(ctx, f, 1<<30, 0)
		for i, v := range versions {
			digits := strings.ReplaceAll(string(v.Page), "-", "")
			if v.Page == r.ID || r.Prefix != "" && strings.HasPrefix(digits, r.Prefix) || v.Path == r.Name || link.Slug(v.Path) == r.Name {
				found = &versions[i]
				break
			}
		}
		return err
	})
	return found, err
}

func (a *App) versions(ctx context.Context, f store.VersionFilter, limit, offset int) (List[Version], error) {
	spaces, err := a.spaces.All(ctx)
	if err != nil {
		return List[Version]{}, err
	}
	names := space.Names(spaces)
	out := List[Version]{Items: []Version{}}
	err = a.db.View(ctx, func(tx store.Tx) error {
		found, total, err := tx.History().Versions(ctx, f, all(limit), offset)
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
		}
		return nil
	})
	return out, err
}

// describeVersion describes a version of a page in the space of this name, without
// what is known of its write only.
func describeVersion(v kb.Version, space string) Version {
	return Version{
		Seq: v.Seq, Write: v.Write, Space: space, Page: v.Page, Version: v.Version, Change: v.Change,
		Ref: space + ":" + link.Slug(v.Path), Path: v.Path, Title: v.Title, Bytes: v.Size, Pruned: v.Pruned,
		Actor: v.Actor.String(), At: v.Time.UTC(),
	}
}

// RecentRequest asks for what changed lately.
type RecentRequest struct {
	Since         string // date or date phrase; "" is 7 days
	Actor         string // "agent", "agent:name", or a name
	Limit, Offset int    // Limit 0 is all
	All           bool
}

// Recent lists changes, newest first.
func (a *App) Recent(ctx context.Context, req RecentRequest) (List[Version], error) {
	if req.Since == "" {
		req.Since = "7 days"
	}
	since, err := query.Since(req.Since, a.opts.Now())
	if err != nil {
		return List[Version]{}, err
	}
	spaces, err := a.spaces.Scope(ctx, req.All)
	if err != nil {
		return List[Version]{}, err
	}
	return a.versions(ctx, store.VersionFilter{Spaces: spaces, Actor: ParseActor(req.Actor), Since: since}, req.Limit, req.Offset)
}

// Changes lists what changed in any space since the change that was counted
// as number after, newest first, and the number of all of it.
func (a *App) Changes(ctx context.Context, after int64, limit int) (List[Version], error) {
	return a.versions(ctx, store.VersionFilter{After: after}, limit, 0)
}

// ParseActor reads "kind:name", a kind, or a name alone.
func ParseActor(s string) kb.Actor {
	kind, name, _ := strings.Cut(s, ":")
	switch k := kb.ActorKind(kind); k {
	case kb.Human, kb.Agent, kb.Sync, kb.Schedule:
		return kb.Actor{Kind: k, Name: name}
	}
	return kb.Actor{Name: s}
}

// DiffRequest compares two versions of a page.
type DiffRequest struct {
	Ref      string
	From, To int // 0: the version before To, and the newest
}

// DiffResult is the difference between two versions of a page.
type DiffResult struct {
	Ref  string `json:"ref"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff"`
}

// Diff compares two versions of a page; version 0 of a page is its absence.
func (a *App) Diff(ctx context.Context, req DiffRequest) (DiffResult, error) {
	space, id, err := a.pastPage(ctx, req.Ref)
	if err != nil {
		return DiffResult{}, err
	}
	var out DiffResult
	err = a.db.View(ctx, func(tx store.Tx) error {
		to, err := a.versionOf(ctx, tx, space, id, req.To)
		if err != nil {
			return err
		}
		number := req.From
		if number == 0 {
			number = to.Version - 1
		}
		var from kb.Version
		if number > 0 {
			if from, err = a.versionOf(ctx, tx, space, id, number); err != nil {
				return err
			}
		}
		out = DiffResult{Ref: space.Name + ":" + link.Slug(to.Path), From: number, To: to.Version}
		oldName, oldBytes, err := sideOf(ctx, tx, "a/", from)
		if err != nil {
			return err
		}
		newName, newBytes, err := sideOf(ctx, tx, "b/", to)
		if err != nil {
			return err
		}
		out.Diff = unifiedDiff(oldName, oldBytes, newName, newBytes)
		return nil
	})
	return out, err
}

func (a *App) versionOf(ctx context.Context, tx store.Tx, space kb.Space, id kb.ID, number int) (kb.Version, error) {
	v, err := tx.History().Version(ctx, space.Row, id, number)
	if kb.CodeOf(err) == kb.NotFound {
		return v, kb.Errorf(kb.NotFound, "there is no version %d of it", number).WithHint("List them with cairn history.").
			WithToolHint("The tool history lists them; it is in the set more.")
	}
	return v, err
}

// sideOf returns a side of a diff: nothing where the page did not exist.
func sideOf(ctx context.Context, tx store.Tx, prefix string, v kb.Version) (string, []byte, error) {
	if v.Version == 0 || v.Change == kb.Deleted {
		return "/dev/null", nil, nil
	}
	b, err := textOf(ctx, tx, v)
	return prefix + v.Path, b, err
}

// textOf returns the text of a version, which retention may have let go.
func textOf(ctx context.Context, tx store.Tx, v kb.Version) ([]byte, error) {
	b, err := tx.History().Bytes(ctx, v.Hash)
	if kb.CodeOf(err) == kb.NotFound {
		return nil, kb.Errorf(kb.NotFound, "the text of version %d of %s is not kept any more", v.Version, v.Path).
			WithHint("The space's retention let it go; cairn history shows which versions have their text.").
			WithToolHint("The space's retention let it go; the tool history, in the set more, shows which versions have their text.").
			With("version", v.Version).With("path", v.Path)
	}
	return b, err
}

// RestoreRequest brings back the text of a version.
type RestoreRequest struct {
	WriteOptions
	Ref     string
	Version int // 0: of a deleted page the last one it had, else the one before the newest
}

// Restore makes a page what it was in a version, at the path that it has now,
// or that it had when it was deleted.
func (a *App) Restore(ctx context.Context, req RestoreRequest) (Written, error) {
	space, id, err := a.pastPage(ctx, req.Ref)
	if err != nil {
		return Written{}, err
	}
	var (
		bytes []byte
		path  string
		gone  bool
	)
	err = a.db.View(ctx, func(tx store.Tx) error {
		newest, err := a.versionOf(ctx, tx, space, id, 0)
		if err != nil {
			return err
		}
		path = newest.Path
		if gone = newest.Change == kb.Deleted; gone {
			taken, err := occupied(ctx, tx, space.Row, path, id)
			if err != nil {
				return err
			}
			if taken {
				return anotherAt(path)
			}
		}
		number := req.Version
		if number == 0 {
			number = newest.Version - 1
		}
		if number == 0 {
			return kb.Errorf(kb.NotFound, "there is no version before the first")
		}
		v, err := a.versionOf(ctx, tx, space, id, number)
		if err != nil {
			return err
		}
		if v.Change == kb.Deleted {
			return kb.Errorf(kb.Usage, "in version %d the page was deleted", number).WithHint("Restore an older version.")
		}
		bytes, err = textOf(ctx, tx, v)
		return err
	})
	if err != nil {
		return Written{}, err
	}
	w, err := a.spaces.Open(ctx, space.Row)
	if err != nil {
		return Written{}, err
	}
	return a.apply(ctx, "restore", req.WriteOptions, []write.Change{{
		Space: w, Path: path, Expected: req.Expected, Action: write.Put{Bytes: bytes, Overwrite: !gone},
	}})
}

// occupied reports whether another document than the one of this id is at path.
func occupied(ctx context.Context, tx store.Tx, space int64, path string, id kb.ID) (bool, error) {
	there, err := tx.Pages().ByPath(ctx, space, path)
	return len(there) > 0 && there[0].ID != id, err
}

// anotherAt refuses to bring a deleted page back to where another one is now.
func anotherAt(path string) error {
	return kb.Errorf(kb.Conflict, "another page is at %s now", path).
		WithHint("Nothing was changed. Move that one away with cairn mv and restore again, or see the old text: cairn get REF --version N").
		WithToolHint("Nothing was changed. Move the page that is there away and restore again, or read the old text with version.").
		With("path", path)
}
