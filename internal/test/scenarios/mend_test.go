package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// fault is a way in which a memory is not as it should be. One check finds it,
// and no other.
type fault struct {
	check string // without the name of the space
	deep  bool   // only found by reading everything
	says  string // is in its items, if it has to be
	also  string // another check that finds it too
	plant func(t *testing.T, b *apptest.Bed, root string)
	// Where doctor offers no fix: what the remedy says, done by hand; nil where
	// another test does it.
	cure func(t *testing.T, a *memory.Session, root string)
}

// notPlanted are the checks of which no fault can be planted here, each with
// the reason.
var notPlanted = map[string]string{
	"memory":              "a memory that cannot be opened has no checks: TestDamagedMemoryIsRebuiltFromDocuments",
	"files of the memory": "it says what to leave alone; where they were not, no memory is opened: TestFilesOfTheMemoryGoUnderAServer",
	"disk of the memory":  "no network file system can be made here: TestDisksOfOtherMachines",
	"disk of":             "as above",
}

const tended = "---\ntitle: Tended\ntags: [green]\n---\nOne of [[Other]].\n\n- [fact] It grows.\n"

func lay(t *testing.T, root, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func takeAway(t *testing.T, root, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(root, name)); err != nil {
		t.Fatal(err)
	}
}

// edited plants other rows for the document tended.md.
func edited(change func(d *store.Document)) func(*testing.T, *apptest.Bed, string) {
	return func(_ *testing.T, b *apptest.Bed, _ string) {
		b.Plant(func(tx store.Tx) error {
			ctx := context.Background()
			d, err := tx.Documents().ByPath(ctx, 1, "tended.md")
			if err != nil {
				return err
			}
			if d, err = tx.Documents().Load(ctx, d.Row); err != nil {
				return err
			}
			change(d)
			if err := tx.Documents().Put(ctx, []*store.Document{d}); err != nil {
				return err
			}
			return tx.Links().Put(ctx, []*store.Document{d})
		})
	}
}

// vectors plants a model that is not active, with vectors that change damages.
func vectors(change func(v *store.PageVectors)) func(*testing.T, *apptest.Bed, string) {
	return func(t *testing.T, b *apptest.Bed, _ string) {
		info, values, err := vector.Pack(2, []vector.Vector{{Lines: [2]int{1, 1}, Values: []int8{0, 127}, Scale: 1. / 127}})
		if err != nil {
			t.Fatal(err)
		}
		v := store.PageVectors{Page: 1, Model: "two-wide", Version: "1", Chunks: 1, Info: info, Values: values}
		change(&v)
		b.Plant(func(tx store.Tx) error {
			if err := tx.Models().Put(context.Background(), store.Model{Name: "two-wide", Source: "directory", Dims: 2}); err != nil {
				return err
			}
			return tx.Vectors().Put(context.Background(), []store.PageVectors{v})
		})
	}
}

