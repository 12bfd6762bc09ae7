package sqlite

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

var update = flag.Bool("update", false, "make the memories of schemas that testdata lacks")

// fixture is a memory of an old schema, made when that schema was the newest
// and never made again: what a user has on disk.
func fixture(schema int) string {
	return filepath.Join("testdata", fmt.Sprintf("schema-%04d.db.gz", schema))
}

// TestEverySchemaMigrates opens a committed memory of every schema that there
// ever was. A new migration needs a fixture of its own, so that the next one
// is tested from there: run this test with -update and commit the file.
func TestEverySchemaMigrates(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	all, step := embeddedMigrations(t), slowtest.Step(4)
	for _, m := range all {
		if (len(all)-m.Number)%step != 0 {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			if _, err := os.Stat(fixture(m.Number)); errors.Is(err, os.ErrNotExist) && *update {
				makeFixture(t, all[:m.Number])
			}
			old := readFixture(t, m.Number)
			path := filepath.Join(t.TempDir(), "memory.db")
			if err := os.WriteFile(path, old, 0o600); err != nil {
				t.Fatal(err)
			}
			db := openAt(t, path, Options{MustExist: true})
			info, err := db.Info(t.Context())
			if err != nil || info.Schema != len(all) {
				t.Fatalf("schema %d, %v; want %d", info.Schema, err, len(all))
			}
			if err := db.Validate(t.Context()); err != nil {
				t.Errorf("%v", err)
			}
			fresh := open(t)
			fill(t, fresh, m.Number)
			if diff := cmp.Diff(contents(t, fresh), contents(t, db)); diff != "" {
				t.Errorf("contents differ (-want +got):\n%s", diff)
			}
			set(t, db, "k", "written after the migration")
			if m.Number == len(all) {
				return
			}
			kept := readSchemaOf(t, db.BackupPath(m.Number))
			if kept.version != m.Number || len(kept.applied) != m.Number {
				t.Errorf("the backup has schema %d, want %d", kept.version, m.Number)
			}
		})
	}
}

// A fixture holds the checksums of the migrations as they were, so this fails
// when one is edited after it was committed.
func TestFixturesCarryTheMigrationsAsTheyAre(t *testing.T) {
	t.Parallel()
	all := embeddedMigrations(t)
	for _, m := range all {
		path := filepath.Join(t.TempDir(), "memory.db")
		if err := os.WriteFile(path, readFixture(t, m.Number), 0o600); err != nil {
			t.Fatal(err)
		}
		s := readSchemaOf(t, path)
		for _, past := range all[:m.Number] {
			if s.applied[past.Number] != past.Checksum {
				t.Errorf("migration %04d_%s was changed after schema %d: undo that, and add another migration", past.Number, past.Name, m.Number)
			}
		}
	}
	if extra, err := os.ReadFile(fixture(len(all) + 1)); err == nil {
		t.Errorf("%d bytes of a schema that is not there any more", len(extra))
	}
}

func readSchemaOf(t *testing.T, path string) schemaState {
	t.Helper()
	c, err := connect(dsn(path, false, true, time.Second))
	if err != nil {
		t.Fatal(err)
	}
	s, err := readSchema(t.Context(), c)
	if err := errors.Join(err, c.close()); err != nil {
		t.Fatal(err)
	}
	return s
}

