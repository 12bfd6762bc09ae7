package ingest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const ada = `---
title: Ada Lovelace
type: person
---

# Ada Lovelace

> Wrote the first program for the analytical engine.

She works with Babbage in London on his engine.

## Relations

- knows [[Charles]] @1833..

---

- **1833-06-05** | letter — Met Charles
`

type bed struct {
	*apptest.Bed
	app *memory.Session
}

func newBed(t *testing.T) bed {
	t.Helper()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "people/ada", Text: []byte(ada)}))(t)
	return bed{b, a}
}

func (b bed) ingest(source, plan string) (ingest.Answer, error) {
	b.T.Helper()
	req := ingest.Request{}
	if source != "" {
		req.Source = &ingest.Source{Text: []byte(source), Name: "m.txt", Type: "meeting", Date: "2026-11-24"}
	}
	if plan != "" {
		req.Pages = apptest.OK(ingest.ReadPlan([]byte(plan)))(b.T)
	}
	return ingest.Ingest(b.T.Context(), b.app, req)
}

func (b bed) text(ref string) string {
	b.T.Helper()
	return apptest.OK(read.Get(b.T.Context(), b.app, read.GetRequest{Ref: ref}))(b.T).Text
}

func (b bed) version(ref string) int {
	b.T.Helper()
	return apptest.OK(read.Get(b.T.Context(), b.app, read.GetRequest{Ref: ref}))(b.T).Version
}

func (b bed) batches() (out []kb.Batch) {
	b.T.Helper()
	b.Plant(func(tx store.Tx) (err error) {
		out, _, err = tx.Batches().List(b.T.Context(), nil, 100, 0)
		return err
	})
	return out
}

const joins = `{"pages": [
{"slug": "people/ada", "expected_version": 1, "compiled_truth": "# Ada Lovelace\n\n> Leads engines at Acme.\n\nHired in November.\n",
 "timeline_append": "- **2026-11-24** | meeting — Joins Acme\n- **2026-11-20** | mail — Asked",
 "frontmatter": {"score": 3, "employer": "Acme", "nick": ["A", "L"]},
 "links": [{"to": "companies/acme", "relationship": "works_at", "valid_from": "2026-11-24"}],
 "assertions": [{"subject": "people/ada", "predicate": "works_at", "object": "companies/acme", "evidence_text": "Hired in November"}], "tags": ["founder"]},
{"slug": "companies/acme", "content": "# Acme\n\n> Engines.", "timeline_entries": [{"date": "2026-11-24", "summary": "Ada joins", "source": "meeting"}]}]}`