func plantedFaults() map[string]fault {
	ctx := context.Background()
	return map[string]fault{
		"a file that others may read": {check: "permissions", plant: func(t *testing.T, b *apptest.Bed, _ string) {
			if err := os.Chmod(apptest.OK(space.DatabasePath(b.Opts.Place))(t), 0o644); err != nil {
				t.Fatal(err)
			}
		}},
		"a default space that is gone": {check: "default space", plant: func(_ *testing.T, b *apptest.Bed, _ string) {
			b.Plant(func(tx store.Tx) error { return tx.Settings().Set(ctx, "default_space", "gone") })
		}},
		"a job that failed": {check: "maintenance", says: "merge: no room", plant: func(_ *testing.T, b *apptest.Bed, _ string) {
			b.Plant(func(tx store.Tx) error {
				return tx.Settings().Set(ctx, "maintain.merge", `{"at":"2026-03-01T09:00:00Z","failed":1,"error":"no room"}`)
			})
		}, cure: func(t *testing.T, a *memory.Session, _ string) {
			apptest.OK(jobs.Maintain(ctx, a, jobs.MaintainRequest{Jobs: []string{"merge"}, Force: true}))(t)
		}},
		"an unfinished write that cannot be read": {check: "journal", plant: func(_ *testing.T, b *apptest.Bed, _ string) {
			b.Plant(func(tx store.Tx) error { _, err := tx.Journal().Append(ctx, []byte("{")); return err })
		}}, // mended in TestUnreadableJournalRecord
		"pages that contradict each other": {check: "conflicts", says: "garden:one and garden:other", plant: func(t *testing.T, b *apptest.Bed, root string) {
			policy := filepath.Join(root, ".cairn", "space.toml")
			text := append(apptest.OK(os.ReadFile(policy))(t), "\n[lifecycle]\neffects = { contradicts = \"conflict\" }\n"...)
			if err := os.WriteFile(policy, text, 0o600); err != nil {
				t.Fatal(err)
			}
			apptest.Accept(t, b.Open(), "garden")
			lay(t, root, "one.md", "# One\n\n- contradicts [[other]]\n")
			lay(t, root, "other.md", "# Other\n")
			apptest.OK(gitsync.Sync(ctx, b.Open(), gitsync.SyncRequest{}))(t)
		}}, // cured in a script
		"a policy that nobody accepted": {check: "policy", says: "retention: delete or move pages by age: *.md after 1h", plant: func(t *testing.T, _ *apptest.Bed, root string) {
			policy := filepath.Join(root, ".cairn", "space.toml")
			text := append(apptest.OK(os.ReadFile(policy))(t), "\n[[retention.page]]\npaths = [\"*.md\"]\nage = \"1h\"\n"...)
			if err := os.WriteFile(policy, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}, cure: func(t *testing.T, a *memory.Session, _ string) { apptest.Accept(t, a, "garden") }},
		"a row that belongs to nothing": {check: "database", deep: true, says: "page of no segment", plant: func(_ *testing.T, b *apptest.Bed, _ string) {
			b.Plant(func(tx store.Tx) error { return tx.Lexical().PutPage(ctx, 99, 0, 0, []byte("x")) })
		}},
		"a directory that is gone": {check: "space", also: "sync", plant: func(t *testing.T, _ *apptest.Bed, root string) {
			if err := os.Rename(root, root+"2"); err != nil {
				t.Fatal(err)
			}
		}, cure: func(t *testing.T, _ *memory.Session, root string) {
			if err := os.Rename(root+"2", root); err != nil {
				t.Fatal(err)
			}
		}},
		"a directory with a note's name": {check: "files", says: "odd.md", plant: func(t *testing.T, _ *apptest.Bed, root string) {
			if err := os.Mkdir(filepath.Join(root, "odd.md"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, cure: func(t *testing.T, _ *memory.Session, root string) { takeAway(t, root, "odd.md") }},
		"a temporary file": {check: "leftovers", plant: func(t *testing.T, _ *apptest.Bed, root string) {
			lay(t, root, ".cairn-tmp-0123456789abcdef", "half")
		}},
		"a new file": {check: "sync", plant: func(t *testing.T, _ *apptest.Bed, root string) { lay(t, root, "new.md", "Later.\n") }},
		"a note that could not be read": {check: "failures", says: "torn.md", plant: func(_ *testing.T, b *apptest.Bed, _ string) {
			b.Plant(func(tx store.Tx) error {
				return tx.Failures().Put(ctx, store.Failure{Space: 1, Path: "torn.md", Reason: "cannot be read", Count: 2})
			})
		}, cure: func(t *testing.T, a *memory.Session, _ string) {
			apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
		}},
		"a document that is not understood": {check: "documents", says: "opaque.md", plant: func(t *testing.T, b *apptest.Bed, root string) {
			lay(t, root, "opaque.md", "---\ntitle: [\n---\nText.\n")
			apptest.OK(gitsync.Sync(ctx, b.Open(), gitsync.SyncRequest{Space: "*"}))(t)
		}, cure: func(t *testing.T, a *memory.Session, root string) {
			lay(t, root, "opaque.md", "---\ntitle: Clear\n---\nText.\n")
			apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
		}},
		"relations that overlap": {check: "relations", says: "over.md:2: works_at @2018..2022 overlaps the one in line 1", plant: func(t *testing.T, b *apptest.Bed, root string) {
			lay(t, root, "brex.md", "---\naliases: [Brex Inc]\n---\n")
			lay(t, root, "over.md", "- works_at [[brex]] @2017..2020\n- works_at [[Brex Inc]] @2018..2022\n- works_at [[brex]] @2022..2024\n")
			apptest.OK(gitsync.Sync(ctx, b.Open(), gitsync.SyncRequest{Space: "*"}))(t)
		}, cure: func(t *testing.T, a *memory.Session, root string) {
			takeAway(t, root, "over.md")
			takeAway(t, root, "brex.md")
			apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
		}},
		"a relation that ends before it begins": {check: "relations", says: "over.md:1: works_at @2030..2022 ends before it begins", plant: func(t *testing.T, b *apptest.Bed, root string) {
			lay(t, root, "over.md", "- works_at [[nobody]] @2030..2022\n")
			apptest.OK(gitsync.Sync(ctx, b.Open(), gitsync.SyncRequest{Space: "*"}))(t)
		}, cure: func(t *testing.T, a *memory.Session, root string) {
			takeAway(t, root, "over.md")
			apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
		}},
		"an assertion that is there twice": {check: "assertions", deep: true, says: ".raw/claims.json:3: says the same as line 2", plant: func(t *testing.T, b *apptest.Bed, root string) {
			lay(t, root, "claims.md", "Of Brex.\n")
			if err := os.MkdirAll(filepath.Join(root, ".raw"), 0o700); err != nil {
				t.Fatal(err)
			}
			const said = `{"subject": "Brex", "predicate": "founded", "object": "2016"}`
			lay(t, root, ".raw/claims.json", "{\"assertions\": [\n"+said+",\n"+said+"\n]}\n")
			apptest.OK(gitsync.Sync(ctx, b.Open(), gitsync.SyncRequest{Space: "*"}))(t)
		}, cure: func(t *testing.T, a *memory.Session, root string) {
			takeAway(t, root, ".raw/claims.json")
			takeAway(t, root, "claims.md")
			apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
		}},
		"a link that may mean two pages": {check: "links", plant: func(t *testing.T, b *apptest.Bed, root string) {
			lay(t, root, "one.md", "---\ntitle: Twin\n---\n")
			lay(t, root, "two.md", "---\ntitle: Twin\n---\nA brother of [[Twin]].\n")
			lay(t, root, "three.md", "Meet [[Twin]].\n")
			apptest.OK(gitsync.Sync(ctx, b.Open(), gitsync.SyncRequest{Space: "*"}))(t)
		}, cure: func(t *testing.T, a *memory.Session, root string) {
			takeAway(t, root, "one.md")
			takeAway(t, root, "two.md")
			takeAway(t, root, "three.md")
			apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
		}},
		"a name that cannot be seen": {check: "names", says: `od.md: the path "o\u200bd.md" has an invisible character, U+200B`, plant: func(t *testing.T, b *apptest.Bed, root string) {
			lay(t, root, "o\u200bd.md", "---\ntags: [\"gr\u200been\"]\n---\nOdd.\n")
			apptest.OK(gitsync.Sync(ctx, b.Open(), gitsync.SyncRequest{Space: "*"}))(t)
		}, cure: func(t *testing.T, a *memory.Session, root string) {
			takeAway(t, root, "o\u200bd.md")
			apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
		}},
		"an id in two documents": {check: "ids", says: "is in plan.md and plan.sync-conflict-20260301.md: the page of plan.md has it", plant: func(t *testing.T, b *apptest.Bed, root string) {
			text := "---\nid: 7d5a1f4e-7a2b-4a63-9a3e-0f6f1c2b3a4d\n---\nA plan.\n"
			lay(t, root, "plan.md", text)
			lay(t, root, "plan.sync-conflict-20260301.md", text)
			apptest.OK(gitsync.Sync(ctx, b.Open(), gitsync.SyncRequest{Space: "*"}))(t)
		}, cure: func(t *testing.T, a *memory.Session, root string) {
			takeAway(t, root, "plan.md")
			takeAway(t, root, "plan.sync-conflict-20260301.md")
			apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
		}},
		"a page without full text": {check: "full text", plant: func(_ *testing.T, b *apptest.Bed, _ string) {
			b.Plant(func(tx store.Tx) error { return index.New().DropText(ctx, tx, []int64{1}) })
		}},
		"full text of no page": {check: "full text", plant: func(_ *testing.T, b *apptest.Bed, _ string) {
			b.Plant(func(tx store.Tx) error {
				texts := lexical.NewBatch()
				texts.Put(lexical.Document{ID: 999})
				return index.New().Text().Apply(ctx, tx.Lexical(), texts)
			})
		}},
		"full text of another page": {check: "index of", deep: true, says: "full text", plant: func(_ *testing.T, b *apptest.Bed, _ string) {
			b.Plant(func(tx store.Tx) error {
				texts := lexical.NewBatch()
				texts.Put(lexical.Document{ID: 1, Texts: []lexical.Text{{Field: lexical.Truth, Value: "other words"}}})
				return index.New().Text().Apply(ctx, tx.Lexical(), texts)
			})
		}},
		"another title":       {check: "index of", deep: true, says: "tended.md: title", plant: edited(func(d *store.Document) { d.Pages[0].Page.Title = "x" })},
		"another type":        {check: "index of", deep: true, says: "tended.md: type", plant: edited(func(d *store.Document) { d.Pages[0].Page.Type = "x" })},
		"another status":      {check: "index of", deep: true, says: "tended.md: status", plant: edited(func(d *store.Document) { d.Pages[0].Page.Status = kb.Stale })},
		"another slug":        {check: "index of", deep: true, says: "tended.md: slug", plant: edited(func(d *store.Document) { d.Pages[0].Page.Slug = "x" })},
		"another summary":     {check: "index of", deep: true, says: "tended.md: summary", plant: edited(func(d *store.Document) { d.Pages[0].Page.Summary = "x" })},
		"another time":        {check: "index of", deep: true, says: "tended.md: dates", plant: edited(func(d *store.Document) { d.Pages[0].Page.Updated = time.Unix(1, 0) })},
		"another tag":         {check: "index of", deep: true, says: "tended.md: tags", plant: edited(func(d *store.Document) { d.Pages[0].Page.Tags = []string{"red"} })},
		"another alias":       {check: "index of", deep: true, says: "tended.md: aliases", plant: edited(func(d *store.Document) { d.Pages[0].Page.Aliases = []string{"x"} })},
		"another name":        {check: "index of", deep: true, says: "tended.md: names", plant: edited(func(d *store.Document) { d.Pages[0].Names = []string{"x"} })},
		"another link":        {check: "index of", deep: true, says: "tended.md: links", plant: edited(func(d *store.Document) { d.Pages[0].Links[0].Text = "x" })},
		"another observation": {check: "index of", deep: true, says: "tended.md: observations", plant: edited(func(d *store.Document) { d.Pages[0].Observations[0].Text = "x" })},
		"an entry too many": {check: "index of", deep: true, says: "tended.md: timeline", plant: edited(func(d *store.Document) {
			d.Pages[0].Entries = []kb.Entry{{Date: "2026-01-01", Text: "x", Line: 1}}
		})},
		"a warning too many": {check: "index of", deep: true, also: "documents", says: "tended.md: warnings", plant: edited(func(d *store.Document) {
			d.Pages[0].Warnings = []store.Warning{{Code: "x", Text: "x", Line: 1}}
		})},
		"a link that leads nowhere": {check: "index of", deep: true, says: "where links lead", plant: edited(func(d *store.Document) { d.Pages[0].Links[0].To = 0 })},
		"a text that is not stored": {check: "index of", deep: true, also: "sync", says: "its text is not stored", plant: edited(func(d *store.Document) { d.Hash[0] ^= 1 })},
		"another version":           {check: "index of", deep: true, says: "tended.md: version", plant: edited(func(d *store.Document) { d.Version = 7 })},
		"a newest version with another text": {check: "history of", deep: true, says: "tended.md", plant: func(_ *testing.T, b *apptest.Bed, _ string) {
			b.Plant(func(tx store.Tx) error {
				d, err := tx.Documents().ByPath(ctx, 1, "tended.md")
				if err != nil {
					return err
				}
				return tx.History().Record(ctx, &kb.Write{Time: time.Now(), Operation: "put"}, []*store.NewVersion{{Bytes: []byte("lost"), Version: kb.Version{
					Space: 1, Page: d.ID, Change: kb.Changed, Path: d.Path, Hash: index.Hash([]byte("lost")), Size: 4,
				}}})
			})
		}, cure: func(t *testing.T, a *memory.Session, _ string) {
			apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "garden:tended", Text: []byte(tended + "\nSaved again.\n"), Overwrite: true}))(t)
			apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "garden:tended", Text: []byte(tended), Overwrite: true}))(t)
		}},
		"a vector with a flipped bit": {check: "vectors", deep: true, says: "two-wide: garden:", plant: vectors(func(v *store.PageVectors) { v.Info[20] ^= 4 })},
		"a vector too few":            {check: "vectors", deep: true, plant: vectors(func(v *store.PageVectors) { v.Chunks = 2 })},
		"a vector that is too long": {check: "vectors", deep: true, plant: vectors(func(v *store.PageVectors) {
			v.Info, v.Values, _ = vector.Pack(2, []vector.Vector{{Values: []int8{0, 127}, Scale: 1}})
		})},
		"a model whose directory is gone": {check: "model",
			plant: func(t *testing.T, b *apptest.Bed, _ string) {
				if !bge.Available() {
					t.Skip("this build has no embedding model to go back to (tag slim)")
				}
				name := "dir:" + filepath.Join(b.Home, "gone")
				b.Plant(func(tx store.Tx) error {
					if err := tx.Models().Put(ctx, store.Model{Name: name, Source: "directory", Dims: 2}); err != nil {
						return err
					}
					return tx.Models().Activate(ctx, name)
				})
			}, cure: func(t *testing.T, a *memory.Session, _ string) {
				apptest.OK(embedding.UseModel(ctx, a, bge.Name))(t)
			}},
		"a page that is too long": {check: "long pages", says: "garden:long is too long to be found whole by meaning: words alone find what follows line 16384 (16384 chunks are embedded, 3 are not)",
			plant: func(t *testing.T, b *apptest.Bed, root string) {
				if !bge.Available() {
					t.Skip("this build has no embedding model (tag slim)")
				}
				lay(t, root, "long.md", strings.Repeat("- a\n", chunk.MaxChunks+3))
				a := b.Open()
				apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
				r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{All: true}))(t)
				if r.Beyond != 3 || r.Left != 0 || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "garden:long is too long") {
					t.Errorf("embedded %+v", r)
				}
			}, cure: func(t *testing.T, a *memory.Session, root string) {
				takeAway(t, root, "long.md")
				apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
			}},
		"the vector of another passage": {check: "vectors", deep: true, says: "bge-small-en-v1.5: garden:", plant: func(t *testing.T, b *apptest.Bed, _ string) {
			if !bge.Available() {
				t.Skip("this build has no embedding model (tag slim)")
			}
			apptest.OK(embedding.Embed(ctx, b.Open(), embedding.Request{All: true}))(t)
			b.Plant(func(tx store.Tx) error {
				v, err := tx.Vectors().Get(ctx, bge.Name, 1)
				if err != nil {
					return err
				}
				dims, list, err := vector.Unpack(v.Info, v.Values)
				if err != nil {
					return err
				}
				list[0].Hash[0] ^= 1
				if v.Info, v.Values, err = vector.Pack(dims, list); err != nil {
					return err
				}
				return tx.Vectors().Put(ctx, []store.PageVectors{v})
			})
		}},
	}
}

