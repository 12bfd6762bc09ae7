package postgres

import (
	"context"
	"embed"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

//go:embed migrations/*.sql
var embedded embed.FS

// schemaState holds the migrations of the schema of a memory, none without a schema.
type schemaState struct {
	version  int
	readable bool           // by this program, though it is newer
	applied  map[int]string // checksum by number
}

// state reads the schema of the memory.
func (d *DB) state(ctx context.Context, c *conn) (schemaState, error) {
	s := schemaState{applied: map[int]string{}}
	there := false
	err := c.Query(ctx, "SELECT to_regclass(?) IS NOT NULL, current_setting('server_version_num')::bigint, current_setting('server_version'), current_setting('server_encoding'), "+behindSQL,
		[]any{d.where.schema() + ".migrations"}, func(r row) error {
			there = r.Int(0) == 1
			d.standby.set(r[4], r[5])
			return d.tooOld(r.Int(1), r.Text(2), r.Text(3))
		})
	if err != nil || !there {
		return s, err
	}
	err = c.Query(ctx, "SELECT number, checksum FROM "+d.where.schema()+".migrations", nil, func(r row) error {
		s.applied[r.Num(0)] = r.Text(1)
		s.version = max(s.version, r.Num(0))
		return nil
	})
	if err != nil || d.schema == 0 || s.version <= d.schema {
		return s, err
	}
	err = c.Query(ctx, "SELECT readable FROM "+d.where.schema()+".meta", nil, func(r row) error {
		s.readable = r.Num(0) <= d.schema
		return nil
	})
	return s, err
}

// check reports whether the memory can be used with these migrations, and which are missing.
func (d *DB) check(s schemaState, all []relational.Migration) (missing []relational.Migration, err error) {
	if s.version > len(all) && s.readable {
		return nil, nil
	}
	if newest := len(all); s.version > newest {
		return nil, kb.Errorf(kb.Damaged, "the memory at %s has schema %d, and this cairn knows schemas up to %d; it was not touched", d.where.shown, s.version, newest).
			WithReason(kb.NewerSchema).With("schema", s.version).With("supported", newest)
	}
	for _, m := range all[:s.version] {
		if s.applied[m.Number] != m.Checksum {
			return nil, kb.Errorf(kb.Damaged, "the memory at %s was made with another text of migration %04d_%s; it was not touched", d.where.shown, m.Number, m.Name).
				WithHint("use the cairn that made it, or restore a backup")
		}
	}
	return all[s.version:], nil
}

// prepare brings the schema up to date, and makes it unless it must exist.
func (d *DB) prepare(ctx context.Context, mustExist bool) error {
	all, err := relational.ReadMigrations(embedded)
	if err != nil {
		return kb.Errorf(kb.Internal, "embedded migrations: %w", err)
	}
	d.schema = len(all)
	return d.with(ctx, func(c *conn) error {
		state, err := d.state(ctx, c)
		if err != nil {
			return err
		}
		missing, err := d.check(state, all)
		d.newer = state.version > len(all)
		if err != nil || len(missing) == 0 {
			return err
		}
		if state.version == 0 && mustExist {
			return kb.Errorf(kb.Damaged, "no memory at %s", d.where.shown).WithReason(kb.NoDatabase)
		}
		return d.migrate(ctx, c, all)
	})
}

// migrate applies the missing migrations in one transaction, as a writer: in another order it
// and one would wait for each other. Other processes that open the same memory wait for it and
// then have nothing to do.
func (d *DB) migrate(ctx context.Context, c *conn, all []relational.Migration) (err error) {
	wait := store.Patience(ctx, d.busyFor)
	if _, err := c.simple(ctx, begin+noticed+lockSQL(d.key("write"), wait)+bounded(wait)+
		"SET LOCAL client_min_messages = warning; CREATE SCHEMA IF NOT EXISTS "+d.where.schema()+"; SET LOCAL search_path = "+d.where.schema()); err != nil {
		return d.undo(ctx, c, err)
	}
	state, err := d.state(ctx, c) // another process may have been faster
	if err != nil {
		return d.undo(ctx, c, err)
	}
	missing, err := d.check(state, all)
	if err != nil {
		return d.undo(ctx, c, err)
	}
	for _, m := range missing {
		if _, err := c.simple(ctx, m.SQL); err != nil {
			return d.undo(ctx, c, kb.Errorf(kb.Internal, "migration %04d_%s: %w", m.Number, m.Name, err))
		}
		if err := c.Exec(ctx, "INSERT INTO migrations VALUES (?, ?, ?, ?)", m.Number, m.Name, m.Checksum, d.clock().UnixMicro()); err != nil {
			return d.undo(ctx, c, err)
		}
	}
	// Answers that other processes remember hold no longer.
	if _, err := c.Change(ctx, "UPDATE meta SET schema = ?, changes = changes + 1, rare = changes + 1", len(all)); err != nil {
		return d.undo(ctx, c, err)
	}
	if err := c.Exec(ctx, "INSERT INTO commits AS c (number, mark) SELECT changes, ?::bigint FROM meta ON CONFLICT (number) DO UPDATE SET mark = excluded.mark", token()); err != nil {
		return d.undo(ctx, c, err)
	}
	if err := c.flush(ctx); err != nil {
		return d.undo(ctx, c, err)
	}
	if _, err := c.simple(ctx, "COMMIT"); err != nil {
		return d.undo(ctx, c, err)
	}
	return nil
}
