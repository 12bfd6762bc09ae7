package compact_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Pages that are near in meaning belong together without a relation, as near as the
// policy says. Those that are not embedded yet are told, and so is a model that is away.
func TestClustersByMeaning(t *testing.T) {
	t.Parallel()
	b := newBed(t, "database", ".md")
	server := embedtest.Ollama(t, 640, "")
	m := apptest.OK(embedding.AddModel(t.Context(), b.app, embedding.ModelAdd{Name: "ollama/nomic-embed-text", URL: server.URL}))(t)
	apptest.OK(embedding.UseModel(t.Context(), b.app, m.Name))(t)
	b.put("Alpha", "stale", "The client plans everything by the quarter of the year. It rains a lot.")
	b.put("Beta", "stale", "The client plans everything by the quarter of the year. It snows a lot.")
	b.put("Gamma", "stale", "The client plans everything by the quarter of the year. It hails a lot.")
	b.put("Delta", "stale", "Penguins live where ice floats on water.")
	plan := func() compact.Plan {
		t.Helper()
		return apptest.OK(compact.MakePlan(t.Context(), b.app, compact.PlanRequest{}))(t)
	}
	if p := plan(); len(p.Clusters) != 0 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "4 stale pages") {
		t.Errorf("nothing is embedded: %+v", p)
	}
	apptest.OK(embedding.Embed(t.Context(), b.app, embedding.Request{}))(t)
	p := plan()
	if len(p.Clusters) != 1 || len(p.Clusters[0].Members) != 3 || p.Clusters[0].Members[2].Ref != "k:gamma" || len(p.Notes) != 0 {
		t.Fatalf("%+v", p)
	}
	r := b.compact(compact.Request{})
	if len(r.Clusters) != 1 || r.Clusters[0].State != "compacted" {
		t.Errorf("%+v", r)
	}
	if text := b.text(r.Clusters[0].Summary); strings.Count(text, "The client plans everything") != 1 {
		t.Errorf("what all say is not said once:\n%s", text)
	}
}
