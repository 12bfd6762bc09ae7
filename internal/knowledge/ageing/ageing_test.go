package ageing_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones where the machine has none

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/presets"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// bed is a space whose pages age, on a day that the test says.
type bed struct {
	*apptest.Bed
	app   *memory.Session
	clock *apptest.Clock
	ext   string
	root  string // "" in a database space
}

const rules = `format = %q

[capture]
auto_tags = true
auto_link = 0.75
record = true

[lifecycle]
stale_after = 60
unlinked_after = 30
exempt = { tags = ["pinned"] }
effects = { supersedes = "stale", contradicts = "conflict" }
transitions = { active = ["stale"], stale = ["active", "compacted"] }
`

// eachKind runs a test over all kinds of spaces and documents.
func eachKind(t *testing.T, test func(t *testing.T, b *bed)) {
	for _, ext := range []string{".md", ".org"} {
		for _, kind := range []string{"directory", "database"} {
			t.Run(kind+ext, func(t *testing.T) { test(t, newBed(t, kind, ext)) })
		}
	}
}

func newBed(t *testing.T, kind, ext string) *bed {
	zone, err := time.LoadLocation("Europe/Berlin") // which has daylight saving
	if err != nil {
		t.Fatal(err)
	}
	b := &bed{Bed: apptest.New(t), ext: ext}
	b.clock = b.Clock(time.Date(2026, 1, 10, 9, 0, 0, 0, zone), time.Millisecond)
	b.Opts.Space = "k"
	format := map[string]string{".md": "markdown", ".org": "org"}[ext]
	add := space.AddRequest{Name: "k", Database: true, Preset: "capture"}
	if kind == "directory" {
		b.root = b.Dir("k", map[string]string{".cairn/space.toml": "id = \"7655a114-538a-51ea-b901-b74aa64beada\"\nname = \"k\"\n" + fmt.Sprintf(rules, format)})
		add = space.AddRequest{Root: b.root, Accept: true}
	}
	b.app = b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), b.app, add))(t)
	if b.root == "" {
		apptest.OK(presets.Rewrite(t.Context(), b.app, space.RewriteRequest{Name: "k", Text: fmt.Appendf(nil, rules, format)}))(t)
	}
	return b
}

// again ends what nobody waits for, and opens the memory again.
func (b *bed) again() {
	b.T.Helper()
	if err := b.app.Close(); err != nil {
		b.T.Fatal(err)
	}
	b.app = b.Open()
}

func (b *bed) wait(days int) { b.clock.Set(b.clock.Last().AddDate(0, 0, days)) }

// put writes a page that says when it was made, unless it is to say nothing.
func (b *bed) put(name, body string, dated bool) {
	b.T.Helper()
	apptest.OK(change.Put(b.T.Context(), b.app, change.PutRequest{Ref: "k:" + name + b.ext, Text: []byte(b.text(name, body, dated)), Overwrite: true}))(b.T)
}

func (b *bed) text(name, body string, dated bool) string {
	day := b.clock.Last().Format(time.DateOnly)
	switch {
	case b.ext == ".org" && dated:
		return fmt.Sprintf("#+title: %s\n#+created: [%s]\n\n%s\n", name, day, body)
	case b.ext == ".org":
		return fmt.Sprintf("#+title: %s\n\n%s\n", name, body)
	case dated:
		return fmt.Sprintf("---\ntitle: %s\ncreated: %s\n---\n\n%s\n", name, day, body)
	}
	return fmt.Sprintf("# %s\n\n%s\n", name, body)
}

func (b *bed) pass(anyway bool) api.SpacePass {
	b.T.Helper()
	r := apptest.OK(ageing.Pass(b.T.Context(), b.app, ageing.PassRequest{Anyway: anyway}))(b.T)
	if len(r.Spaces) != 1 {
		b.T.Fatalf("%d spaces age", len(r.Spaces))
	}
	// A list of the stale pages reads only some pages, and finds the same.
	list := apptest.OK(ageing.Stale(b.T.Context(), b.app, ageing.StaleRequest{}))(b.T)
	if diff := cmp.Diff([]any{r.Spaces[0].Conflicts, r.Spaces[0].Circles}, []any{list.Conflicts, list.Circles}); diff != "" {
		b.T.Errorf("the list differs from the pass: %s", diff)
	}
	return r.Spaces[0]
}

// reasons are the reasons of the stale pages.
func (b *bed) reasons() map[string]string {
	b.T.Helper()
	out := map[string]string{}
	for _, s := range apptest.OK(ageing.Stale(b.T.Context(), b.app, ageing.StaleRequest{}))(b.T).Items {
		out[s.Slug] = s.StaleSince + " " + s.Reason
	}
	return out
}

