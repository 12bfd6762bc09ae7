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
	flag.StringVar(&o.weights, "weights", "", "float weights, an .onnx or .safetensors `file`")
	flag.StringVar(&o.tokenizer, "tokenizer", "", "the model's tokenizer.json")
	flag.StringVar(&o.facts, "facts", "", "JSON `file` with name, shape, licence and source of the model")
	flag.StringVar(&o.out, "out", "", "packed `file` to write")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

type options struct{ weights, tokenizer, facts, out string }

// calibration holds texts of many kinds, separated by lines of "%%", from
// which the packer learns how large each input gets.
//
//go:embed calibration.txt
var calibration string

func run(ctx context.Context, o options) error {
	if o.weights == "" || o.tokenizer == "" || o.facts == "" || o.out == "" {
		return errors.New("-weights, -tokenizer, -facts and -out are needed; each names a file")
	}
	info, err := readFacts(o.facts)
	if err != nil {
		return err
	}
	vocabulary, err := readVocabulary(o.tokenizer)
	if err != nil {
		return err
	}
	tensors, err := readWeights(o.weights, info.Source.SHA256)
	if err != nil {
		return err
	}
	packed, err := pack(ctx, info, tensors, vocabulary)
	if err != nil {
		return err
	}
	return os.WriteFile(o.out, packed, 0o644)
}

// pack returns the packed file.
func pack(ctx context.Context, info model.Info, tensors map[string]tensor, vocabulary []string) ([]byte, error) {
	weights, err := weightsOf(info, tensors)
	if err != nil {
		return nil, err
	}
	sequences, err := calibrationSequences(info, vocabulary)
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
	err = model.WritePack(&out, info, weights, usage, vocabulary)
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

// calibrationSequences encodes the calibration texts, each alone, as a query,
// and all of them together cut to the model's length.
func calibrationSequences(info model.Info, vocabulary []string) ([][]int32, error) {
	t, err := tokenizer.New(strings.Join(vocabulary, "\n") + "\n")
	if err != nil {
		return nil, err
	}
	cut := func(ids []int32) []int32 { return ids[:min(len(ids), info.MaxTokens)] }
	var sequences [][]int32
	for text := range strings.SplitSeq(calibration, "\n%%\n") {
		sequences = append(sequences, cut(t.Encode(text)))
	}
	sequences = append(sequences, cut(t.Encode(info.QueryPrefix+"how are these weights packed?")),
		cut(t.Encode(strings.ReplaceAll(calibration, "\n%%\n", "\n"))))
	return sequences, nil
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

// readWeights reads the weights and checks that they are those the facts name.
func readWeights(path, sha string) (map[string]tensor, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:]); got != sha {
		return nil, fmt.Errorf("%s has SHA-256 %s, the facts say %s", path, got, sha)
	}
	switch {
	case strings.HasSuffix(path, ".onnx"):
		return readONNX(b)
	case strings.HasSuffix(path, ".safetensors"):
		return readSafetensors(b)
	}
	return nil, fmt.Errorf("%s is neither .onnx nor .safetensors", path)
}
