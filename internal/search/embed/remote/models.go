package remote

import "strings"

// facts are the properties of a model that embedding with it depends on.
type facts struct {
	dimensions    int
	context       int // tokens
	queryPrefix   string
	passagePrefix string
}

const searchPrefix = "Represent this sentence for searching relevant passages: "

// known lists models of Ollama's library, by name, or by name and tag if tags differ in
// size. Sizes and prefixes are from the models' own cards; the context is Ollama's default
// for the model.
var known = map[string]facts{
	"nomic-embed-text":            {768, 2048, "search_query: ", "search_document: "},
	"mxbai-embed-large":           {1024, 512, searchPrefix, ""},
	"all-minilm":                  {384, 256, "", ""},
	"bge-m3":                      {1024, 8192, "", ""},
	"bge-large":                   {1024, 512, searchPrefix, ""},
	"embeddinggemma":              {768, 2048, "task: search result | query: ", "title: none | text: "},
	"snowflake-arctic-embed2":     {1024, 8192, "query: ", ""},
	"snowflake-arctic-embed:22m":  {384, 512, searchPrefix, ""},
	"snowflake-arctic-embed:33m":  {384, 512, searchPrefix, ""},
	"snowflake-arctic-embed:110m": {768, 512, searchPrefix, ""},
	"snowflake-arctic-embed:335m": {1024, 512, searchPrefix, ""},
	"snowflake-arctic-embed":      {1024, 512, searchPrefix, ""},
}

// unknownContext is the context assumed for other models: no embedding model in use has less
// than this, except all-minilm.
const unknownContext = 512

// plainName returns the name of a model without the tag that Ollama assumes.
func plainName(model string) string { return strings.TrimSuffix(model, ":latest") }

// factsOf returns the known facts of a model; dimensions are 0 for an unknown
// one.
func factsOf(model string) facts {
	model = plainName(model)
	if f, ok := known[model]; ok {
		return f
	}
	name, _, _ := strings.Cut(model, ":")
	if f, ok := known[name]; ok && name != "snowflake-arctic-embed" {
		return f
	}
	return facts{context: unknownContext}
}
