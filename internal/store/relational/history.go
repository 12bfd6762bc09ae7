package relational

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type history struct{ t *Tx }

func (h history) Record(ctx context.Context, w *kb.Write, versions []*store.NewVersion) error {
	known, err := h.known(ctx, versions)
	if err != nil {
		return err
	}
	if w.ID == 0 {
		id, err := h.t.insert(ctx, "writes", nil, `INSERT INTO writes (id, time, kind, name, operation, message, undoes, first, last)
VALUES (?, ?, ?, ?, ?, ?, ?, 1, 0)`, w.Time.UnixMicro(), string(w.Actor.Kind), w.Actor.Name, w.Operation, w.Message, w.Undoes)
		if err != nil {
			return err
		}
		w.ID = id
	}
	for _, v := range versions {
		if err := h.record(ctx, w.ID, v, known); err != nil {
			return err
		}
		v.Time, v.Actor = time.UnixMicro(w.Time.UnixMicro()).UTC(), w.Actor
	}
	if n := len(versions); n > 0 {
		if err := h.t.exec(ctx, "UPDATE writes SET first = CASE WHEN first > last THEN ? ELSE first END, last = ? WHERE id = ?", versions[0].Seq, versions[n-1].Seq, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// pageKey identifies a page of any space.
type pageKey struct {
	space int64
	page  kb.ID
}

// knowledge holds the data that Record needs before it inserts versions. It is read for all
// versions at once, which takes a fifth of the time of single queries.
type knowledge struct {
	newest    map[pageKey]int
	documents map[pageKey]kept
	hashes    map[kb.Hash]bool
}

// kept is a page's document with its version number.
type kept struct {
	row     int64
	version int
}

func (h history) known(ctx context.Context, versions []*store.NewVersion) (*knowledge, error) {
	k := &knowledge{newest: make(map[pageKey]int), documents: make(map[pageKey]kept), hashes: make(map[kb.Hash]bool)}
	pages := make(map[int64][]kb.ID)
	var hashes []string
	for _, v := range versions {
		pages[v.Space] = append(pages[v.Space], v.Page)
		if v.Bytes != nil {
			hashes = append(hashes, string(v.Hash[:]))
		}
		if v.SideBytes != nil {
			hashes = append(hashes, string(v.Side.Hash[:]))
		}
	}
	for space, ids := range pages {
		if err := chunks(ids, []any{space}, func(list string, args []any) error {
			return errors.Join(
				h.t.query(ctx, "SELECT page, max(version) FROM versions WHERE space = ? AND page IN ("+list+") GROUP BY page", args, func(r Row) error {
					k.newest[pageKey{space, kb.ID(r.Text(0))}] = r.Num(1)
					return nil
				}),
				h.t.query(ctx, `SELECT p.id, d.row, d.version FROM pages p JOIN documents d ON d.row = p.document
WHERE p.space = ? AND p.node = '' AND p.id IN (`+list+")", args, func(r Row) error {
					k.documents[pageKey{space, kb.ID(r.Text(0))}] = kept{row: r.Int(1), version: r.Num(2)}
					return nil
				}))
		}); err != nil {
			return nil, err
		}
	}
	err := chunks(hashes, nil, func(list string, args []any) error {
		for i, a := range args { // a BLOB does not equal a TEXT
			text, _ := a.(string)
			args[i] = []byte(text)
		}
		return h.t.query(ctx, "SELECT hash FROM blobs WHERE hash IN ("+list+")", args, func(r Row) error {
			k.hashes[r.Hash(0)] = true
			return nil
		})
	})
	return k, err
}

func (h history) record(ctx context.Context, write int64, v *store.NewVersion, known *knowledge) error {
	if err := h.keep(ctx, v.Hash, v.Bytes, known); err != nil {
		return err
	}
	if err := h.keep(ctx, v.Side.Hash, v.SideBytes, known); err != nil {
		return err
	}
	page := pageKey{v.Space, v.Page}
	next := known.newest[page] + 1
	side := sideValues(v.Side)
	seq, err := h.t.insert(ctx, "versions", nil, `INSERT INTO versions (seq, write, space, page, version, change, path, title, hash, size, mod_time_ns, side_hash, side_size)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, write, v.Space, string(v.Page), next, string(v.Change), v.Path, v.Title, hashOrNull(v.Hash), v.Size, nanos(v.ModTime), side[0], side[1])
	if err != nil {
		return err
	}
	known.newest[page] = next
	v.Seq, v.Write, v.Version.Version = seq, write, next
	if doc, ok := known.documents[page]; ok && doc.version != next {
		if err := h.t.exec(ctx, "UPDATE documents SET version = ? WHERE row = ?", next, doc.row); err != nil {
			return err
		}
		known.documents[page] = kept{row: doc.row, version: next}
	}
	return nil
}

// keep stores bytes that are not stored yet.
func (h history) keep(ctx context.Context, hash kb.Hash, bytes []byte, known *knowledge) error {
	if bytes == nil || hash.IsZero() || known.hashes[hash] {
		return nil
	}
	known.hashes[hash] = true
	return h.t.putBlob(ctx, hash, bytes)
}

const (
	versionColumns = `v.seq, v.write, v.space, v.page, v.version, v.change, v.path, v.title, v.hash, v.size, w.time, w.kind, w.name, v.mod_time_ns,
v.pruned = 1 AND NOT (EXISTS (SELECT 1 FROM blobs b WHERE b.hash = v.hash) AND (v.side_hash IS NULL OR EXISTS (SELECT 1 FROM blobs b WHERE b.hash = v.side_hash))),
v.side_hash, v.side_size`
	versionTables = " FROM versions v JOIN writes w ON w.id = v.write"
)

func scanVersion(r Row) kb.Version {
	return kb.Version{
		Seq: r.Int(0), Write: r.Int(1), Space: r.Int(2), Page: kb.ID(r.Text(3)), Version: r.Num(4), Change: kb.ChangeKind(r.Text(5)),
		Path: r.Text(6), Title: r.Text(7), Hash: r.Hash(8), Size: r.Int(9), Time: r.Time(10),
		Actor: kb.Actor{Kind: kb.ActorKind(r.Text(11)), Name: r.Text(12)}, ModTime: r.TimeNS(13), Pruned: r.Int(14) == 1,
		Side: kb.Sidecar{Hash: r.Hash(15), Size: r.Int(16)},
	}
}

// versionSQL returns the conditions on writes w and those on versions v.
func versionSQL(d *Dialect, f store.VersionFilter) (onWrite, onVersion []string, args []any) {
	var later []any // arguments of onVersion, which is the second condition
	write := func(cond string, arg any) { onWrite, args = append(onWrite, cond), append(args, arg) }
	version := func(cond string, arg any) { onVersion, later = append(onVersion, cond), append(later, arg) }
	if f.Write != 0 {
		write("w.id >= ?", f.Write)
		write("w.id <= ?", max(f.Write, f.Last))
	}
	if f.Undoing {
		write("w.undoes > ?", 0)
	}
	if f.Actor.Kind != "" {
		write("w.kind = ?", string(f.Actor.Kind))
	}
	if f.Actor.Name != "" {
		write("w.name = ?", f.Actor.Name)
	}
	if !f.Since.IsZero() {
		write("w.time >= ?", ceilMicros(f.Since))
	}
	if !f.Until.IsZero() {
		write("w.time < ?", ceilMicros(f.Until))
	}
	if len(f.Spaces) > 0 {
		var list []any
		onVersion = append(onVersion, "v.space IN ("+inList(d, &list, f.Spaces)+")")
		later = append(later, list...)
	}
	if len(f.Paths) > 0 {
		var list []any
		onVersion = append(onVersion, "v.path IN ("+inList(d, &list, f.Paths)+")")
		later = append(later, list...)
	}
	if f.Page != "" {
		version("v.page = ?", string(f.Page))
	}
	if f.After != 0 {
		version("v.seq > ?", f.After)
	}
	if f.Deleted {
		onVersion = append(onVersion, `v.change = 'deleted' AND NOT EXISTS
(SELECT 1 FROM versions n WHERE n.page = v.page AND n.space = v.space AND n.version > v.version)`)
	}
	return onWrite, onVersion, append(args, later...)
}

func (h history) Versions(ctx context.Context, f store.VersionFilter, limit, offset int) ([]kb.Version, int, error) {
	onWrite, onVersion, args := versionSQL(h.t.d, f)
	if f.Write != 0 {
		// The versions of a write are consecutive, and those of later writes follow; this is
		// the index by write. A write without versions has no last version. Writes does not
		// need the condition: SQLite would scan this range for each write.
		const in = " FROM writes WHERE id BETWEEN ? AND ? AND last > 0)"
		onVersion = append(onVersion, "v.seq BETWEEN (SELECT min(first)"+in+" AND (SELECT max(last)"+in)
		last := max(f.Write, f.Last)
		args = append(args, f.Write, last, f.Write, last)
	}
	tail := versionTables
	if all := append(onWrite, onVersion...); len(all) > 0 {
		tail += " WHERE " + strings.Join(all, " AND ")
	}
	total := 0
	if _, err := h.t.one(ctx, "SELECT count(*)"+tail, args, func(r Row) { total = r.Num(0) }); err != nil {
		return nil, 0, err
	}
	var out []kb.Version
	err := h.t.query(ctx, "SELECT "+versionColumns+tail+" ORDER BY v.seq DESC"+limitSQL(limit, offset), args, func(r Row) error {
		out = append(out, scanVersion(r))
		return nil
	})
	return out, total, err
}

func (h history) Version(ctx context.Context, space int64, page kb.ID, version int) (kb.Version, error) {
	if version == 0 {
		return h.find(ctx, " ORDER BY v.version DESC LIMIT 1", string(page), space)
	}
	return h.find(ctx, " AND v.version = ?", string(page), space, version)
}

func (h history) AsOf(ctx context.Context, space int64, page kb.ID, t time.Time) (kb.Version, error) {
	return h.find(ctx, " AND w.id <= ("+lastWrite+") ORDER BY v.version DESC LIMIT 1", string(page), space, t.UnixMicro())
}

// find returns the version of a page selected by tail.
func (h history) find(ctx context.Context, tail string, args ...any) (kb.Version, error) {
	var v kb.Version
	found, err := h.t.one(ctx, "SELECT "+versionColumns+versionTables+" WHERE v.page = ? AND v.space = ?"+tail, args,
		func(r Row) { v = scanVersion(r) })
	if err == nil && !found {
		return v, kb.Errorf(kb.NotFound, "the page has no such version")
	}
	return v, err
}

const writeColumns = "w.id, w.time, w.kind, w.name, w.operation, w.message, w.undoes"

func scanWrite(r Row) kb.Write {
	return kb.Write{
		ID: r.Int(0), Time: r.Time(1), Actor: kb.Actor{Kind: kb.ActorKind(r.Text(2)), Name: r.Text(3)},
		Operation: r.Text(4), Message: r.Text(5), Undoes: r.Int(6),
	}
}

func (h history) Writes(ctx context.Context, f store.VersionFilter, limit, offset int) ([]kb.Write, int, error) {
	onWrite, onVersion, args := versionSQL(h.t.d, f)
	if len(onVersion) > 0 || f.Write != 0 {
		onWrite = append(onWrite, "EXISTS (SELECT 1 FROM versions v WHERE "+
			strings.Join(append([]string{"v.seq BETWEEN w.first AND w.last"}, onVersion...), " AND ")+")")
	}
	tail := " FROM writes w"
	if len(onWrite) > 0 {
		tail += " WHERE " + strings.Join(onWrite, " AND ")
	}
	total := 0
	if _, err := h.t.one(ctx, "SELECT count(*)"+tail, args, func(r Row) { total = r.Num(0) }); err != nil {
		return nil, 0, err
	}
	var out []kb.Write
	err := h.t.query(ctx, "SELECT "+writeColumns+tail+" ORDER BY w.id DESC"+limitSQL(limit, offset), args, func(r Row) error {
		out = append(out, scanWrite(r))
		return nil
	})
	return out, total, err
}

func (h history) Write(ctx context.Context, id int64) (kb.Write, error) {
	sql, args := "SELECT "+writeColumns+" FROM writes w WHERE w.id = ?", []any{id}
	if id == 0 {
		sql, args = "SELECT "+writeColumns+" FROM writes w ORDER BY w.id DESC LIMIT 1", nil
	}
	var w kb.Write
	found, err := h.t.one(ctx, sql, args, func(r Row) { w = scanWrite(r) })
	if err == nil && !found {
		return w, kb.Errorf(kb.NotFound, "there is no such write")
	}
	return w, err
}
