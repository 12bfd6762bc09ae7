package main

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/search/embed/safetensors"
)

// readSafetensors returns the float tensors of a safetensors file. A leading
// "bert." is dropped from names, as some checkpoints have it.
func readSafetensors(file []byte) (map[string]tensor, error) {
	f, err := safetensors.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	tensors := make(map[string]tensor)
	for _, name := range f.Names() {
		t, _ := f.Tensor(name)
		if !t.IsFloat() {
			continue // position ids are integers
		}
		values, err := f.Floats(name, t.Shape...)
		if err != nil {
			return nil, err
		}
		tensors[strings.TrimPrefix(name, "bert.")] = tensor{shape: t.Shape, values: values}
	}
	return tensors, nil
}