// A plan is one write with its source; what was there stays, and one undo takes all of it
// back.
func TestPlanIsOneWrite(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	source := "Ada joins.\r\n---\r\n\xef\xbb\xbfEnd\r\n"
	r := apptest.OK(b.ingest(source, joins))(t)
	if len(r.Pages) != 3 || r.Write == 0 {
		t.Fatalf("%+v", r)
	}
	text := b.text("people/ada")
	for _, want := range []string{
		"> Leads engines at Acme.", "- knows [[Charles]] @1833..", "- works_at [[companies/acme]] @2026-11-24..", "  - founder", "score: 3\n", "nick:\n",
		"- **2026-11-24** | meeting — Joins Acme\n- **2026-11-20** | mail — Asked\n- **1833-06-05** | letter — Met Charles\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "Babbage") {
		t.Error("the old truth is still there")
	}
	if got := b.text("companies/acme"); !strings.Contains(got, "Ada joins") || !strings.HasPrefix(got, "# Acme") {
		t.Errorf("%s", got)
	}
	b.Plant(func(tx store.Tx) error {
		batch, err := tx.Batches().ByID(t.Context(), r.Source.Batch)
		if err != nil {
			return err
		}
		return tx.Batches().Items(t.Context(), batch.Row, func(it store.BatchItem) error {
			kept, err := tx.History().Bytes(t.Context(), it.Hash)
			if string(kept) != source || it.Page == "" {
				t.Errorf("kept %q for %q", kept, it.Page)
			}
			return err
		})
	})
	list := apptest.OK(assertion.List(t.Context(), b.app, api.AssertionsRequest{On: "people/ada"}))(t)
	if list.Total == 0 || list.Items[0].AssertedBy != "manual" {
		t.Errorf("%+v", list)
	}
	apptest.OK(change.Undo(t.Context(), b.app, history.UndoRequest{Write: r.Write}))(t)
	if b.text("people/ada") != ada {
		t.Errorf("after undo: %s", b.text("people/ada"))
	}
	if _, err := read.Get(t.Context(), b.app, read.GetRequest{Ref: "companies/acme"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("after undo: %v", err)
	}
	// What was undone is done again, also with the same bytes.
	again := apptest.OK(b.ingest(source, strings.Replace(joins, `"expected_version": 1`, fmt.Sprintf(`"expected_version": %d`, b.version("people/ada")), 1)))(t)
	if again.Source.Refreshed || len(again.Pages) != 3 {
		t.Errorf("%+v", again)
	}
}

// The same source with the same plan only notes where it is; with another plan, what is
// there is not added twice.
func TestSameAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first := apptest.OK(b.ingest("Ada joins.", ""))(t)
	if len(first.Known) != 0 { // "Ada" is no name of the page
		t.Errorf("%+v", first.Known)
	}
	if r := apptest.OK(b.ingest("Ada joins.", ""))(t); !r.Source.Refreshed || r.Source.Ref != first.Source.Ref || r.Write != 0 {
		t.Errorf("%+v", r)
	}
	apptest.OK(b.ingest("Ada joins.", joins))(t)
	before := b.version("people/ada")
	if r := apptest.OK(b.ingest("Ada joins.", joins))(t); !r.Source.Refreshed || r.Write != 0 {
		t.Errorf("%+v", r)
	}
	evidence := strings.Replace(joins, `"expected_version": 1, `, "", 1)
	evidence = evidence[:strings.Index(evidence, `"compiled_truth"`)] + evidence[strings.Index(evidence, `"links"`):]
	evidence = evidence[:strings.Index(evidence, `,
{"slug": "companies/acme"`)] + "]}"
	r := apptest.OK(b.ingest("Ada joins.", evidence))(t)
	if r.There != 2 || b.version("people/ada") != before || len(b.batches()) != 3 {
		t.Errorf("there %d, version %d, batches %v", r.There, b.version("people/ada"), b.batches())
	}
	// Another name: it is said where the bytes are now.
	req := ingest.Request{Source: &ingest.Source{Text: []byte("Ada joins."), Name: "moved.txt"}}
	if r := apptest.OK(ingest.Ingest(t.Context(), b.app, req))(t); !r.Source.Refreshed {
		t.Errorf("%+v", r)
	}
	if all := b.batches(); all[len(all)-1].Source != "moved.txt" {
		t.Errorf("%+v", all)
	}
}

// A source is called what it is cited as, so that two with one number are told apart.
func TestSourceNames(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, of := range [][3]string{
		{"meeting/123", "m.md", "meeting-123"}, {"call/123", "m.md", "call-123"}, {"notes/kiln.txt", "kiln.txt", "notes-kiln"}, {"", "kiln.txt", "kiln"}, {"", `a\b.txt`, "b"},
	} {
		req := ingest.Request{Source: &ingest.Source{Text: []byte(of[0] + of[1]), Ref: of[0], Name: of[1], Date: "2026-11-24"}}
		if r := apptest.OK(ingest.Ingest(t.Context(), b.app, req))(t); r.Source.Ref != "memory:sources/2026-11-24-"+of[2] {
			t.Errorf("%v is %s", of, r.Source.Ref)
		}
	}
}

