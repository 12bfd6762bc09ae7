package relational

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// lastWrite selects the newest write until a time.
const lastWrite = "SELECT id FROM writes WHERE time <= ? ORDER BY id DESC LIMIT 1"

func (h history) Seq(ctx context.Context, t time.Time) (int64, error) {
	var seq int64
	_, err := h.t.one(ctx, "SELECT coalesce(max(last), 0) FROM writes WHERE id <= ("+lastWrite+")", []any{t.UnixMicro()},
		func(r Row) { seq = r.Int(0) })
	return seq, err
}

// State reads the versions page by page. A page's versions belong to one or more documents:
// the versions of a document begin when it is first indexed and may end with a deletion.
// Several of these documents may have existed at once, if an id moved from one to another
// later.
func (h history) State(ctx context.Context, seq int64) ([]kb.Version, error) {
	type life struct {
		newest kb.Version
		begun  int64 // Seq
	}
	var lives []life
	var last kb.Version
	err := h.t.query(ctx, "SELECT "+versionColumns+versionTables+" WHERE v.seq <= ? ORDER BY v.page, v.space, v.version", []any{seq}, func(r Row) error {
		v := scanVersion(r)
		if v.Page == last.Page && v.Space == last.Space && v.Change != kb.Created && last.Change != kb.Deleted {
			lives[len(lives)-1].newest = v
		} else {
			lives = append(lives, life{v, v.Seq})
		}
		last = v
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(lives, func(a, b life) int { return cmp.Compare(a.begun, b.begun) })
	var out []kb.Version
	for _, l := range lives {
		if l.newest.Change != kb.Deleted {
			out = append(out, l.newest)
		}
	}
	return out, nil
}

func (h history) Prune(ctx context.Context, seqs []int64) (freed int64, err error) {
	hashes := map[kb.Hash]bool{}
	err = chunks(seqs, nil, func(list string, args []any) error {
		if err := h.t.query(ctx, "SELECT hash FROM version_bytes WHERE seq IN ("+list+")", args, func(r Row) error {
			hashes[r.Hash(0)] = true
			return nil
		}); err != nil {
			return err
		}
		err := h.t.exec(ctx, "UPDATE versions SET pruned = 1 WHERE hash IS NOT NULL AND seq IN ("+list+")", args...)
		return err
	})
	if err != nil || len(hashes) == 0 {
		return 0, err
	}
	return h.dropBlobs(ctx, hashes)
}

// needless removes the hashes of bytes that are still needed.
func (h history) needless(ctx context.Context, hashes map[kb.Hash]bool) error {
	// No table has an index by hash, so each is scanned once.
	for _, sql := range []string{
		"SELECT hash FROM documents", "SELECT side_hash FROM documents WHERE side_hash IS NOT NULL", "SELECT hash FROM version_bytes WHERE pruned = 0",
	} {
		if err := h.t.query(ctx, sql, nil, func(r Row) error {
			delete(hashes, r.Hash(0))
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// dropBlobs deletes unreferenced blobs among the given ones.
func (h history) dropBlobs(ctx context.Context, hashes map[kb.Hash]bool) (freed int64, err error) {
	if err := h.needless(ctx, hashes); err != nil {
		return 0, err
	}
	for hash := range hashes {
		if _, err := h.t.one(ctx, "SELECT length(bytes) FROM blobs WHERE hash = ?", []any{hash[:]}, func(r Row) { freed += r.Int(0) }); err != nil {
			return freed, err
		}
		if err := h.t.exec(ctx, "DELETE FROM blobs WHERE hash = ?", hash[:]); err != nil {
			return freed, err
		}
	}
	return freed, nil
}
