package httpapi

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// exampleText is one request of each route with its answer. The answers come from the
// server: a test makes the requests, in this order, and writes them with -update.
//
//go:embed examples.json
var exampleText []byte

// example is a request, and the answer to it.
type example struct {
	Operation string                     `json:"operation"`
	Path      map[string]string          `json:"path,omitempty"`
	Query     map[string]json.RawMessage `json:"query,omitempty"`
	Body      json.RawMessage            `json:"body,omitempty"`
	Answer    json.RawMessage            `json:"answer,omitempty"`
}

// examples are those of the OpenAPI document, by the operationId.
var examples = sync.OnceValue(func() map[string]example {
	var list []example
	if err := json.Unmarshal(exampleText, &list); err != nil {
		panic(err) // a file of this package, and any test sees it
	}
	out := map[string]example{}
	for _, e := range list {
		out[e.Operation] = e
	}
	return out
})

// in adds the example of a parameter to it.
func (e example) in(p object) object {
	name, _ := p["name"].(string)
	var value any
	if text, ok := e.Path[name]; ok && p["in"] == "path" {
		value = text
	} else if raw, ok := e.Query[name]; ok && p["in"] == "query" {
		value = raw
	} else {
		return p
	}
	if kinds, ok := p["content"].(object); ok {
		kinds["application/json"].(object)["example"] = value
	} else {
		p["example"] = value
	}
	return p
}
