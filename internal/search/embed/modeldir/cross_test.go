package modeldir

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairn-kb/cairn/internal/kb"
)

// many is more tokens than any test has.
const many = 1 << 20

func crossDirectory(t *testing.T) fstest.MapFS {
	t.Helper()
	return familyDirectory(t, "testdata/pairs/cross-encoder.zip")
}

func newCrossEncoder(t *testing.T, dir fstest.MapFS) *CrossEncoder {
	t.Helper()
	e, err := NewCrossEncoder(Options{Dir: dir, Name: "dir:/pairs", Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Scores are those of BertForSequenceClassification, with the pairs of the Hugging Face
// tokenizer. tools/embed-reference makes the files.
func TestCrossEncoderAgainstTheReference(t *testing.T) {
	t.Parallel()
	dir := crossDirectory(t)
	e := newCrossEncoder(t, dir)
	tried, truncated := 0, 0
	for line := range bytes.Lines(dir["expected.jsonl"].Data) {
		var want struct {
			Question, Passage string
			IDs, Types        []int32
			Score             float64
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		got, err := e.Score(t.Context(), want.Question, []string{want.Passage}, many)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || math.Abs(got[0]-want.Score) > 1e-4 {
			t.Errorf("%q, %q: %v, want %v", want.Question, want.Passage, got, want.Score)
		}
		tried++
		if len(want.IDs) == e.config.maxTokens {
			truncated++
		}
	}
	if tried < 40 || truncated == 0 {
		t.Errorf("%d pairs, %d of them as long as the model takes", tried, truncated)
	}
}

// A score does not depend on other passages, and passages beyond the tokens have none.
func TestCrossEncoderScoresManyPassages(t *testing.T) {
	t.Parallel()
	e := newCrossEncoder(t, crossDirectory(t))
	question := "when does the ferry leave?"
	passages := []string{"The ferry leaves at seven.", "", strings.Repeat("copper prices fell ", 200), "Snow closed the pass."}
	all, err := e.Score(t.Context(), question, passages, many)
	if err != nil || len(all) != len(passages) {
		t.Fatal(all, err)
	}
	for i, text := range passages {
		if one, err := e.Score(t.Context(), question, []string{text}, many); err != nil || math.Abs(one[0]-all[i]) > 1e-5 {
			t.Errorf("passage %d: %v alone, %v with others: %v", i, one, all[i], err)
		}
	}
	tok, err := e.tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	few := len(tok.Encode(passages[0])) - 1 + len(tok.Encode(passages[1])) - 1
	if got, err := e.Score(t.Context(), question, passages, few); err != nil || !slices.Equal(got, all[:2]) {
		t.Errorf("of %d tokens: %v, want %v: %v", few, got, all[:2], err)
	}
	if got, err := e.Score(t.Context(), strings.Repeat(question, 100), passages[:1], many); err != nil || len(got) != 1 {
		t.Errorf("a long question: %v %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Score(ctx, question, passages, many); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Models that are no such cross-encoder are refused, and say why.
func TestOtherCrossEncoders(t *testing.T) {
	t.Parallel()
	dir := crossDirectory(t)
	for name, c := range map[string]struct {
		change func(fstest.MapFS)
		code   kb.Code
		why    string
	}{
		"no configuration": {func(d fstest.MapFS) { delete(d, configFile) }, kb.NotFound, configFile},
		"no weights":       {func(d fstest.MapFS) { delete(d, weightsFile) }, kb.NotFound, weightsFile},
		"no tokenizer":     {func(d fstest.MapFS) { delete(d, tokenizerFile) }, kb.NotFound, tokenizerFile},
		"another family":   {replaced(`"model_type": "bert"`, `"model_type": "xlm-roberta"`), kb.Invalid, "xlm-roberta"},
		"three labels":     {replaced(`{"0": "LABEL_0"}`, `{"0": "no", "1": "yes", "2": "both"}`), kb.Invalid, "3 labels"},
		"labels not named": {replaced(`"id2label": {"0": "LABEL_0"}, `, ``), kb.Invalid, "2 labels"},
		"one token type":   {replaced(`"type_vocab_size": 2`, `"type_vocab_size": 1`), kb.Invalid, "1 token types"},
		"an embedding model": {func(d fstest.MapFS) {
			delete(d, weightsFile) // the other model has it in parts
			for name, f := range familyDirectory(t, "testdata/bert-unigram.zip") {
				d[name] = f
			}
			replaced(`"model_type": "bert"`, `"model_type": "bert", "id2label": {"0": "LABEL_0"}`)(d)
		}, kb.Invalid, "no classifier"},
	} {
		changed := maps.Clone(dir)
		c.change(changed)
		e, err := NewCrossEncoder(Options{Dir: changed, Name: "dir:/pairs", Threads: 1})
		if err == nil {
			_, err = e.Score(t.Context(), "who?", []string{"Ada"}, many)
		}
		if kb.CodeOf(err) != c.code || !strings.Contains(kb.AsError(err).Message, c.why) {
			t.Errorf("%s: %v, want %s about %q", name, err, c.code, c.why)
		}
	}
}

// replaced changes the configuration.
func replaced(old, with string) func(fstest.MapFS) {
	return func(d fstest.MapFS) {
		b := bytes.Replace(d[configFile].Data, []byte(old), []byte(with), 1)
		d[configFile] = &fstest.MapFile{Data: b}
	}
}

func TestCrossEncoderScoresThatAreNoNumbers(t *testing.T) {
	t.Parallel()
	for _, bias := range []float64{math.Inf(1), math.NaN()} {
		dir := crossDirectory(t)
		weights := bytes.Clone(dir[weightsFile].Data)
		header := int(binary.LittleEndian.Uint64(weights))
		var tensors map[string]struct {
			Offsets []int  `json:"data_offsets"`
			Type    string `json:"dtype"`
		}
		if err := json.Unmarshal(weights[8:8+header], &tensors); err != nil {
			t.Fatal(err)
		}
		of := tensors["classifier.bias"]
		if of.Type != "F32" {
			t.Fatalf("the bias is %q", of.Type)
		}
		binary.LittleEndian.PutUint32(weights[8+header+of.Offsets[0]:], math.Float32bits(float32(bias)))
		dir[weightsFile] = &fstest.MapFile{Data: weights}
		if _, err := newCrossEncoder(t, dir).Score(t.Context(), "cats", []string{"dogs"}, 100); kb.CodeOf(err) != kb.Damaged {
			t.Errorf("a bias of %v: error %v", bias, err)
		}
	}
}
