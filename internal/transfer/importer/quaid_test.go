package importer_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

func quaidFile(t *testing.T, shape foreigntest.Shape) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "memory.db")
	if err := foreigntest.Write(t.Context(), file, shape); err != nil {
		t.Fatal(err)
	}
	return file
}

func importQuaid(t *testing.T, a *memory.Session, file, into string, dry bool) importer.Receipt {
	t.Helper()
	return apptest.OK(importer.ImportExport(t.Context(), a, importer.ExportRequest{
		Program: importer.Quaid, Into: into, Request: importer.Request{File: file, WriteOptions: api.WriteOptions{DryRun: dry}},
	}))(t)
}

func losses(r importer.Receipt) string {
	var out strings.Builder
	for _, l := range r.Lost {
		out.WriteString(l.What + ": " + l.Reason + "\n")
	}
	return out.String()
}

// A database comes over whole: every row of it is counted once, what is left out has a
// reason, and a second import adds nothing.
func TestQuaid(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	ctx, file := t.Context(), quaidFile(t, foreigntest.Plain)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const first = "collections 0+0+0; namespaces 0+0+0; pages 3+0+0; tags 1+1+1; timeline_entries 1+1+1; links 1+1+3; raw_data 1+0+1; assertions 4+1+1; " +
		"raw_imports 3+0+1; knowledge_gaps 3+0+2; contradictions 0+0+2; config 0+0+1; embedding_models 0+0+1"
	if dry := importQuaid(t, a, file, "old", true); counts(t, dry) != first || dry.Write != 0 {
		t.Errorf("a dry run: %s", counts(t, dry))
	}
	if all := apptest.OK(a.Spaces.List(ctx))(t); len(all) != 0 {
		t.Errorf("a dry run made %d spaces", len(all))
	}
	r := importQuaid(t, a, file, "old", false)
	if got := counts(t, r); got != first || r.Write == 0 {
		t.Errorf("it brings %s", got)
	}
	lost := losses(r)
	for _, want := range []string{
		"tag 3, lost: its page is not there", "timeline_entries 3, 2026-13-01 no such month", "raw_data 2, broken", "which overlaps", "\"soon\" or \"\" is not a date",
		"in a circle", "1 assertion: line breaks", "knowledge_gaps 3: it was external without the wording: it is internal", "not a question but a broken link", "raw_imports 4",
	} {
		if !strings.Contains(lost, want) {
			t.Errorf("%q is not told of in\n%s", want, lost)
		}
	}
	get := func(ref string) string { return apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: ref}))(t).Text }
	ada := get("old:people/ada")
	if !strings.HasPrefix(ada, foreigntest.Ada[:strings.Index(foreigntest.Ada, "---\r\n\r\n- ")]) || !strings.Contains(ada, "By air.") ||
		!strings.Contains(ada, "- works_at [[companies/acme]] @2012..2013-12 (as a [senior] analyst)") {
		t.Errorf("%q", ada)
	}
	acme := get("old:companies/acme")
	for _, want := range []string{"> Engines since 2012.", "type: company", "founded: 2012-04-01", "floors: 3", `created: "2026-01-02T03:04:05Z"`, "  - engines"} {
		if !strings.Contains(acme, want) {
			t.Errorf("there is no %q in %s", want, acme)
		}
	}
	list := apptest.OK(assertion.List(ctx, a, api.AssertionsRequest{On: "old:people/ada", Status: "all"}))(t)
	var of, by int64
	for _, x := range list.Items {
		switch {
		case x.Object == "Acme" && x.Derived == "":
			of = x.ID
		case x.Object == "Babbage":
			by = x.Supersedes
			if x.AssertedBy != "extraction" || x.Source != "frontmatter" || x.Lost {
				t.Errorf("%+v", x)
			}
		}
	}
	if of == 0 || of != by {
		t.Errorf("assertion %d is superseded, not %d: %+v", by, of, list.Items)
	}
	gaps := apptest.OK(gap.List(ctx, a, gap.ListRequest{Resolved: true}))(t)
	if gaps.Total != 3 || gaps.Items[0].Question != "Which insurer covers fires?" || gaps.Items[1].Redacted == "" || gaps.Items[2].Page != "old:people/ada" {
		t.Errorf("%+v", gaps.Items)
	}

	const again = "collections 0+0+0; namespaces 0+0+0; pages 0+3+0; tags 0+2+1; timeline_entries 0+2+1; links 0+2+3; raw_data 0+1+1; assertions 0+5+1; " +
		"raw_imports 0+3+1; knowledge_gaps 0+3+2; contradictions 0+0+2; config 0+0+1; embedding_models 0+0+1"
	if r := importQuaid(t, a, file, "old", false); counts(t, r) != again || r.Write != 0 {
		t.Errorf("again: %s", counts(t, r))
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Error("the database of quaid was changed")
	}
	if _, err := os.Stat(file + "-shm"); err == nil {
		t.Error("there is something beside the database of quaid now")
	}
	apptest.OK(change.Undo(ctx, a, history.UndoRequest{Write: r.Write}))(t)
	if _, err := read.Get(ctx, a, read.GetRequest{Ref: "old:people/ada"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("after undo: %v", err)
	}
	if r := importQuaid(t, a, file, "old", false); !strings.Contains(counts(t, r), "pages 3+0+0") {
		t.Errorf("after undo: %s", counts(t, r))
	}
}

