package operation_test

import (
	"context"
	"encoding/json"
	"github.com/cairn-kb/cairn/internal/memory"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

// tools are those of an agent, over a memory that does not exist yet.
type tools struct {
	*apptest.Bed
	memory *memory.Lazy
	caller memory.Caller
}

func newTools(t *testing.T) *tools {
	t.Helper()
	b := &tools{Bed: apptest.New(t)}
	b.Clock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), time.Second)
	b.Opts.Actor = kb.Actor{Kind: kb.Agent, Name: "test"}
	b.memory, b.caller = b.Absent(), memory.Caller{Dir: b.Home, Actor: b.Opts.Actor}
	return b
}

// call is run of the tool of this name.
func (b *tools) call(name, input string) (map[string]any, error) {
	b.T.Helper()
	tool, err := operation.FindTool(name)
	if err != nil {
		b.T.Fatal(err)
	}
	return b.run(tool, input)
}

// run calls a tool, and checks that its answer fits its schema.
func (b *tools) run(tool *operation.Tool, input string) (map[string]any, error) {
	b.T.Helper()
	out, err := tool.Run(context.Background(), b.memory, b.caller, json.RawMessage(input))
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		b.T.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		b.T.Fatal(err)
	}
	resolved, err := tool.Output().Resolve(nil)
	if err != nil {
		b.T.Fatal(err)
	}
	if err := resolved.Validate(m); err != nil {
		b.T.Errorf("%s %s answers %s, which its schema does not allow: %v", tool.Name, input, text, err)
	}
	return m, nil
}

// must is call of what must not fail.
func (b *tools) must(name, input string) map[string]any {
	b.T.Helper()
	m, err := b.call(name, input)
	if err != nil {
		b.T.Fatalf("%s %s: %v", name, input, err)
	}
	return m
}

// An agent that starts on a machine where nothing was set up can ask, is
// answered politely, and nothing is made by it; its first page makes the
// memory.
func TestFromNothing(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	m := b.must("recall", `{"query":"anything"}`)
	if n := len(operationtest.At(t, m, "items").([]any)); n != 0 || len(operationtest.At(t, m, "notes").([]any)) != 1 {
		t.Errorf("recall answers %v", m)
	}
	if _, err := b.call("read", `{"ref":"x"}`); !space.NothingYet(err) || kb.AsError(err).Reason != kb.NoMemory {
		t.Errorf("read answers %v", err)
	}
	if _, err := b.call("write", `{"txet":"x"}`); kb.CodeOf(err) != kb.Usage {
		t.Errorf("a mistaken write answers %v", err)
	}
	for name, input := range map[string]string{
		"read": `{"ref":"x"}`, "history": `{"ref":"x"}`, "diff": `{"ref":"x"}`, "timeline": `{"ref":"x"}`,
		"edit": `{"ref":"x","edits":{"do":"append","text":"y"}}`, "delete": `{"ref":"x"}`, "move": `{"ref":"x","to":"y"}`,
		"link": `{"from":"x","to":"y"}`, "tag": `{"ref":"x","add":"y"}`, "timeline_add": `{"ref":"x","text":"y"}`,
		"restore": `{"ref":"x"}`, "undo": `{"dry_run":true}`, "sync": `{}`,
		"gap_note": `{"id":1,"context":"x"}`, "gap_approve": `{"id":1,"sensitivity":"external","approver":"a","question":"q"}`,
		"gap_resolve": `{"id":1,"ref":"x"}`, "gap_remove": `{"id":1}`,
		"remember": `{"text":"x","dry_run":true}`, "write": `{"text":"x","title":"y","dry_run":true}`,
	} {
		_, err := b.call(name, input)
		if e := kb.AsError(err); !space.NothingYet(err) || e.Code != kb.NotFound || !strings.Contains(operation.ForTool(e, nil), "remember stores the first page") {
			t.Errorf("%s answers %v with the hint %q", name, err, operation.ForTool(e, nil))
		}
	}
	if found, _ := filepath.Glob(filepath.Join(b.Home, ".local", "share", "cairn", "*")); len(found) != 0 {
		t.Errorf("asking made %v", found)
	}
	a, err := b.memory.Session(context.Background(), true) // as cairn serve makes it, before there is a page
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.call("remember", `{"text":"x","dry_run":true}`); !space.NothingYet(err) {
		t.Errorf("a dry run where no space is answers %v", err)
	}
	if all, err := a.Spaces.List(context.Background()); err != nil || len(all) != 0 {
		t.Errorf("a dry run made the spaces %v, %v", all, err)
	}
	m = b.must("write", `{"ref":"people/ada","title":"Ada","tags":"poet","text":"Wrote the first program."}`)
	if got := operationtest.At(t, m, "pages", 0, "ref"); got != "memory:people/ada" {
		t.Errorf("the first page is %v", got)
	}
	m = b.must("recall", `{"query":"program"}`)
	if got := operationtest.At(t, m, "items", 0, "ref"); got != "memory:people/ada" {
		t.Errorf("recall finds %v", got)
	}
	m = b.must("read", `{"ref":"Ada"}`)
	if operationtest.At(t, m, "version") != 1.0 || operationtest.At(t, m, "tags", 0) != "poet" {
		t.Errorf("read answers %v", m)
	}
}

