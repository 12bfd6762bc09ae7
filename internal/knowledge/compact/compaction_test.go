package compact_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// bed is a memory with a space k of stale pages, and one beside it.
type bed struct {
	*apptest.Bed
	app  *memory.Session
	ext  string
	root string // "" in a database space
}

const rules = `id = "7655a114-538a-51ea-b901-b74aa64beada"
name = "k"
format = %q

[search]
hide = ["compacted"]

[lifecycle]
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
	b := &bed{Bed: apptest.New(t), ext: ext}
	b.Opts.Space = "k"
	format := map[string]string{".md": "markdown", ".org": "org"}[ext]
	b.root = b.Dir("k", map[string]string{".cairn/space.toml": fmt.Sprintf(rules, format)})
	add := space.AddRequest{Root: b.root, Accept: true}
	if kind == "database" {
		b.root, add = "", space.AddRequest{Name: "k", Database: true, Preset: "capture"}
	}
	b.app = b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), b.app, add))(t)
	if kind == "database" && ext == ".org" {
		apptest.OK(b.app.Spaces.Set(t.Context(), space.SetRequest{Name: "k", Key: "format", Value: "org"}))(t)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), b.app, space.AddRequest{Name: "beside", Database: true}))(t)
	return b
}

// put stores a page; what is metadata and what are links is written as its format has it.
func (b *bed) put(name, status, body string) {
	b.T.Helper()
	text := fmt.Sprintf("---\ntitle: %s\nstatus: %s\ntags: [shared, %s]\n---\n\n%s\n", name, status, strings.ToLower(name), body)
	if b.ext == ".org" {
		text = fmt.Sprintf("#+title: %s\n#+status: %s\n#+filetags: :shared:%s:\n\n%s\n", name, status, strings.ToLower(name), strings.ReplaceAll(body, "|", "]["))
	}
	apptest.OK(change.Put(b.T.Context(), b.app, change.PutRequest{Ref: "k:" + strings.ToLower(name) + b.ext, Text: []byte(text), Overwrite: true}))(b.T)
}

// cluster puts four stale pages, of which three belong together, and pages with links
// to them.
func (b *bed) cluster() {
	b.T.Helper()
	b.put("Alpha", "stale", "We decided to plan by the quarter, since sprints are too disruptive. The office has a green door that nobody likes.\n\n- related [[Beta]]\n- related [[Gamma]]")
	b.put("Beta", "stale", "Planning is now quarterly, and sprints are gone. Somebody had coffee with a lot of milk on that day.")
	b.put("Gamma", "stale", "The tool for planning is Jira because everybody knows it. It was raining on the day of the meeting.")
	b.put("Alone", "stale", "A page about penguins.")
	b.put("Hub", "active", "See [[Alpha]], [[Alpha|the plan]] and [[Gamma]].\n\n- uses [[Beta]]\n- used [[Beta]] @2020-01-01..2021-01-01\n- contradicts [[Gamma]]\n- supersedes [[Alpha]]")
	apptest.OK(change.Put(b.T.Context(), b.app, change.PutRequest{Ref: "beside:far.md", Text: []byte("See [[k/Beta]].\n")}))(b.T)
}

func (b *bed) text(ref string) string {
	b.T.Helper()
	return apptest.OK(read.Get(b.T.Context(), b.app, read.GetRequest{Ref: ref}))(b.T).Text
}

// into is where a compacted page leads.
func (b *bed) into(ref string) string {
	b.T.Helper()
	var out []string
	for _, l := range apptest.OK(links.List(b.T.Context(), b.app, api.LinksRequest{Ref: ref}))(b.T).Items {
		if l.Type == "compacted_into" && l.Page != nil {
			out = append(out, l.Page.Ref)
		}
	}
	return strings.Join(out, " ")
}

// texts are those of all pages.
func (b *bed) texts() map[string]string {
	b.T.Helper()
	out := map[string]string{}
	for _, space := range []string{"k", "beside"} {
		for _, p := range apptest.OK(retrieve.Pages(b.T.Context(), b.app.In(space), retrieve.ListRequest{}))(b.T).Items {
			out[p.Ref] = b.text(p.Ref)
		}
	}
	return out
}

func (b *bed) compact(req compact.Request) compact.Result {
	b.T.Helper()
	return apptest.OK(compact.Compact(b.T.Context(), b.app, req))(b.T)
}

// A summary that nobody wrote has the first sentence of each page, whole, with what
// refers to it; what another page replaced is not told as if it held.
func TestExtractKeepsFacts(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, b *bed) {
		b.put("Alpha", "stale", "The contract was signed by Dr. Okafor on 3 May for 40,000 EUR.\n\n- related [[Beta]]\n- related [[Gamma]]\n- related [[Delta]]")
		b.put("Beta", "stale", "Payment goes to Mr. Ito at Acme Inc. in Osaka.")
		b.put("Gamma", "stale", "The workshop takes approx. 3 days and costs 2,000 EUR. We decided this because the pilot took 5.")
		b.put("Delta", "active", "The retainer is 4,500 EUR.")
		b.put("Next", "active", "The retainer is 5,200 EUR.\n\n- supersedes [[Delta]]")
		apptest.OK(ageing.Pass(t.Context(), b.app, ageing.PassRequest{}))(t)
		got := b.compact(compact.Request{WriteOptions: api.WriteOptions{DryRun: true}}).Clusters[0].Text
		want := "- The contract was signed by Dr. Okafor on 3 May for 40,000 EUR.\n- Payment goes to Mr. Ito at Acme Inc. in Osaka.\n" +
			"- The workshop takes approx. 3 days and costs 2,000 EUR. We decided this because the pilot took 5.\n\n" +
			map[string]string{".md": "##", ".org": "*"}[b.ext] + " Superseded\n\n- Superseded: The retainer is 4,500 EUR."
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Three of four stale pages become one; they stay with their texts, and what linked to
// them leads to the summary, except what says something of the page itself.
func TestCompact(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, b *bed) {
		b.cluster()
		before := b.texts()
		plan := apptest.OK(compact.MakePlan(t.Context(), b.app, compact.PlanRequest{}))(t)
		if len(plan.Clusters) != 1 || plan.Stale != 4 || len(plan.Clusters[0].Members) != 3 || strings.Contains(plan.Clusters[0].Members[0].Text, "related") {
			t.Fatalf("%+v", plan)
		}
		dry := b.compact(compact.Request{WriteOptions: api.WriteOptions{DryRun: true}})
		if diff := cmp.Diff(before, b.texts()); diff != "" || dry.Clusters[0].Text == "" {
			t.Fatalf("a dry run changed pages: %s", diff)
		}

		r := b.compact(compact.Request{})
		if len(r.Clusters) != 1 {
			t.Fatalf("%+v", r)
		}
		c := r.Clusters[0]
		if c.State != "compacted" || c.Summary == "" || !slices.Equal(c.Members, []string{"k:alpha", "k:beta", "k:gamma"}) || !slices.Equal(c.Linking, []string{"beside:far", "k:hub"}) {
			t.Fatalf("%+v", c)
		}
		summary := apptest.OK(read.Get(t.Context(), b.app, read.GetRequest{Ref: c.Summary}))(t)
		if summary.Status != kb.Active || summary.Title != "Summary: Beta" || !slices.Equal(summary.Tags, []string{"shared"}) {
			t.Errorf("%+v", summary.Page)
		}
		for _, want := range []string{"compaction", "We decided to plan by the quarter", "Compacted from", "Alpha", "Beta", "Gamma"} {
			if !strings.Contains(summary.Text, want) {
				t.Errorf("the summary lacks %q:\n%s", want, summary.Text)
			}
		}
		after := b.texts()
		for _, member := range c.Members {
			p := apptest.OK(read.Get(t.Context(), b.app, read.GetRequest{Ref: member}))(t)
			if p.Status != kb.Compacted || !strings.Contains(p.Text, strings.SplitN(before[member], "\n\n", 3)[1]) || !strings.Contains(p.Text, "- compacted_into [[") {
				t.Errorf("%s: %s\n%s", member, p.Status, p.Text)
			}
			if into := b.into(member); into != c.Summary {
				t.Errorf("%s leads to %q", member, into)
			}
		}
		hub := after["k:hub"]
		for _, want := range map[string][]string{
			".md":  {"See [[Summary: Beta|Alpha]], [[Summary: Beta|the plan]] and [[Summary: Beta|Gamma]].", "- uses [[Summary: Beta|Beta]]\n- used [[Beta]] @2020-01-01..2021-01-01\n- contradicts [[Gamma]]\n- supersedes [[Alpha]]"},
			".org": {"][Alpha]], [[", "][the plan]]", "- used [[", "- supersedes [["},
		}[b.ext] {
			if name := "[[Summary: Beta"; !strings.Contains(strings.ReplaceAll(hub, "[["+c.Summary[len("k:"):], name), want) {
				t.Errorf("hub lacks %q:\n%s", want, hub)
			}
		}
		backlinks := apptest.OK(links.List(t.Context(), b.app, api.LinksRequest{Way: api.In, Ref: c.Summary}))(t)
		from := map[string]int{}
		for _, l := range backlinks.Items {
			from[l.Page.Ref]++
		}
		if want := map[string]int{"k:hub": 4, "beside:far": 1, "k:alpha": 1, "k:beta": 1, "k:gamma": 1}; !maps.Equal(from, want) {
			t.Errorf("links to the summary: %v, want %v\n%s", from, want, hub)
		}

		// A search leaves out what is compacted, and names the summary where it is asked for.
		for query, want := range map[string]string{"coffee": c.Summary + " ", "coffee status:compacted": "k:beta " + c.Summary} {
			got := ""
			for _, h := range apptest.OK(read.Search(t.Context(), b.app, retrieve.SearchRequest{Query: query, Mode: "fts"}))(t).Items {
				got = h.Ref + " " + h.CompactedInto
			}
			if got != want {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
		if again := b.compact(compact.Request{}); len(again.Clusters) != 0 {
			t.Errorf("a second time: %+v", again)
		}
		apptest.OK(change.Undo(t.Context(), b.app, history.UndoRequest{Write: c.Write}))(t)
		if diff := cmp.Diff(before, b.texts()); diff != "" {
			t.Errorf("after the undo: %s", diff)
		}
	})
}

// A summary that becomes stale is compacted in its turn, and all pages lead to the new
// one.
func TestASummaryIsCompacted(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, b *bed) {
		b.cluster()
		first := b.compact(compact.Request{}).Clusters[0]
		apptest.OK(ageing.ChangeStatus(t.Context(), b.app, ageing.StatusRequest{Ref: first.Summary, Status: "stale"}))(t)
		b.put("Delta", "stale", "Planning moved to the office in Bern, which is closer to the station.\n\n- related [[Epsilon]]\n- relates_to [["+strings.TrimPrefix(first.Summary, "k:")+"]]")
		b.put("Epsilon", "stale", "The station has a clock.")
		second := b.compact(compact.Request{}).Clusters
		if len(second) != 1 || second[0].State != "compacted" || len(second[0].Members) != 3 {
			t.Fatalf("%+v", second)
		}
		for _, ref := range append(first.Members, second[0].Members...) {
			if into := b.into(ref); into != second[0].Summary {
				t.Errorf("%s leads to %q", ref, into)
			}
		}
	})
}

// An agent's summary is taken as it is, if it can stand for its pages.
func TestPlanOfAnAgent(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, b *bed) {
		b.cluster()
		before := b.texts()
		members := func(names ...string) (out []compact.Member) {
			for _, name := range names {
				out = append(out, compact.Member{Ref: "k:" + name})
			}
			return out
		}
		three := members("alpha", "beta", "gamma")
		long := strings.Repeat("Long words. ", 100)
		front := map[string]string{".md": "---\nstatus: stale\n---\n\nText.", ".org": ":PROPERTIES:\n:ALIAS: Hub\n:END:\n#+status: stale\nText."}[b.ext]
		fence := map[string]string{".md": "```\ntext", ".org": "* Compacted from\n- [[Hub]]"}[b.ext]
		for name, plan := range map[string]compact.Plan{
			"no members":        {Clusters: []compact.Cluster{{Title: "T", Summary: "S"}}},
			"one member":        {Clusters: []compact.Cluster{{Title: "T", Summary: "S", Members: members("alpha")}}},
			"a page twice":      {Clusters: []compact.Cluster{{Title: "T", Summary: "S", Members: members("alpha", "beta", "alpha")}}},
			"in two clusters":   {Clusters: []compact.Cluster{{Title: "T", Summary: "S", Members: three}, {Title: "U", Summary: "S", Members: members("alone", "beta")}}},
			"an unknown page":   {Clusters: []compact.Cluster{{Title: "T", Summary: "S", Members: members("alpha", "nobody")}}},
			"no title":          {Clusters: []compact.Cluster{{Summary: "S", Members: three}}},
			"two lines":         {Clusters: []compact.Cluster{{Title: "T\nU\x00", Summary: "S", Members: three}}},
			"too long":          {Clusters: []compact.Cluster{{Title: "T", Summary: long, Members: three}}},
			"binary":            {Clusters: []compact.Cluster{{Title: "T", Summary: "a\x00b", Members: three}}},
			"metadata":          {Clusters: []compact.Cluster{{Title: "T", Summary: front, Members: three}}},
			"a relation":        {Clusters: []compact.Cluster{{Title: "T", Summary: "Text.\n\n- supersedes [[Hub]]", Members: three}}},
			"another":           {Clusters: []compact.Cluster{{Title: "T", Summary: "Text.\n\n- Contradicts: [[Hub]]", Members: three}}},
			"a credential":      {Clusters: []compact.Cluster{{Title: "T", Summary: "Key ghp_" + "q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU.", Members: three}}},
			"hides its members": {Clusters: []compact.Cluster{{Title: "T", Summary: fence, Members: three}}},
		} {
			_, err := compact.Compact(t.Context(), b.app, compact.Request{Plan: &plan})
			if code := kb.CodeOf(err); code != kb.Invalid && code != kb.NotFound && code != kb.Secret {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(before, b.texts()); diff != "" {
				t.Fatalf("%s: %s", name, diff)
			}
		}
		r := b.compact(compact.Request{Plan: &compact.Plan{Clusters: []compact.Cluster{
			{Number: 7, Title: "How we plan", Summary: "We plan by the *quarter*, in Jira; see [[Hub]].", Members: three},
			{Number: 8, Members: members("alone", "hub")},
		}}})
		if len(r.Clusters) != 2 || r.Clusters[0].State != "compacted" || r.Clusters[0].Title != "How we plan" || r.Clusters[1].State != "waiting" {
			t.Fatalf("%+v", r)
		}
		if text := b.text(r.Clusters[0].Summary); !strings.Contains(text, "We plan by the *quarter*, in Jira; see [[Hub]].") {
			t.Errorf("%s", text)
		}
		// The same plan again: its pages are not stale any more.
		again := b.compact(compact.Request{Plan: &compact.Plan{Clusters: []compact.Cluster{{Title: "T", Summary: "S", Members: three}}}})
		if len(again.Clusters) != 1 || again.Clusters[0].State != "waiting" {
			t.Errorf("%+v", again)
		}
	})
}

