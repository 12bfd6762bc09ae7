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
package remote