// Every fault is found by its check alone, whoever looks; it is mended, or the
// check says by whom; and then nothing is found, and the memory is what it was.
// A check without a fault here fails the test.
func TestDoctorFindsEveryFault(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	ctx := context.Background()
	planted := map[string]bool{}
	for name, f := range plantedFaults() {
		planted[f.check] = true
		t.Run(name, func(t *testing.T) {
			if f.check == "permissions" && runtime.GOOS == "windows" {
				t.Skip("permissions are kept otherwise here")
			}
			b, a, root := tendedBed(t)
			before := dump(t, a)
			f.plant(t, b, root)
			known := func(c api.Check) bool { return kind(c) == f.also }
			found := slices.DeleteFunc(faulty(apptest.OK(doctor.Doctor(ctx, a, f.deep))(t)), known)
			if len(found) != 1 || kind(found[0]) != f.check || found[0].Remedy == "" || !strings.Contains(strings.Join(found[0].Items, "\n"), f.says) {
				t.Fatalf("found %+v", found)
			}
			for _, c := range faulty(apptest.OK(doctor.Validate(ctx, a, true))(t)) {
				if kind(c) != f.check && !known(c) {
					t.Errorf("validate finds %+v", c)
				}
			}
			switch {
			case found[0].Fix != "":
				for _, m := range apptest.OK(doctor.Mend(ctx, a, doctor.Fixable(found)))(t) {
					if m.Error != "" {
						t.Fatalf("%+v", m)
					}
				}
			case f.cure != nil:
				f.cure(t, a, root)
			default:
				return
			}
			if left := faulty(apptest.OK(doctor.Doctor(ctx, a, true))(t)); len(left) > 0 {
				t.Errorf("left: %+v", left)
			}
			if left := faulty(apptest.OK(doctor.Validate(ctx, a, true))(t)); len(left) > 0 {
				t.Errorf("left: %+v", left)
			}
			if after := dump(t, a); f.check != "sync" && f.check != "documents" && after != before {
				t.Errorf("the memory is not what it was before:\n%s\n%s", before, after)
			}
		})
	}
	_, a, _ := tendedBed(t)
	for _, c := range append(apptest.OK(doctor.Doctor(ctx, a, true))(t), apptest.OK(doctor.Validate(ctx, a, true))(t)...) {
		if k := kind(c); planted[k] == (notPlanted[k] != "") {
			t.Errorf("%s: a check needs a fault that it finds, or a reason why not", k)
		}
	}
}

