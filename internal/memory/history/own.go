package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// mayUndo refuses an agent the write of another actor.
func mayUndo(ctx context.Context, tx store.Tx, by kb.Actor, write int64) error {
	w, err := tx.History().Write(ctx, write)
	if err != nil || w.Actor == by {
		return err
	}
	return space.PersonOnly(by, fmt.Sprintf("undo %d", write), fmt.Sprintf("undo write %d, which %s made", write, w.Actor))
}

// ownActor returns the actor that an undo names. An agent may only name itself, by its
// kind and name or its name alone.
func ownActor(by, named kb.Actor) (kb.Actor, error) {
	if by.Kind != kb.Agent {
		return named, nil
	}
	if named == by || named == (kb.Actor{Name: by.Name}) {
		return by, nil
	}
	return named, space.PersonOnly(by, fmt.Sprintf("undo --actor %s --since TIME", named), fmt.Sprintf("undo the writes of %s", named))
}

// onlyOwn leaves the versions that an agent made itself: a filter by an actor without a
// name lets those of other agents through.
func onlyOwn(by kb.Actor, versions []kb.Version) []kb.Version {
	if by.Kind != kb.Agent {
		return versions
	}
	return slices.DeleteFunc(versions, func(v kb.Version) bool { return v.Actor != by })
}

// mayRestore refuses an agent a version of a page in which lines or timeline entries are
// missing that another actor added since, and that the page still has.
func mayRestore(ctx context.Context, sess *memory.Session, tx store.Tx, d Document, to, newest kb.Version) error {
	if sess.Actor.Kind != kb.Agent {
		return nil
	}
	since, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{d.Space.Row}, Page: d.ID, After: to.Seq}, 0, 0)
	if err != nil {
		return err
	}
	r := &reading{tx: tx, codecs: sess.Codecs, syntax: d.Space.Syntax}
	lost, err := r.lost(ctx, to, newest)
	if err != nil || len(lost) == 0 {
		return err
	}
	for _, v := range since {
		if v.Actor == sess.Actor || !there(v) {
			continue
		}
		w, err := tx.History().Write(ctx, v.Write)
		if err != nil {
			return err
		}
		if w.Operation == follows {
			continue
		}
		added, err := r.added(ctx, v)
		if err != nil {
			return err
		}
		if added == nil || slices.ContainsFunc(lost, func(l string) bool { return added[l] }) {
			ref := d.Space.Name + ":" + link.Slug(to.Path)
			return space.PersonOnly(sess.Actor, fmt.Sprintf("restore %s %d", ref, to.Version),
				fmt.Sprintf("restore version %d of %s: it would lose what %s added in version %d", to.Version, to.Path, v.Actor, v.Version))
		}
	}
	return nil
}

// reading reads what versions of one page say.
type reading struct {
	tx     store.Tx
	codecs []doc.Codec
	syntax kb.Syntax
}

// parts are the lines and timeline entries of a version and its sidecar, with the number
// of each; nil when they are not kept any more, and none before the first version.
func (r *reading) parts(ctx context.Context, v kb.Version) (map[string]int, error) {
	out := map[string]int{}
	if !there(v) {
		return out, nil
	}
	text, err := kept(ctx, r.tx, v.Hash)
	if err != nil || text == nil {
		return nil, err
	}
	d := doc.ForNote(r.codecs, r.syntax, v.Path).Parse(v.Path, text)
	lines := [][]byte{d.Text}
	if v.Side.Exists() {
		side, err := kept(ctx, r.tx, v.Side.Hash)
		if err != nil || side == nil {
			return nil, err
		}
		lines = append(lines, side)
	}
	for _, text := range lines {
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" {
				out[line]++
			}
		}
	}
	for i := range d.Nodes {
		for _, e := range d.Nodes[i].Entries {
			out[strings.Join([]string{"entry", e.Date, e.Source, e.Text, e.Detail}, "\x00")]++
		}
	}
	return out, nil
}

// lost are the parts of the page as it is, or was when it was deleted, that a version has
// not.
func (r *reading) lost(ctx context.Context, to, newest kb.Version) ([]string, error) {
	now := newest
	if !there(now) {
		var err error
		if now, err = r.tx.History().Version(ctx, now.Space, now.Page, now.Version-1); err != nil {
			return nil, err
		}
	}
	is, err := r.parts(ctx, now)
	if err != nil {
		return nil, err
	}
	will, err := r.parts(ctx, to)
	if err != nil {
		return nil, err
	}
	var out []string
	for part, n := range is {
		if n > will[part] {
			out = append(out, part)
		}
	}
	return out, nil
}

// added are the parts that a version has more of than the one before it: all of them when
// that has been pruned, and nil when the version itself is not.
func (r *reading) added(ctx context.Context, v kb.Version) (map[string]bool, error) {
	var before kb.Version
	if v.Version > 1 {
		var err error
		if before, err = r.tx.History().Version(ctx, v.Space, v.Page, v.Version-1); err != nil {
			return nil, err
		}
	}
	is, err := r.parts(ctx, v)
	if err != nil || is == nil {
		return nil, err
	}
	was, err := r.parts(ctx, before)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for part, n := range is {
		if n > was[part] {
			out[part] = true
		}
	}
	return out, nil
}