// The page of a source is found again though an older one of the same bytes is gone.
func TestSameAgainElsewhere(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first := apptest.OK(b.ingest("Ada joins.", ""))(t)
	apptest.OK(change.Delete(t.Context(), b.app, change.DeleteRequest{Ref: first.Source.Ref}))(t)
	const other = "---\nid: 11111111-2222-4333-8444-555555555555\n---\n\n# Another page\n"
	apptest.OK(change.Put(t.Context(), b.app, change.PutRequest{Ref: first.Source.Ref, Text: []byte(other)}))(t)
	second := apptest.OK(b.ingest("Ada joins.", ""))(t)
	if second.Source.Refreshed || second.Source.Ref == first.Source.Ref {
		t.Fatalf("%+v", second.Source)
	}
	apptest.OK(change.Delete(t.Context(), b.app, change.DeleteRequest{Ref: first.Source.Ref}))(t)
	if again := apptest.OK(b.ingest("Ada joins.", ""))(t); !again.Source.Refreshed || again.Source.Ref != second.Source.Ref {
		t.Errorf("%+v, not %s", again.Source, second.Source.Ref)
	}
	if plan := apptest.OK(b.ingest("Ada joins.", `[{"slug": "b", "content": "# B"}]`))(t); plan.Source.Ref != second.Source.Ref {
		t.Errorf("%+v, not %s", plan.Source, second.Source.Ref)
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	r := apptest.OK(b.ingest("one\nada lovelace spoke\nthen Ada Lovelace's engine", ""))(t)
	if len(r.Known) != 1 || r.Known[0].Ref != "memory:people/ada" || fmt.Sprint(r.Known[0].Lines) != "[2 3]" || r.Known[0].Version != 1 || r.Known[0].Summary == "" {
		t.Errorf("%+v", r.Known)
	}
}

// One page that cannot be written, and nothing is: neither pages nor batches.
func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		source, plan string
		code         kb.Code
	}{
		"stale version":  {"x", strings.Replace(joins, `"expected_version": 1`, `"expected_version": 7`, 1), kb.Conflict},
		"no version":     {"x", strings.Replace(joins, `"expected_version": 1,`, ``, 1), kb.Conflict},
		"version of new": {"x", strings.Replace(joins, `"content"`, `"expected_version": 2, "content"`, 1), kb.Conflict},
		"secret in plan": {"x", strings.Replace(joins, "Engines.", "key AKIAIOSFODNN7EXAMPLQ", 1), kb.Secret},
		"secret":         {"aws_access_key_id = AKIAIOSFODNN7EXAMPLQ", joins, kb.Secret},
		"path":           {"x", strings.Replace(joins, "companies/acme\", \"content", "../acme\", \"content", 1), ""},
		"entry":          {"x", strings.Replace(joins, "- **2026-11-24** | meeting — Joins Acme", "asked on Friday", 1), kb.Invalid},
		"date":           {"x", strings.Replace(joins, `"date": "2026-11-24"`, `"date": "soon"`, 1), kb.Invalid},
		"link":           {"x", strings.Replace(joins, `"to": "companies/acme"`, `"to": "companies/nobody"`, 1), kb.NotFound},
		"type":           {"x", "", kb.Usage},
		"empty":          {"", "", kb.Usage},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			req := ingest.Request{}
			if tc.source != "" {
				req.Source = &ingest.Source{Text: []byte(tc.source), Name: "m.txt", Type: "meeting"}
			}
			if name == "type" {
				req.Source.Type = "novel"
			}
			if tc.plan != "" {
				req.Pages = apptest.OK(ingest.ReadPlan([]byte(tc.plan)))(t)
			}
			_, err := ingest.Ingest(t.Context(), b.app, req)
			if code := kb.CodeOf(err); code != tc.code && tc.code != "" || err == nil {
				t.Errorf("%v", err)
			}
			list := apptest.OK(retrieve.Pages(t.Context(), b.app, retrieve.ListRequest{}))(t)
			if list.Total != 1 || b.text("people/ada") != ada || len(b.batches()) != 0 {
				t.Errorf("%d pages, %d batches", list.Total, len(b.batches()))
			}
		})
	}
}

// A truth that says nothing new is left out and said; evidence lands in any case.
func TestNovelty(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	near := strings.Replace(ada, "in London on", "in London on all of", 1)
	near = strings.Replace(near, "---\n\n- **1833", "---\n\n- **1834-01-02** | diary — Saw the engine\n- **1833", 1)
	plan := func(more string) string {
		return fmt.Sprintf(`[{"slug": "people/ada", "expected_version": %d, "content": %q, "tags": ["new"]%s}]`, b.version("people/ada"), near, more)
	}
	r := apptest.OK(b.ingest("Seen.", plan("")))(t)
	text := b.text("people/ada")
	if len(r.Left) != 1 || r.Left[0].Reason != "duplicate" || strings.Contains(text, "all of") || !strings.Contains(text, "Saw the engine") || !strings.Contains(text, "- new") {
		t.Errorf("%+v\n%s", r.Left, text)
	}
	req := ingest.Request{Force: true, Pages: apptest.OK(ingest.ReadPlan([]byte(plan(""))))(t)}
	if r := apptest.OK(ingest.Ingest(t.Context(), b.app, req))(t); len(r.Left) != 0 || !strings.Contains(b.text("people/ada"), "all of") {
		t.Errorf("forced: %+v", r.Left)
	}
}