// Disks that do not keep what cairn promises are told of when they are chosen,
// and by doctor ever after.
func TestDisksOfOtherMachines(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	root := b.Dir("garden", map[string]string{"a.md": "a\n"})
	for name, network := range map[string]func(string) (string, error){
		"nfs":                  func(string) (string, error) { return "nfs", nil },
		"unknown kind of disk": func(string) (string, error) { return "", os.ErrPermission },
	} {
		b.Opts.Network = network
		a := b.Open()
		s := apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
		if len(s.Warnings) != 2 || !strings.Contains(s.Warnings[0], root) || !strings.Contains(s.Warnings[0], name) || !strings.Contains(s.Warnings[1], name) {
			t.Errorf("adding warns %q", s.Warnings)
		}
		var found []string
		for _, c := range faulty(apptest.OK(doctor.Doctor(ctx, a, false))(t)) {
			if c.Remedy != "" && strings.Contains(c.Reason, name) {
				found = append(found, c.Name)
			}
		}
		if !slices.Equal(found, []string{"disk of the memory", "disk of garden"}) {
			t.Errorf("doctor finds %q", found)
		}
	}
	b.Opts.Network = func(string) (string, error) { return "", nil }
	if s := apptest.OK(gitsync.AddSpace(ctx, b.Open(), space.AddRequest{Root: root}))(t); len(s.Warnings) > 0 {
		t.Errorf("a local disk is warned of: %q", s.Warnings)
	}
}