// What was resolved in quaid is dismissed with the pages that it is about: the same import
// again finds it so, and what was not resolved stays open, and where the pages are taken back and brought again it is, too.
func TestQuaidResolutions(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	ctx, file := t.Context(), quaidFile(t, foreigntest.Disputed)
	open := func() [2]int {
		found := apptest.OK(contradiction.List(ctx, a, contradiction.Request{All: true}))(t)
		return [2]int{found.Total, found.Dismissed}
	}
	if got := counts(t, importQuaid(t, a, file, "old", true)); !strings.Contains(got, "contradictions 0+0+4") {
		t.Errorf("a dry run: %s", got)
	}
	r := importQuaid(t, a, file, "old", false)
	if got := counts(t, r); !strings.Contains(got, "contradictions 1+0+3") || open() != [2]int{1, 1} {
		t.Errorf("%s; %v", got, open())
	}
	if got := counts(t, importQuaid(t, a, file, "old", false)); !strings.Contains(got, "contradictions 0+1+3") || open() != [2]int{1, 1} {
		t.Errorf("again: %s; %v", got, open())
	}
	apptest.OK(change.Undo(ctx, a, history.UndoRequest{Write: r.Write}))(t)
	importQuaid(t, a, file, "old", false)
	if open() != [2]int{1, 1} {
		t.Errorf("taken back and brought again: %v", open())
	}
}

// A page that says what a row says is that page, whoever put it there; another one at its
// path stays, and the row gets a path beside it.
func TestQuaidBesidePages(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	ctx := t.Context()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: "old", Database: true}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "old:people/ada", Text: []byte(foreigntest.Ada)}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "old:notes", Text: []byte("# Mine\n")}))(t)
	r := importQuaid(t, a, quaidFile(t, foreigntest.Plain), "old", false)
	if got := counts(t, r); !strings.Contains(got, "pages 2+1+0") || !strings.Contains(losses(r), "it is notes-2 now") {
		t.Errorf("%s\n%s", got, losses(r))
	}
	if text := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "old:notes"}))(t).Text; text != "# Mine\n" {
		t.Errorf("%s", text)
	}
}

// Collections and namespaces become spaces, and what is hostile stays within them.
func TestQuaidGroups(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	ctx := t.Context()
	r := importQuaid(t, a, quaidFile(t, foreigntest.Groups), "", false)
	got := counts(t, r)
	for _, want := range []string{"collections 2+0+1; namespaces 1+0+1; pages 12+0+0;", "superseded_by 2+0+1", "links 3+1+3"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	lost := losses(r)
	for _, want := range []string{"after 48.5 hours", "handbook::::notes: quaid did not show it", "the slug of default::::../x: it is x now", "supersede each other in a circle", "masked"} {
		if !strings.Contains(lost, want) {
			t.Errorf("%q is not told of in\n%s", want, lost)
		}
	}
	for ref, want := range map[string]string{
		"default:notes": "Plain.", "default-agent-a:notes": "A.", "handbook:notes": "status: stale", "default:new": "- supersedes [[old]]", "default:old": "status: superseded",
		"default:x": "X.", "default:etc/git/config": "Y.", "default:people/ada": "- documented_in [[handbook/notes]]", "default:page": "A secret: ",
	} {
		text := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: ref}))(t).Text
		if !strings.Contains(text, want) || strings.Contains(text, "AKIA") {
			t.Errorf("%s: %s", ref, text)
		}
	}
	into := importQuaid(t, a, quaidFile(t, foreigntest.Newer), "all", false)
	if !strings.Contains(losses(into), "schema 99") || !strings.Contains(losses(into), "moods, 1 row: no version") {
		t.Errorf("%s", losses(into))
	}
	for _, name := range []string{"all", "all-agent-a", "all-handbook"} {
		apptest.OK(a.Spaces.Show(ctx, name))(t)
	}
	b.Plant(func(tx store.Tx) error {
		all, _, err := tx.Batches().List(ctx, nil, 10, 0)
		if len(all) != 6 {
			t.Errorf("%+v", all)
		}
		return err
	})
}

