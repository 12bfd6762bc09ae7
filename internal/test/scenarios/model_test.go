package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// environ is held while a test changes the environment of a bed, which what is noted in
// the background reads.
var environ sync.RWMutex

// modelBed is a memory with notes, for which waiting takes no time.
func modelBed(t *testing.T, env map[string]string) (*apptest.Bed, *memory.Session) {
	t.Helper()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := apptest.New(t)
	b.Opts.Env = func(name string) string {
		environ.RLock()
		defer environ.RUnlock()
		return env[name]
	}
	b.Opts.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	b.Opts.Chance = func() float64 { return 0 }
	root := b.Dir("notes", meanings)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(context.Background(), a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(context.Background(), a, gitsync.SyncRequest{}))(t)
	return b, a
}

func first(t *testing.T, a *memory.Session, question string) (string, []string) {
	t.Helper()
	r := apptest.OK(read.Search(context.Background(), a, retrieve.SearchRequest{Query: question, Mode: api.ModeVector}))(t)
	if len(r.Items) == 0 {
		return "", r.Notes
	}
	return r.Items[0].Path, r.Notes
}

// To another model and back: each keeps its vectors, and what did not change
// is not computed again.
func TestModelSwitchAndBack(t *testing.T) {
	t.Parallel()
	b, a := modelBed(t, nil)
	ctx := context.Background()
	other := b.Open() // another process, in effect
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	server := embedtest.Ollama(t, 640, "")
	const name = "ollama/some-model"
	added := apptest.OK(embedding.AddModel(ctx, a, embedding.ModelAdd{Name: name + ":latest", URL: server.URL}))(t)
	if added.Name != name || added.Dims != 640 || added.Active || added.Left != 4 || added.URL != server.URL {
		t.Errorf("added %+v", added)
	}
	if path, _ := first(t, a, "training a pet"); path != "dog.md" {
		t.Errorf("adding changed what is used: %s", path)
	}
	used := apptest.OK(embedding.UseModel(ctx, a, name))(t)
	if !used.Active || used.Left != 4 || used.Pages != 0 {
		t.Errorf("used %+v", used)
	}
	before := server.Texts.Load()
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Model != name || r.Pages != 4 || r.Left != 0 {
		t.Errorf("embedded %+v", r)
	}
	if server.Texts.Load() == before {
		t.Error("the server was not asked")
	}
	for _, caller := range []*memory.Session{a, other} {
		if path, notes := first(t, caller, "basil"); path != "cooking.md" || len(notes) > 0 {
			t.Errorf("with the other model: %s, %v", path, notes)
		}
	}
	back := apptest.OK(embedding.UseModel(ctx, other, bge.Name))(t)
	if back.Left != 0 || back.Pages != 4 {
		t.Errorf("back %+v", back)
	}
	asked := server.Texts.Load()
	for _, caller := range []*memory.Session{a, other} {
		if path, _ := first(t, caller, "training a pet"); path != "dog.md" {
			t.Errorf("back with the built-in model: %s", path)
		}
	}
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Pages != 0 || r.Chunks != 0 {
		t.Errorf("going back computed %+v", r)
	}
	if again := apptest.OK(embedding.UseModel(ctx, a, name))(t); again.Left != 0 {
		t.Errorf("forth again %+v", again)
	}
	if server.Texts.Load() != asked {
		t.Error("a model that is not used was asked")
	}
	if v := apptest.OK(embedding.VerifyModel(ctx, a))(t); v.Name != name || v.Pages != 4 {
		t.Errorf("verified %+v", v)
	}
	if _, err := embedding.RemoveModel(ctx, a, name); kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Reason != kb.ModelInUse {
		t.Errorf("removing the active model: %v", err)
	}
	apptest.OK(embedding.UseModel(ctx, a, bge.Name))(t)
	apptest.OK(embedding.RemoveModel(ctx, a, name))(t)
	all := apptest.OK(embedding.ListModels(ctx, a))(t)
	if len(all) != 1 || all[0].Name != bge.Name || !all[0].Active {
		t.Errorf("left are %+v", all)
	}
}

