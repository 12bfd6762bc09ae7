package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// The tests of section 13 of the specification of the set notes, each under its number
// and title, through the tools. What a tool can show of a sync is tested here; failing
// files (13.2, circuit breaker) are in reconcile's TestFailingFileIsLeftOutUntilItChanges.

// parsed reads a note that another program wrote.
func parsed(t *testing.T, name, text string) args {
	n := newNotes(t)
	n.outside(name, text)
	return n.must("read_note", args{"path": name})
}

func observations(m args) []any { return m["observations"].([]any) }

// related is the type and the target of each relation of a note.
func related(m args) (out []string) {
	for _, r := range m["relations"].([]any) {
		out = append(out, fmt.Sprint(r.(args)["relation_type"], " ", r.(args)["to_name"]))
	}
	return out
}

func TestSpec13_1_MarkdownParsing(t *testing.T) {
	t.Parallel()
	t.Run("13.1.1 Parse frontmatter with all field types", func(t *testing.T) {
		m := parsed(t, "n.md", "---\ntitle: My Title\ntags: [a, b]\ncreated: 2025-01-15T10:30:00\ncount: 42\ndraft: true\nnothing: null\n---\nText.\n")
		f := m["frontmatter"].(args)
		if m["title"] != "My Title" || !reflect.DeepEqual(f["tags"], []any{"a", "b"}) || f["created"] != "2025-01-15T10:30:00" || f["count"] != "42" || f["draft"] != "True" {
			t.Errorf("the note is %v", m)
		}
		if _, there := f["nothing"]; there {
			t.Error("null is there")
		}
	})
	t.Run("13.1.2 Missing title uses filename", func(t *testing.T) {
		if m := parsed(t, "my-note.md", "---\ntype: note\n---\nText.\n"); m["title"] != "my-note" {
			t.Errorf("the title is %v", m["title"])
		}
	})
	t.Run("13.1.3 Extract observations with categories", func(t *testing.T) {
		o := observations(parsed(t, "n.md", "- [definition] AI is intelligence exhibited by machines\n"))
		if len(o) != 1 || o[0].(args)["category"] != "definition" || o[0].(args)["content"] != "AI is intelligence exhibited by machines" {
			t.Errorf("the observations are %v", o)
		}
	})
	t.Run("13.1.4 Extract observation tags", func(t *testing.T) {
		o := observations(parsed(t, "n.md", "- [technique] Gradient descent #ml #optimization\n"))
		if len(o) != 1 || !reflect.DeepEqual(o[0].(args)["tags"], []any{"ml", "optimization"}) {
			t.Errorf("the observations are %v", o)
		}
	})
	t.Run("13.1.5 Extract observation context", func(t *testing.T) {
		o := observations(parsed(t, "n.md", "- [fact] Water boils at 100°C (at sea level)\n"))
		if len(o) != 1 || o[0].(args)["context"] != "at sea level" {
			t.Errorf("the observations are %v", o)
		}
	})
	t.Run("13.1.6 Exclude checkboxes from observations", func(t *testing.T) {
		if o := observations(parsed(t, "n.md", "- [x] Completed task\n- [ ] Pending task\n")); len(o) != 0 {
			t.Errorf("the observations are %v", o)
		}
	})
	t.Run("13.1.7 Exclude markdown links from observations", func(t *testing.T) {
		if o := observations(parsed(t, "n.md", "- [click here](https://example.com)\n")); len(o) != 0 {
			t.Errorf("the observations are %v", o)
		}
	})
	for title, tc := range map[string]struct{ text, want string }{
		"13.1.8 Extract explicit relation":      {"- implements [[Machine Learning]]\n", "implements machine-learning"},
		"13.1.9 Extract implicit link relation": {"This relates to [[Statistics]] in many ways\n", "links_to statistics"},
		"13.1.10 Handle nested wiki-links":      {"- uses [[React [[Hooks]]]]\n", "uses react-hooks"},
	} {
		t.Run(title, func(t *testing.T) {
			if r := related(parsed(t, "n.md", tc.text)); !reflect.DeepEqual(r, []string{tc.want}) {
				t.Errorf("the relations are %v", r)
			}
		})
	}
}