// What says the same in other words is left out by its meaning, where the page is embedded.
func TestNoveltyByMeaning(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	says := "# Kiln\n\nThe kiln reaches cone six in eleven hours and overshoots by fourteen degrees at the end of the firing.\n"
	apptest.OK(change.Put(t.Context(), b.app, change.PutRequest{Ref: "kiln", Text: []byte(says)}))(t)
	apptest.OK(embedding.Embed(t.Context(), b.app, embedding.Request{Refs: []string{"kiln"}}))(t)
	ask := func(truth string) ingest.Answer {
		return apptest.OK(b.ingest("", fmt.Sprintf(`[{"slug": "kiln", "expected_version": %d, "compiled_truth": %q}]`, b.version("kiln"), truth)))(t)
	}
	r := ask("# Kiln\n\nAt the end of a firing that kiln overshoots by fourteen degrees, and it reaches cone six in eleven hours.\n")
	if len(r.Left) != 1 || r.Left[0].Reason != "near_duplicate" || r.Left[0].Words > .85 || r.Left[0].Meaning <= .95 {
		t.Errorf("%+v", r.Left)
	}
	if r := ask("# Kiln\n\nSold to a school in Leeds, which glazes at lower temperatures.\n"); len(r.Left) != 0 || r.Write == 0 {
		t.Errorf("%+v", r)
	}
}

// Of several who ingest the same at once one writes, and the others say that it is there.
func TestTwins(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	other := b.Open()
	var wg sync.WaitGroup
	answers, errs := make([]ingest.Answer, 4), make([]error, 4)
	pages := apptest.OK(ingest.ReadPlan([]byte(joins)))(t)
	for i := range answers {
		wg.Go(func() {
			a := b.app
			if i%2 == 1 {
				a = other
			}
			answers[i], errs[i] = ingest.Ingest(t.Context(), a, ingest.Request{
				Pages: pages, Source: &ingest.Source{Text: []byte("Ada joins."), Name: "m.txt"},
			})
		})
	}
	wg.Wait()
	wrote := 0
	for i, r := range answers {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if !r.Source.Refreshed {
			wrote++
		}
	}
	if text := b.text("people/ada"); wrote != 1 || strings.Count(text, "Joins Acme") != 1 || len(b.batches()) != 1 || b.version("people/ada") != 2 {
		t.Errorf("%d wrote: %s", wrote, text)
	}
}

func TestReadPlan(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"[{\"slug\":\"a\xff\"}]", `{"pages":[{"slug":"a","tags":["\ud800"]}]}`} {
		if _, err := ingest.ReadPlan([]byte(text)); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%q: %v", text, err)
		}
	}
	many := "[" + strings.Repeat(`{"slug":"a"},`, ingest.MaxPages) + `{"slug":"a"}]`
	for text, says := range map[string]string{
		`{"pages": [` + "\n" + `{"slug": "a",}]}`: "line 2",
		`[{"slug": "a"`:                  "line 1",
		"[\n{\"slug\": 7}]":              "line 2",
		`[{"slug": "a", "sulg": 1}]`:     "sulg",
		`{}`:                             "no pages",
		"":                               "no pages",
		`[{"slug": ""}]`:                 "no slug",
		`[{"slug": "a"}, {"slug": "A"}]`: "the same one",
		`[{"slug": "a", "content": "x", "compiled_truth": "y"}]`:        "whole page",
		`[{"slug": "a", "links": [{"to": " "}]}]`:                       "nowhere",
		`[{"slug": "a", "assertions": [{"subject": "x"}]}]`:             "predicate",
		`[{"slug": "a", "timeline_entries": [{"date": "2026-01-01"}]}]`: "summary",
		`[] []`: "more after",
		many:    "1001 pages",
	} {
		if _, err := ingest.ReadPlan([]byte(text)); kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40s: %v, want %q", text, err, says)
		}
	}
}

