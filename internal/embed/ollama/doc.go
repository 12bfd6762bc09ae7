// Package ollama embeds with a model that Ollama runs, through its
// /api/embed.
//
// Invariants: those of package remote. A text that is too long for the model
// is an error, never cut by the server. Nothing is pulled or started here; an
// error says how.
package ollama
