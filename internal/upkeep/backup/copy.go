package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
)

// Copy copies the memory at one location to another, which must be empty or not
// exist, and compares both. The copy is a snapshot, and is either complete or
// absent. The bytes of texts are copied first; after an interrupted copy the next
// one reuses them.
func Copy(ctx context.Context, o memory.Options, from, to string) (r api.CopyResult, err error) {
	if r.From, err = located(o.Place, from); err != nil {
		return r, err
	}
	if r.To, err = located(o.Place, to); err != nil {
		return r, err
	}
	if !store.IsURL(r.To) {
		if err := memory.MayWrite(ctx, o, "db copy "+from+" "+to, r.To); err != nil {
			return r, err
		}
	}
	source, err := open.Memory(ctx, r.From, store.Options{Clock: o.Now, Host: o.Place.ThisHost(), MustExist: true})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := open.Memory(ctx, r.To, store.Options{Clock: o.Now, Host: o.Place.ThisHost()})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	err = source.View(ctx, func(src store.Tx) error {
		copier, ok := src.(store.Copier)
		if !ok {
			return kb.Errorf(kb.Usage, "cannot copy this kind of database")
		}
		if err := target.View(ctx, func(dst store.Tx) error { return empty(ctx, dst, r.To) }); err != nil {
			return err
		}
		var err error
		if r.Resumed, err = copier.CopyBytes(ctx, target); err != nil {
			return err
		}
		// Before the transaction of the target, which the other server ends when it has nothing
		// to do for long.
		questions, err := receiptOf(ctx, src, &r)
		if err != nil {
			return err
		}
		return target.Update(ctx, func(dst store.Tx) error {
			if err := empty(ctx, dst, r.To); err != nil {
				return err
			}
			counts, err := copier.CopyTo(ctx, dst)
			if err != nil {
				return err
			}
			r.Rows = 0
			for _, c := range counts {
				r.Rows += c.N
				if c.Value == "spaces" {
					r.Spaces = c.N
				}
			}
			// The snapshot, regardless of later writes. It is compared in the same
			// transaction, so that a copy that was not compared is not committed.
			return compare(ctx, dst, questions, r)
		})
	})
	return r, err
}

// located returns the location of the memory of an argument.
func located(place space.Place, argument string) (string, error) {
	place.DB = argument
	return space.DatabasePath(place)
}

// empty fails for a memory with content.
func empty(ctx context.Context, tx store.Tx, at string) error {
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	forgotten, err := tx.Spaces().Forgotten(ctx)
	if err != nil {
		return err
	}
	if _, err := tx.History().Write(ctx, 0); err == nil || len(spaces) > 0 || len(forgotten) > 0 {
		return kb.Errorf(kb.Conflict, "the memory at %s is not empty", at).WithHint("Nothing was changed. Name another one.")
	} else if kb.CodeOf(err) != kb.NotFound {
		return err
	}
	return nil
}

// receiptOf reads a memory and adds its checksums to the receipt.
func receiptOf(ctx context.Context, src store.Tx, r *api.CopyResult) (questions []query.Query, err error) {
	if r.Pages, r.Dump, r.History, err = sums(ctx, src); err != nil {
		return nil, err
	}
	text := lexical.New(queryCache)
	if questions, err = questionsOf(ctx, text, src); err != nil {
		return nil, err
	}
	r.Queries = len(questions)
	r.Found, err = answersTo(ctx, text, src, questions)
	return questions, err
}

// compare reads the copy; kb.Damaged when it differs from the receipt.
func compare(ctx context.Context, dst store.Tx, questions []query.Query, r api.CopyResult) error {
	pages, dump, history, err := sums(ctx, dst)
	if err != nil {
		return err
	}
	found, err := answersTo(ctx, lexical.New(queryCache), dst, questions)
	if err == nil && (pages != r.Pages || dump != r.Dump || history != r.History || found != r.Found) {
		err = kb.Errorf(kb.Damaged, "the copy at %s differs from the memory at %s", r.To, r.From).
			WithHint("Nothing was kept of it but the bytes of texts.")
	}
	return err
}

const (
	queries     = 50      // run in both memories
	queriedHits = 20      // compared for each query
	queryCache  = 8 << 20 // bytes
)

// questionsOf returns queries that find pages spread over the memory: their titles.
func questionsOf(ctx context.Context, text *lexical.Index, tx store.Tx) ([]query.Query, error) {
	all, err := text.Documents(ctx, tx.Lexical())
	if err != nil {
		return nil, err
	}
	var rows []int64
	for i := range min(queries, len(all)) {
		rows = append(rows, all[i*len(all)/min(queries, len(all))])
	}
	pages, err := store.PagesByRow(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	var out []query.Query
	for _, row := range rows {
		if q := query.Parse(pages[row].Title, time.Time{}); q.Root != nil {
			out = append(out, q)
		}
	}
	return out, nil
}

// answersTo returns a checksum of the hits of queries with their scores.
func answersTo(ctx context.Context, text *lexical.Index, tx store.Tx, questions []query.Query) (string, error) {
	hash := sha256.New()
	for _, q := range questions {
		found, err := text.Search(ctx, tx.Lexical(), q.Root, lexical.Options{Limit: queriedHits})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%d\n", found.Total)
		for _, h := range found.Hits {
			fmt.Fprintf(hash, "%d %x\n", h.ID, math.Float64bits(h.Score))
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// sums returns checksums of the pages and of the history of a memory.
func sums(ctx context.Context, tx store.Tx) (pages int, dump, history string, err error) {
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return 0, "", "", err
	}
	receipt, err := doctor.DumpOf(ctx, tx, spaces, io.Discard)
	if err != nil {
		return 0, "", "", err
	}
	versions, _, err := tx.History().Versions(ctx, store.VersionFilter{}, 0, 0)
	if err != nil {
		return 0, "", "", err
	}
	slices.Reverse(versions)
	hash := sha256.New()
	for _, v := range versions {
		fmt.Fprintf(hash, "%d %d %d %s %d %s %q %q %s %d %d %s %v %s\n", v.Seq, v.Write, v.Space, v.Page, v.Version, v.Change, v.Path, v.Title, v.Hash, v.Size,
			v.Time.UnixMicro(), v.Actor, v.Pruned, v.Side.Hash)
	}
	return receipt.Pages, receipt.SHA256, hex.EncodeToString(hash.Sum(nil)), nil
}
