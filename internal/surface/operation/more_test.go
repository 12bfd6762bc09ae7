package operation_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Every tool of the set is called once, as an agent would, and its answer fits
// its schema.
func TestMore(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	if n := len(operationtest.At(t, b.must("spaces", ``), "items").([]any)); n != 0 {
		t.Errorf("a memory that is not there has %d spaces", n)
	}
	b.must("write", `{"ref":"a","text":"one [[nowhere]]"}`)
	b.must("write", `{"ref":"a","text":"two [[nowhere]]","expected_version":1}`)
	if got := operationtest.At(t, b.must("history", `{"ref":"a","limit":"5"}`), "total"); got != 2.0 {
		t.Errorf("history has %v versions", got)
	}
	if d := operationtest.At(t, b.must("diff", `{"ref":"a"}`), "diff").(string); !strings.Contains(d, "-one [[nowhere]]\n+two [[nowhere]]\n") {
		t.Errorf("the difference is %s", d)
	}
	if got := operationtest.At(t, b.must("links", `{}`), "items", 0, "target"); got != "nowhere" {
		t.Errorf("the link that leads nowhere is %v", got)
	}
	m := b.must("restore", `{"ref":"a","version":1,"diff":true}`)
	if d := operationtest.At(t, m, "pages", 0, "diff").(string); !strings.Contains(d, "+one") {
		t.Errorf("restore changes %s", d)
	}
	b.must("undo", `{}`)
	if text := operationtest.At(t, b.must("read", `{"ref":"a"}`), "text").(string); !strings.Contains(text, "two") {
		t.Errorf("after undo the page is %q", text)
	}
	if got := operationtest.At(t, b.must("tag", `{"ref":"a","add":"x"}`), "pages", 0, "tags", 0); got != "x" {
		t.Errorf("the tag is %v", got)
	}
	b.must("timeline_add", `{"ref":"a","date":"2026-02-01","text":"Begun","source":"diary"}`)
	if got := operationtest.At(t, b.must("timeline", `{"ref":"a"}`), "items", 0, "text"); got != "Begun" {
		t.Errorf("the timeline says %v", got)
	}
	if got := operationtest.At(t, b.must("move", `{"ref":"a","to":"b/c"}`), "pages", 0, "ref"); got != "memory:b/c" {
		t.Errorf("the page moved to %v", got)
	}
	b.must("delete", `{"ref":"b/c"}`)
	if _, err := b.call("read", `{"ref":"b/c"}`); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("reading the deleted page answers %v", err)
	}
	if n := len(operationtest.At(t, b.must("history", `{}`), "items").([]any)); n == 0 {
		t.Error("no deleted page is listed")
	}
	if got := operationtest.At(t, b.must("spaces", `{"name":"memory"}`), "items", 0, "name"); got != "memory" {
		t.Errorf("the space is %v", got)
	}
	b.must("sync", `{"space":"*"}`)
	if got := operationtest.At(t, b.must("doctor", `{"deep":true}`), "items", 0, "state"); got != "ok" {
		t.Errorf("doctor says %v", got)
	}
}

// What a tool answers besides what was written is there, too.
func TestAnswersAreWhole(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	a := apptest.OK(b.memory.Session(t.Context(), true))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "vault", Preset: "context", Database: true}))(t)
	for tool, field := range map[string]string{"today": "note", "inbox": "waiting", "routine": "routines"} {
		if out := b.must(tool, `{"space":"vault"}`); out[field] == nil {
			t.Errorf("%s answers %v, without %s", tool, out, field)
		}
	}
}
