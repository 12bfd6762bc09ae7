package history

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// BlameRequest asks for the version that each line of a page is from.
type BlameRequest struct {
	Ref     string
	Version int // 0 is the newest
}

// Blame names the version that each line of a page is from. Where versions have been
// pruned, their lines count as those of the next one that is kept.
func Blame(ctx context.Context, sess *memory.Session, req BlameRequest) (out api.Blame, err error) {
	out.Lines = []api.BlamedLines{}
	d, err := Find(ctx, sess, req.Ref)
	if err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		end, err := versionOf(ctx, tx, d, req.Version)
		if err != nil {
			return err
		}
		out.Ref, out.Version = d.Space.Name+":"+link.Slug(end.Path), end.Version
		all, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{d.Space.Row}, Page: d.ID}, 1<<30, 0)
		if err != nil {
			return err
		}
		from, err := linesFrom(ctx, tx, all, end)
		if err != nil {
			return err
		}
		for i, v := range from {
			if n := len(out.Lines); n > 0 && out.Lines[n-1].Version == v.Version {
				out.Lines[n-1].To = i + 1
				continue
			}
			out.Lines = append(out.Lines, api.BlamedLines{From: i + 1, To: i + 1, Version: v.Version, Write: v.Write, Actor: v.Actor.String(), At: v.Time.UTC()})
		}
		return nil
	})
	return out, err
}

// linesFrom returns the version of each line of a page as it was in one of its versions,
// which are the newest first.
func linesFrom(ctx context.Context, tx store.Tx, versions []kb.Version, end kb.Version) ([]kb.Version, error) {
	var (
		text  string
		lines []kb.Version
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
		next := make([]kb.Version, 0, len(lines)+8)
		at, line := 0, 0 // of the older text
		for _, e := range lineEdits(text, now) {
			kept := strings.Count(text[at:e.Start], "\n")
			next = append(next, lines[line:line+kept]...)
			at, line = e.Start, line+kept
			for range countLines(e.New) {
				next = append(next, v)
			}
			line += countLines(text[at:e.End])
			at = e.End
		}
		next = append(next, lines[min(line, len(lines)):]...)
		text, lines, last = now, next, v.Hash
	}
	return lines, nil
}

// countLines counts lines; the last one may have no end.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
