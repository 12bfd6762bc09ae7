package postgres

import (
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"testing"

	"github.com/cairn-kb/cairn/internal/store/relational"
)

// A server that crashed may have given the numbers of lost commits to others.
func TestAnswersOfLostCommitsAreForgotten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		next snapshot
		kept bool
	}{
		"nothing changed":                       {snapshot{changes: 5, mark: 50, asked: commit{50, 5}, earlier: 50}, true},
		"later changes":                         {snapshot{changes: 7, mark: 70, asked: commit{50, 5}, earlier: 50}, true},
		"an older view":                         {snapshot{changes: 4, mark: 40}, true},
		"the number is another commit's":        {snapshot{changes: 5, mark: 51, asked: commit{50, 5}, earlier: 51}, false},
		"later changes after another commit":    {snapshot{changes: 7, mark: 70, asked: commit{50, 5}, earlier: 51}, false},
		"the commit is lost, and none followed": {snapshot{changes: 4, mark: 40, asked: commit{50, 5}}, false},
	} {
		var d DB
		conn := &conn{d: &d, now: snapshot{changes: 5, mark: 50, rare: 3}}
		d.answers.seen(conn.now)
		q := conn.question("SELECT value FROM settings WHERE key = $1", []any{"k"})
		conn.remember(q, []relational.Row{{"v"}})
		d.answers.seen(c.next)
		conn.now = snapshot{changes: 9, rare: 3}
		if _, known, err := conn.remembered(t.Context(), q); err != nil || known != c.kept {
			t.Errorf("%s: kept %v, %v", name, known, err)
		}
	}
}

// An answer holds for as long as its tables do.
func TestLifetimes(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]lifetime{
		"SELECT row, id FROM spaces ORDER BY name":                                           untilRare,
		"SELECT s.name FROM spaces s, documents d WHERE d.space = s.row":                     untilChange,
		"SELECT value FROM settings WHERE key = $1":                                          untilRare,
		"SELECT bytes FROM lexical_pages WHERE row >= $1 AND row < $2 ORDER BY row":          forever,
		"SELECT bytes, size, codec FROM blobs WHERE hash = $1":                               untilPruned,
		"SELECT hash FROM blobs WHERE hash IN ($1)":                                          untilChange,
		"SELECT row FROM models WHERE EXISTS (SELECT 1 FROM embedded e WHERE e.model = row)": untilChange,
		"SELECT count(*) FROM pages p JOIN spaces s ON s.row = p.space":                      untilChange,
		"SELECT bundle FROM meta":                                                            untilChange,
	} {
		if got := readingOf(sql).holds; got != want {
			t.Errorf("%s: %d, want %d", sql, got, want)
		}
	}
	for sql, rare := range map[string]bool{
		"INSERT INTO spaces (row) VALUES ($1)":         true,
		"UPDATE settings SET value = $1":               true,
		"DELETE FROM blobs WHERE hash = $1":            true,
		"INSERT INTO blobs (hash) VALUES ($1)":         false,
		"INSERT OR FAIL INTO links (row) VALUES ($1)":  false,
		"SELECT setval('x', 1)":                        false,
		"WITH gone AS (SELECT 1) DELETE FROM settings": true,
	} {
		var c conn
		if c.changes(sql, nil); c.rare != rare {
			t.Errorf("%s: rare is %v", sql, c.rare)
		}
	}
}

// A setting that is set with writes of pages leaves the answers for all others.
func TestSettingsSetWithWrites(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), opened(t, pgtest.URL(t))
	get := func(key string) (value string) {
		if err := d.View(ctx, func(tx store.Tx) (err error) { value, err = tx.Settings().Get(ctx, key); return err }); err != nil {
			t.Error(err)
		}
		return value
	}
	all := func() (n int) {
		if err := d.View(ctx, func(tx store.Tx) error { m, err := tx.Settings().All(ctx); n = len(m); return err }); err != nil {
			t.Error(err)
		}
		return n
	}
	rare := func() (n int64) {
		if err := d.View(ctx, func(tx store.Tx) error { _, err := tx.Settings().Get(ctx, "none"); return err }); err != nil {
			t.Error(err)
		}
		if err := d.with(ctx, func(c *conn) error {
			return c.Query(ctx, "SELECT rare FROM "+d.where.schema()+".meta", nil, func(r row) error { n = r.Int(0); return nil })
		}); err != nil {
			t.Error(err)
		}
		return n
	}
	if err := setSetting(ctx, d, "v"); err != nil {
		t.Fatal(err)
	}
	before := rare()
	for i, want := range []string{"1", "2", ""} {
		if err := d.Update(ctx, func(tx store.Tx) error {
			if err := tx.Settings().Set(ctx, store.WrittenSetting+"x", want); err != nil {
				return err
			}
			if got, err := tx.Settings().Get(ctx, store.WrittenSetting+"x"); err != nil || got != want {
				t.Errorf("read %q, %v in the transaction that wrote", got, err)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got := get(store.WrittenSetting + "x"); got != want {
			t.Errorf("%d: read %q", i, got)
		}
		if n := all(); n != 1+min(len(want), 1) {
			t.Errorf("%d: there are %d settings", i, n)
		}
	}
	if after := rare(); after != before {
		t.Error("answers for other settings are outdated")
	}
	if err := setSetting(ctx, d, "w"); err != nil || get("k") != "w" || rare() == before {
		t.Errorf("%v, k is %q", err, get("k"))
	}
}