// Wherever the process ends, the bytes of the source are there when its page is, and the same
// again makes no second page. What is refused leaves no bytes.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	apptest.OK(gitsync.AddSpace(t.Context(), b.app, space.AddRequest{Root: b.Dir("notes", map[string]string{"a.md": "# A\n"}), Name: "notes"}))(t)
	in := b.app.In("notes")
	req := ingest.Request{Source: &ingest.Source{Text: []byte("Ada joins."), Name: "m.txt"}}
	bad := req
	bad.Pages = apptest.OK(ingest.ReadPlan([]byte(`[{"slug": "b", "content": "key AKIAIOSFODNN7EXAMPLQ"}]`)))(t)
	if _, err := ingest.Ingest(t.Context(), in, bad); kb.CodeOf(err) != kb.Secret || len(b.batches()) != 0 {
		t.Fatalf("%v, batches %+v", err, b.batches())
	}
	first := apptest.OK(ingest.Ingest(t.Context(), in, req))(t)
	b.Plant(func(tx store.Tx) error { // as it is when the index was mended from the files
		batch, err := tx.Batches().ByID(t.Context(), first.Source.Batch)
		if err != nil {
			return err
		}
		return tx.Batches().Items(t.Context(), batch.Row, func(it store.BatchItem) error {
			if it.Page == "" {
				t.Error("the page of the source is not noted")
			}
			return tx.Batches().SetPage(t.Context(), batch.Row, it.Path, "")
		})
	})
	again := apptest.OK(ingest.Ingest(t.Context(), in, req))(t)
	if !again.Source.Refreshed || again.Source.Ref != first.Source.Ref || len(b.batches()) != 1 {
		t.Errorf("%+v, batches %+v", again.Source, b.batches())
	}
	apptest.OK(change.Put(t.Context(), in, change.PutRequest{Ref: first.Source.Ref, Text: []byte("# Another page"), Overwrite: true}))(t)
	if r := apptest.OK(ingest.Ingest(t.Context(), in, req))(t); r.Source.Refreshed || r.Source.Ref == first.Source.Ref {
		t.Errorf("%+v", r.Source)
	}
}

// Whenever a plan for a source that has a page breaks off, the same again carries it out: it
// is not taken for done.
func TestPlanBrokenOff(t *testing.T) {
	t.Parallel()
	var broke, did int
	for at, done, step := 1, false, slowtest.Step(5); !done; at += step {
		b := newBed(t)
		apptest.OK(gitsync.AddSpace(t.Context(), b.app, space.AddRequest{Root: b.Dir("notes", map[string]string{"a.md": "# A\n"}), Name: "notes"}))(t)
		in := b.app.In("notes")
		req := ingest.Request{Source: &ingest.Source{Text: []byte("Ada joins."), Name: "m.txt"}}
		apptest.OK(ingest.Ingest(t.Context(), in, req))(t)
		req.Pages = apptest.OK(ingest.ReadPlan([]byte(`[{"slug": "acme", "content": "# Acme\n"}]`)))(t)
		cut, end := context.WithCancel(t.Context())
		ctx := apptest.NewMeanwhile(cut, at, end)
		_, err := ingest.Ingest(ctx, in, req)
		if done = !ctx.Came(); done && err != nil {
			t.Fatal(err)
		}
		if err != nil {
			broke++
		} else {
			did++
		}
		if again := apptest.OK(ingest.Ingest(t.Context(), in, req))(t); again.Source.Refreshed != (err == nil) {
			t.Errorf("broken off at %d (%v), the same again is taken for done: %v", at, err, again.Source.Refreshed)
		}
		if text := b.text("notes:acme"); !strings.HasPrefix(text, "# Acme\n") || strings.Count(text, "[[") != 1 {
			t.Errorf("%q", text)
		}
		end()
	}
	t.Logf("%d broke off, %d did not", broke, did)
	if broke == 0 {
		t.Error("none broke off")
	}
}

// A relation by an alias of the page is the one that is there, and a new page has what its
// directory gives.
func TestRelationsByAlias(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	apptest.OK(change.Put(t.Context(), b.app, change.PutRequest{Ref: "companies/acme", Text: []byte("---\naliases: [Acme Ltd]\n---\n# Acme\n")}))(t)
	apptest.OK(change.Put(t.Context(), b.app, change.PutRequest{Ref: "x", Text: []byte("# X\n\n- works_at [[Acme Ltd]]\n")}))(t)
	r := apptest.OK(b.ingest("", `[{"slug": "x", "links": [{"to": "companies/acme", "relationship": "works_at"}]}, {"slug": "ideas/kite", "compiled_truth": "# Kite"}]`))(t)
	if r.There != 1 || strings.Contains(b.text("x"), "companies/acme") {
		t.Errorf("%+v: %s", r, b.text("x"))
	}
	if text := b.text("ideas/kite"); !strings.Contains(text, "status: idea") {
		t.Errorf("%s", text)
	}
}

