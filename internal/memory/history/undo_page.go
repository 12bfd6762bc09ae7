package history

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/merge"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// pageUndo is the undo of one page: a change, or the reason to skip it.
type pageUndo struct {
	space    *write.Space
	versions []kb.Version // to be undone, newest first
	now      kb.Version
	changes  []write.Change
	left     *api.Skipped
}

// undoPage plans to undo the given versions of one page of a space, which are
// sorted newest first. Later versions in which the page only followed other writes
// are undone as well.
func undoPage(ctx context.Context, tx store.Tx, codecs []doc.Codec, space *write.Space, versions []kb.Version, force bool) (*pageUndo, error) {
	now, err := tx.History().Version(ctx, versions[0].Space, versions[0].Page, 0)
	if err != nil {
		return nil, err
	}
	again := false
	if now.Version != versions[0].Version {
		var since []kb.Version
		if since, again, err = followers(ctx, tx, versions[0]); err != nil {
			return nil, err
		}
		if !again {
			versions = append(since, versions...)
		}
	}
	u := &undoing{pageUndo: &pageUndo{space: space, versions: versions, now: now}, codecs: codecs, force: force, runs: runsOf(versions), again: again}
	return u.pageUndo, u.decide(ctx, tx)
}

// run is a sequence of a page's versions without others in between.
type run struct{ newest, oldest kb.Version }

func runsOf(versions []kb.Version) []run {
	var runs []run
	for i, v := range versions {
		if i > 0 && versions[i-1].Version == v.Version+1 {
			runs[len(runs)-1].oldest = v
		} else {
			runs = append(runs, run{v, v})
		}
	}
	return runs
}

// undoing is the undo of one page in progress.
type undoing struct {
	*pageUndo
	codecs []doc.Codec
	force  bool
	runs   []run // newest first
	again  bool  // the page returned to the newest version, and only followed others since
}

func (u *undoing) decide(ctx context.Context, tx store.Tx) error {
	newest := u.runs[0].newest
	if len(u.runs) == 1 && (u.again || sameState(u.now, newest)) {
		return u.goBack(ctx, tx)
	}
	var err error
	mergeable := u.force
	if !mergeable {
		if mergeable, err = u.onlyLinks(ctx, tx); err != nil {
			return err
		}
	}
	if mergeable {
		return u.merge(ctx, tx)
	}
	if u.now.Version != newest.Version {
		u.skip("changed since by %s, in version %d", u.now.Actor, u.now.Version)
	} else {
		u.skip("others changed it in between")
	}
	return nil
}

// goBack restores a page that nobody changed since.
func (u *undoing) goBack(ctx context.Context, tx store.Tx) error {
	before, err := u.before(ctx, tx, u.runs[0])
	if err != nil {
		return err
	}
	bytes, err := u.bytes(ctx, tx, before)
	if err != nil || bytes == nil && there(before) {
		return err
	}
	side, err := u.side(ctx, tx, before)
	if err != nil || side == nil && before.Side.Exists() {
		return err
	}
	if taken, err := u.taken(ctx, tx, before); taken || err != nil {
		return err
	}
	switch {
	case there(u.now) && there(before):
		u.put(before.Path, write.Put{Bytes: bytes, Overwrite: true, Returned: true}, before.Side.Hash, side)
	case there(u.now):
		expect := u.now.Version
		u.change(u.now.Path, &expect, write.Delete{})
	case there(before):
		u.change(before.Path, nil, write.Put{Bytes: bytes, ID: before.Page, Returned: true})
		if side != nil {
			u.change(before.Path, nil, write.PutSide{Bytes: side})
		}
	}
	return nil
}

// sameState reports whether a page is in the state of a version: nobody changed it
// since, or later changes were undone.
func sameState(now, then kb.Version) bool {
	return now.Version == then.Version || there(now) == there(then) && now.Path == then.Path && now.Hash == then.Hash && now.Side.Hash == then.Side.Hash
}

// merge reverts the changes of the runs in the current page, newest run first. A
// page with a change that cannot be reverted is left unchanged.
func (u *undoing) merge(ctx context.Context, tx store.Tx) error {
	if !there(u.now) {
		u.skip("deleted since by %s", u.now.Actor)
		return nil
	}
	now, err := u.bytes(ctx, tx, u.now)
	if err != nil || now == nil {
		return err
	}
	text, at, beside := now, u.now, u.now
	for _, r := range u.runs {
		before, err := u.before(ctx, tx, r)
		if err != nil {
			return err
		}
		switch {
		case !there(before):
			u.skip("created by the undone write, and changed since by others: deleting it would lose that")
			return nil
		case !there(r.newest):
			u.skip("deleted by the undone write, and created again since")
			return nil
		}
		if before.Side.Hash != r.newest.Side.Hash {
			if beside.Side.Hash != r.newest.Side.Hash {
				u.skip("its sidecar was changed since by others")
				return nil
			}
			beside = before
		}
		base, err := u.bytes(ctx, tx, r.newest)
		if err != nil || base == nil {
			return err
		}
		ours, err := u.bytes(ctx, tx, before)
		if err != nil || ours == nil {
			return err
		}
		codec := doc.ForNote(u.codecs, u.space.Syntax, at.Path)
		merged, ok := merge.Links(codec, at.Path, base, ours, text)
		var conflicts []merge.Lines
		if !ok {
			merged, conflicts = merge.Merge(codec, at.Path, base, ours, text)
		}
		if len(conflicts) > 0 {
			u.conflict(conflicts, string(text) == string(now))
			return nil
		}
		text = merged
		if at.Path == r.newest.Path {
			at = before // others did not move it again
		}
	}
	if taken, err := u.taken(ctx, tx, at); taken || err != nil {
		return err
	}
	side, err := u.side(ctx, tx, beside)
	if err != nil || side == nil && beside.Side.Exists() {
		return err
	}
	u.put(at.Path, write.Put{Bytes: text, Overwrite: true}, beside.Side.Hash, side)
	return nil
}

