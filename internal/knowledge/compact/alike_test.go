package compact_test

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// How near pages of a model must be of which nothing is known, the pages of the memory
// say, once there are enough of them: what few pairs of them are over.
func TestClustersOfAnUnknownModel(t *testing.T) {
	t.Parallel()
	b := newBed(t, "database", ".md")
	server := embedtest.Ollama(t, 640, "")
	m := apptest.OK(embedding.AddModel(t.Context(), b.app, embedding.ModelAdd{Name: "ollama/some-model", URL: server.URL}))(t)
	apptest.OK(embedding.UseModel(t.Context(), b.app, m.Name))(t)
	for i, weather := range []string{"rain umbrella wet cloud", "snow sledge cold white", "hail roof glass noise"} {
		b.put([]string{"Alpha", "Beta", "Gamma"}[i], "stale", "Client plans quarterly budget "+weather)
	}
	clusters := func() int {
		t.Helper()
		apptest.OK(embedding.Embed(t.Context(), b.app, embedding.Request{}))(t)
		return len(apptest.OK(compact.MakePlan(t.Context(), b.app, compact.PlanRequest{}))(t).Clusters)
	}
	if n := clusters(); n != 0 {
		t.Errorf("%d clusters of a model of which nothing is known, and too few pages to find out", n)
	}
	// Pages that have nothing to do with each other, to which those three are near.
	for i := range 200 {
		b.put(fmt.Sprintf("Other%d", i), string(kb.Active), fmt.Sprintf("word%d thing%d idea%d about%d", i, i, i, i))
	}
	if n := clusters(); n != 1 {
		t.Errorf("%d clusters", n)
	}
}
