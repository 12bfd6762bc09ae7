package modeldir

import (
	"context"
	"io/fs"
	"math"
	"runtime"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
)

// CrossEncoder reads a question and a passage together, and scores how well the passage
// answers the question: a BertForSequenceClassification with one output.
type CrossEncoder struct {
	config    config
	tokenizer func() (*tokenizer.Tokenizer, error)
	model     func() (*model.Model, error)
}

// The tensors of a cross-encoder's head.
const (
	poolerTensor     = "pooler.dense"
	classifierTensor = "classifier"
)

// pairSpecials is the number of special tokens around a question and a passage.
const pairSpecials = 3

// NewCrossEncoder reads the configuration of a cross-encoder, with the errors of New. The
// tokenizer and the weights are read by the first call that needs them.
func NewCrossEncoder(opts Options) (*CrossEncoder, error) {
	k, err := kernel.Select(opts.CPU)
	if err != nil {
		return nil, err
	}
	c, err := readCrossEncoder(opts.Dir)
	if err != nil {
		return nil, err
	}
	c.info.Name = opts.Name
	threads := opts.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &CrossEncoder{
		config:    c,
		tokenizer: sync.OnceValues(func() (*tokenizer.Tokenizer, error) { return loadTokenizer(opts.Dir, c) }),
		model:     sync.OnceValues(func() (*model.Model, error) { return loadCrossEncoder(opts.Dir, c, k, threads) }),
	}, nil
}

// readCrossEncoder reads and checks all JSON files except the tokenizer's.
func readCrossEncoder(dir fs.FS) (c config, err error) {
	var f struct {
		Type   string         `json:"model_type"`
		Labels map[string]any `json:"id2label"`
	}
	found, err := readJSON(dir, configFile, &f)
	labels := len(f.Labels)
	if labels == 0 {
		labels = 2 // the default of Transformers, which is not written
	}
	switch {
	case err != nil:
		return c, err
	case found && f.Type != "bert":
		return c, notCross("its model_type is %.40q, not bert", f.Type)
	case found && labels != 1:
		return c, notCross("it has %d labels, not one", labels)
	}
	if err := c.readShape(dir); err != nil {
		return c, err
	}
	if c.tokenTypes < 2 {
		return c, notCross("it has %d token types, and pairs have two", c.tokenTypes)
	}
	if err := c.readLength(dir); err != nil {
		return c, err
	}
	if c.maxTokens < 2*pairSpecials {
		return c, notCross("it takes only %d tokens", c.maxTokens)
	}
	return c, nil
}

// notCross returns the error for a model that would be computed differently, or is not for
// pairs.
func notCross(format string, args ...any) error {
	return kb.AsError(unsupported(format, args...)).WithHint("choose a cross-encoder that is a BertForSequenceClassification with one label, such as ms-marco-MiniLM")
}

// loadCrossEncoder reads the weights of an encoder and its head.
func loadCrossEncoder(dir fs.FS, c config, k kernel.Set, threads int) (m *model.Model, err error) {
	file, err := openWeights(dir, "")
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := file.close(); err == nil && cerr != nil {
			m, err = nil, cerr
		}
	}()
	if !file.has(classifierTensor + ".weight") {
		return nil, notCross("it has no classifier")
	}
	w, err := c.encoder(file)
	if err != nil {
		return nil, err
	}
	h := c.info.Hidden
	types, err := c.tensor(file, typesTensor, c.tokenTypes, h)
	if err != nil {
		return nil, err
	}
	w.Second = make([]float32, h)
	for i := range w.Second {
		w.Second[i] = types[h+i] - types[i]
	}
	for _, head := range []struct {
		name string
		out  int
		tanh bool
	}{{poolerTensor, h, true}, {classifierTensor, 1, false}} {
		p := model.Projection{Dense: model.Dense{In: h, Out: head.out}, Tanh: head.tanh}
		if p.W, err = c.tensor(file, head.name+".weight", head.out, h); err != nil {
			return nil, err
		}
		if p.Bias, err = c.tensor(file, head.name+".bias", head.out); err != nil {
			return nil, err
		}
		w.Projections = append(w.Projections, p)
	}
	return model.FromWeights(c.info, w, k, threads)
}

// Score returns how well each of the first passages answers a question, as the model's
// output before any activation. It scores as many passages as have at most that many tokens
// in all. The question may take half of the model's input, the passage the rest; longer
// texts are cut at the end.
func (e *CrossEncoder) Score(ctx context.Context, question string, passages []string, most int) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, err := e.tokenizer()
	if err != nil {
		return nil, err
	}
	m, err := e.model()
	if err != nil {
		return nil, err
	}
	first := t.Encode(question)
	last := first[len(first)-1]
	if half := e.config.maxTokens / 2; len(first) > half {
		first = append(first[:half-1], last)
	}
	var pairs [][]int32
	for _, text := range passages {
		second := t.Encode(text)[1:]
		if room := e.config.maxTokens - len(first); len(second) > room {
			second = append(second[:room-1], last)
		}
		if most -= len(second); most < 0 {
			break
		}
		pair := append(make([]int32, 0, len(first)+len(second)), first...)
		for _, id := range second {
			pair = append(pair, id+int32(e.config.info.Vocabulary))
		}
		pairs = append(pairs, pair)
	}
	results, err := m.Project(ctx, pairs)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(results))
	for i, r := range results {
		if scores[i] = float64(r[0]); math.IsNaN(scores[i]) || math.IsInf(scores[i], 0) {
			return nil, kb.Errorf(kb.Damaged, "%s computes scores that are not numbers", e.config.info.Name).
				WithHint("get the model's files again")
		}
	}
	return scores, nil
}