// Pages that are written some at a time are one write all the same, with a batch for each
// space.
func TestLongQuaid(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	b := apptest.New(t)
	a := b.Open()
	ctx, file := t.Context(), quaidFile(t, foreigntest.Long)
	r := importQuaid(t, a, file, "all", false)
	for _, want := range []string{"collections 2+0+1; namespaces 1+0+1; pages 12+0+0;", "superseded_by 2+0+1", "links 3+1+3"} {
		if got := counts(t, r); !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	writes := apptest.OK(history.Recent(ctx, a, history.RecentRequest{Since: "yesterday", Limit: 100}))(t)
	for _, v := range writes.Items {
		if v.Write != r.Write {
			t.Errorf("%s is of write %d, not %d", v.Ref, v.Write, r.Write)
		}
	}
	if old := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "all:old"}))(t).Text; !strings.Contains(old, "status: superseded") {
		t.Errorf("a page that is superseded by one that is written later: %.200s", old)
	}
	number := func(ref string) (number, before int64) {
		list := apptest.OK(assertion.List(ctx, a, api.AssertionsRequest{On: ref, Status: "all"}))(t)
		if len(list.Items) != 1 {
			t.Fatalf("%s: %+v", ref, list.Items)
		}
		return list.Items[0].ID, list.Items[0].Supersedes
	}
	_, before := number("all:old")
	if later, _ := number("all:x"); later != before || later == 0 {
		t.Errorf("assertion %d stands in the place of %d, which is written later", before, later)
	}
	b.Plant(func(tx store.Tx) error {
		all, _, err := tx.Batches().List(ctx, nil, 10, 0)
		items := 0
		for _, x := range all {
			items += x.Items
		}
		if len(all) != 3 || items != 13 {
			t.Errorf("%d items in %+v", items, all)
		}
		return err
	})
	if r := importQuaid(t, a, file, "all", false); !strings.Contains(counts(t, r), "pages 0+12+0;") || r.Write != 0 {
		t.Errorf("again: %s", counts(t, r))
	}
	apptest.OK(change.Undo(ctx, a, history.UndoRequest{Write: r.Write}))(t)
	for _, s := range apptest.OK(a.Spaces.List(ctx))(t) {
		if pages := apptest.OK(state.CountStats(ctx, a.In(s.Name), false))(t).Pages; pages != 0 {
			t.Errorf("after undo there are %d pages in %s", pages, s.Name)
		}
	}
}

// What a program that still runs has in its log is read, too, and no byte is changed.
func TestQuaidLog(t *testing.T) {
	t.Parallel()
	file := quaidFile(t, foreigntest.Plain)
	closeIt, err := foreigntest.Log(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = closeIt() }()
	var before [2][]byte
	for i, name := range []string{file, file + "-wal"} {
		before[i] = apptest.OK(os.ReadFile(name))(t)
	}
	r := importQuaid(t, apptest.New(t).Open(), file, "old", false)
	if !strings.Contains(counts(t, r), "pages 4+0+0") {
		t.Errorf("%s", counts(t, r))
	}
	for i, name := range []string{file, file + "-wal"} {
		if !bytes.Equal(before[i], apptest.OK(os.ReadFile(name))(t)) {
			t.Errorf("%s was changed", name)
		}
	}
}

func TestQuaidRefuses(t *testing.T) {
	t.Parallel()
	whole := apptest.OK(os.ReadFile(quaidFile(t, foreigntest.Groups)))(t)
	dir := t.TempDir()
	put := func(name string, b []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	holes := bytes.Clone(whole)
	for i := 4096; i < len(holes); i++ {
		holes[i] ^= 0x5a
	}
	for name, tc := range map[string]struct {
		file string
		code kb.Code
		why  string
	}{
		"no file":    {filepath.Join(dir, "none.db"), kb.NotFound, "no file"},
		"directory":  {dir, kb.Invalid, "not a file"},
		"empty":      {put("empty.db", nil), kb.Invalid, "not a SQLite database"},
		"text":       {put("text.db", []byte("no database")), kb.Invalid, "not a SQLite database"},
		"long text":  {put("long.db", bytes.Repeat([]byte("no database "), 1000)), kb.Invalid, "not a SQLite database"},
		"truncated":  {put("half.db", whole[:len(whole)/2]), kb.Invalid, ""},
		"cut short":  {put("short.db", whole[:len(whole)-1]), kb.Invalid, "its end is missing"},
		"holes":      {put("holes.db", holes), kb.Invalid, ""},
		"of another": {sample(t), kb.Invalid, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t).Open()
			_, err := importer.ImportExport(t.Context(), a, importer.ExportRequest{Program: importer.Quaid, Into: "x", Request: importer.Request{File: tc.file}})
			if kb.CodeOf(err) != tc.code || !strings.Contains(err.Error(), tc.why) {
				t.Errorf("%v", err)
			}
			if all := apptest.OK(a.Spaces.List(t.Context()))(t); len(all) != 0 {
				t.Errorf("it made %+v", all)
			}
		})
	}
}

