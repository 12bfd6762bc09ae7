package operation

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// Cost is what a set of tools costs an agent before it calls any, in tokens of
// the built-in model's tokenizer.
type Cost struct {
	Tools        int `json:"tools"`
	Descriptions int `json:"description_tokens"` // of tools and of their arguments
	Input        int `json:"input_tokens"`       // names, descriptions and input schemas: what a model is shown
	All          int `json:"all_tokens"`         // with the schemas of the answers, as MCP has them
	InputBytes   int `json:"input_bytes"`        // of names, descriptions and input schemas
	OutputBytes  int `json:"output_bytes"`       // of the schemas of the answers
}

// Count counts the tokens of these tools.
func Count(tools []*Tool) (Cost, error) {
	var (
		c               Cost
		words, in, full []byte
	)
	for _, t := range tools {
		c.Tools++
		words = append(append(words, t.Description...), '\n')
		words = descriptions(words, t.Input())
		input, err := json.Marshal(t.Input())
		if err != nil {
			return c, err
		}
		in = append(append(in, t.Name+" "+t.Description...), input...)
		full = append(full, t.Compact()...)
	}
	c.Descriptions, c.Input = retrieve.CountTokens(string(words)), retrieve.CountTokens(string(in))
	c.InputBytes, c.OutputBytes = len(in)-c.Tools, len(full)
	c.All = c.Input + retrieve.CountTokens(string(full))
	return c, nil
}

// descriptions collects what a schema says in words.
func descriptions(words []byte, s *jsonschema.Schema) []byte {
	if s == nil {
		return words
	}
	if s.Description != "" {
		words = append(append(words, s.Description...), '\n')
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		words = descriptions(words, s.Properties[name])
	}
	return descriptions(words, s.Items)
}