func (b *bed) want(want map[string]string) {
	b.T.Helper()
	if diff := cmp.Diff(want, b.reasons()); diff != "" {
		b.T.Errorf("on %s: %s", b.clock.Last().Format(time.DateOnly), diff)
	}
}

func TestPagesAge(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, b *bed) {
		ctx := t.Context()
		dated := b.root != "" // the times of files are not the test's
		b.put("linked", "Known.", true)
		b.put("lonely", "Known.", true)
		b.put("undated", "Known.", dated)
		b.put("hub", "See [[linked]] and [[undated]].\n\n- contradicts [[other]]", true)
		b.put("other", "Known.", true)
		apptest.OK(change.Tag(ctx, b.app, change.TagRequest{Ref: "hub", Add: []string{"pinned"}}))(t)

		b.wait(30)
		b.pass(false)
		b.want(map[string]string{})
		var due []string
		for _, s := range apptest.OK(ageing.Stale(ctx, b.app, ageing.StaleRequest{Due: true}))(t).Items {
			due = append(due, s.Slug+" "+s.Due+" "+s.Reason)
		}
		if diff := cmp.Diff([]string{
			"lonely 2026-02-10 unlinked (31 days)", "linked 2026-03-12 age (61 days)", "undated 2026-03-12 age (61 days)",
		}, due); diff != "" {
			t.Errorf("due: %s", diff)
		}

		b.wait(1)
		if p := b.pass(false); len(p.Stale) != 1 || len(p.Conflicts) != 1 || p.Conflicts[0].A != "k:hub" {
			t.Errorf("%+v", p)
		}
		b.want(map[string]string{"lonely": "2026-02-10 unlinked (31 days)"})
		b.put("new", "See [[lonely]].", true)
		b.pass(false)
		b.want(map[string]string{})

		b.wait(30) // the conflict keeps other from ageing, and hub is exempt
		b.pass(false)
		b.want(map[string]string{
			"linked": "2026-03-12 age (61 days)", "undated": "2026-03-12 age (61 days)", "lonely": "2026-03-12 age (61 days)",
		})

		// A review and an edit count as a change.
		apptest.OK(ageing.ChangeStatus(ctx, b.app, ageing.StatusRequest{Ref: "linked", Status: "active"}))(t)
		apptest.OK(change.EditPage(ctx, b.app, change.EditRequest{Ref: "undated", Edits: appendText("More.")}))(t)
		b.pass(false)
		b.want(map[string]string{"lonely": "2026-03-12 age (61 days)"})
		b.wait(61)
		b.pass(true)
		got := b.reasons()
		if got["linked"] != "2026-05-12 age (61 days)" || !dated && got["undated"] != "2026-05-12 age (61 days)" || got["lonely"] != "2026-03-12 age (61 days)" {
			t.Errorf("%v", got)
		}
	})
}

// Whatever an editor writes acts at the next pass: what replaces, what does not any
// more, and a circle, which does nothing and is told.
func TestLinksOfAnEditorActAtTheNextPass(t *testing.T) {
	t.Parallel()
	for _, ext := range []string{".md", ".org"} {
		b := newBed(t, "directory", ext)
		write := func(name, body string) {
			if err := os.WriteFile(filepath.Join(b.root, name+ext), []byte(b.text(name, body, true)), 0o644); err != nil {
				t.Fatal(err)
			}
			apptest.OK(gitsync.Sync(t.Context(), b.app, gitsync.SyncRequest{}))(t)
		}
		for _, name := range []string{"a", "b", "c"} {
			write(name, "Text.")
		}
		write("a", "Text.\n\n- supersedes [[b]]")
		b.want(map[string]string{})
		b.pass(false)
		b.want(map[string]string{"b": "2026-01-10 superseded by a"})
		if p := b.pass(false); p.Write != 0 {
			t.Errorf("a second pass wrote %+v", p)
		}
		apptest.OK(ageing.ChangeStatus(t.Context(), b.app, ageing.StatusRequest{Ref: "b", Status: "active"}))(t)
		b.pass(false)
		b.want(map[string]string{}) // the review outweighs it
		write("c", "Text.\n\n- supersedes [[b]] @2026-01-11..")
		b.wait(1)
		b.pass(false)
		b.want(map[string]string{"b": "2026-01-11 superseded by c"})
		write("c", "Text.")
		b.pass(false)
		b.want(map[string]string{"b": "2026-01-11 superseded by a"})
		write("a", "Text.")
		b.pass(false)
		b.want(map[string]string{})
		write("a", "Text.\n\n- supersedes [[b]]")
		write("b", "Text.\n\n- supersedes [[a]]")
		if p := b.pass(false); len(p.Circles) != 1 || len(p.Stale) != 0 {
			t.Errorf("%+v", p)
		}
		b.want(map[string]string{})
	}
}

