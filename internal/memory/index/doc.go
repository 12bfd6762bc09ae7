// Package index derives rows from documents and stores them: pages with their
// names and facts, resolved links, ids, and the full-text index. Its output is
// a pure function of documents and paths, except for ids that follow a file
// moved by another program.
//
// It works within a transaction of its caller: internal/memory/write for one change
// set, memory/reconcile for batches of files. No other package changes these rows.
package index
