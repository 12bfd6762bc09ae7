package scenarios_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// packedFile writes a packed model and returns its path and checksum.
func packedFile(t *testing.T, b *apptest.Bed, name string) (path, sum string) {
	t.Helper()
	data := embedtest.Pack(t, name)
	path = filepath.Join(b.Dir("download", map[string]string{"text": "text"}), name+".pack")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := sha256.Sum256(data)
	return path, hex.EncodeToString(s[:])
}

// A packed model is copied when it is added, so that it outlives its file, and its vectors
// are found by other processes.
func TestPackedModel(t *testing.T) {
	t.Parallel()
	b, a := modelBed(t, nil)
	path, sum := packedFile(t, b, "tiny")
	added := apptest.OK(embedding.AddModel(t.Context(), a, embedding.ModelAdd{Name: "tiny", File: path, SHA256: strings.ToUpper(sum)}))(t)
	if added.Name != "tiny" || added.Source != "packed" || added.Dims != 32 || added.Active || added.Left != 4 ||
		added.File != filepath.Join(b.Home, ".local", "share", "cairn", "models", "tiny-"+sum[:12]+".pack") {
		t.Errorf("added %+v", added)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	apptest.OK(embedding.UseModel(t.Context(), a, "tiny"))(t)
	if r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t); r.Model != "tiny" || r.Pages+r.Refused != 4 || r.Left != 0 {
		t.Errorf("embedded %+v", r)
	}
	other := b.Open()
	if v := apptest.OK(embedding.VerifyModel(t.Context(), other))(t); v.Name != "tiny" || v.File != added.File {
		t.Errorf("verified %+v", v)
	}
	apptest.OK(embedding.AddModel(t.Context(), other, embedding.ModelAdd{Name: "tiny", SHA256: sum, File: path}))(t) // it is there
	// A damaged copy is replaced, and the file of another model is refused.
	if err := os.Remove(added.File); err != nil {
		t.Fatal(err)
	}
	again, sum2 := packedFile(t, b, "tiny")
	if err := os.WriteFile(added.File, embedtest.Pack(t, "tiny")[:5000], 0o600); err != nil {
		t.Fatal(err)
	}
	apptest.OK(embedding.AddModel(t.Context(), other, embedding.ModelAdd{Name: "tiny", SHA256: sum2, File: again}))(t)
	apptest.OK(embedding.VerifyModel(t.Context(), b.Open()))(t)
	changed := append(embedtest.Pack(t, "tiny"), 0)
	if err := os.WriteFile(again, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	sum3 := sha256.Sum256(changed)
	if _, err := embedding.AddModel(t.Context(), other, embedding.ModelAdd{Name: "tiny", SHA256: hex.EncodeToString(sum3[:]), File: again}); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("another file: %v", err)
	}
	if err := os.Remove(added.File); err != nil {
		t.Fatal(err)
	}
	if _, err := embedding.VerifyModel(t.Context(), b.Open()); kb.CodeOf(err) != kb.NotFound || kb.AsError(err).Reason != kb.ModelFilesGone {
		t.Errorf("without its file: %v", err)
	}
	// A process that has it goes on.
	apptest.OK(embedding.VerifyModel(t.Context(), other))(t)
}

