// Package remote is the part that embedders behind HTTP share: batches, one
// bounded request at a time, retries, and the checks that an answer must pass
// before it counts as vectors. Package ollama and package openai say what is
// asked and what an answer means.
//
// Invariants: nothing is contacted before the first call that needs it, and
// only the configured address ever is: a redirect is an error, because it
// would carry private text elsewhere. An answer that is not exactly one finite
// vector of the right length a text is an error, whatever else it is. No error
// holds the API key or text that was sent. Time, chance and the network come
// in through World.
//
// Package ollama embeds with a model that Ollama runs, through its
// /api/embed.
//
// Invariants: those of package remote. A text that is too long for the model
// is an error, never cut by the server. Nothing is pulled or started here; an
// error says how.
//
// Package openai embeds with a server that speaks OpenAI's embeddings
// protocol: OpenAI itself, and the many that imitate it (vLLM, llama.cpp, LM
// Studio, text-embeddings-inference, LiteLLM, …).
//
// Invariants: those of package remote. No parameter is sent that only some
// servers know, unless it was asked for.
package remote
