package mcpserver_test

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// newMemories is a client of the set memory with spaces of that preset, which works in
// the first. Of several that is a directory, in which the client is.
func newMemories(t *testing.T, spaces ...string) notes {
	t.Helper()
	bed := apptest.New(t)
	a := bed.Open()
	opts := mcpserver.Options{Memory: bed.Lazy(), Sets: []operation.Set{operation.Memories}}
	for i, name := range spaces {
		if i == 0 && len(spaces) > 1 {
			opts.Dir = bed.Dir(name, map[string]string{"README.md": "# All\n"})
			apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: opts.Dir, Name: name, Preset: "memory"}))(t)
			continue
		}
		apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: name, Database: true, Preset: "memory"}))(t)
	}
	return notes{t, connect(t, mcpserver.New(opts), mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil)), bed, ""}
}

// list calls a tool that answers a list.
func (n notes) list(tool string, args map[string]any) []map[string]any {
	n.t.Helper()
	text, failed := n.text(tool, args)
	var out []map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil || failed {
		n.t.Fatalf("%s %v: %s", tool, args, text)
	}
	return out
}

func (n notes) says(tool string, args map[string]any, part string) {
	n.t.Helper()
	if text, failed := n.text(tool, args); failed || !strings.Contains(text, part) {
		n.t.Errorf("%s %v answers %s", tool, args, text)
	}
}

