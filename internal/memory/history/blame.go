package history

import (
	"context"
	"math"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/store"
)

// BlameRequest asks for the version of each line of a page.
type BlameRequest struct {
	Ref     string
	Version int // 0 is the newest
}

// Blame returns the version that each line of a page comes from. Lines of pruned
// versions are attributed to the next version that is kept.
func Blame(ctx context.Context, sess *memory.Session, req BlameRequest) (out api.Blame, err error) {
	out.Lines = []api.BlamedLines{}
	d, err := Find(ctx, sess, req.Ref)
	if err != nil {
		return out, err
	}
	ctx, leave := store.Join(ctx, sess.DB)
	defer leave()
	var (
		end kb.Version
		all []kb.Version
	)
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if end, err = versionOf(ctx, tx, d, req.Version); err != nil {
			return err
		}
		out.Ref, out.Version = d.Space.Name+":"+link.Slug(end.Path), end.Version
		all, _, err = tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{d.Space.Row}, Page: d.ID}, 1<<30, 0)
		return err
	})
	if err != nil {
		return out, err
	}
	size := int64(0)
	for _, v := range all {
		size = max(size, v.Size)
	}
	ctx, over, err := turn.Alone(ctx, sess.DB, size)
	if err != nil {
		return out, err
	}
	defer over()
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		from, err := linesFrom(ctx, tx, all, end)
		if err != nil {
			return err
		}
		line := 1
		for _, r := range from {
			v := r.from
			out.Lines = append(out.Lines, api.BlamedLines{From: line, To: line + r.lines - 1, Version: v.Version, Write: v.Write, Actor: v.Actor.String(), At: v.Time.UTC()})
			line += r.lines
		}
		return nil
	})
	return out, err
}

// blamedRun is a number of consecutive lines from one version.
type blamedRun struct {
	lines int
	from  *kb.Version
}

// blamedRuns are the lines of a text in order; consecutive runs have different
// versions.
type blamedRuns []blamedRun

func (r blamedRuns) add(lines int, from *kb.Version) blamedRuns {
	switch last := len(r) - 1; {
	case lines == 0:
		return r
	case last >= 0 && r[last].from == from:
		r[last].lines += lines
		return r
	}
	return append(r, blamedRun{lines, from})
}

// take appends the first n lines of other runs, and returns the remaining runs.
func (r blamedRuns) take(of blamedRuns, lines int) (_, rest blamedRuns) {
	for lines > 0 && len(of) > 0 {
		n := min(lines, of[0].lines)
		r = r.add(n, of[0].from)
		lines -= n
		if of[0].lines -= n; of[0].lines == 0 {
			of = of[1:]
		}
	}
	return r, of
}

// linesFrom returns the versions of the lines of a page in one of its versions,
// which are sorted newest first.
func linesFrom(ctx context.Context, tx store.Tx, versions []kb.Version, end kb.Version) (blamedRuns, error) {
	var (
		text  string
		lines blamedRuns
		last  kb.Hash
	)
	for i := len(versions) - 1; i >= 0; i-- {
		v := versions[i]
		if v.Version > end.Version {
			break
		}
		if !there(v) {
			text, lines, last = "", nil, kb.Hash{}
			continue
		}
		if v.Hash == last {
			continue
		}
		stored, err := kept(ctx, tx, v.Hash)
		if err != nil {
			return nil, err
		}
		if stored == nil {
			if v.Version == end.Version {
				_, err := textOf(ctx, tx, v)
				return nil, err
			}
			continue
		}
		decoded, _ := doc.Decode(stored)
		now := string(decoded)
		var next blamedRuns
		at := 0 // line in the older text
		for _, e := range lineEdits(text, now) {
			next, lines = next.take(lines, strings.Count(text[at:e.Start], "\n"))
			next = next.add(countLines(e.New), &versions[i])
			_, lines = blamedRuns(nil).take(lines, countLines(text[e.Start:e.End]))
			at = e.End
		}
		next, _ = next.take(lines, math.MaxInt)
		text, lines, last = now, next, v.Hash
	}
	return lines, nil
}

// countLines counts lines; the last one may lack a line end.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
