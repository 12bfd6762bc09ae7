package relational

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// traces implements store.Traces.
type traces struct{ t *Tx }

var _ store.Traces = traces{}

// touched collects the rows to check after an erasure has deleted its own.
type touched struct {
	hashes  map[kb.Hash]bool
	writes  map[int64]bool
	batches map[int64]bool
	paths   map[string]bool
}

// Erase implements store.Traces.
func (r traces) Erase(ctx context.Context, e store.Erasure, gone func(store.ErasedBytes) error) (out store.Erased, err error) {
	at := touched{hashes: map[kb.Hash]bool{}, writes: map[int64]bool{}, batches: map[int64]bool{}}
	for _, d := range e.Documents {
		at.paths = map[string]bool{}
		if err := r.document(ctx, d, &at, &out); err != nil {
			return out, err
		}
	}
	if err := r.texts(ctx, e.Versions, &at, &out); err != nil {
		return out, err
	}
	for _, row := range e.Gaps {
		n, err := r.t.change(ctx, "DELETE FROM gaps WHERE row = ?", row)
		if err != nil {
			return out, err
		}
		out.Gaps += int(n)
	}
	if err := chunks(e.Titles, nil, func(list string, args []any) error {
		return r.t.exec(ctx, "UPDATE versions SET title = '' WHERE seq IN ("+list+")", args...)
	}); err != nil {
		return out, err
	}
	for _, hash := range e.Items {
		where, args := "i.hash = ?", []any{hash[:]}
		if len(e.ItemSpaces) > 0 {
			where += " AND b.space IN (?" + strings.Repeat(", ?", len(e.ItemSpaces)-1) + ")"
			for _, s := range e.ItemSpaces {
				args = append(args, s)
			}
		}
		if err := r.items(ctx, where, args, &at, &out); err != nil {
			return out, err
		}
	}
	for _, d := range e.Dismissals {
		for _, table := range []string{"dismissals", "forgotten_dismissals"} {
			if err := r.t.exec(ctx, "DELETE FROM "+table+" WHERE space = ? AND id = ?", d.Space, d.ID); err != nil {
				return out, err
			}
		}
	}
	for _, write := range e.Messages {
		if err := r.t.exec(ctx, "UPDATE writes SET message = '' WHERE id = ?", write); err != nil {
			return out, err
		}
	}
	if err := r.writes(ctx, &at, &out); err != nil {
		return out, err
	}
	if err := r.batches(ctx, &at); err != nil {
		return out, err
	}
	err = r.bytes(ctx, &at, &out, gone)
	return out, err
}

// document deletes the rows about a document.
func (r traces) document(ctx context.Context, d store.DocumentKey, at *touched, out *store.Erased) error {
	id := string(d.ID)
	for _, table := range []string{"versions", "forgotten_versions"} {
		if err := r.t.query(ctx, "SELECT write, hash, side_hash, path FROM "+table+" WHERE page = ? AND space = ?", []any{id, d.Space}, func(row Row) error {
			at.writes[row.Int(0)] = true
			at.noteBytes(row.Hash(1), row.Hash(2))
			at.paths[row.Text(3)] = true
			return nil
		}); err != nil {
			return err
		}
		n, err := r.t.change(ctx, "DELETE FROM "+table+" WHERE page = ? AND space = ?", id, d.Space)
		if err != nil {
			return err
		}
		out.Versions += int(n)
	}
	if err := r.t.exec(ctx, "DELETE FROM forgotten_documents WHERE id = ? AND space = ?", id, d.Space); err != nil {
		return err
	}
	for path := range at.paths {
		if err := r.t.exec(ctx, "DELETE FROM failures WHERE space = ? AND path = ?", d.Space, path); err != nil {
			return err
		}
	}
	for _, page := range append([]kb.ID{d.ID}, d.Nodes...) {
		for _, table := range []string{"gaps", "forgotten_gaps"} {
			n, err := r.t.change(ctx, "DELETE FROM "+table+" WHERE page = ? AND page_space = ? OR candidate = ? AND candidate_space = ?",
				string(page), d.Space, string(page), d.Space)
			if err != nil {
				return err
			}
			out.Gaps += int(n)
		}
		for _, table := range []string{"uses", "forgotten_uses"} {
			if err := r.t.exec(ctx, "DELETE FROM "+table+" WHERE space = ? AND page = ?", d.Space, string(page)); err != nil {
				return err
			}
		}
		if err := r.items(ctx, "i.page = ? AND b.space = ?", []any{string(page), d.Space}, at, out); err != nil {
			return err
		}
	}
	return nil
}

func (at *touched) noteBytes(hashes ...kb.Hash) {
	for _, h := range hashes {
		if !h.IsZero() {
			at.hashes[h] = true
		}
	}
}

// texts deletes the bytes of versions. The versions stay.
func (r traces) texts(ctx context.Context, seqs []int64, at *touched, out *store.Erased) error {
	return chunks(seqs, nil, func(list string, args []any) error {
		if err := r.t.query(ctx, "SELECT hash, side_hash, write FROM versions WHERE seq IN ("+list+")", args, func(row Row) error {
			at.noteBytes(row.Hash(0), row.Hash(1))
			out.Writes = append(out.Writes, row.Int(2))
			return nil
		}); err != nil {
			return err
		}
		return r.t.exec(ctx, "UPDATE versions SET pruned = 1 WHERE hash IS NOT NULL AND seq IN ("+list+")", args...)
	})
}