func TestSpec13_2_Sync(t *testing.T) {
	t.Parallel()
	t.Run("13.2.1 New file detected and indexed", func(t *testing.T) {
		m := parsed(t, "test.md", "# Title\n\nWords.\n")
		if m["title"] != "Title" || m["content"] != "# Title\n\nWords.\n" || len(m["checksum"].(string)) != 64 {
			t.Errorf("the note is %v", m)
		}
	})
	t.Run("13.2.2 Modified file re-indexed", func(t *testing.T) {
		n := newNotes(t)
		n.outside("test.md", "- [fact] old\n")
		was := n.must("read_note", args{"path": "test"})
		n.outside("test.md", "- [fact] new and longer\n")
		is := n.must("read_note", args{"path": "test"})
		if o := observations(is); was["checksum"] == is["checksum"] || len(o) != 1 || o[0].(args)["content"] != "new and longer" || was["external_id"] != is["external_id"] {
			t.Errorf("then the note is %v", is)
		}
	})
	t.Run("13.2.3 Deleted file removed", func(t *testing.T) {
		n := newNotes(t)
		n.outside("keep.md", "Stays.\n")
		n.outside("test.md", "- [fact] b\n- knows [[Keep]]\n")
		n.counts(1, 1, 2)
		if err := os.Remove(filepath.Join(n.dir, "test.md")); err != nil {
			t.Fatal(err)
		}
		if code, _ := n.refused("read_note", args{"path": "test"}); code != "not_found" {
			t.Errorf("reading it: %s", code)
		}
		n.counts(0, 0, 1)
	})
	t.Run("13.2.4 File move detected", func(t *testing.T) {
		n := newNotes(t)
		n.outside("old.md", "The same words.\n")
		was := n.must("read_note", args{"path": "old"})
		if err := os.Rename(filepath.Join(n.dir, "old.md"), filepath.Join(n.dir, "new.md")); err != nil {
			t.Fatal(err)
		}
		is := n.must("read_note", args{"path": "new"})
		if is["external_id"] != was["external_id"] || is["file_path"] != "new.md" {
			t.Errorf("then the note is %v", is)
		}
		n.counts(0, 0, 1)
	})
}

// counts checks how many observations, relations and notes there are.
func (n notes) counts(observations, relations, pages float64) {
	n.t.Helper()
	n.must("recent_activity", nil) // reads the directory
	p := n.must("list_memory_projects", nil)["projects"].([]any)[0].(args)
	if p["observation_count"] != observations || p["relation_count"] != relations || p["note_count"] != pages {
		n.t.Errorf("there are %v observations, %v relations, %v notes", p["observation_count"], p["relation_count"], p["note_count"])
	}
}

// hits searches, and returns the permalinks with their scores.
func (n notes) hits(in args) (names []string, scores map[string]float64, answer args) {
	n.t.Helper()
	in["output_format"] = "json"
	answer = n.must("search_notes", in)
	scores = map[string]float64{}
	for _, r := range answer["results"].([]any) {
		name := r.(args)["permalink"].(string)
		names, scores[name] = append(names, name), r.(args)["score"].(float64)
	}
	return names, scores, answer
}

// dogs has a note that words find, and one that meaning does.
func dogs(t *testing.T) notes {
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	n := newNotes(t)
	n.outside("canine.md", "# Canine behavior\n\nPuppies learn to sit and to stay when they are rewarded with treats.\n")
	n.outside("trains.md", "# Dog training schedule\n\nThe training of the dog train drivers begins on Monday.\n")
	n.outside("tax.md", "# Tax returns\n\nThe form is due in May.\n")
	n.must("recent_activity", nil)
	apptest.OK(embedding.Embed(t.Context(), n.bed.Open(), embedding.Request{All: true}))(t)
	return n
}

