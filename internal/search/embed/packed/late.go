package packed

import (
	"context"
	"sync"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// Late compares a question with passages by late interaction: the mean, over the tokens of
// the question, of the greatest similarity to a token of the passage. Tokens are weighted by
// how rare they are among the passages.
type Late struct {
	model *Embedder

	mu sync.Mutex
	// recent and older are a cache of the vectors of passages, with at most
	// keptBytes in total: an entry found in older moves to recent, and older is
	// dropped when recent is full.
	recent, older map[string]tokens
	bytes         int // of recent
}

// tokens are the tokens of a text, without special ones, and their concatenated unit
// vectors.
type tokens struct {
	ids     []int32
	vectors []float32
}

const (
	keptBytes     = 16 << 20
	questionLimit = 128 // tokens of a question that are compared; below, of a passage
	passageLimit  = 254
)

// NewLate returns a comparison by the token vectors of a model.
func NewLate(m *Embedder) *Late {
	return &Late{model: m, recent: map[string]tokens{}, older: map[string]tokens{}}
}

// Score returns the similarity of each of the first passages to a question, from -1 to 1. It
// compares as many passages as have at most that many tokens in all, and only the start of
// long texts.
func (l *Late) Score(ctx context.Context, question string, passages []string, most int) ([]float64, error) {
	loaded, err := l.model.load()
	if err != nil {
		return nil, err
	}
	encode := func(text string, limit int) []int32 {
		ids := loaded.tokenizer.Encode(text)
		if end := len(ids) - 1; end > limit+1 {
			ids = append(ids[:limit+1], ids[end])
		}
		return ids
	}
	asked := encode(question, questionLimit)
	all := make([]tokens, 0, len(passages))
	sequences, missing := [][]int32{asked}, []int{}
	for i, text := range passages {
		ids := encode(text, passageLimit)
		if most -= len(ids); most < 0 {
			break
		}
		known, ok := l.kept(text)
		if !ok {
			sequences, missing = append(sequences, ids), append(missing, i)
		}
		all = append(all, known)
	}
	vectors, err := loaded.model.Tokens(ctx, sequences)
	if err != nil {
		return nil, err
	}
	width := l.model.opts.Dimensions
	inner := func(i int) tokens {
		ids, v := sequences[i], vectors[i]
		return tokens{ids[1 : len(ids)-1], v[width : len(v)-width]}
	}
	for n, i := range missing {
		all[i] = inner(n + 1)
		l.keep(passages[i], all[i])
	}
	return l.compare(inner(0), all), nil
}

// compare returns the similarity of a question to each passage.
func (l *Late) compare(question tokens, passages []tokens) []float64 {
	out, total := make([]float64, len(passages)), 0.0
	rarity := rarities(question.ids, passages)
	for _, w := range rarity {
		total += w
	}
	if total == 0 {
		return out
	}
	width, n := l.model.opts.Dimensions, len(question.ids)
	padded := (n + kernel.GemmCols - 1) / kernel.GemmCols * kernel.GemmCols
	columns := make([]float32, width*padded) // vectors of the question, one per column
	for j := range n {
		for i, v := range question.vectors[j*width : (j+1)*width] {
			columns[i*padded+j] = v
		}
	}
	ones, near := make([]float32, passageLimit+tokenizer.Specials), make([]float32, (passageLimit+tokenizer.Specials)*padded)
	for i := range ones {
		ones[i] = 1
	}
	for i, p := range passages {
		rows := len(p.ids)
		for j := 0; j < padded && rows > 0; j += kernel.GemmCols {
			l.model.kernels.Gemm(near[j:], padded, p.vectors, width, columns[j:], padded, width, ones[:rows])
		}
		for j, w := range rarity {
			best := float32(-1)
			for r := range rows {
				best = max(best, near[r*padded+j])
			}
			out[i] += w / total * float64(best)
		}
	}
	return out
}

// rarities returns the weight of each token of a question: the fewer passages have it, the
// higher.
func rarities(question []int32, passages []tokens) []float64 {
	having := map[int32]int{}
	for _, p := range passages {
		seen := map[int32]bool{}
		for _, id := range p.ids {
			if !seen[id] {
				seen[id] = true
				having[id]++
			}
		}
	}
	out := make([]float64, len(question))
	for i, id := range question {
		out[i] = rank.Rarity(len(passages), having[id])
	}
	return out
}

// kept returns the cached tokens of a passage.
func (l *Late) kept(text string) (tokens, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t, ok := l.recent[text]; ok {
		return t, true
	}
	t, ok := l.older[text]
	if ok {
		l.add(text, t)
	}
	return t, ok
}

func (l *Late) keep(text string, t tokens) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(text, t)
}

// add puts tokens into recent; the caller holds l.mu.
func (l *Late) add(text string, t tokens) {
	const valueBytes = 4
	size := len(text) + valueBytes*(len(t.ids)+tokenizer.Specials)*(1+l.model.opts.Dimensions)
	if l.bytes+size > keptBytes/2 {
		l.older, l.recent, l.bytes = l.recent, map[string]tokens{}, 0
	}
	if _, ok := l.recent[text]; !ok {
		l.recent[text] = t
		l.bytes += size
	}
}
