package retrieve

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/modeldir"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// reranker compares passages with a question.
type reranker interface {
	// Score returns a score for each of the first passages, the greater the better it answers
	// the question: for as many as have at most that many tokens together. Scores of one call
	// can be compared. When ctx is done, it soon returns ctx's error.
	Score(ctx context.Context, question string, passages []string, tokens int) ([]float64, error)
}

// reranking is a reranker, and how much its scores count.
type reranking struct {
	setting string // that it was opened for
	by      reranker
	tokens  int     // of the passages that it compares
	weight  float64 // of the best passage over the worst
	width   float64 // scores that differ by less in all are not stretched to 0 and 1
}

// Passages that are compared at most. Measured by bench/quality -rerank (docs/benchmarks.md).
const (
	rerankedPassages = 60

	lateTokens            = 1000 // some 40 ms of two cores
	lateWeight, lateWidth = 0.2, 0.1

	// Half of what words and meaning count; scores are logits. Not measured: no trained
	// cross-encoder could be had.
	crossTokens             = 4000
	crossWeight, crossWidth = 0.5, 2
)

// rerankers holds the reranker that a memory used last.
type rerankers struct {
	mu   sync.Mutex
	open *reranking
}

// Rest gives up the reranker: it is opened again by the next question.
func (r *rerankers) Rest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = nil
}

// rerank adds to the scores of the best passages, which come first, how well they answer the
// question as the setting rerank compares them, and orders them again. Without the reranker they
// stay as they are, and the answer reports it.
func (s *Search) rerank(ctx context.Context, hits []found, ranked []passage) error {
	question := wordsOf(s.query.Root)
	if s.reranker == "" || s.reranker == rerankOff || question == "" || len(ranked) == 0 || ranked[0].score <= 0 {
		return nil
	}
	best := ranked[:min(len(ranked), rerankedPassages)]
	texts := make([]string, len(best))
	for i, p := range best {
		texts[i] = hits[p.page].textOf(p.lines)
	}
	r, err := s.openReranker(question)
	var scores []float64
	if err == nil {
		scores, err = r.by.Score(ctx, question, texts, r.tokens)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		memory.Keep[rerankers](s.engine).Rest() // so that the next question tries again
		s.note("the passages were not reranked: %s", api.Note(kb.AsError(err), s.engine.Hint))
		return nil
	}
	if len(scores) == 0 {
		return nil
	}
	least := slices.Min(scores)
	width := max(slices.Max(scores)-least, r.width)
	for i, score := range scores {
		best[i].score += r.weight * (score - least) / width
	}
	bestPassagesFirst(best)
	return nil
}

// Values of the setting rerank, in addition to directories of cross-encoders.
const (
	rerankOff  = "off"
	rerankLate = "late"
)

// openReranker returns the reranker of the setting.
func (s *Search) openReranker(question string) (*reranking, error) {
	dir, isDir := strings.CutPrefix(s.reranker, "dir:")
	if script := query.Script(question); !isDir && script != "" && script != "Latin" {
		return nil, kb.Errorf(kb.Invalid, "%s does not know %s script", bge.Name, script)
	}
	kept := memory.Keep[rerankers](s.engine)
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.open != nil && kept.open.setting == s.reranker {
		return kept.open, nil
	}
	if isDir {
		m, err := openCrossEncoder(s.engine.Place, dir, s.engine.Workers)
		if err != nil {
			return nil, err
		}
		kept.open = &reranking{s.reranker, m, crossTokens, crossWeight, crossWidth}
		return kept.open, nil
	}
	m, err := embedding.TokenModel(s.engine, s.question.model)
	if err != nil {
		return nil, err
	}
	kept.open = &reranking{s.reranker, packed.NewLate(m), lateTokens, lateWeight, lateWidth}
	return kept.open, nil
}

func openCrossEncoder(place space.Place, dir string, threads int) (*modeldir.CrossEncoder, error) {
	m, err := modeldir.NewCrossEncoder(modeldir.Options{Dir: os.DirFS(dir), Name: dir, CPU: place.Env(kernel.EnvVar), Threads: threads})
	if kb.CodeOf(err) == kb.NotFound {
		err = kb.Errorf(kb.NotFound, "there is no cross-encoder in %s: %w", dir, err).WithHintOf(err)
	}
	return m, err
}

// TryReranker fails where a value of the setting rerank names a model that cannot be used.
func TryReranker(ctx context.Context, place space.Place, setting string) error {
	dir, isDir := strings.CutPrefix(setting, "dir:")
	if !isDir {
		var err error
		if setting == rerankLate {
			_, err = bge.New(place.Env(kernel.EnvVar), 1)
		}
		return err
	}
	m, err := openCrossEncoder(place, dir, 0)
	if err != nil {
		return err
	}
	_, err = m.Score(ctx, "cairn", []string{"cairn"}, crossTokens)
	return err
}