// A server that is gone costs meaning, not the search; the note has the remedy.
func TestModelNotAvailable(t *testing.T) {
	t.Parallel()
	_, a := modelBed(t, nil)
	ctx := context.Background()
	server := embedtest.Ollama(t, 64, "")
	m := apptest.OK(embedding.AddModel(ctx, a, embedding.ModelAdd{Name: "ollama/m", URL: server.URL}))(t)
	apptest.OK(embedding.UseModel(ctx, a, m.Name))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	server.Close()
	r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "basil", Embed: time.Second}}))(t)
	if len(r.Items) == 0 || r.Items[0].Path != "cooking.md" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "ollama serve") {
		t.Errorf("without the server: %+v, %v", r.Items, r.Notes)
	}
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "new", Text: []byte("Trams run on rails.\n")}))(t)
	r = apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "basil"}}))(t)
	if r.SearchMode != api.ModeWords || r.Left != 1 {
		t.Errorf("without the server, %d pages wait, not 1: %+v", r.Left, r)
	}
	if _, err := embedding.VerifyModel(ctx, a); err == nil {
		t.Error("a model without its server was verified")
	}
	if _, err := embedding.AddModel(ctx, a, embedding.ModelAdd{Name: "ollama/n", URL: server.URL}); err == nil {
		t.Error("a model without its server was added")
	}
}

// What was just written is embedded by Ollama, too, where it runs on this machine; where
// it does not answer the page waits.
func TestEmbedSoonByOllama(t *testing.T) {
	t.Parallel()
	_, a := modelBed(t, nil)
	ctx := context.Background()
	server := embedtest.Ollama(t, 64, "")
	apptest.OK(embedding.AddModel(ctx, a, embedding.ModelAdd{Name: "ollama/m", URL: server.URL}))(t)
	apptest.OK(embedding.UseModel(ctx, a, "ollama/m"))(t)
	soon := func(page string, want int) {
		t.Helper()
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: page, Text: []byte("Trams run on rails.\n")}))(t)
		if r := apptest.OK(embedding.EmbedSoon(ctx, a, []string{page}))(t); r.Pages != want {
			t.Errorf("%s: %+v", page, r)
		}
	}
	soon("one", 1)
	if _, err := embedding.EmbedSoon(ctx, a, []string{"nothing"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("a page that is not there: %v", err)
	}
	server.Close()
	soon("two", 0)
}

// A server that takes its time costs meaning, not the question.
func TestModelThatIsSlow(t *testing.T) {
	t.Parallel()
	_, a := modelBed(t, map[string]string{"CAIRN_QUESTION_WAIT": "20ms"})
	ctx := context.Background()
	server := embedtest.Ollama(t, 64, "")
	m := apptest.OK(embedding.AddModel(ctx, a, embedding.ModelAdd{Name: "ollama/m", URL: server.URL}))(t)
	apptest.OK(embedding.UseModel(ctx, a, m.Name))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	server.Stalled.Store(true)
	r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "basil", Embed: time.Hour}}))(t)
	if len(r.Items) == 0 || r.Items[0].Path != "cooking.md" || r.SearchMode != api.ModeWords {
		t.Errorf("with a slow server: %+v", r)
	}
	if !noted(r.Notes, "ollama/m did not answer within 20ms") || !noted(r.Notes, string(kb.ModelSlow)) {
		t.Errorf("with a slow server: %q", r.Notes)
	}
}