// After a long absence a schedule marks none of the pages, and a person may.
func TestAPassThatWouldMarkMostPagesMarksNone(t *testing.T) {
	t.Parallel()
	b := newBed(t, "database", ".md")
	for i := range 20 {
		if i == 9 {
			b.wait(40)
		}
		b.put(fmt.Sprint("p", i), "Text.", true)
	}
	maintain := func() string {
		t.Helper()
		r := apptest.OK(jobs.Maintain(t.Context(), b.app, jobs.MaintainRequest{Jobs: []string{"staleness"}, Force: true}))(t)
		return r.Items[0].Did
	}
	if got := maintain(); got != "9 pages stale, 0 active again" {
		t.Errorf("%s", got)
	}
	history := apptest.OK(history.List(t.Context(), b.app, history.ListRequest{Ref: "p0"}))(t).Items
	if len(history) == 0 || history[0].Actor != string(kb.Schedule) || history[0].Op != "staleness" {
		t.Errorf("%+v", history)
	}
	for i := range 9 {
		b.put(fmt.Sprint("q", i), "Text.", true)
	}
	b.wait(40)
	if got := maintain(); got != "0 pages stale, 0 active again; k: 20 of 20 held back, more than half" {
		t.Errorf("%s", got)
	}
	if n := len(b.reasons()); n != 9 {
		t.Errorf("%d pages are stale", n)
	}
	if p := b.pass(true); len(p.Stale) != 20 || p.Held != 0 {
		t.Errorf("%d stale, %d held", len(p.Stale), p.Held)
	}
}

// bytes are the documents of the space.
func (b *bed) bytes() map[string]string {
	b.T.Helper()
	out := map[string]string{}
	for _, slug := range slices.Sorted(maps.Keys(b.statuses())) {
		text := apptest.OK(read.Get(b.T.Context(), b.app, read.GetRequest{Ref: "k:" + slug, Unread: true}))(b.T)
		out[slug] = text.Text
	}
	return out
}

// statuses are those of the pages, with p6 as a new one each time.
func (b *bed) statuses() map[string]kb.Status {
	b.T.Helper()
	out := map[string]kb.Status{}
	for _, p := range apptest.OK(retrieve.Pages(b.T.Context(), b.app, retrieve.ListRequest{Limit: 100}))(b.T).Items {
		if !strings.Contains(p.Slug, "#") {
			out[p.Slug] = p.Status
		}
	}
	return out
}

func appendText(text string) []doc.Edit { return []doc.Edit{doc.Append{Text: "\n" + text + "\n"}} }

// A page that was read, recalled or edited does not age for as long as a review keeps it;
// an automatic relation and a pass are no use of it, and neither is a look at what a
// page was.
func TestUseKeepsAPage(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, b *bed) {
		for _, name := range []string{"read", "recalled", "edited", "relation", "unused", "future"} {
			b.put(name, "The fact of the page called "+name+" is "+name+"-fact.", true)
		}
		b.put("hub", "See "+strings.Join([]string{"[[read]]", "[[recalled]]", "[[edited]]", "[[relation]]", "[[future]]"}, " ")+".", true)
		b.put("like", map[string]string{".md": "- related [[unused]] (auto 0.94)", ".org": "- related [[unused]] (auto 0.94)"}[b.ext], true)
		b.clock.Set(b.clock.Last().AddDate(0, 6, 0))
		apptest.OK(read.Get(t.Context(), b.app, read.GetRequest{Ref: "k:future"}))(t)
		b.again()
		b.clock.Set(b.clock.Last().AddDate(0, -6, 0))
		b.wait(40)
		if got := b.pass(true); len(got.Stale) != 3 { // hub, like, and the page with an automatic relation
			t.Errorf("%+v", got.Stale)
		}
		apptest.OK(read.Get(t.Context(), b.app, read.GetRequest{Ref: "k:read"}))(t)
		apptest.OK(read.Query(t.Context(), b.app, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "recalled-fact", Mode: "fts", Limit: 1}}))(t)
		apptest.OK(change.Edit(t.Context(), b.app, "edit", api.WriteOptions{}, "k:edited", doc.Append{Text: "More of it."}))(t)
		apptest.OK(read.Get(t.Context(), b.app, read.GetRequest{Ref: "k:relation", Unread: true}))(t)
		b.again()
		b.wait(30)
		b.pass(true)
		want := map[string]string{"future": "age (70 days)", "hub": "unlinked (40 days)", "like": "unlinked (40 days)", "relation": "age (70 days)", "unused": "unlinked (40 days)"}
		for name, reason := range b.reasons() {
			if want[name] == "" || !strings.HasSuffix(reason, want[name]) {
				t.Errorf("%s is stale: %s", name, reason)
			}
			delete(want, name)
		}
		if len(want) > 0 {
			t.Errorf("not stale: %v", want)
		}
	})
}