func TestPackedModelsThatAreRefused(t *testing.T) {
	t.Parallel()
	b, a := modelBed(t, nil)
	path, sum := packedFile(t, b, "tiny")
	text := filepath.Join(filepath.Dir(path), "text")
	ofText := sha256.Sum256([]byte("text"))
	for name, c := range map[string]struct {
		add  embedding.ModelAdd
		want kb.Code
	}{
		"no checksum":       {embedding.ModelAdd{Name: "tiny", File: path}, kb.Usage},
		"half a checksum":   {embedding.ModelAdd{Name: "tiny", File: path, SHA256: sum[:32]}, kb.Usage},
		"another checksum":  {embedding.ModelAdd{Name: "tiny", File: path, SHA256: strings.Repeat("0", 64)}, kb.Invalid},
		"another model":     {embedding.ModelAdd{Name: "multilingual", File: path}, kb.Invalid},
		"another name":      {embedding.ModelAdd{Name: "huge", File: path, SHA256: sum}, kb.Usage},
		"a built-in name":   {embedding.ModelAdd{Name: "bge-small-en-v1.5", File: path, SHA256: sum}, kb.Usage},
		"a name of Ollama":  {embedding.ModelAdd{Name: "ollama/x", File: path, SHA256: sum}, kb.Usage},
		"the name only":     {embedding.ModelAdd{Name: packed.Multilingual.Name}, kb.Usage},
		"no file":           {embedding.ModelAdd{Name: "multilingual", File: path + ".none"}, kb.NotFound},
		"a directory":       {embedding.ModelAdd{Name: "multilingual", File: filepath.Dir(path)}, kb.Refused},
		"no packed model":   {embedding.ModelAdd{Name: "text", File: text, SHA256: hex.EncodeToString(ofText[:])}, kb.Damaged},
		"an address of one": {embedding.ModelAdd{Name: "multilingual", File: path, URL: "http://127.0.0.1"}, kb.Usage},
	} {
		if _, err := embedding.AddModel(t.Context(), a, c.add); kb.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if all := apptest.OK(embedding.ListModels(t.Context(), a))(t); len(all) != 1 {
		t.Errorf("models are %+v", all)
	}
	if left, err := os.ReadDir(filepath.Join(b.Home, ".local", "share", "cairn", "models")); err != nil || len(left) > 0 {
		t.Errorf("kept are %v, %v", left, err)
	}
	agent := *a
	agent.Actor = kb.Actor{Kind: kb.Agent, Name: "x"}
	if _, err := embedding.AddModel(t.Context(), &agent, embedding.ModelAdd{Name: "tiny", File: path, SHA256: sum}); kb.CodeOf(err) != kb.Refused {
		t.Errorf("an agent adds it: %v", err)
	}
}

// With the multilingual model a question finds a page in another language.
func TestQuestionsInOtherLanguages(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "the model has 124 MB")
	path := os.Getenv("CAIRN_MULTILINGUAL")
	if path == "" {
		t.Skip("CAIRN_MULTILINGUAL does not name the packed model: .ci/multilingual makes it")
	}
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		"backup.md": "# Backup plan\n\nEvery night the database is copied to the machine in the cellar. Copies older than thirty days are deleted.\n",
		"miete.md":  "# Mietvertrag\n\nDas Mietverhältnis kann mit einer Frist von drei Monaten zum Monatsende gekündigt werden.\n",
		"发布.md":     "# 会议记录\n\n我们决定把发布推迟到六月,因为测试还没有完成。\n",
		"levain.md": "# Levain\n\nNourrir le levain avec autant de farine que d'eau, puis laisser reposer huit heures.\n",
	})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	apptest.OK(embedding.AddModel(t.Context(), a, embedding.ModelAdd{Name: "multilingual", File: path}))(t)
	apptest.OK(embedding.UseModel(t.Context(), a, packed.Multilingual.Name))(t)
	apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
	for question, want := range map[string]string{
		"Wo liegen die Kopien der Datenbank?":          "backup.md",
		"What is the notice period for the apartment?": "miete.md",
		"Why was the release postponed?":               "发布.md",
		"パン種はどのくらい休ませますか。":                             "levain.md",
	} {
		r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: question, Mode: api.ModeHybrid}))(t)
		if len(r.Items) == 0 || r.Items[0].Path != want {
			for _, h := range r.Items {
				t.Logf("%s %.3f", h.Path, h.Score)
			}
			t.Errorf("%s: want %s first", question, want)
		}
		for _, n := range r.Notes {
			if strings.Contains(n, "English") || strings.Contains(n, "language") {
				t.Errorf("%s: the note %q is of another model", question, n)
			}
		}
	}
}
