package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// coarse is a model whose vector of a text is the weighted mean of vectors of its
// tokens, which the built-in model made of each token alone. Nothing is trained,
// and a text costs about a thousandth. docs/adr/0007 says what came of it.
type coarse struct {
	tokens  *tokenizer.Tokenizer
	vectors [][]float32 // by token
	plain   [][]float32 // without what all tokens have in common
	share   []float64   // of the texts of a set that have the token
}

// coarseWays are the ways to make a vector of those of tokens that were tried, by the
// names of the models.
var coarseWays = []string{"sif", "idf", "idf-whole"}

// shares are how much meaning counts beside words, in parts of one.
var shares = []float64{0.05, 0.1, 0.2}

// common is how many directions are taken out that most tokens share.
const common = 3

// newCoarse makes the vectors of all tokens with the model in a packed file.
func newCoarse(ctx context.Context, file string, progress io.Writer) (*coarse, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pack, err := model.OpenPack(string(text))
	if err != nil {
		return nil, err
	}
	k, err := kernel.Select("")
	if err != nil {
		return nil, err
	}
	m, err := pack.Model(k, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	words, err := pack.Vocabulary()
	if err != nil {
		return nil, err
	}
	c := &coarse{}
	if c.tokens, err = tokenizer.New(words); err != nil {
		return nil, err
	}
	ends := c.tokens.Encode("")
	sequences := make([][]int32, c.tokens.Size())
	for id := range sequences {
		sequences[id] = []int32{ends[0], int32(id), ends[1]}
	}
	start := time.Now()
	if c.vectors, err = m.Embed(ctx, sequences); err != nil {
		return nil, err
	}
	fmt.Fprintf(progress, "vectors of %d tokens in %v\n", len(sequences), time.Since(start).Round(time.Millisecond))
	c.plain = withoutCommon(c.vectors, common)
	return c, nil
}

// withoutCommon subtracts the mean of vectors, and from each its part in the
// directions in which they differ most, found by power iteration.
func withoutCommon(vectors [][]float32, directions int) [][]float32 {
	dims := len(vectors[0])
	out := make([][]float32, len(vectors))
	mean := make([]float64, dims)
	for _, v := range vectors {
		for i, x := range v {
			mean[i] += float64(x) / float64(len(vectors))
		}
	}
	for n, v := range vectors {
		out[n] = make([]float32, dims)
		for i, x := range v {
			out[n][i] = x - float32(mean[i])
		}
	}
	for range directions {
		at := make([]float64, dims)
		for i := range at {
			at[i] = 1 + float64(i%7) // at right angles to nothing in particular
		}
		for range 30 {
			next := make([]float64, dims)
			for _, v := range out {
				dot := 0.0
				for i, x := range v {
					dot += float64(x) * at[i]
				}
				for i, x := range v {
					next[i] += dot * float64(x)
				}
			}
			at = scaled(next)
		}
		for _, v := range out {
			dot := 0.0
			for i, x := range v {
				dot += float64(x) * at[i]
			}
			for i := range v {
				v[i] -= float32(dot * at[i])
			}
		}
	}
	return out
}

// scaled is v at length one.
func scaled(v []float64) []float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	if sum == 0 {
		return v
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x / math.Sqrt(sum)
	}
	return out
}

// learn counts in how many notes of a set each token is.
func (c *coarse) learn(s *set) {
	c.share = make([]float64, c.tokens.Size())
	for _, n := range s.notes {
		seen := map[int32]bool{}
		for _, id := range c.tokens.Encode(string(n.text)) {
			if !seen[id] {
				seen[id] = true
				c.share[id] += 1 / float64(len(s.notes))
			}
		}
	}
}

// embed returns the vector of a text.
func (c *coarse) embed(way, text string) []float32 {
	ids := c.tokens.Encode(text)
	sum := make([]float64, len(c.vectors[0]))
	sum[0] = 1e-6 // a text without tokens has a direction, too
	for _, id := range ids[1 : len(ids)-1] {
		vectors, weight := c.plain, 1.0
		switch way {
		case "sif":
			weight = 1e-3 / (1e-3 + c.share[id])
		case "idf":
			weight = math.Log(1 + 1/(c.share[id]+1e-4))
		default:
			weight, vectors = math.Log(1+1/(c.share[id]+1e-4)), c.vectors
		}
		for i, x := range vectors[id] {
			sum[i] += weight * float64(x)
		}
	}
	out := make([]float32, len(sum))
	for i, x := range scaled(sum) {
		out[i] = float32(x)
	}
	return out
}

