package packed_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.pack")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	t.Parallel()
	e, err := packed.Open(write(t, embedtest.Pack(t, "tiny")), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	// 24 tokens without two special ones and the three of "p: ".
	if e.Model() != "tiny" || e.Dimensions() != 32 || e.MaxTokens() != 19 {
		t.Errorf("%s with %d dimensions and %d tokens", e.Model(), e.Dimensions(), e.MaxTokens())
	}
	if err := e.Verify(); err != nil {
		t.Error(err)
	}
	embedOne := func(text string, kind embed.Kind) []float32 {
		t.Helper()
		v, err := e.Embed(t.Context(), []string{text}, kind)
		if err != nil {
			t.Fatal(err)
		}
		return v[0]
	}
	passage := embedOne("ab cairn", embed.Passage)
	if slices.Equal(passage, embedOne("ab cairn", embed.Query)) {
		t.Error("a question has the vector of a passage")
	}
	e.Rest()
	if !slices.Equal(passage, embedOne("ab cairn", embed.Passage)) {
		t.Error("a passage has another vector after the weights went out of the process")
	}
	_, err = e.Embed(t.Context(), []string{"a", strings.Repeat("語 ", 11)}, embed.Passage)
	if kb.CodeOf(err) != kb.Invalid || kb.AsError(err).Details["index"] != 1 || kb.AsError(err).Details["max_tokens"] != 19 {
		t.Errorf("a text of 23 tokens: %v", err)
	}
}

func TestOpenOtherFiles(t *testing.T) {
	t.Parallel()
	tiny := embedtest.Pack(t, "tiny")
	for name, path := range map[string]string{
		"empty": write(t, nil), "text": write(t, []byte("text")), "half": write(t, tiny[:len(tiny)/2]), "directory": t.TempDir(),
	} {
		if _, err := packed.Open(path, "", 1); kb.CodeOf(err) != kb.Damaged {
			t.Errorf("%s: %v, want %s", name, err, kb.Damaged)
		}
	}
	if _, err := packed.Open(filepath.Join(t.TempDir(), "none"), "", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	tiny[len(tiny)-1]++
	e, err := packed.Open(write(t, tiny), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Verify(); kb.CodeOf(err) != kb.Damaged {
		t.Errorf("a changed byte: %v", err)
	}
}

// TestMultilingual runs the contract over the multilingual model, and compares its vectors
// with those of the program that its weights come from.
func TestMultilingual(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "the model has 124 MB")
	path := os.Getenv("CAIRN_MULTILINGUAL")
	if path == "" {
		t.Skip("CAIRN_MULTILINGUAL does not name the packed model: .ci/multilingual makes it")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != packed.Multilingual.SHA256 {
		t.Errorf("the file has the SHA-256 %x, cairn knows %s", sum, packed.Multilingual.SHA256)
	}
	open := func(t *testing.T) embed.Embedder {
		e, err := packed.Open(path, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	embedtest.Run(t, open)
	e := open(t)
	text, err := os.ReadFile("testdata/multilingual.json")
	if err != nil {
		t.Fatal(err)
	}
	var refs []struct {
		Text           string
		Tokens         int // with the special ones and "query: "
		Query, Passage []float32
	}
	if err := json.Unmarshal(text, &refs); err != nil || len(refs) < 30 {
		t.Fatalf("%d texts, %v", len(refs), err)
	}
	for _, r := range refs {
		for kind, want := range map[embed.Kind][]float32{embed.Query: r.Query, embed.Passage: r.Passage} {
			got, err := e.Embed(t.Context(), []string{r.Text}, kind)
			if err != nil {
				t.Fatal(err)
			}
			if c := dot(got[0], want); c < .99 {
				t.Errorf("%.40q, %v: cosine %.4f", r.Text, kind, c)
			}
		}
		if n, err := e.CountTokens("query: " + r.Text); err != nil || n+2 != r.Tokens {
			t.Errorf("%.40q has %d tokens, not %d (%v)", r.Text, n+2, r.Tokens, err)
		}
	}
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