// A page that an editor saved since the plan was made, or after it was read, keeps its
// cluster waiting, and nothing is changed.
func TestAMemberChangesMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBed(t, "directory", ".md")
	b.cluster()
	plan := apptest.OK(compact.MakePlan(t.Context(), b.app, compact.PlanRequest{}))(t)
	plan.Clusters[0].Title, plan.Clusters[0].Summary = "T", "Short."
	file := filepath.Join(b.root, "beta.md")
	text := string(apptest.OK(os.ReadFile(file))(t))
	save := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save(text + "\nMore.\n")
	r := b.compact(compact.Request{Plan: &plan})
	if len(r.Clusters) != 1 || r.Clusters[0].State != "waiting" || !strings.Contains(r.Clusters[0].Reason, "k:beta") {
		t.Errorf("%+v", r)
	}
	if got := string(apptest.OK(os.ReadFile(file))(t)); got != text+"\nMore.\n" {
		t.Errorf("the file is %q", got)
	}
	if r := b.compact(compact.Request{}); r.Clusters[0].State != "compacted" && r.Clusters[0].State != "waiting" {
		t.Errorf("%+v", r)
	}
}

// A title that another page has gets a number, so that links to either are clear.
func TestTakenTitles(t *testing.T) {
	t.Parallel()
	b := newBed(t, "directory", ".md")
	b.cluster()
	b.put("Summary-beta", "active", "Another page.\n")
	b.put("Other", "active", "# Summary: Beta\n")
	r := b.compact(compact.Request{}).Clusters
	if len(r) != 1 || r[0].Title != "Summary: Beta (2)" {
		t.Fatalf("%+v", r)
	}
	if into := b.into("k:alpha"); into != r[0].Summary {
		t.Errorf("it leads to %q", into)
	}
}