// serve answers as Ollama does.
func (c *coarse) serve(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model string
		Input []string
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var out struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	for _, text := range in.Input {
		out.Embeddings = append(out.Embeddings, c.embed(strings.TrimSuffix(in.Model, ":latest"), text))
	}
	_ = json.NewEncoder(w).Encode(out) // who asked has gone
}

// measureCoarse measures a set by words alone, as a question is answered while
// nothing is embedded, and with each coarse model.
func measureCoarse(ctx context.Context, dir string, s *set, c *coarse, progress io.Writer) (out []result, err error) {
	c.learn(s)
	server := httptest.NewServer(http.HandlerFunc(c.serve))
	defer server.Close()
	m, err := remember(ctx, dir, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	add := func(name string, w way) error {
		w.name = name
		r, err := measure(ctx, s, w)
		out = append(out, r)
		fmt.Fprintf(progress, "%s: %s: nDCG@10 %.3f\n", s.name, w.name, r.NDCG10)
		return err
	}
	if err := add("words", searching(m, retrieve.SearchRequest{Mode: api.ModeWords})); err != nil {
		return nil, err
	}
	for i, name := range coarseWays {
		added, err := embedding.AddModel(ctx, m, embedding.ModelAdd{Name: "ollama/" + name, URL: server.URL})
		if err != nil {
			return nil, err
		}
		if _, err := embedding.UseModel(ctx, m, added.Name); err != nil {
			return nil, err
		}
		if i == 0 {
			if err := add("hybrid, nothing embedded", bare(m)); err != nil {
				return nil, err
			}
		}
		start := time.Now()
		r, err := embedding.Embed(ctx, m, embedding.Request{})
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(progress, "%s: %d chunks in %v\n", name, r.Chunks, time.Since(start).Round(time.Millisecond))
		for _, mode := range []retrieve.SearchRequest{{Mode: api.ModeVector}, {Mode: api.ModeHybrid, Fusion: retrieve.Weighted}} {
			if err := add(string(mode.Mode)+", "+name, searching(m, mode)); err != nil {
				return nil, err
			}
		}
		for _, share := range shares {
			if err := add(fmt.Sprintf("words with %.2f of %s", share, name), mixed(m, share)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// bare is a hybrid search while no page has a vector.
func bare(a *memory.Session) way {
	return way{"", func(ctx context.Context, text string) ([]string, error) {
		found, err := read.Search(ctx, a, retrieve.SearchRequest{Query: text, Limit: retrieved, Mode: api.ModeHybrid, Fusion: retrieve.Weighted})
		var paths []string
		for _, h := range found.Items {
			paths = append(paths, h.Path)
		}
		return paths, err
	}}
}

// mixed is words with a share of meaning, and nothing else.
func mixed(a *memory.Session, share float64) way {
	return way{"", func(ctx context.Context, text string) ([]string, error) {
		rows, paths := map[string]int64{}, map[int64]string{}
		list := func(mode api.Mode) (out []rank.Scored, err error) {
			found, err := read.Search(ctx, a, retrieve.SearchRequest{Query: text, Limit: 100, Mode: mode})
			for _, h := range found.Items {
				if rows[h.Path] == 0 {
					rows[h.Path] = int64(len(rows) + 1)
					paths[rows[h.Path]] = h.Path
				}
				out = append(out, rank.Scored{ID: rows[h.Path], Score: h.Score})
			}
			return out, err
		}
		words, err := list(api.ModeWords)
		if err != nil {
			return nil, err
		}
		meaning, err := list(api.ModeVector)
		if err != nil {
			return nil, err
		}
		var out []string
		for _, f := range rank.Weighted(rank.List{Name: "words", Items: words, Weight: 1 - share}, rank.List{Name: "meaning", Items: meaning, Weight: share}) {
			if len(out) < retrieved {
				out = append(out, paths[f.ID])
			}
		}
		return out, nil
	}}
}
