// Package openai embeds with a server that speaks OpenAI's embeddings
// protocol: OpenAI itself, and the many that imitate it (vLLM, llama.cpp, LM
// Studio, text-embeddings-inference, LiteLLM, …).
//
// Invariants: those of package remote. No parameter is sent that only some
// servers know, unless it was asked for.
package openai
