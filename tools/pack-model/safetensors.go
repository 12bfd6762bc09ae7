package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// readSafetensors returns the float32 tensors of a safetensors file. A leading
// "bert." is dropped from names, as some checkpoints have it.
func readSafetensors(file []byte) (map[string]tensor, error) {
	if len(file) < 8 {
		return nil, errors.New("not a safetensors file: too short")
	}
	size := binary.LittleEndian.Uint64(file)
	if size > uint64(len(file)-8) {
		return nil, errors.New("not a safetensors file: the header is cut short")
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+size], &header); err != nil {
		return nil, fmt.Errorf("not a safetensors file: %w", err)
	}
	data := file[8+size:]
	tensors := make(map[string]tensor)
	for name, raw := range header {
		if name == "__metadata__" {
			continue
		}
		var entry struct {
			DType   string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(raw, &entry); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		if entry.DType != "F32" {
			continue // position ids are integers
		}
		from, to := entry.Offsets[0], entry.Offsets[1]
		if from < 0 || to < from || to > len(data) || (to-from)%4 != 0 {
			return nil, fmt.Errorf("tensor %s lies outside the file", name)
		}
		tensors[strings.TrimPrefix(name, "bert.")] = tensor{shape: entry.Shape, values: decodeFloats(data[from:to])}
	}
	return tensors, nil
}