// onlyLinks reports whether the undo affects only targets of links: others moved or
// renamed the linked pages, and that can always be separated from the page's own
// text.
func (u *undoing) onlyLinks(ctx context.Context, tx store.Tx) (bool, error) {
	if !there(u.now) {
		return false, nil
	}
	for _, r := range u.runs {
		before, err := u.before(ctx, tx, r)
		if err != nil || !there(before) || !there(r.newest) || before.Path != r.newest.Path || before.Side.Hash != r.newest.Side.Hash {
			return false, err
		}
		if err := turn.Check(ctx, max(before.Size, r.newest.Size)); err != nil {
			return false, err
		}
		made, err := kept(ctx, tx, r.newest.Hash)
		if err != nil || made == nil {
			return false, err
		}
		was, err := kept(ctx, tx, before.Hash)
		if err != nil || was == nil || !merge.OnlyLinks(doc.ForNote(u.codecs, u.space.Syntax, before.Path), before.Path, was, made) {
			return false, err
		}
	}
	return true, nil
}

// taken skips the page if another one has its old path now.
func (u *undoing) taken(ctx context.Context, tx store.Tx, before kb.Version) (bool, error) {
	if !there(before) || there(u.now) && before.Path == u.now.Path {
		return false, nil
	}
	if taken, err := occupied(ctx, tx, u.space.Row, before.Path, before.Page); err != nil || !taken {
		return false, err
	}
	u.skip("another page is at %s now", before.Path)
	return true, nil
}

// put plans the text and the sidecar, at the path. Links are not repointed: those
// that the write rewrote are in the texts of the changed pages, and an earlier link
// with this name never pointed to this page.
func (u *undoing) put(path string, text write.Put, hash kb.Hash, side []byte) {
	expect := u.now.Version
	if path != u.now.Path {
		u.change(u.now.Path, &expect, write.Move{To: path, KeepLinks: true})
	}
	u.change(path, &expect, text)
	if hash != u.now.Side.Hash {
		u.change(path, &expect, write.PutSide{Bytes: side})
	}
}

func (u *undoing) change(path string, expected *int, act write.Action) {
	u.changes = append(u.changes, write.Change{Space: u.space, Path: path, Expected: expected, Action: act})
}

// skip leaves the page unchanged.
func (u *pageUndo) skip(format string, args ...any) {
	u.changes, u.left = nil, &api.Skipped{Path: u.now.Path, Reason: fmt.Sprintf(format, args...)}
}

// conflict reports where changes overlap. Line numbers of a half-merged text would
// not match the page.
func (u *undoing) conflict(lines []merge.Lines, ofPage bool) {
	u.skip("changed since by others where it would have to change")
	if !ofPage {
		return
	}
	for _, l := range lines {
		u.left.Lines = append(u.left.Lines, [2]int{l.From, l.To})
	}
}

// before returns the version before a run, the zero version when the run created
// the page.
func (u *undoing) before(ctx context.Context, tx store.Tx, r run) (kb.Version, error) {
	if r.oldest.Version == 1 {
		return kb.Version{}, nil
	}
	return tx.History().Version(ctx, r.oldest.Space, r.oldest.Page, r.oldest.Version-1)
}

// bytes returns the text of a version; nil when there was none, or when it is
// pruned, and then the page is skipped.
func (u *undoing) bytes(ctx context.Context, tx store.Tx, v kb.Version) ([]byte, error) {
	if !there(v) {
		return nil, nil
	}
	if err := turn.Check(ctx, v.Size); err != nil {
		return nil, err
	}
	b, err := kept(ctx, tx, v.Hash)
	if err == nil && b == nil {
		u.skip("version %d has been pruned", v.Version)
	}
	return b, err
}

// side is bytes for the sidecar.
func (u *undoing) side(ctx context.Context, tx store.Tx, v kb.Version) ([]byte, error) {
	if !v.Side.Exists() {
		return nil, nil
	}
	b, err := kept(ctx, tx, v.Side.Hash)
	if err == nil && b == nil {
		u.skip("the sidecar of version %d has been pruned", v.Version)
	}
	return b, err
}

// kept returns the bytes of a version; nil when they were pruned.
func kept(ctx context.Context, tx store.Tx, hash kb.Hash) ([]byte, error) {
	b, err := tx.History().Bytes(ctx, hash)
	if kb.CodeOf(err) == kb.NotFound {
		return nil, nil
	}
	if b == nil && err == nil {
		b = []byte{} // an empty text is not nil
	}
	return b, err
}

// there reports whether the page existed after a version.
func there(v kb.Version) bool { return v.Version != 0 && v.Change != kb.Deleted }