// Every tool of the set does what its name says.
func TestMemoryTools(t *testing.T) {
	t.Parallel()
	n := newMemories(t, "memory")
	n.says("memory_put", map[string]any{"slug": "people/ada", "content": "# Ada\n\n> Founder of Brex.\n\nAda founded Brex.\n", "expected_version": 0}, "Created memory:people/ada (version 1)")
	n.says("memory_put", map[string]any{"slug": "companies/brex", "compiled_truth": "> A bank.\n", "frontmatter": map[string]any{"stage": "seed"}, "timeline_append": "- **2017-01-03** | news — Founded"}, "Created")
	p := n.must("memory_get", map[string]any{"slug": "companies/brex"})
	if p["slug"] != "companies/brex" || p["type"] != "company" || p["wing"] != "brex" || !strings.Contains(p["compiled_truth"].(string), "A bank.") ||
		strings.Contains(p["compiled_truth"].(string), "Founded") || !strings.Contains(p["timeline"].(string), "Founded") || p["frontmatter"].(map[string]any)["stage"] != "seed" {
		t.Errorf("the page is %v", p)
	}
	if code, text := n.refused("memory_put", map[string]any{"slug": "people/ada", "content": "x", "expected_version": 7}); code != "conflict" {
		t.Errorf("%s %s", code, text)
	}

	n.says("memory_link", map[string]any{"from_slug": "people/ada", "to": "companies/brex", "relationship": "works_at", "valid_from": "2017-01-03", "page_version": 1}, "Linked people/ada")
	links := n.list("memory_links", map[string]any{"slug": "people/ada"})
	if len(links) != 1 || links[0]["to_slug"] != "memory:companies/brex" || links[0]["valid_until"] != nil {
		t.Fatalf("the links are %v", links)
	}
	n.says("memory_link", map[string]any{"from": "people/ada", "to": "companies/brex", "relationship": "invests_in"}, "link id ")
	back := n.list("memory_backlinks", map[string]any{"slug": "companies/brex", "temporal": "active"})
	if len(back) != 2 || back[0]["from_slug"] != "memory:people/ada" {
		t.Errorf("the backlinks are %v", back)
	}
	text, _ := n.text("memory_link_close", map[string]any{"link_id": links[0]["id"], "valid_until": "2026-03-01", "page_version": 1})
	var stale struct {
		Error struct {
			Code    string
			Details struct {
				Current int    `json:"current_version"`
				Diff    string `json:"diff"`
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &stale); err != nil || stale.Error.Code != "conflict" || stale.Error.Details.Current != 3 || !strings.Contains(stale.Error.Details.Diff, "+- works_at") {
		t.Errorf("a stale version answers %s", text)
	}
	n.says("memory_link_close", map[string]any{"link_id": links[0]["id"], "valid_until": "2026-03-01", "page_version": 3}, "Closed link")
	g := n.must("memory_graph", map[string]any{"slug": "people/ada", "temporal": "all"})
	if len(g["nodes"].([]any)) != 2 || len(g["edges"].([]any)) != 2 {
		t.Errorf("the graph is %v", g)
	}
	n.must("memory_unlink", map[string]any{"from": "people/ada", "to": "companies/brex", "page_version": 4})
	if links = n.list("memory_links", map[string]any{"slug": "people/ada", "temporal": "all"}); len(links) != 0 {
		t.Errorf("the links are %v", links)
	}

	n.must("memory_timeline_add", map[string]any{"slug": "companies/brex", "date": "2026-01-02", "summary": "Sold.", "source": "news", "page_version": 1})
	if e := n.must("memory_timeline", map[string]any{"slug": "companies/brex"}); e["total"] != 2.0 || e["entries"].([]any)[0].(map[string]any)["summary"] != "Sold." {
		t.Errorf("the timeline is %v", e)
	}
	n.must("memory_tag", map[string]any{"slug": "companies/brex", "tag": "bank", "page_version": 2})
	if text, _ := n.text("memory_tags", map[string]any{"slug": "companies/brex", "add": []string{"us"}}); text != `["bank","us"]` {
		t.Errorf("the tags are %s", text)
	}
	if text, _ := n.text("memory_tags", map[string]any{"slug": "companies/brex"}); text != `["bank","us"]` {
		t.Errorf("the tags are %s", text)
	}
	for _, tool := range []string{"memory_tag", "memory_unlink", "memory_timeline_add"} {
		if code, text := n.refused(tool, map[string]any{"slug": "companies/brex", "from": "a", "to": "b"}); code != "usage" {
			t.Errorf("%s without a version: %s %s", tool, code, text)
		}
	}
	n.must("memory_raw", map[string]any{"slug": "companies/brex", "source": "api", "data": map[string]any{"n": 1}})
	if r := n.must("memory_raw", map[string]any{"slug": "companies/brex", "source": "api"}); r["items"].([]any)[0].(map[string]any)["data"].(map[string]any)["n"] != 1.0 {
		t.Errorf("the data is %v", r)
	}

	q := n.must("memory_query", map[string]any{"query": "who founded Brex", "token_budget": 500})
	hit := q["results"].([]any)[0].(map[string]any)
	if q["total_tokens"].(float64)+q["budget_remaining"].(float64) != 500 || hit["tokens_used"].(float64) < 1 || hit["summary"] == "" || hit["depth"] == "" {
		t.Errorf("the query answers %v", q)
	}
	if s := n.must("memory_search", map[string]any{"query": "founded", "page_type": "person", "wing": "ada"}); len(s["results"].([]any)) != 1 {
		t.Errorf("the search answers %v", s)
	}
	if l := n.list("memory_list", map[string]any{"page_type": "company"}); len(l) != 1 || l[0]["slug"] != "companies/brex" || l[0]["summary"] != "A bank." {
		t.Errorf("the list is %v", l)
	}

	gap := n.must("memory_gap", map[string]any{"query_text": "Who audits Brex?", "context": "due diligence"})
	if gap["sensitivity"] != "internal" || gap["query_text"] != nil || len(gap["query_hash"].(string)) != 64 {
		t.Errorf("the gap is %v", gap)
	}
	if code, _ := n.refused("memory_gap_approve", map[string]any{"gap_id": gap["id"], "sensitivity": "redacted", "approver": "Ada"}); code != "invalid" && code != "usage" {
		t.Errorf("an approval without a question is %s", code)
	}
	if gaps := n.list("memory_gaps", nil); len(gaps) != 1 {
		t.Errorf("the gaps are %v", gaps)
	}
	if s := n.must("memory_stats", nil); s["page_count"] != 2.0 || s["gap_count"] != 1.0 {
		t.Errorf("the counts are %v", s)
	}

	for _, who := range []string{"ada", "bob"} {
		n.says("memory_put", map[string]any{"slug": "facts/" + who, "content": "# " + who + "\n\n- is_ceo_of [[brex]]\n"}, "Created")
	}
	one := n.must("memory_ingest", map[string]any{
		"content": "Ada met Brex.", "source_type": "meeting", "source_ref": "Meeting 12",
		"pages": []any{map[string]any{"slug": "people/ada", "timeline_entries": []any{map[string]any{"date": "2026-02-03", "summary": "Met Brex"}}}},
	})
	if len(one["pages"].([]any)) != 2 || one["source"] == nil {
		t.Errorf("the ingest answers %v", one)
	}

	r, err := n.c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://index"})
	if err != nil || !strings.Contains(r.Contents[0].Text, "## company\n\n- companies/brex\n") {
		t.Errorf("the index is %v, %v", r, err)
	}
	r, err = n.c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://pages/companies/brex"})
	if err != nil || !strings.Contains(r.Contents[0].Text, "A bank.") {
		t.Errorf("the page is %v, %v", r, err)
	}
	for name, part := range map[string]string{"memory_briefing": "sections", "memory_ingest_meeting": "memory_ingest"} {
		p, err := n.c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name})
		if err != nil || !strings.Contains(p.Messages[0].Content.(*mcp.TextContent).Text, part) {
			t.Errorf("the prompt %s is %v, %v", name, p, err)
		}
	}
}