func readFixture(t *testing.T, schema int) []byte {
	t.Helper()
	packed, err := os.ReadFile(fixture(schema))
	if err != nil {
		t.Fatalf("schema %d has no fixture (run the test with -update, once): %v", schema, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func makeFixture(t *testing.T, migrations []migration) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := openWith(t, path, migrations)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, len(migrations))
	if err := db.Close(); err != nil { // folds the log into the file
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fixture(len(migrations)), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fill puts something into every table that a schema has. What it puts for a
// schema never changes: fixtures were made by it.
func fill(t *testing.T, db *DB, schema int) {
	t.Helper()
	ctx := t.Context()
	dir := kb.Space{ID: "3f2b8c1e-77f1-4f7e-9c39-5d2f3a1b0c4d", Name: "notes", Kind: kb.DirectorySpace, Root: "/home/ada/notes",
		Created: fixedClock(), Synced: fixedClock()}
	own := kb.Space{ID: "8d4c0a52-1d9e-4a7b-b0a4-2f6f6f1e9a10", Name: "memory", Kind: kb.DatabaseSpace, Policy: []byte("preset = 'memory'\n"), Created: fixedClock()}
	if err := db.Update(ctx, func(tx store.Tx) error {
		for _, s := range []*kb.Space{&dir, &own} {
			if err := tx.Spaces().Add(ctx, s); err != nil {
				return err
			}
		}
		if err := tx.Spaces().Map(ctx, "/home/ada/work/**", dir.Row); err != nil {
			return err
		}
		docs := vault(dir.Row, 6, 2)
		docs[1].Pages[0].Entries = []kb.Entry{{Date: "1843-08-01", Source: "letter", Text: "Notes on the engine", Detail: "more", Line: 9}}
		docs[1].Pages[0].Warnings = []store.Warning{{Code: "yaml", Text: "not closed", Line: 2}}
		docs = append(docs, vault(own.Row, 2, 0)...)
		for _, d := range docs {
			d.Recorded = fixedClock().Add(time.Hour) // by the second round of versions below
		}
		beside := []byte("{}\n")
		if schema >= 19 {
			docs[2].Side = kb.Sidecar{Hash: sum(beside), Size: int64(len(beside)), ModTime: fixedClock()}
		}
		if err := tx.Documents().Put(ctx, docs); err != nil {
			return err
		}
		link(docs[:6])
		if err := tx.Links().Put(ctx, docs); err != nil {
			return err
		}
		for round, op := range []string{"sync", "edit"} { // two versions of each document
			var versions []*store.NewVersion
			for _, d := range docs {
				body := []byte(strings.Repeat(fmt.Sprintf("%s of %s ", op, d.Path), 20))
				versions = append(versions, &store.NewVersion{Bytes: body, Version: kb.Version{
					Space: d.Space, Page: d.ID, Change: []kb.ChangeKind{kb.Created, kb.Changed}[round], Path: d.Path, Title: d.Pages[0].Page.Title, Hash: sum(body), Size: int64(len(body)),
				}})
			}
			if schema >= 19 && round == 1 {
				versions[2].Side, versions[2].SideBytes = docs[2].Side, beside
				versions[2].Side.ModTime = time.Time{} // not kept
			}
			w := &kb.Write{Time: fixedClock().Add(time.Duration(round) * time.Hour), Actor: kb.Actor{Kind: kb.Agent, Name: "ada"}, Operation: op, Message: "why"}
			if err := tx.History().Record(ctx, w, versions); err != nil {
				return err
			}
		}
		if _, err := tx.Journal().Append(ctx, []byte(`{"version":1}`)); err != nil {
			return err
		}
		if err := tx.Failures().Put(ctx, store.Failure{Space: dir.Row, Path: "bad.md", Reason: "cannot be read", Count: 2, Size: 7, ModTime: fixedClock(), Last: fixedClock()}); err != nil {
			return err
		}
		if err := tx.Settings().Set(ctx, "space.default", string(dir.ID)); err != nil {
			return err
		}
		if schema >= 2 {
			if err := fillText(ctx, tx, docs); err != nil {
				return err
			}
		}
		if schema >= 3 {
			if err := fillVectors(ctx, tx, docs); err != nil {
				return err
			}
		}
		if schema >= 8 {
			if err := fillGaps(ctx, tx, dir.Row, docs[0].ID); err != nil {
				return err
			}
		}
		if schema >= 9 {
			if err := tx.Vectors().Put(ctx, []store.PageVectors{{Page: docs[0].Pages[0].Page.Row, Model: "small", Hash: docs[0].Hash, Version: "1.1", Chunks: 1,
				Info: []byte("opaque"), SpareInfo: []byte("too"), SpareValues: []byte{1, 2, 3, 4}}}); err != nil {
				return err
			}
		}
		if schema >= 32 {
			if err := fillForgotten(ctx, tx); err != nil {
				return err
			}
		}
		if schema >= 10 {
			return tx.Spaces().Add(ctx, &kb.Space{ID: "c2a9c9c8-4a52-5d43-9a87-0d9b1c7a6f55", Name: "notes@copy", Kind: kb.DirectorySpace, Root: "/home/ada/copy", Origin: dir.ID, Created: fixedClock()})
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// link leads the links of documents to the ones among them that have the name.
func link(docs []*store.Document) {
	byName := map[string]int64{}
	for _, d := range docs {
		byName[d.Pages[0].Names[0]] = d.Pages[0].Page.Row
	}
	for _, d := range docs {
		for i := range d.Pages[0].Links {
			l := &d.Pages[0].Links[i]
			l.To, l.Candidates = byName[l.Key], 1
		}
	}
}

func fillText(ctx context.Context, tx store.Tx, docs []*store.Document) error {
	b := lexical.NewBatch()
	for _, d := range docs {
		p := d.Pages[0].Page
		b.Put(lexical.Document{ID: p.Row, Texts: []lexical.Text{{Field: lexical.Title, Value: p.Title}, {Field: lexical.Truth, Value: p.Summary}}})
	}
	return lexical.New(1<<20).Apply(ctx, tx.Lexical(), b)
}

func fillVectors(ctx context.Context, tx store.Tx, docs []*store.Document) error {
	for _, m := range []store.Model{{Name: "small", Source: "built-in", Dims: 4, Created: fixedClock(), Config: "{}"}, {Name: "other", Dims: 2}} {
		if err := tx.Models().Put(ctx, m); err != nil {
			return err
		}
	}
	if err := tx.Models().Activate(ctx, "small"); err != nil {
		return err
	}
	return tx.Vectors().Put(ctx, []store.PageVectors{
		{Page: docs[0].Pages[0].Page.Row, Model: "small", Hash: docs[0].Hash, Version: "1.1", Chunks: 1, Info: []byte("opaque")},
		{Page: docs[1].Pages[0].Page.Row, Model: "other", Hash: docs[1].Hash, Version: "1.1", Chunks: 0, Info: []byte{0}},
	})
}

func fillGaps(ctx context.Context, tx store.Tx, space int64, page kb.ID) error {
	ada, score := kb.Actor{Kind: kb.Human, Name: "ada"}, 0.25
	for i, question := range []string{"Who wrote the notes?", "When?", "Who wrote the notes?", "Where?"} {
		g := kb.Gap{Space: space, Hash: kb.QuestionHash(question), Context: "the engine", Score: &score, Last: fixedClock(), Asker: ada}
		if err := tx.Gaps().Log(ctx, &g); err != nil {
			return err
		}
		if i == 1 {
			g.Sensitivity, g.Approval = kb.GapRedacted, &kb.GapApproval{Question: question, Redacted: "when?", Approver: "ada", Actor: ada, Time: fixedClock()}
			g.Answer = &kb.GapAnswer{Page: page, Space: space, Actor: ada, Time: fixedClock()}
			if err := tx.Gaps().Update(ctx, g); err != nil {
				return err
			}
		}
	}
	return nil
}

func fillForgotten(ctx context.Context, tx store.Tx) error {
	s := kb.Space{ID: "b3a1f0de-54c2-4a0e-8a5d-0e4a5f1f7c11", Name: "away", Kind: kb.DatabaseSpace, Policy: []byte("preset = 'memory'\n"), Created: fixedClock()}
	if err := tx.Spaces().Add(ctx, &s); err != nil {
		return err
	}
	if err := tx.Spaces().Map(ctx, "/home/ada/away", s.Row); err != nil {
		return err
	}
	docs := vault(s.Row, 2, 0)
	if err := tx.Documents().Put(ctx, docs); err != nil {
		return err
	}
	var versions []*store.NewVersion
	for _, d := range docs {
		versions = append(versions, &store.NewVersion{Bytes: []byte(d.Path), Version: kb.Version{
			Space: s.Row, Page: d.ID, Change: kb.Created, Path: d.Path, Hash: sum([]byte(d.Path)), Size: int64(len(d.Path)),
		}})
	}
	if err := tx.History().Record(ctx, &kb.Write{Time: fixedClock(), Operation: "put"}, versions); err != nil {
		return err
	}
	if err := tx.Claims().Dismiss(ctx, kb.Dismissal{Space: s.Row, ID: "1", Note: "why", Time: fixedClock()}); err != nil {
		return err
	}
	b := kb.Batch{ID: "1", Space: s.Row, Kind: "text", Source: "talk", Created: fixedClock()}
	if err := tx.Batches().Add(ctx, &b, []store.BatchItem{{Path: "a", Hash: sum([]byte("raw")), Bytes: []byte("raw")}}); err != nil {
		return err
	}
	if err := fillGaps(ctx, tx, s.Row, docs[0].ID); err != nil {
		return err
	}
	return tx.Spaces().Forget(ctx, s.Row, fixedClock())
}

// contents says everything that a memory holds, as its readers see it.
func contents(t *testing.T, db *DB) []string {
	t.Helper()
	ctx := t.Context()
	var out []string
	say := func(what string, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, what+" "+string(b))
	}
	if err := db.View(ctx, func(tx store.Tx) error {
		spaces, err := tx.Spaces().All(ctx)
		say("spaces", spaces)
		maps, mapErr := tx.Spaces().Maps(ctx)
		say("maps", maps)
		settings, setErr := tx.Settings().All(ctx)
		say("settings", settings)
		pending, pendErr := tx.Journal().Pending(ctx)
		say("journal", pending)
		if err := errors.Join(err, mapErr, setErr, pendErr); err != nil {
			return err
		}
		for _, s := range spaces {
			if err := sayDocuments(ctx, tx, s, say); err != nil {
				return err
			}
			failed, err := tx.Failures().All(ctx, s.Row)
			say("failures of "+s.Name, failed)
			if err != nil {
				return err
			}
		}
		forgotten, err := tx.Spaces().Forgotten(ctx)
		if err != nil {
			return err
		}
		for _, s := range forgotten {
			states, err := tx.Spaces().ForgottenStates(ctx, s.Row)
			say("forgotten", []any{s, states})
			if err != nil {
				return err
			}
		}
		if err := sayHistory(ctx, tx, say); err != nil {
			return err
		}
		ids, err := lexical.New(1<<20).Documents(ctx, tx.Lexical())
		say("full text", ids)
		if err != nil {
			return err
		}
		gaps, _, err := tx.Gaps().List(ctx, nil, true, 0, 0)
		say("gaps", gaps)
		if err != nil {
			return err
		}
		models, err := tx.Models().All(ctx)
		for _, m := range models {
			say("model", m)
			if err := tx.Vectors().Each(ctx, m.Name, func(v store.PageVectors) error { say("vectors", v); return nil }); err != nil {
				return err
			}
			if err := tx.Vectors().Spare(ctx, m.Name, func(key int64, info []byte) error {
				values, err := tx.Vectors().SpareValues(ctx, key)
				say("spare vectors", []any{key, info, values})
				return err
			}); err != nil {
				return err
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func sayDocuments(ctx context.Context, tx store.Tx, s kb.Space, say func(string, any)) error {
	states, err := tx.Documents().States(ctx, s.Row)
	if err != nil {
		return err
	}
	for _, st := range states {
		d, err := tx.Documents().Load(ctx, st.Row)
		if err != nil {
			return err
		}
		say("document", d)
		to, err := tx.Links().To(ctx, d.Pages[0].Page.Row)
		if err != nil {
			return err
		}
		say("links to it", to)
	}
	return nil
}

func sayHistory(ctx context.Context, tx store.Tx, say func(string, any)) error {
	writes, _, err := tx.History().Writes(ctx, store.VersionFilter{}, 0, 0)
	if err != nil {
		return err
	}
	say("writes", writes)
	versions, _, err := tx.History().Versions(ctx, store.VersionFilter{}, 0, 0)
	if err != nil {
		return err
	}
	for _, v := range versions {
		body, err := tx.History().Bytes(ctx, v.Hash)
		if err != nil {
			return err
		}
		say("version", v)
		say("bytes", string(body))
	}
	return nil
}
