// Package embedding embeds pages for semantic search. It knows the registry of
// models and opens the one in use, keeps the queue of pages that wait for their
// vectors, computes and commits these in portions under a lease that processes
// share, and holds the vectors in memory for searches.
//
// Results are committed before the lease is given up, so that an interruption
// loses at most a second of work. A page's vectors are good for the text, the
// model and the version that they were made with, and nothing else. The package
// reads pages and writes only vectors and models, never a page.
package embedding
