// Package index derives rows from documents and keeps them: pages with their
// names and facts, where links lead, which page holds which id, and the
// full-text index. What it writes is a pure function of documents and paths,
// apart from ids that follow a file which was moved by another program.
//
// It works within a transaction that its caller owns: internal/memory/write for one
// change set, internal/memory/reconcile for batches of files. Neither has a way of
// its own to change these rows.
package index