// Whoever writes over a version that has passed learns what happened since.
func TestStaleVersionSaysWhatChanged(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"a","text":"one"}`)
	b.must("write", `{"ref":"a","text":"two","expected_version":"1"}`)
	_, err := b.call("write", `{"ref":"a","text":"three","expected_version":1}`)
	e := kb.AsError(err)
	if e.Code != kb.Conflict || e.Details["current_version"] != 2 || e.Details["changed_by"] != "agent:test" {
		t.Fatalf("a stale write answers %v with %v", err, e.Details)
	}
	const want = "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-one\n+two\n"
	if e.Details["diff"] != want {
		t.Errorf("the difference is\n%s, want\n%s", e.Details["diff"], want)
	}
}

// The nearest lines of a text that was not found show no credential, also where they are within
// one.
func TestNearestLinesHideCredentials(t *testing.T) {
	t.Parallel()
	const body = "MC4CAQAwBQYDK2VwBCIEIK5PqZ9n3vXk7LsT0hYw2cRjUeA8dFgHbVmQ1xNoSyWu"
	b := newTools(t)
	root := b.Dir("notes", map[string]string{"key.md": "# Key\n\n-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n"})
	b.caller.Dir = root
	a, err := b.memory.Session(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gitsync.AddSpace(t.Context(), a.As(kb.Actor{Kind: kb.Human}), space.AddRequest{Root: root}); err != nil {
		t.Fatal(err)
	}
	b.must("sync", `{}`)
	_, err = b.call("edit", `{"ref":"key","edits":{"do":"replace","find":"-----BEGIN PRIVATE KEY-----\nxxx\n-----END PRIVATE KEY-----","text":"y"}}`)
	diff, _ := kb.AsError(err).Details["diff"].(string)
	if kb.CodeOf(err) != kb.Conflict || !strings.HasPrefix(diff, "@@ line 4 @@\n-xxx\n+") || strings.Contains(diff, body[:8]) {
		t.Errorf("%v, with the difference\n%s", err, diff)
	}
}

// Who waits finds by meaning what was written, whatever else embeds.
func TestWait(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := newTools(t)
	found := func() bool {
		m := b.must("recall", `{"query":"feline"}`)
		return len(operationtest.At(t, m, "items").([]any)) > 0
	}
	b.must("remember", `{"text":"The cat sleeps on the sofa.","title":"Cat"}`)
	if found() {
		t.Fatal("nobody embeds here, so that the test would show nothing")
	}
	m := b.must("edit", `{"ref":"cat","edits":{"do":"append","text":"It purrs."},"wait":true}`)
	if m["not_found_by_meaning"] != nil || !found() {
		t.Errorf("after waiting it is not found by meaning; the edit answers %v", m)
	}
}