// A contradiction is settled by the page that holds, or dismissed.
func TestMemoryCheck(t *testing.T) {
	t.Parallel()
	n := newMemories(t, "memory")
	for _, who := range []string{"ada", "bob"} {
		n.says("memory_put", map[string]any{"slug": "people/" + who, "content": "# " + who + "\n", "assertions": []any{
			map[string]any{"subject": "Brex", "predicate": "is_led_by", "object": who},
		}}, "Created")
	}
	if text, failed := n.text("memory_check", map[string]any{"resolve": "99999"}); !failed {
		t.Errorf("settling nothing answers %s", text)
	}
	if list := n.list("memory_check", map[string]any{"type": "cross_page"}); len(list) == 1 {
		r := n.must("memory_check", map[string]any{"resolve": list[0]["id"], "keep": "people/bob"})
		if r["superseded_slug"] != "memory:people/ada" || len(n.list("memory_check", map[string]any{"type": "cross_page"})) != 0 {
			t.Errorf("it was settled as %v", r)
		}
	} else {
		t.Errorf("the contradictions are %v", list)
	}
}

// A session that a client had with quaid is had with the set memory again: what was
// answered there is answered here, in the same shape, and what was refused is refused.
func TestRecordedMemorySession(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("CAIRN_EXPORTS")
	if dir == "" {
		t.Skip("CAIRN_EXPORTS names no directory of other programs' data")
	}
	n := newMemories(t, "default", "handbook", "archive", "agent-a", "scratch", "old-shop")
	// What was there before the session.
	for space, from := range map[string]string{"handbook": "quaid/files/handbook", "archive": "quaid/files/archive"} {
		root := filepath.Join(dir, from)
		err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(name, ".md") {
				return err
			}
			rel, _ := filepath.Rel(root, name)
			text, err := os.ReadFile(name)
			if err == nil {
				apptest.OK(change.Put(t.Context(), n.bed.Open().In(space), change.PutRequest{Ref: filepath.ToSlash(rel), Text: text}))(t)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, slug := range []string{"companies/brindlewick", "companies/polnoc-clay", "people/odalys-ferrant"} {
		text, err := os.ReadFile(filepath.Join(dir, "source", slug+".md"))
		if err != nil {
			t.Fatal(err)
		}
		apptest.OK(change.Put(t.Context(), n.bed.Open().In("default"), change.PutRequest{Ref: slug + ".md", Text: text}))(t)
	}

	f, err := os.Open(filepath.Join(dir, "quaid", "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	type line struct {
		From, Want string
		Message    struct {
			ID     any
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
			Result *struct{ Content []struct{ Text string } }
			Error  json.RawMessage
		}
	}
	asked, replayed, seen := map[any]line{}, 0, map[string]bool{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			continue // a message of another form
		}
		if l.From == "client" && l.Message.Method == "tools/call" {
			asked[l.Message.ID] = l
		}
		call, ok := asked[l.Message.ID]
		if l.From != "server" || !ok || call.Want == "" {
			continue
		}
		delete(asked, l.Message.ID)
		name, given := call.Message.Params.Name, string(call.Message.Params.Arguments)
		if _, err := operation.FindTool(name); err != nil || slices.ContainsFunc(memoryDiffers, func(part string) bool { return strings.Contains(name+" "+given, part) }) {
			continue
		}
		r, err := n.c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(given)})
		if err != nil {
			t.Errorf("%s %s: %v", name, given, err)
			continue
		}
		replayed++
		seen[name] = true
		text := r.Content[0].(*mcp.TextContent).Text
		if r.IsError != (call.Want == "error") {
			t.Errorf("%s %.300s: it was %s, and is %.300s", name, given, call.Want, text)
			continue
		}
		if r.IsError || l.Message.Result == nil {
			continue
		}
		var was, is any
		if json.Unmarshal([]byte(l.Message.Result.Content[0].Text), &was) != nil {
			continue // words
		}
		if err := json.Unmarshal([]byte(text), &is); err != nil {
			t.Errorf("%s answers no data: %s", name, text)
			continue
		}
		sameShape(t, name+" "+given[:min(len(given), 120)], was, is)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	if replayed < 100 || len(seen) < 15 {
		t.Errorf("%d calls of %d tools were had again: %v", replayed, len(seen), seen)
	}
}

// memoryDiffers are calls that end otherwise here, by a part of them.
var memoryDiffers = []string{
	"decisions/third",                                // several pages may say that they take the place of one
	`"redact"`,                                       // refused, so that nobody believes that something was taken out
	`memory_get {"slug": "concepts/cone-6"}`,         // the current space comes first
	`memory_put {"slug": "concepts/cone-6"`,          // likewise
	`"leads"`,                                        // the front matter of the page says so already
	"to-be-deleted",                                  // its file is gone
	"Not A Tag!",                                     // a tag may have spaces
	`"link_id": 40`, `"resolve": 2`, `"resolve": 1,`, // ids are others here
	"handbook::x/y", "archive::x", // metadata may be anything, and the space is not read-only
	`"notes/gone"`, // in a namespace that was made within the session
	`memory_get {"slug": "notes/today", "namespace": "agent-a"}`, // not ambiguous
	`{"unknown": 1}`, // an argument that does not exist is refused
}

// notHere are columns that answers do not have.
var notHere = map[string]bool{
	"supersedes": true, "superseded_by": true, "paths": true, "created_at": true, "timeline_updated_at": true, // links say it, or the page
	"quaid_id":    true, // the document has an id only where its owner wants one
	"frontmatter": true,
}

// sameShape compares the kinds of two values of JSON, of objects those of the fields
// that the first has and of lists that of the first element.
func sameShape(t *testing.T, at string, was, is any) {
	t.Helper()
	switch was := was.(type) {
	case map[string]any:
		now, ok := is.(map[string]any)
		if !ok {
			t.Errorf("%s is no object but %v", at, is)
			return
		}
		for key, v := range was {
			if notHere[key] {
				continue
			}
			if w, ok := now[key]; !ok {
				t.Errorf("%s has no %s", at, key)
			} else if v != nil && w != nil {
				sameShape(t, at+"."+key, v, w)
			}
		}
	case []any:
		now, ok := is.([]any)
		if !ok {
			t.Errorf("%s is no list but %v", at, is)
			return
		}
		if len(was) > 0 && len(now) > 0 {
			sameShape(t, at+"[]", was[0], now[0])
		}
	}
}