func TestSpec13_3_Search(t *testing.T) {
	t.Parallel()
	t.Run("13.3.1 FTS basic search", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "Machine Learning Basics", "content": "An introduction."})
		if got, scores, _ := n.hits(args{"query": "machine learning", "search_type": "fts"}); len(got) != 1 || scores["machine-learning-basics"] <= 0 {
			t.Errorf("it finds %v", scores)
		}
	})
	t.Run("13.3.2 FTS special character handling", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "node-js-tutorial", "content": "Text."})
		n.must("write_note", args{"title": "Other", "content": "A node of a graph; no js."})
		if got, _, _ := n.hits(args{"query": "node-js", "search_type": "fts"}); len(got) == 0 || got[0] != "node-js-tutorial" {
			t.Errorf("it finds %v", got)
		}
	})
	t.Run("13.3.3 FTS relaxed fallback", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "Tips", "content": "project management tips"})
		if got, _, _ := n.hits(args{"query": "project planning ideas", "search_type": "fts"}); !reflect.DeepEqual(got, []string{"tips"}) {
			t.Errorf("it finds %v", got)
		}
	})
	t.Run("13.3.4 Vector semantic search", func(t *testing.T) {
		got, scores, _ := dogs(t).hits(args{"query": "dog training", "search_type": "vector"})
		if scores["canine"] <= 0.55 || scores["tax"] != 0 {
			t.Errorf("it finds %v %v", got, scores)
		}
	})
	t.Run("13.3.5 Hybrid search scoring", func(t *testing.T) { // the formula: TestSection13_3VectorAndHybrid of app
		got, scores, _ := dogs(t).hits(args{"query": "dog training", "search_type": "hybrid"})
		if scores["canine"] == 0 || scores["trains"] == 0 {
			t.Errorf("it finds %v %v", got, scores)
		}
	})
	t.Run("13.3.6 Search with filters", func(t *testing.T) {
		n := newNotes(t)
		for _, kind := range []string{"concept", "person"} {
			n.must("write_note", args{"title": "A " + kind, "content": "The same words.", "note_type": kind})
		}
		if got, _, _ := n.hits(args{"query": "words", "search_type": "fts", "note_types": []string{"concept"}}); !reflect.DeepEqual(got, []string{"a-concept"}) {
			t.Errorf("it finds %v", got)
		}
	})
	t.Run("13.3.7 Pagination", func(t *testing.T) {
		n := newNotes(t)
		for i := range 100 {
			n.outside(fmt.Sprintf("n%03d.md", i), "The same words.\n")
		}
		seen := map[string]bool{}
		for page := 1; page <= 10; page++ {
			got, _, m := n.hits(args{"query": "words", "search_type": "fts", "page": page, "page_size": 10})
			if len(got) != 10 || m["total"] != 100.0 || m["current_page"] != float64(page) || m["left_out"] != float64(100-10*page) {
				t.Fatalf("page %d is %v", page, m)
			}
			for _, name := range got {
				seen[name] = true
			}
		}
		if len(seen) != 100 {
			t.Errorf("%d notes were answered", len(seen))
		}
	})
}

