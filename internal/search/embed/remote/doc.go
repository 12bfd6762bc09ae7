// Package remote embeds with a server over HTTP: Ollama through /api/embed, and
// servers with the embeddings protocol of OpenAI (OpenAI itself, vLLM,
// llama.cpp, LM Studio, text-embeddings-inference, LiteLLM, …). Shared code
// makes batches, sends one bounded request at a time, retries, and checks that
// an answer consists of valid vectors; each service defines the form of a
// request and of an answer.
//
// Invariants: nothing is contacted before the first call that needs it, and
// only the configured address: a redirect is an error, because it would send
// private text elsewhere. An answer that is not exactly one finite vector of
// the right length per text is an error. No error contains the API key or text
// that was sent. Time, chance and the network are injected through World.
//
// A text that is too long for an Ollama model is an error, never cut by the
// server. Ollama models are not pulled, nor is the server started; an error
// explains how. Optional parameters that only some servers know are sent only
// on request.
package remote
