package relational

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type spaces struct{ t *Tx }

func (s spaces) Add(ctx context.Context, sp *kb.Space) error {
	if err := s.free(ctx, *sp); err != nil {
		return err
	}
	s.settle(sp)
	row, err := s.t.insert(ctx, "spaces", nil, `INSERT INTO spaces (row, id, name, kind, root, origin, policy, created, synced, derivation, syntax, filing, accepted, host)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(sp.ID), sp.Name, string(sp.Kind), orNull(sp.Root), orNull(string(sp.Origin)), blobOrNull(sp.Policy), micros(sp.Created), micros(sp.Synced), sp.Derivation, string(sp.Syntax), string(sp.Filing), blobOrNull(sp.Accepted), sp.Host)
	if err != nil {
		return err
	}
	sp.Row = row
	return nil
}

func (s spaces) Update(ctx context.Context, sp kb.Space) error {
	if err := s.free(ctx, sp); err != nil {
		return err
	}
	s.settle(&sp)
	n, err := s.t.change(ctx, "UPDATE spaces SET name = ?, root = ?, origin = ?, policy = ?, synced = ?, derivation = ?, syntax = ?, filing = ?, accepted = ?, host = ? WHERE row = ?",
		sp.Name, orNull(sp.Root+sp.There), orNull(string(sp.Origin)), blobOrNull(sp.Policy), micros(sp.Synced), sp.Derivation, string(sp.Syntax), string(sp.Filing), blobOrNull(sp.Accepted), sp.Host, sp.Row)
	if err == nil && n == 0 {
		return kb.Errorf(kb.NotFound, "no such space")
	}
	return err
}

// settle sets the host of a directory without one to this machine, if several machines may
// have the memory open. Otherwise it removes this machine as the host, which is then
// implied.
func (s spaces) settle(sp *kb.Space) {
	switch {
	case sp.Root == "":
	case s.t.d.Far && sp.Host == "":
		sp.Host = s.t.host
	case !s.t.d.Far && sp.Host == s.t.host:
		sp.Host = ""
	}
}

// place turns a space that was read into a RemoteSpace if its directory is on another
// machine.
func (s spaces) place(sp *kb.Space) {
	if sp.Kind == kb.DirectorySpace && sp.Host != "" && sp.Host != s.t.host {
		sp.Kind, sp.Root, sp.There = kb.RemoteSpace, "", sp.Root
	}
}

// free fails if another space has a value that must be unique. It is called before the
// write, since in some databases a failed statement ends the transaction.
func (s spaces) free(ctx context.Context, sp kb.Space) error {
	all, err := s.All(ctx)
	if err != nil {
		return err
	}
	for _, other := range all {
		switch {
		case other.Row == sp.Row:
		case other.Name == sp.Name:
			return kb.Errorf(kb.Conflict, "a space named %q exists already", sp.Name)
		case other.Root == sp.Root && sp.Root != "":
			return kb.Errorf(kb.Conflict, "%s belongs to space %q already", sp.Root, other.Name).With("space", other.Name)
		case other.There == sp.There && other.Host == sp.Host && sp.There != "":
			return kb.Errorf(kb.Conflict, "%s on the host %s belongs to space %q already", sp.There, sp.Host, other.Name).With("space", other.Name)
		case other.ID == sp.ID:
			return kb.Errorf(kb.Conflict, "space %q has this id already", other.Name).With("space", other.Name)
		}
	}
	return nil
}

// removals delete the contents of a space, in an order that leaves no dangling references.
// Each takes the space's row.
var removals = []string{
	"UPDATE links SET target = NULL, candidates = 0 WHERE target IN (SELECT row FROM pages WHERE space = ?)",
	factsOf("links"), factsOf("observations"), factsOf("entries"), factsOf("warnings"), factsOf("properties"), factsOf("items"), factsOf("endings"), factsOf("assertions"),
	"DELETE FROM names WHERE page IN (SELECT row FROM pages WHERE space = ?)",
	"DELETE FROM tags WHERE page IN (SELECT row FROM pages WHERE space = ?)",
	"DELETE FROM pages WHERE space = ?",
	"DELETE FROM page_counts WHERE space = ?",
	"DELETE FROM documents WHERE space = ?",
	`DELETE FROM writes WHERE id IN (SELECT write FROM versions WHERE space = ?1)
AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.seq BETWEEN first AND last AND v.space <> ?1)`,
	"DELETE FROM versions WHERE space = ?",
	"DELETE FROM failures WHERE space = ?",
	"DELETE FROM mappings WHERE space = ?",
	"DELETE FROM gaps WHERE space = ?",
	"DELETE FROM settings WHERE key = 'catalog ' || (SELECT id FROM spaces WHERE row = ?)",
}

// dropBytes deletes the blobs that only this space needs, forgotten or not.
const dropBytes = `DELETE FROM blobs WHERE hash IN (
  SELECT hash FROM version_bytes WHERE space = ?1
  EXCEPT SELECT hash FROM version_bytes WHERE space <> ?1)`

func factsOf(table string) string {
	return fmt.Sprintf("DELETE FROM %s WHERE row >> %d IN (SELECT row FROM pages WHERE space = ?)", table, factBits)
}

func (s spaces) Remove(ctx context.Context, row int64) error {
	if err := s.t.exec(ctx, dropBytes, row); err != nil {
		return err
	}
	n, err := s.t.change(ctx, "DELETE FROM forgotten_spaces WHERE row = ?", row)
	if err != nil || n > 0 {
		return err
	}
	return s.drop(ctx, row)
}

// drop deletes a space with its contents except the bytes.
func (s spaces) drop(ctx context.Context, row int64) error {
	gone, err := pages{s.t}.rows(ctx, "SELECT row FROM pages WHERE space = ?", []any{row})
	if err != nil {
		return err
	}
	if err := s.t.dropVectors(ctx, gone); err != nil {
		return err
	}
	for _, sql := range removals {
		if err := s.t.exec(ctx, sql, row); err != nil {
			return err
		}
	}
	n, err := s.t.change(ctx, "DELETE FROM spaces WHERE row = ?", row)
	if err == nil && n == 0 {
		return kb.Errorf(kb.NotFound, "no such space")
	}
	return err
}

func (s spaces) All(ctx context.Context) ([]kb.Space, error) {
	var out []kb.Space
	err := s.t.query(ctx, "SELECT "+spaceColumns+`, synced, derivation, syntax, filing
FROM spaces ORDER BY name`, nil, func(r Row) error {
		sp := r.space()
		sp.Synced, sp.Derivation, sp.Syntax, sp.Filing = r.Time(spaceWidth), r.Num(spaceWidth+1), kb.Syntax(r.Text(spaceWidth+2)), kb.Filing(r.Text(spaceWidth+3))
		s.place(&sp)
		out = append(out, sp)
		return nil
	})
	return out, err
}

// spaceColumns are the columns that a forgotten space has as well.
const (
	spaceColumns = "row, id, name, kind, root, origin, policy, policy IS NOT NULL, accepted, created, host"
	spaceWidth   = 11
)

// space reads spaceColumns.
func (r Row) space() kb.Space {
	sp := kb.Space{
		Row: r.Int(0), ID: kb.ID(r.Text(1)), Name: r.Text(2), Kind: kb.SpaceKind(r.Text(3)), Root: r.Text(4), Origin: kb.ID(r.Text(5)),
		Policy: r.Blob(6), Accepted: r.Blob(8), Created: r.Time(9), Host: r.Text(10),
	}
	if r.Int(7) == 1 && sp.Policy == nil {
		sp.Policy = []byte{} // the driver reads an empty blob as nil
	}
	return sp
}

func (s spaces) Map(ctx context.Context, glob string, space int64) error {
	found, err := s.t.one(ctx, "SELECT 1 FROM spaces WHERE row = ?", []any{space}, func(Row) {})
	if err != nil {
		return err
	}
	if !found {
		return kb.Errorf(kb.NotFound, "no such space")
	}
	err = s.t.exec(ctx, "INSERT INTO mappings (glob, space) VALUES (?, ?) ON CONFLICT (glob) DO UPDATE SET space = excluded.space", glob, space)
	return err
}

func (s spaces) Unmap(ctx context.Context, glob string) error {
	n, err := s.t.change(ctx, "DELETE FROM mappings WHERE glob = ?", glob)
	if err == nil && n == 0 {
		return kb.Errorf(kb.NotFound, "no directory pattern %q is mapped", glob)
	}
	return err
}

func (s spaces) Maps(ctx context.Context) ([]store.Mapping, error) {
	var out []store.Mapping
	err := s.t.query(ctx, "SELECT glob, space FROM mappings ORDER BY glob", nil, func(r Row) error {
		out = append(out, store.Mapping{Glob: r.Text(0), Space: r.Int(1)})
		return nil
	})
	return out, err
}
