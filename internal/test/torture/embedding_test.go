package torture

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// countingModel is a server of embeddings that keeps account of what it is
// given.
type countingModel struct {
	url string

	mu       sync.Mutex
	requests int
	texts    int
	most     int // bytes of text of one request
}

func newCountingModel(t *testing.T) *countingModel {
	t.Helper()
	m := &countingModel{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		type datum struct {
			Object    string     `json:"object"`
			Index     int        `json:"index"`
			Embedding [2]float32 `json:"embedding"`
		}
		data, size := make([]datum, len(asked.Input)), 0
		for i, text := range asked.Input {
			data[i] = datum{"embedding", i, [2]float32{0.6, 0.8}}
			size += len(text)
		}
		m.mu.Lock()
		m.requests++
		m.texts += len(asked.Input)
		m.most = max(m.most, size)
		m.mu.Unlock()
		if err := json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "m", "data": data}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	m.url = s.URL + "/v1"
	return m
}

func (m *countingModel) asked() (requests, texts, most int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests, m.texts, m.most
}

func (m *countingModel) use(t *testing.T, c *commands) {
	t.Helper()
	var model any
	for _, args := range [][]string{{"model", "add", "openai/m", "--url", m.url}, {"model", "use", "openai/m"}} {
		if err := c.run(nil, &model, args...); err != nil {
			t.Fatal(err)
		}
	}
}

// A unit of 20 MB, one list item, is embedded in batches that do not grow with
// it.
func TestMistakeALargeUnitIsOneBatch(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "the work is done by a binary without the detector")
	const size, largest = 20 << 20, 64 << 10
	var line strings.Builder
	line.WriteString("-")
	for i := 0; line.Len() < size; i++ { // no two chunks are the same
		fmt.Fprintf(&line, " a stone on stone %d marks the path over the hill", i)
	}
	home := newHome(t, map[string]string{"large.md": line.String() + "\n"})
	c, m := newCommands(t, home, "cli"), newCountingModel(t)
	m.use(t, c)
	apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)
	var r api.EmbedReport
	if err := c.run(nil, &r, "embed"); err != nil {
		t.Fatal(err)
	}
	requests, texts, most := m.asked()
	if r.Left != 0 || texts < 1000 || requests < 100 {
		t.Errorf("%+v in %d requests of %d texts: it was not embedded whole", r, requests, texts)
	}
	if most > largest {
		t.Errorf("one request had %d bytes of text", most)
	}
}

// Jobs that were done are done for the next process, too: it computes nothing
// and asks for nothing.
func TestMistakeJobsThatAreDoneRunAgain(t *testing.T) {
	slowtest.NoRace(t, "the work is done by binaries without the detector")
	t.Parallel()
	home := newHome(t, map[string]string{"a.md": "# A\n\na stone\n", "b.md": "# B\n\na hill\n"})
	c, m := newCommands(t, home, "cli"), newCountingModel(t)
	m.use(t, c)
	apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)
	var r api.EmbedReport
	if err := c.run(nil, &r, "embed", "--all"); err != nil || r.Pages != 2 || r.Chunks == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	_, before, _ := m.asked()
	for range 2 { // processes
		if again := apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)[0]; len(again.Added)+len(again.Changed) > 0 {
			t.Errorf("synced again: %+v", again)
		}
		if err := c.run(nil, &r, "embed", "--all"); err != nil || r.Pages != 0 || r.Chunks != 0 {
			t.Errorf("embedded again: %+v, %v", r, err)
		}
	}
	if _, texts, _ := m.asked(); texts != before {
		t.Errorf("%d texts were computed again", texts-before)
	}
}