// A plan is done if the pages say what it says: after an undo the same plan writes again, and
// again after that nothing.
func TestUndonePlanIsWrittenAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const plan = `{"pages": [
  {"slug": "people/ann", "content": "# Ann\n\nLeads sales.\n"},
  {"slug": "people/ada", "expected_version": 1, "compiled_truth": "> Leads the engines of Acme.\n", "tags": ["lead"],
   "timeline_entries": [{"date": "2026-11-24", "summary": "Joins Acme", "source": "meeting"}]}
]}`
	apptest.OK(b.ingest("We met Ann.", ""))(t)
	for round := range 2 {
		if a := apptest.OK(b.ingest("We met Ann.", plan))(t); a.Write == 0 || a.Source.Refreshed || len(a.Pages) != 2 {
			t.Fatalf("round %d: %+v", round, a)
		}
		if a := apptest.OK(b.ingest("We met Ann.", plan))(t); a.Write != 0 || !a.Source.Refreshed {
			t.Fatalf("round %d, again: %+v", round, a)
		}
		apptest.OK(change.Undo(t.Context(), b.app, history.UndoRequest{}))(t)
	}
}

// A plan of which a part was undone writes that part: pages that have its truth need no
// version, also if they say more by now, and those that say something else still do.
func TestPartlyUndonePlanIsWrittenAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const plan = `{"pages": [
  {"slug": "people/ann", "content": "# Ann\n\nLeads sales.\n"},
  {"slug": "people/bo", "compiled_truth": "# Bo\n\nCalls on Monday.\n", "frontmatter": {"score": 4}, "tags": ["lead"],
   "timeline_entries": [{"date": "2026-11-24", "summary": "Will call", "source": "meeting"}]}
]}`
	apptest.OK(b.ingest("We met Ann.", plan))(t)
	apptest.OK(change.Delete(t.Context(), b.app, change.DeleteRequest{Ref: "people/ann"}))(t)
	if a := apptest.OK(b.ingest("We met Ann.", plan))(t); len(a.Pages) != 1 || a.Pages[0].Slug != "people/ann" {
		t.Fatalf("%+v", a)
	}
	apptest.OK(change.Edit(t.Context(), b.app, "edit", api.WriteOptions{}, "people/bo", doc.RemoveTag{Tag: "lead"}))(t)
	if a := apptest.OK(b.ingest("We met Ann.", plan))(t); len(a.Pages) != 1 || !strings.Contains(b.text("people/bo"), "lead") {
		t.Fatalf("%+v\n%s", a, b.text("people/bo"))
	}
	apptest.OK(change.Edit(t.Context(), b.app, "edit", api.WriteOptions{}, "people/bo", doc.Append{Text: "Since then Bo has left for Lisbon, runs the harbour there and answers no calls at all."}))(t)
	apptest.OK(change.Delete(t.Context(), b.app, change.DeleteRequest{Ref: "people/ann"}))(t)
	before := b.text("people/bo")
	if a := apptest.OK(b.ingest("We met Ann.", plan))(t); len(a.Pages) != 1 || b.text("people/bo") != before {
		t.Fatalf("%+v\n%s", a, b.text("people/bo"))
	}
	apptest.OK(change.Edit(t.Context(), b.app, "edit", api.WriteOptions{}, "people/bo", doc.Replace{Old: "Calls on Monday.", New: "Calls on Friday."}))(t)
	apptest.OK(change.Delete(t.Context(), b.app, change.DeleteRequest{Ref: "people/ann"}))(t)
	before = b.text("people/bo")
	if _, err := b.ingest("We met Ann.", plan); kb.CodeOf(err) != kb.Conflict || b.text("people/bo") != before {
		t.Errorf("%v\n%s", err, b.text("people/bo"))
	}
}

// The page of a source has the title of its text once, and the pages that were made of it
// lead there.
func TestSourcePage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	a := apptest.OK(b.ingest("# Weekly sync\n\nAda joins Acme.\n", `{"pages": [
  {"slug": "companies/acme", "content": "# Acme\n"},
  {"slug": "people/ada", "timeline_entries": [{"date": "2026-11-24", "summary": "Joins Acme"}]}
]}`))(t)
	page := apptest.OK(read.Get(t.Context(), b.app, read.GetRequest{Ref: a.Source.Ref}))(t)
	if page.Title != "Weekly sync" || strings.Count(page.Text, "# Weekly sync") != 1 || !strings.HasSuffix(a.Source.Ref, "-weekly-sync") {
		t.Errorf("the source is %s, %q:\n%s", a.Source.Ref, page.Title, page.Text)
	}
	orphans := apptest.OK(retrieve.Pages(t.Context(), b.app, retrieve.ListRequest{Orphans: true}))(t)
	for _, p := range orphans.Items {
		if p.Ref == a.Source.Ref {
			t.Error("no page links to the source")
		}
	}
}