// TestValidateReadsFiles: a file whose bytes changed behind its size and time
// is found by reading it, and by nothing else.
func TestValidateReadsFiles(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	_, a, root := tendedBed(t)
	old := time.Now().Add(-time.Hour)
	same := func(text string) {
		lay(t, root, "tended.md", text)
		if err := os.Chtimes(filepath.Join(root, "tended.md"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	same(tended)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	same(strings.Replace(tended, "grows", "shrub", 1))
	if found := faulty(apptest.OK(doctor.Validate(ctx, a, false))(t)); len(found) > 0 {
		t.Errorf("without reading files: %+v", found)
	}
	found := faulty(apptest.OK(doctor.Validate(ctx, a, true))(t))
	if len(found) != 1 || kind(found[0]) != "sync" || !strings.Contains(found[0].Remedy, "--full") {
		t.Fatalf("found %+v", found)
	}
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Full: true}))(t)
	if left := faulty(apptest.OK(doctor.Validate(ctx, a, true))(t)); len(left) > 0 {
		t.Errorf("left: %+v", left)
	}
}

// tendedBed is a memory in which nothing is to be found.
func tendedBed(t *testing.T) (*apptest.Bed, *memory.Session, string) {
	t.Helper()
	ctx := context.Background()
	b := apptest.New(t)
	root := b.Dir("garden", map[string]string{"tended.md": tended, "other.md": "# Other\n\nText.\n"})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
	if found := faulty(append(apptest.OK(doctor.Doctor(ctx, a, true))(t), apptest.OK(doctor.Validate(ctx, a, true))(t)...)); len(found) > 0 {
		t.Fatalf("before anything was planted: %+v", found)
	}
	return b, a, root
}

func faulty(checks []api.Check) []api.Check {
	return slices.DeleteFunc(checks, func(c api.Check) bool { return c.State == "ok" })
}

// kind is the name of a check without that of the space.
func kind(c api.Check) string { return strings.TrimSuffix(c.Name, " garden") }
