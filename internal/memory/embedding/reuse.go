package embedding

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// recentVectors is how many vectors a run caches: some megabytes.
const recentVectors = 8192

// remember caches a vector for the following pages.
func (e *run) remember(v vector.Vector) {
	if e.recent == nil || len(e.recent) == recentVectors {
		e.recent = map[[vector.HashSize]byte]vector.Vector{}
	}
	e.recent[v.Hash] = v
}

// recall finds vectors of missing chunks: other pages had the same chunks in this
// run, or pages that do not have them any more.
func (e *run) recall(ctx context.Context, tx store.Tx, jobs []*pageJob) error {
	wanted := map[[vector.HashSize]byte][]*pageJob{}
	for _, j := range jobs {
		for _, c := range j.lacking() {
			h := ShortHash(c)
			if v, ok := e.recent[h]; ok {
				j.take(v)
				continue
			}
			wanted[h] = append(wanted[h], j)
		}
	}
	if e.again || len(wanted) == 0 {
		return nil
	}
	found := map[int64][]byte{} // info by page
	err := tx.Vectors().Spare(ctx, e.m.Model(), func(key int64, info []byte) error {
		hashes, err := vector.Hashes(info)
		if kb.CodeOf(err) == kb.Damaged {
			return nil // recomputed
		}
		for _, h := range hashes {
			if wanted[h] != nil {
				found[key] = info
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for key, info := range found {
		values, err := tx.Vectors().SpareValues(ctx, key)
		if err != nil {
			return err
		}
		dims, list, err := vector.Unpack(info, values)
		if kb.CodeOf(err) == kb.Damaged || err == nil && dims != e.m.Dimensions() {
			continue
		}
		if err != nil {
			return err
		}
		for _, v := range list {
			for _, j := range wanted[v.Hash] {
				j.take(v)
			}
			delete(wanted, v.Hash)
		}
	}
	return nil
}

// take gives a page the vector of a missing chunk.
func (j *pageJob) take(v vector.Vector) {
	j.known[v.Hash] = v
	j.added++
}
