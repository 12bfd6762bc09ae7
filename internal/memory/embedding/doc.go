// Package embedding embeds pages for semantic search. It manages the registry of
// models and opens the active one, keeps the queue of pages waiting for vectors,
// computes and commits vectors in portions under a lease shared by processes, and
// holds the vectors in memory for searches.
//
// Results are committed before the lease is released, so that an interruption loses
// at most a second of work. A page's vectors are only valid for the text, the model
// and the version from which they were computed. The package reads pages and writes
// only vectors and models, never a page.
package embedding
