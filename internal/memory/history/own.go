package history

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// mayUndo does not allow an agent to undo the write of another actor.
func mayUndo(ctx context.Context, tx store.Tx, by kb.Actor, write int64) error {
	w, err := tx.History().Write(ctx, write)
	if err != nil || w.Actor == by {
		return err
	}
	return space.PersonOnly(by, fmt.Sprintf("undo %d", write), fmt.Sprintf("undo write %d, which %s made", write, w.Actor))
}

// ownActor returns the actor of an undo. An agent may only specify itself, by kind
// and name or by name alone.
func ownActor(by, named kb.Actor) (kb.Actor, error) {
	if by.Kind != kb.Agent {
		return named, nil
	}
	if named == by || named == (kb.Actor{Name: by.Name}) {
		return by, nil
	}
	return named, space.PersonOnly(by, fmt.Sprintf("undo --actor %s --since TIME", named), fmt.Sprintf("undo the writes of %s", named))
}

// onlyOwn keeps the versions by the agent itself: a filter by an actor without a
// name also matches other agents.
func onlyOwn(by kb.Actor, versions []kb.Version) []kb.Version {
	if by.Kind != kb.Agent {
		return versions
	}
	return slices.DeleteFunc(versions, func(v kb.Version) bool { return v.Actor != by })
}

// mayRestore does not allow an agent to restore a version that lacks lines or
// timeline entries which another actor added since and the page still has. text is
// the text of the version.
func mayRestore(ctx context.Context, sess *memory.Session, tx store.Tx, d Document, to kb.Version, text []byte, newest kb.Version) error {
	if sess.Actor.Kind != kb.Agent {
		return nil
	}
	since, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{d.Space.Row}, Page: d.ID, After: to.Seq}, 0, 0)
	if err != nil {
		return err
	}
	since = slices.DeleteFunc(since, func(v kb.Version) bool { return v.Actor == sess.Actor || !there(v) })
	if len(since) == 0 {
		return nil
	}
	r := &reading{tx: tx, codecs: sess.Codecs, syntax: d.Space.Syntax, to: to.Hash, text: text}
	lost, err := r.lost(ctx, to, newest)
	if err != nil || len(lost) == 0 {
		return err
	}
	for _, v := range since {
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
		if added == nil || intersect(lost, added) {
			ref := d.Space.Name + ":" + link.Slug(to.Path)
			return space.PersonOnly(sess.Actor, fmt.Sprintf("restore %s %d", safetext.Word(ref), to.Version),
				fmt.Sprintf("restore version %d of %s: it would lose what %s added in version %d", to.Version, to.Path, v.Actor, v.Version))
		}
	}
	return nil
}

func intersect(a, b map[string]bool) bool {
	for part := range a {
		if b[part] {
			return true
		}
	}
	return false
}

// reading reads and caches the contents of versions of one page.
type reading struct {
	tx     store.Tx
	codecs []doc.Codec
	syntax kb.Syntax
	to     kb.Hash // of a text that was read already
	text   []byte
}

// document reads the document and the sidecar of a version; nil when they are
// pruned, and an empty document before the first version.
func (r *reading) document(ctx context.Context, v kb.Version) (d *doc.Document, side []byte, err error) {
	var text []byte
	if there(v) {
		if text = r.text; v.Hash != r.to {
			text, err = kept(ctx, r.tx, v.Hash)
		}
		if err == nil && text != nil && v.Side.Exists() {
			if side, err = kept(ctx, r.tx, v.Side.Hash); side == nil {
				return nil, nil, err
			}
		}
		if err != nil || text == nil {
			return nil, nil, err
		}
	}
	return doc.ForNote(r.codecs, r.syntax, v.Path).Parse(v.Path, text), side, nil
}

// more returns the lines and timeline entries that version a and its sidecar have
// in addition to b: all of a when b is pruned, and nil when a is.
func (r *reading) more(ctx context.Context, a, b kb.Version) (map[string]bool, error) {
	is, isSide, err := r.document(ctx, a)
	if err != nil || is == nil {
		return nil, err
	}
	was, wasSide, err := r.document(ctx, b)
	if err != nil {
		return nil, err
	}
	parts := map[string]int{}
	if was == nil {
		count(parts, 1, is, is.Text, isSide)
	} else {
		// Common lines at the beginning and end are not held: they are most of a
		// large page.
		start, rest := sameLines(is.Text, was.Text)
		count(parts, 1, is, is.Text[start:len(is.Text)-rest], isSide)
		count(parts, -1, was, was.Text[start:len(was.Text)-rest], wasSide)
	}
	out := map[string]bool{}
	for part, n := range parts {
		if n > 0 {
			out[part] = true
		}
	}
	return out, nil
}

// count adds n for each line of texts and each timeline entry of a document.
func count(parts map[string]int, n int, d *doc.Document, texts ...[]byte) {
	for _, text := range texts {
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				parts[string(line)] += n
			}
		}
	}
	for i := range d.Nodes {
		for _, e := range d.Nodes[i].Entries {
			parts[strings.Join([]string{"entry", e.Date, e.Source, e.Text, e.Detail}, "\x00")] += n
		}
	}
}

// sameLines returns the lengths of the common whole lines at the beginning and end
// of two texts; at the end it may omit the first.
func sameLines(a, b []byte) (start, rest int) {
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	start = bytes.LastIndexByte(a[:start], '\n') + 1
	for rest < min(len(a), len(b))-start && a[len(a)-1-rest] == b[len(b)-1-rest] {
		rest++
	}
	_, tail, _ := bytes.Cut(a[len(a)-rest:], []byte("\n"))
	return start, len(tail)
}

// lost returns the parts of the page, or of its last version if it was deleted,
// that a version lacks.
func (r *reading) lost(ctx context.Context, to, newest kb.Version) (map[string]bool, error) {
	now := newest
	if !there(now) {
		var err error
		if now, err = r.tx.History().Version(ctx, now.Space, now.Page, now.Version-1); err != nil {
			return nil, err
		}
	}
	return r.more(ctx, now, to)
}

// added returns the parts that a version adds to the previous one: all parts if the
// previous one is pruned, and nil if the version itself is pruned.
func (r *reading) added(ctx context.Context, v kb.Version) (map[string]bool, error) {
	var before kb.Version
	if v.Version > 1 {
		var err error
		if before, err = r.tx.History().Version(ctx, v.Space, v.Page, v.Version-1); err != nil {
			return nil, err
		}
	}
	return r.more(ctx, v, before)
}