// A database that quaid wrote comes over: CAIRN_EXPORTS names the folder of such data.
func TestQuaidOfPeers(t *testing.T) {
	t.Parallel()
	data := os.Getenv("CAIRN_EXPORTS")
	if data == "" {
		t.Skip("CAIRN_EXPORTS names no folder")
	}
	file := filepath.Join(data, "quaid", "memory.db")
	var want struct{ Tables map[string]int }
	if err := json.Unmarshal(apptest.OK(os.ReadFile(filepath.Join(data, "quaid", "counts.json")))(t), &want); err != nil {
		t.Fatal(err)
	}
	a := apptest.New(t).Open()
	r := importQuaid(t, a, file, "", false)
	counts(t, r)
	for _, c := range r.Counts {
		if n, ok := want.Tables[c.Kind]; ok && n != c.Total {
			t.Errorf("%d of %d %s were counted", c.Total, n, c.Kind)
		}
		delete(want.Tables, c.Kind)
	}
	for table, n := range want.Tables {
		if n > 0 {
			t.Errorf("%d %s were not counted", n, table)
		}
	}
	for _, c := range importQuaid(t, a, file, "", false).Counts {
		if c.Brought != 0 {
			t.Errorf("again: %s", c)
		}
	}
}

// What an editor has saved, and nobody has read yet, is not written over with evidence.
func TestQuaidKeepsEdits(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	dir, file := b.Dir("old", map[string]string{"other.md": "Other.\n"}), quaidFile(t, foreigntest.Plain)
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "old", Root: dir}))(t)
	importQuaid(t, a, file, "old", false)
	ada := filepath.Join(dir, "people", "ada.md")
	text := string(apptest.OK(os.ReadFile(ada))(t))
	entry := strings.Index(text, "- **") // of what quaid says, too
	without := text[:entry] + text[entry+strings.Index(text[entry:], "\n")+1:]
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "old:people/ada", Text: []byte(without), Overwrite: true, WriteOptions: api.WriteOptions{RewriteTimeline: true}}))(t)
	edited := strings.Replace(without, "\n# ", "\nBy hand.\n\n# ", 1)
	if err := os.WriteFile(ada, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	req := importer.ExportRequest{Program: importer.Quaid, Into: "old", Request: importer.Request{File: file}}
	if _, err := importer.ImportExport(t.Context(), a, req); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("over an edit: %v", err)
	}
	if now := string(apptest.OK(os.ReadFile(ada))(t)); now != edited {
		t.Errorf("%s", now)
	}
	importQuaid(t, a, file, "old", false)
	if now := string(apptest.OK(os.ReadFile(ada))(t)); !strings.Contains(now, "By hand.") || len(now) <= len(edited) {
		t.Errorf("%s", now)
	}
}

// Slugs of which some systems would take one for the other, or their directories, become
// pages that can be told apart everywhere, in a directory too.
func TestQuaidSlugsAlike(t *testing.T) {
	t.Parallel()
	bed := apptest.New(t)
	a, file := bed.Open(), quaidFile(t, foreigntest.Plain)
	if err := foreigntest.Add(t.Context(), file, "PEOPLE/ada", "People/Zoe", "people/zo\u00e9", "people/zoe\u0301", "people/Deep/one", "people/deep/two"); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: bed.Dir("old", map[string]string{"own.md": "# Own\n"}), Name: "old"}))(t)
	r := importQuaid(t, a, file, "old", false)
	for _, want := range []string{"PEOPLE/ada: it is people/ada-2 now", "People/Zoe: it is people/Zoe now", "people/zoe\u0301: it is people/zoe\u0301-2 now", "people/deep/two: it is people/Deep/two now"} {
		if !strings.Contains(losses(r), want) {
			t.Errorf("%q is not told of in\n%s", want, losses(r))
		}
	}
	for _, ref := range []string{"people/ada", "people/ada-2", "people/Zoe", "people/zo\u00e9", "people/Deep/one", "people/Deep/two"} {
		if _, err := read.Get(t.Context(), a, read.GetRequest{Ref: "old:" + ref}); err != nil {
			t.Error(err)
		}
	}
	if r := importQuaid(t, a, file, "old", false); r.Write != 0 || !strings.Contains(counts(t, r), "pages 0+9+0") {
		t.Errorf("again: %s", counts(t, r))
	}
}
