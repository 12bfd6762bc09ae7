package history

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/merge"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// masked ends a changed line with a masked part: both sides of a change may read
// alike without it.
const masked = " [masked]"

// Hunks returns the parts of the unified difference between two texts. The texts
// themselves are compared; hide, which preserves lines, replaces the displayed
// text.
func Hunks(old, now []byte, hide func([]byte) []byte) []api.Hunk {
	was, _ := doc.Decode(old)
	is, _ := doc.Decode(now)
	oldPart, newPart, skipped := changedPart(was, is)
	edits := shownEdits(asString(oldPart), asString(newPart))
	if len(edits) == 0 {
		return nil
	}
	before, after := shownLines(was, hide, skipped, oldPart), shownLines(is, hide, skipped, newPart)
	var out []api.Hunk
	for _, h := range hunksOf("a", asString(oldPart), "b", edits, contextLines).Hunks {
		at, to := h.FromLine-1, h.ToLine-1
		for i, l := range h.Lines {
			var shown string
			if l.Kind == udiff.Insert {
				shown = after[to]
			} else {
				shown = before[at]
				at++
			}
			if l.Kind != udiff.Delete {
				to++
			}
			if l.Kind != udiff.Equal && shown != l.Content {
				text, ended := strings.CutSuffix(shown, "\n")
				if shown = text + masked; ended {
					shown += "\n"
				}
			}
			h.Lines[i].Content = shown
		}
		h.FromLine, h.ToLine = h.FromLine+skipped, h.ToLine+skipped
		var text strings.Builder
		text.Grow(sizeOf(h))
		writeHunk(&text, h)
		out = append(out, api.Hunk{Line: h.ToLine, Diff: text.String()})
	}
	return out
}

// shownLines returns the lines of a part of a text, after a number of others, as hide shows them.
func shownLines(text []byte, hide func([]byte) []byte, skipped int, part []byte) []string {
	n := bytes.Count(part, []byte("\n"))
	out := make([]string, 0, n+1)
	for line := range strings.Lines(asString(hide(text))) {
		if skipped--; skipped >= 0 {
			continue
		}
		if out = append(out, line); len(out) > n {
			break
		}
	}
	return out
}

// withoutHunk returns now with one part of its difference to old reverted; false if
// there is no such part.
func withoutHunk(old, now []byte, line int) (_ []byte, found bool, _ error) {
	was, _ := doc.Decode(old)
	is, enc := doc.Decode(now)
	oldPart, newPart, skipped := changedPart(was, is)
	edits := shownEdits(asString(oldPart), asString(newPart))
	if len(edits) == 0 {
		return nil, false, nil
	}
	for _, h := range hunksOf("a", asString(oldPart), "b", edits, contextLines).Hunks {
		if h.ToLine+skipped != line {
			continue
		}
		end := h.FromLine
		for _, l := range h.Lines {
			if l.Kind != udiff.Insert {
				end++
			}
		}
		others := slices.DeleteFunc(slices.Clone(edits), func(e udiff.Edit) bool {
			at := 1 + bytes.Count(oldPart[:e.Start], []byte("\n"))
			return at >= h.FromLine && at <= end
		})
		text, err := udiff.Apply(asString(oldPart), others)
		if err != nil {
			return nil, false, kb.Errorf(kb.Internal, "cannot take a part out of a difference: %w", err)
		}
		before := 0
		for range skipped {
			before = doc.LineEnd(was, before)
		}
		out, err := doc.Encode(slices.Concat(was[:before], []byte(text), was[before+len(oldPart):]), enc)
		return out, true, err
	}
	return nil, false, nil
}

// undoHunk plans to revert one part of the changes of versions to a page.
func undoHunk(ctx context.Context, tx store.Tx, codecs []doc.Codec, space *write.Space, versions []kb.Version, hunk, version int) (*pageUndo, error) {
	now, err := tx.History().Version(ctx, versions[0].Space, versions[0].Page, 0)
	if err != nil {
		return nil, err
	}
	u := &undoing{pageUndo: &pageUndo{space: space, versions: versions, now: now}, codecs: codecs, runs: runsOf(versions)}
	if !there(now) {
		u.skip("deleted since by %s", now.Actor)
		return u.pageUndo, nil
	}
	for _, r := range u.runs {
		if version != 0 && r.newest.Version != version || !there(r.newest) {
			continue
		}
		before, err := u.before(ctx, tx, r)
		if err != nil {
			return nil, err
		}
		if !there(before) {
			continue
		}
		var texts [3][]byte // before, after and now
		for i, v := range []kb.Version{before, r.newest, now} {
			if texts[i], err = u.bytes(ctx, tx, v); err != nil || texts[i] == nil {
				return u.pageUndo, err
			}
		}
		without, found, err := withoutHunk(texts[0], texts[1], hunk)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		merged, conflicts := merge.Merge(doc.ForNote(codecs, space.Syntax, now.Path), now.Path, texts[1], without, texts[2])
		if len(conflicts) > 0 {
			u.conflict(conflicts, true)
			return u.pageUndo, nil
		}
		u.put(now.Path, write.Put{Bytes: merged, Overwrite: true}, now.Side.Hash, nil)
		return u.pageUndo, nil
	}
	return nil, kb.Errorf(kb.NotFound, "no part of the difference begins at line %d", hunk).With("path", now.Path)
}