// The key is read when it is needed, and is nowhere in the memory's files.
func TestModelKeyIsNotStored(t *testing.T) {
	t.Parallel()
	env := map[string]string{"MY_KEY": "sesame-4711-open"}
	b, a := modelBed(t, env)
	ctx := context.Background()
	server := embedtest.Ollama(t, 64, "sesame-4711-open")
	if _, err := embedding.AddModel(ctx, a, embedding.ModelAdd{Name: "openai/m", URL: server.URL}); kb.CodeOf(err) != kb.Usage {
		t.Errorf("without a key: %v", err)
	}
	m := apptest.OK(embedding.AddModel(ctx, a, embedding.ModelAdd{Name: "openai/m", URL: server.URL, KeyEnv: "MY_KEY"}))(t)
	apptest.OK(embedding.UseModel(ctx, a, m.Name))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	path := apptest.OK(space.DatabasePath(b.Opts.Place))(t)
	for _, suffix := range []string{"", "-wal"} {
		if raw, err := os.ReadFile(path + suffix); err == nil && strings.Contains(string(raw), "sesame") {
			t.Errorf("the key is in the database%s", suffix)
		}
	}
	asked := server.Texts.Load()
	environ.Lock()
	delete(env, "MY_KEY")
	environ.Unlock()
	if _, err := change.Put(ctx, a, change.PutRequest{Ref: "new", Text: []byte("Trams run on rails.\n")}); err != nil {
		t.Fatal(err)
	}
	_, err := embedding.Embed(ctx, a, embedding.Request{})
	if kb.CodeOf(err) != kb.Usage || !strings.Contains(err.Error(), "MY_KEY") || kb.AsError(err).Hint == "" {
		t.Errorf("to embed without the key: %v", err)
	}
	r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "basil", Embed: time.Hour}}))(t)
	if len(r.Items) == 0 || r.SearchMode != api.ModeWords || !noted(r.Notes, "MY_KEY") {
		t.Errorf("to ask without the key: %+v", r)
	}
	if server.Texts.Load() != asked {
		t.Error("texts were sent without the key")
	}
	environ.Lock()
	env["MY_KEY"] = "wrong"
	environ.Unlock()
	if _, notes := first(t, a, "basil"); len(notes) != 1 || !strings.Contains(notes[0], "MY_KEY") {
		t.Errorf("with a wrong key: %v", notes)
	}
}

func TestModelUsage(t *testing.T) {
	t.Parallel()
	b, a := modelBed(t, nil)
	ctx := context.Background()
	for _, req := range []embedding.ModelAdd{
		{Name: "m"}, {Name: "ollama/"}, {Name: "dir:"}, {Name: bge.Name, URL: "http://x"},
		{Name: "dir:x", KeyEnv: "K"}, {Name: "ollama/m", KeyEnv: "K"}, {Name: "openai/m", KeyEnv: "NOT_SET"},
	} {
		if _, err := embedding.AddModel(ctx, a, req); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%+v: %v", req, err)
		}
	}
	if _, err := embedding.AddModel(ctx, a, embedding.ModelAdd{Name: "dir:" + filepath.Join(b.Home, "none")}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("a directory without a model: %v", err)
	}
	for _, f := range []func(context.Context, *memory.Session, string) (api.EmbeddingModel, error){embedding.UseModel, embedding.RemoveModel} {
		if _, err := f(ctx, a, "ollama/none"); kb.CodeOf(err) != kb.NotFound {
			t.Errorf("a model that was not added: %v", err)
		}
	}
	if all := apptest.OK(embedding.ListModels(ctx, a))(t); len(all) != 1 || !all[0].Active || all[0].Left != 4 {
		t.Errorf("before anything: %+v", all)
	}
}

// Where the model of a name becomes one of other dimensions, errors say so with
// all that a way on needs, and that way works.
func TestModelOfOtherDimensions(t *testing.T) {
	t.Parallel()
	b, a := modelBed(t, nil)
	ctx := context.Background()
	server := embedtest.Ollama(t, 64, "")
	add := embedding.ModelAdd{Name: "ollama/m", URL: server.URL}
	apptest.OK(embedding.AddModel(ctx, a, add))(t)
	apptest.OK(embedding.UseModel(ctx, a, add.Name))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	server.Dims.Store(640)

	used := "model_changed active=true key_env= model=ollama/m other=" + bge.Name + " url=" + server.URL
	_, adding := embedding.AddModel(ctx, a, add)
	_, foundEmbedding := embedding.Embed(ctx, a, embedding.Request{Again: true})
	_, verifying := embedding.VerifyModel(ctx, a)
	for what, err := range map[string]error{"add": adding, "embed": foundEmbedding, "verify": verifying} {
		if err == nil || apptest.Words(kb.AsError(err)) != used {
			t.Errorf("%s: %v, %q", what, err, apptest.Words(kb.AsError(err)))
		}
	}
	if _, notes := first(t, a, "basil"); !noted(notes, used) {
		t.Errorf("a question: %q", notes)
	}
	apptest.OK(embedding.UseModel(ctx, a, bge.Name))(t)
	if _, err := embedding.AddModel(ctx, b.Open(), add); err == nil || apptest.Words(kb.AsError(err)) != strings.Replace(used, "true", "false", 1) {
		t.Errorf("add one that is not used: %v", err)
	}
	apptest.OK(embedding.RemoveModel(ctx, a, add.Name))(t)
	if m := apptest.OK(embedding.AddModel(ctx, a, add))(t); m.Dims != 640 {
		t.Errorf("added %+v", m)
	}
	apptest.OK(embedding.UseModel(ctx, a, add.Name))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{All: true}))(t)
	if path, notes := first(t, a, "basil"); path != "cooking.md" || len(notes) > 0 {
		t.Errorf("in the end: %s, %q", path, notes)
	}
}

