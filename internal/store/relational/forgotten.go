package relational

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

const (
	keptDocument = "path, id, declared, format, hash, size, mod_time_ns, indexed, version, path_fold, recorded, file_sum, side_hash, side_size, side_mod_time_ns"
	keptWrite    = "id, time, kind, name, operation, message, undoes, first, last"
	keptVersion  = "seq, write, page, version, change, path, title, hash, size, mod_time_ns, pruned, side_hash, side_size"
	keptGap      = `hash, context, score, count, first, last, kind, name, sensitivity, question, redacted, approver, approved,
approved_kind, approved_name, resolved, page, resolved_kind, resolved_name, confidence, candidate`
	keptClaim = "id, note, time, kind, name"
	keptBatch = "id, kind, source, plan, created, items"
)

// keeping are the statements that copy a space to the tables of forgotten spaces, in the
// order of references. Each takes the space's row; the first one also takes the time.
var keeping = []string{
	`INSERT INTO forgotten_spaces (row, id, name, kind, root, origin, policy, accepted, created, host, time)
SELECT row, id, name, kind, root, origin, policy, accepted, created, host, ?2 FROM spaces WHERE row = ?1`,
	"INSERT INTO forgotten_mappings (space, glob) SELECT space, glob FROM mappings WHERE space = ?",
	"INSERT INTO forgotten_documents (space, " + keptDocument + ") SELECT space, " + keptDocument + " FROM documents WHERE space = ?",
	"INSERT INTO forgotten_writes (space, " + keptWrite + ") SELECT ?1, " + keptWrite + " FROM writes WHERE id IN (SELECT write FROM versions WHERE space = ?1)",
	"INSERT INTO forgotten_versions (space, " + keptVersion + ") SELECT space, " + keptVersion + " FROM versions WHERE space = ?",
	"INSERT INTO forgotten_gaps (space, row, page_space, candidate_space, " + keptGap + ") SELECT space, row, page_space, candidate_space, " + keptGap + " FROM gaps WHERE space = ?",
	"INSERT INTO forgotten_dismissals (space, " + keptClaim + ") SELECT space, " + keptClaim + " FROM dismissals WHERE space = ?",
	"INSERT INTO forgotten_uses (space, page, day) SELECT space, page, day FROM uses WHERE space = ?",
	"INSERT INTO forgotten_batches (space, " + keptBatch + ") SELECT space, " + keptBatch + " FROM batches WHERE space = ?",
	`INSERT INTO forgotten_batch_items (space, batch, path, page, hash)
SELECT b.space, b.id, i.path, i.page, i.hash FROM batch_items i JOIN batches b ON b.row = i.batch WHERE b.space = ?`,
}

// returning are the statements that copy it back. Documents without bytes are left out,
// since nothing can be derived from them. A write to several spaces may exist already.
var returning = []string{
	"INSERT INTO mappings (glob, space) SELECT glob, space FROM forgotten_mappings WHERE space = ? ON CONFLICT DO NOTHING",
	"INSERT INTO documents (space, " + keptDocument + ") SELECT space, " + keptDocument + ` FROM forgotten_documents WHERE space = ?
AND hash IN (SELECT hash FROM blobs) AND (side_hash IS NULL OR side_hash IN (SELECT hash FROM blobs))`,
	"INSERT INTO writes (" + keptWrite + ") SELECT " + keptWrite + " FROM forgotten_writes WHERE space = ? ON CONFLICT DO NOTHING",
	"INSERT INTO versions (space, " + keptVersion + ") SELECT space, " + keptVersion + " FROM forgotten_versions WHERE space = ?",
	"INSERT INTO gaps (space, row, page_space, candidate_space, " + keptGap + `)
SELECT space, row, (SELECT s.row FROM spaces s WHERE s.row = page_space), (SELECT s.row FROM spaces s WHERE s.row = candidate_space), ` + keptGap + " FROM forgotten_gaps WHERE space = ?",
	"INSERT INTO dismissals (space, " + keptClaim + ") SELECT space, " + keptClaim + " FROM forgotten_dismissals WHERE space = ?",
	"INSERT INTO uses (space, page, day) SELECT space, page, day FROM forgotten_uses WHERE space = ?",
	"INSERT INTO batches (space, " + keptBatch + ") SELECT space, " + keptBatch + " FROM forgotten_batches WHERE space = ?",
	`INSERT INTO batch_items (batch, path, page, hash)
SELECT b.row, i.path, i.page, i.hash FROM forgotten_batch_items i JOIN batches b ON b.id = i.batch WHERE i.space = ?`,
	"DELETE FROM forgotten_spaces WHERE row = ?",
}

func (s spaces) Forget(ctx context.Context, row int64, at time.Time) error {
	for i, sql := range keeping {
		args := []any{row}
		if i == 0 {
			args = append(args, at.UnixMicro())
		}
		if err := s.t.exec(ctx, sql, args...); err != nil {
			return err
		}
	}
	return s.drop(ctx, row)
}

func (s spaces) Forgotten(ctx context.Context) ([]kb.Space, error) {
	var out []kb.Space
	err := s.t.query(ctx, "SELECT "+spaceColumns+", time FROM forgotten_spaces ORDER BY time DESC, row DESC", nil, func(r Row) error {
		sp := r.space()
		sp.Forgotten = r.Time(spaceWidth)
		s.place(&sp)
		out = append(out, sp)
		return nil
	})
	return out, err
}

func (s spaces) ForgottenStates(ctx context.Context, space int64) ([]store.FileState, error) {
	var out []store.FileState
	err := s.t.query(ctx, "SELECT 0, id, path, hash, size, mod_time_ns, indexed, declared, "+sideColumns+" FROM forgotten_documents WHERE space = ? ORDER BY path",
		[]any{space}, func(r Row) error {
			out = append(out, r.state())
			return nil
		})
	return out, err
}

func (s spaces) Return(ctx context.Context, sp kb.Space) error {
	if err := s.free(ctx, sp); err != nil {
		return err
	}
	s.settle(&sp)
	n, err := s.t.change(ctx, `INSERT INTO spaces (row, id, name, kind, root, origin, policy, accepted, host, created, derivation)
SELECT row, id, ?, kind, ?, ?, ?, ?, ?, created, -1 FROM forgotten_spaces WHERE row = ?`,
		sp.Name, orNull(sp.Root+sp.There), orNull(string(sp.Origin)), blobOrNull(sp.Policy), blobOrNull(sp.Accepted), sp.Host, sp.Row)
	if err != nil {
		return err
	}
	if n == 0 {
		return kb.Errorf(kb.NotFound, "no such forgotten space")
	}
	for _, sql := range returning {
		if err := s.t.exec(ctx, sql, sp.Row); err != nil {
			return err
		}
	}
	return nil
}