// items deletes items of batches i that meet a condition.
func (r traces) items(ctx context.Context, where string, args []any, at *touched, out *store.Erased) error {
	type item struct {
		batch int64
		path  string
	}
	var found []item
	if err := r.t.query(ctx, "SELECT i.batch, i.path, i.hash FROM batch_items i JOIN batches b ON b.row = i.batch WHERE "+where, args, func(row Row) error {
		found = append(found, item{row.Int(0), row.Text(1)})
		at.noteBytes(row.Hash(2))
		return nil
	}); err != nil {
		return err
	}
	for _, it := range found {
		at.batches[it.batch] = true
		out.Items++
		if err := r.t.exec(ctx, "DELETE FROM batch_items WHERE batch = ? AND path = ?", it.batch, it.path); err != nil {
			return err
		}
	}
	var kept []item // of forgotten spaces: their batches have only an id
	var batches []string
	var spaces []int64
	where = strings.ReplaceAll(where, "b.space", "i.space")
	if err := r.t.query(ctx, "SELECT i.space, i.batch, i.path, i.hash FROM forgotten_batch_items i WHERE "+where, args, func(row Row) error {
		spaces, batches = append(spaces, row.Int(0)), append(batches, row.Text(1))
		kept = append(kept, item{path: row.Text(2)})
		at.noteBytes(row.Hash(3))
		return nil
	}); err != nil {
		return err
	}
	for i, it := range kept {
		out.Items++
		if err := r.t.exec(ctx, "DELETE FROM forgotten_batch_items WHERE space = ? AND batch = ? AND path = ?", spaces[i], batches[i], it.path); err != nil {
			return err
		}
	}
	return nil
}

// writes deletes writes without versions, and removes the messages of those with other
// versions.
func (r traces) writes(ctx context.Context, at *touched, out *store.Erased) error {
	for write := range at.writes {
		out.Writes = append(out.Writes, write)
		for _, sql := range []string{
			"DELETE FROM writes WHERE id = ? AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.seq BETWEEN writes.first AND writes.last)",
			"UPDATE writes SET message = '' WHERE id = ?",
			"DELETE FROM forgotten_writes WHERE id = ? AND NOT EXISTS (SELECT 1 FROM forgotten_versions v WHERE v.space = forgotten_writes.space AND v.write = forgotten_writes.id)",
			"UPDATE forgotten_writes SET message = '' WHERE id = ?",
		} {
			if err := r.t.exec(ctx, sql, write); err != nil {
				return err
			}
		}
	}
	return nil
}

// batches deletes those without items.
func (r traces) batches(ctx context.Context, at *touched) error {
	for batch := range at.batches {
		if err := r.t.exec(ctx, "UPDATE batches SET items = (SELECT count(*) FROM batch_items i WHERE i.batch = batches.row) WHERE row = ?", batch); err != nil {
			return err
		}
		if err := r.t.exec(ctx, "DELETE FROM batches WHERE row = ? AND items = 0", batch); err != nil {
			return err
		}
	}
	return r.t.exec(ctx, `DELETE FROM forgotten_batches WHERE items > 0
AND NOT EXISTS (SELECT 1 FROM forgotten_batch_items i WHERE i.space = forgotten_batches.space AND i.batch = forgotten_batches.id)`)
}

// bytes deletes the texts that are no longer needed.
func (r traces) bytes(ctx context.Context, at *touched, out *store.Erased, gone func(store.ErasedBytes) error) error {
	all := make([]kb.Hash, 0, len(at.hashes))
	for h := range at.hashes {
		all = append(all, h)
	}
	h := history{r.t}
	if err := h.needless(ctx, at.hashes); err != nil {
		return err
	}
	for _, hash := range all {
		if !at.hashes[hash] {
			out.Kept = append(out.Kept, hash)
			continue
		}
		var stored []byte
		var size int64
		codec := codecRaw
		found, err := r.t.one(ctx, ReadBlob, []any{hash[:]}, func(row Row) { stored, size, codec = row.Blob(0), row.Int(1), row.Num(2) })
		if err != nil || !found {
			if err != nil {
				return err
			}
			continue // pruned before
		}
		b, err := unpack(stored, size, codec)
		if err != nil {
			b = nil // damaged: it is deleted all the same
		}
		out.Texts++
		if err := gone(store.ErasedBytes{Hash: hash, Bytes: b, Stored: stored}); err != nil {
			return err
		}
		if err := r.t.exec(ctx, "DELETE FROM blobs WHERE hash = ?", hash[:]); err != nil {
			return err
		}
	}
	return nil
}

// Values implements store.Traces.
func (r traces) Values(ctx context.Context, f func(table string, value []byte) error) error {
	for _, tab := range append(tables[:len(tables):len(tables)], table{name: "journal", columns: "id record"}) {
		if err := r.t.query(ctx, "SELECT "+strings.Join(strings.Fields(tab.columns), ", ")+" FROM "+tab.name, nil, func(row Row) error {
			if tab.name == "blobs" {
				b, err := unpack(row.Blob(4), row.Int(2), row.Num(3))
				if err != nil {
					return nil // db validate reports it
				}
				if row.Num(3) != codecRaw {
					if err := f(tab.name, row.Blob(4)); err != nil {
						return err
					}
				}
				return f(tab.name, b)
			}
			for _, v := range row {
				var err error
				switch v := v.(type) {
				case string:
					err = f(tab.name, []byte(v))
				case []byte:
					err = f(tab.name, v)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