// A vector that is not of length one would come before all others.
func TestModelVerifyLooksAtLengths(t *testing.T) {
	t.Parallel()
	b, a := modelBed(t, nil)
	ctx := context.Background()
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	b.Plant(func(tx store.Tx) error {
		var bad []store.PageVectors
		err := tx.Vectors().Each(ctx, bge.Name, func(p store.PageVectors) error {
			dims, list, err := vector.Unpack(p.Info, p.Values)
			if err != nil {
				return err
			}
			for i := range list {
				list[i].Scale *= 1000
			}
			p.Info, p.Values, err = vector.Pack(dims, list)
			bad = append(bad, p)
			return err
		})
		if err != nil {
			return err
		}
		return tx.Vectors().Put(ctx, bad[:1])
	})
	_, err := embedding.VerifyModel(ctx, a)
	if kb.CodeOf(err) != kb.Damaged || kb.AsError(err).Reason != kb.VectorsDamaged {
		t.Errorf("verified: %v", err)
	}
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{All: true}))(t)
	if _, err := embedding.VerifyModel(ctx, a); err != nil {
		t.Errorf("after what the hint says: %v", err)
	}
}

// A credential in the name of a file is not sent as the title of its page.
func TestModelServerGetsNoCredentialOfAFileName(t *testing.T) {
	t.Parallel()
	b, a := modelBed(t, nil)
	ctx := context.Background()
	const key = "AKIAIOSFODNN7EXAMPLQ"
	b.Dir("notes", map[string]string{"key " + key + ".md": "Trams run on rails.\n"})
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	server := embedtest.Ollama(t, 64, "")
	server.Forbidden = key
	apptest.OK(embedding.AddModel(ctx, a, embedding.ModelAdd{Name: "ollama/m", URL: server.URL}))(t)
	apptest.OK(embedding.UseModel(ctx, a, "ollama/m"))(t)
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Pages != 5 {
		t.Errorf("embedded %+v", r)
	}
	for _, c := range apptest.OK(doctor.Validate(ctx, a, false))(t) {
		if c.Name == "vectors" && c.State != "ok" {
			t.Errorf("%+v", c)
		}
	}
}

// A credential in what is remembered is not sent to find similar pages, whether
// the write is then refused for it or not.
func TestModelServerGetsNoCredentialOfWhatIsRemembered(t *testing.T) {
	t.Parallel()
	_, a := modelBed(t, nil)
	ctx := context.Background()
	const key = "AKIAIOSFODNN7EXAMPLQ"
	server := embedtest.Ollama(t, 64, "")
	server.Forbidden = key
	apptest.OK(embedding.AddModel(ctx, a, embedding.ModelAdd{Name: "ollama/m", URL: server.URL}))(t)
	apptest.OK(embedding.UseModel(ctx, a, "ollama/m"))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	asked := server.Texts.Load()
	req := api.CaptureRequest{Title: "The key " + key, Text: "Trams run with the key " + key + " in them.\n"}
	if _, err := ingest.Capture(ctx, a, req); kb.CodeOf(err) != kb.Secret {
		t.Errorf("a credential: %v", err)
	}
	req.AllowSecrets = []string{"aws-access-key"}
	apptest.OK(ingest.Capture(ctx, a, req))(t)
	if server.Texts.Load() != asked+2 {
		t.Errorf("%d texts were sent, not 2", server.Texts.Load()-asked)
	}
}