func TestSpec13_4_Tools(t *testing.T) {
	t.Parallel()
	t.Run("13.4.1 write_note creates file", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "Test", "content": "Hello", "tags": []string{"a"}})
		if text := n.file("test.md"); !strings.HasPrefix(text, "---\ntitle: Test\ntype: note\ntags:\n  - a\n") || !strings.HasSuffix(text, "---\n\nHello\n") {
			t.Errorf("it writes %s", text)
		}
	})
	t.Run("13.4.2 write_note respects directory", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "Deep", "content": "...", "directory": "research/ai"})
		n.file("research/ai/deep.md")
	})
	t.Run("13.4.3 write_note refuses overwrite", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "Test", "content": "Hello"})
		was := n.file("test.md")
		if code, _ := n.refused("write_note", args{"title": "Test", "content": "Other", "overwrite": false}); code != "conflict" || n.file("test.md") != was {
			t.Errorf("it answers %s, and the file is %s", code, n.file("test.md"))
		}
	})
	t.Run("13.4.4 read_note by permalink", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "My Research", "content": "- [fact] a\n- knows [[B]]\n"})
		m := n.must("read_note", args{"path": "my-research"})
		if m["title"] != "My Research" || len(observations(m)) != 1 || !reflect.DeepEqual(related(m), []string{"knows b"}) || m["content"] == "" || m["frontmatter"].(args)["type"] != "note" {
			t.Errorf("it answers %v", m)
		}
	})
	t.Run("13.4.5 search_notes with output formats", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "A", "content": "A test."})
		if got, _, _ := n.hits(args{"query": "test"}); !reflect.DeepEqual(got, []string{"a"}) {
			t.Errorf("as JSON: %v", got)
		}
		if text, failed := n.text("search_notes", args{"query": "test", "output_format": "text"}); failed || json.Valid([]byte(text)) || !strings.HasPrefix(text, "### A\n") {
			t.Errorf("as text: %s", text)
		}
	})
	t.Run("13.4.6 build_context resolves memory URI", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "My Research", "content": "- about [[Kilns]]\n"})
		n.must("write_note", args{"title": "Kilns", "content": "Hot."})
		r := n.must("build_context", args{"path": "memory://my-research"})["results"].([]any)[0].(args)
		if r["primary_result"].(args)["title"] != "My Research" || r["related_results"].([]any)[0].(args)["title"] != "Kilns" {
			t.Errorf("it answers %v", r)
		}
	})
	t.Run("13.4.7 recent_activity timeframe", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "First", "content": "a"})
		n.must("write_note", args{"title": "Second", "content": "b"})
		var got []any
		for _, r := range n.must("recent_activity", args{"timeframe": "1 hour"})["results"].([]any) {
			got = append(got, r.(args)["title"])
		}
		if len(got) != 2 || got[0] != "Second" {
			t.Errorf("it answers %v", got)
		}
	})
	t.Run("13.4.8 list_memory_projects", func(t *testing.T) {
		n := newNotes(t)
		apptest.OK(gitsync.AddSpace(t.Context(), n.bed.Open(), space.AddRequest{Root: n.bed.Dir("other", map[string]string{"a.md": "a\n"}), Name: "other"}))(t)
		list := n.must("list_memory_projects", nil)["projects"].([]any)
		if len(list) != 2 {
			t.Fatalf("the projects are %v", list)
		}
		for _, p := range list {
			for _, key := range []string{"external_id", "name", "path", "permalink", "is_active", "is_default", "note_count"} {
				if p.(args)[key] == nil {
					t.Errorf("%v has no %s", p, key)
				}
			}
		}
	})
	t.Run("13.4.9 delete_note cascades", func(t *testing.T) {
		n := newNotes(t)
		n.must("write_note", args{"title": "Test Note", "content": "- [fact] a\n- knows [[B]]\n"})
		n.counts(1, 1, 1)
		n.must("delete_note", args{"path": "test-note"})
		if _, err := os.Stat(filepath.Join(n.dir, "test-note.md")); !os.IsNotExist(err) {
			t.Errorf("the file: %v", err)
		}
		n.counts(0, 0, 0)
	})
}

func TestSpec13_LinkResolution(t *testing.T) {
	t.Parallel()
	to := func(n notes) any {
		n.t.Helper()
		return n.must("read_note", args{"path": "entity-a"})["relations"].([]any)[0].(args)["to_permalink"]
	}
	for title, tc := range map[string]struct {
		link, title string
		want        any
	}{
		"13.4.10 Resolve pending link":            {"entity-b", "Entity B", "entity-b"},
		"13.4.11 Case-insensitive resolution":     {"Machine Learning", "machine learning", "machine-learning"},
		"13.4.12 Unresolvable link stays pending": {"nonexistent-entity", "Other", nil},
	} {
		t.Run(title, func(t *testing.T) {
			n := newNotes(t)
			n.must("write_note", args{"title": "Entity A", "content": "- knows [[" + tc.link + "]]\n"})
			if got := to(n); got != nil {
				t.Errorf("before, it leads to %v", got)
			}
			n.must("write_note", args{"title": tc.title, "content": "b"})
			if got := to(n); got != tc.want {
				t.Errorf("then it leads to %v", got)
			}
		})
	}
}
