package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
)

// sample writes a database with its configuration.
func sample(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kt.db")
	if err := foreigntest.Sample(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	config := `{"staleness_threshold_days": 50, "namespaces": {"clients": {"staleness_threshold_days": 45}}, "ollama": {"model": "nomic-embed-text"}}`
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestKT(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	ctx, file := t.Context(), sample(t)
	counts := func(r importer.Receipt) string {
		var out []string
		for _, c := range r.Counts {
			if !c.Adds() {
				t.Errorf("%+v does not add up", c)
			}
			out = append(out, c.String())
		}
		return strings.Join(out, "; ")
	}
	if found := apptest.OK(importer.Detect(ctx, file))(t); found.Program != "kt" || found.Notes != 4 {
		t.Errorf("the database is %+v", found)
	}
	if found := apptest.OK(importer.Detect(ctx, filepath.Dir(file)))(t); found.Program != "kt" || found.File != filepath.Dir(file) {
		t.Errorf("its directory is %+v", found)
	}
	dry := apptest.OK(importer.ImportKT(ctx, a, importer.Request{File: file, WriteOptions: api.WriteOptions{DryRun: true}}))(t)
	const first = "namespaces 3+0+0; nodes 4+0+0; links 2+0+1; mappings 1+0+1"
	if got := counts(dry); got != first || dry.Write != 0 {
		t.Errorf("a dry run brings %s", got)
	}
	if all := apptest.OK(a.Spaces.List(ctx))(t); len(all) != 0 {
		t.Errorf("a dry run made %d spaces", len(all))
	}
	r := apptest.OK(importer.ImportKT(ctx, a, importer.Request{File: file}))(t)
	if got := counts(r); got != first || r.Write == 0 || len(r.Pages) != 4 {
		t.Errorf("it brings %s in %d pages", got, len(r.Pages))
	}
	lost := ""
	for _, l := range r.Lost {
		lost += l.What + "; "
	}
	for _, want := range []string{"1 vector", "link kt-5a5a related kt-zzzz", "kt-5a5a compacted into kt-gone", "mapping /srv/no/**", "model nomic-embed-text"} {
		if !strings.Contains(lost, want) {
			t.Errorf("%q is not told of in %s", want, lost)
		}
	}

	for name, days := range map[string]string{"clients": "45", "ember": "50"} {
		s := apptest.OK(a.Spaces.Show(ctx, name))(t)
		if name == "clients" && s.Description == "" {
			t.Error("nothing says what the space clients is about")
		}
		if !strings.Contains(s.Policy, "\nstale_after = "+days+" ") {
			t.Errorf("%s has the policy %s", name, s.Policy)
		}
	}

	get := func(ref string) api.Text { return apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: ref}))(t) }
	old := get("kt-c3d4")
	if old.Ref != "clients:two-suppliers" || old.Status != kb.Stale || !strings.Contains(old.Text, "All from one.\r\nFor now.") || !strings.Contains(old.Text, "stale_since: 2026-05-18") {
		t.Errorf("%s is %s: %q", old.Ref, old.Status, old.Text)
	}
	now := get("kt-a1b2")
	if now.CreatedAt.Format("2006-01-02T15:04") != "2026-05-18T14:00" || len(now.Tags) != 1 || !strings.Contains(now.Text, "session: s-0518") || !strings.Contains(now.Text, "source: capture") {
		t.Errorf("%+v: %q", now.Page, now.Text)
	}
	foundLinks := apptest.OK(links.List(ctx, a, api.LinksRequest{Ref: "kt-a1b2"}))(t)
	if len(foundLinks.Items) != 1 || foundLinks.Items[0].Type != "supersedes" || foundLinks.Items[0].Page.Ref != "clients:two-suppliers" || foundLinks.Items[0].Context != "the strike [April]" {
		t.Errorf("links %+v", foundLinks.Items)
	}
	foundLinks = apptest.OK(links.List(ctx, a, api.LinksRequest{Ref: "kt-5a5a"}))(t)
	if len(foundLinks.Items) != 1 || foundLinks.Items[0].Page == nil || foundLinks.Items[0].Page.Ref != "clients:two-suppliers-2" {
		t.Errorf("the link to another space: %+v", foundLinks.Items)
	}
	foundLinks = apptest.OK(links.List(ctx, a, api.LinksRequest{Ref: "kt-0a01"}))(t)
	if len(foundLinks.Items) != 1 || foundLinks.Items[0].Type != "compacted_into" || foundLinks.Items[0].Page.Ref != "ember:drift" {
		t.Errorf("compacted into: %+v", foundLinks.Items)
	}

	apptest.OK(change.Undo(ctx, a.In("ember"), history.UndoRequest{}))(t)
	if _, err := read.Get(ctx, a, read.GetRequest{Ref: "ember:drift"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("after undo: %v", err)
	}
	apptest.OK(change.Redo(ctx, a.In("ember"), history.RedoRequest{}))(t)
	again := apptest.OK(importer.ImportKT(ctx, a, importer.Request{File: file}))(t)
	if got := counts(again); got != "namespaces 0+3+0; nodes 0+4+0; links 0+2+1; mappings 0+1+1" || again.Write != 0 {
		t.Errorf("once more it brings %s", got)
	}
	for bad, want := range map[string]kb.Code{filepath.Join(t.TempDir(), "none.db"): kb.NotFound, filepath.Join(filepath.Dir(file), "config.json"): kb.Invalid} {
		if _, err := importer.ImportKT(ctx, a, importer.Request{File: bad}); kb.CodeOf(err) != want {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// What was imported is shown as kt has it.
func TestNodes(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(importer.ImportKT(t.Context(), a, importer.Request{File: sample(t)}))(t)
	nodes := apptest.OK(importer.NodesOfKT(t.Context(), a, []string{"kt-a1b2", "kt-c3d4", "kt-0a01", "kt-5a5a"}, true))(t)
	text := func(s string) *string { return &s }
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	want := []importer.Node{
		{
			ID: "kt-a1b2", Ref: "clients:two-suppliers-2", Namespace: "clients", Title: "Two suppliers", Content: "Half from each.", Status: kb.Active,
			SourceType: "capture", Tags: []string{"supply"}, EmbeddingPending: true, CreatedAt: at("2026-05-18T14:00:00Z"), UpdatedAt: at("2026-05-18T14:00:00Z"),
			SessionID: text("s-0518"),
			Links:     []importer.Link{{ID: "kt-a1b2-supersedes-kt-c3d4", SourceID: "kt-a1b2", TargetID: "kt-c3d4", LinkType: "supersedes", Context: text("the strike [April]")}},
		},
		{
			ID: "kt-c3d4", Ref: "clients:two-suppliers", Namespace: "clients", Title: "Two suppliers", Content: "All from one.\nFor now.", Status: kb.Stale,
			SourceType: "capture", Tags: []string{}, EmbeddingPending: true, CreatedAt: at("2025-11-24T10:00:00Z"), UpdatedAt: at("2026-05-18T14:00:00Z"),
			StaleAt: text("2026-05-18"), Links: []importer.Link{},
		},
		{
			ID: "kt-0a01", Ref: "ember:firing-11", Namespace: "ember", Title: "Firing 11", Content: "Firing 11. Overshoot 3 °C.", Status: kb.Compacted,
			SourceType: "capture", Tags: []string{}, EmbeddingPending: true, CompactedInto: text("kt-5a5a"), CreatedAt: at("2025-12-01T08:00:00Z"),
			UpdatedAt: at("2026-04-10T03:00:00Z"), StaleAt: text("2026-03-31"), Links: []importer.Link{},
		},
		{
			ID: "kt-5a5a", Ref: "ember:drift", Namespace: "ember", Title: "Drift", Content: "```\n---\n```\nIt grew.", Status: kb.Active,
			SourceType: "compaction", Tags: []string{"釉薬"}, EmbeddingPending: true, CreatedAt: at("2026-04-10T03:00:00Z"), UpdatedAt: at("2026-04-10T03:00:00Z"),
			Links: []importer.Link{{ID: "kt-5a5a-related-kt-a1b2", SourceID: "kt-5a5a", TargetID: "kt-a1b2", LinkType: "related"}},
		},
	}
	if diff := cmp.Diff(want, nodes); diff != "" {
		t.Error(diff)
	}
	if _, err := importer.NodesOfKT(t.Context(), a, []string{"kt-zzzz"}, false); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("of a node that is not there: %v", err)
	}
}
