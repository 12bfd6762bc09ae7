// Package memory opens a memory and gives each caller a Session, over which use cases are
// functions. It is also the room for what every use case needs.
//
// Its packages, in reading order:
//
//   - space: spaces, their policies, and the configuration
//   - ref: from a ref to a page
//   - index: rows derived from documents
//   - schemas: the schema of a page
//   - write: the write path; writetest builds memories for its tests
//   - reconcile: files changed by others: scan, compare, plan, apply
//   - freshness: the index made to agree with files before a question
//   - change: one caller's changes: resolves pages, plans edits, applies them
//   - history: versions, diff, restore, undo
//   - review: what agents wrote since a person looked, and what the person decided
//   - links: links at a page and the pages around it
//   - anchor: links to headings and blocks that do not exist
//   - read: the read path composed: sync, embed, retrieve
//   - embedding: models, the queue, vectors in memory
//   - retrieve: the read path
//   - lintpages: lint over the pages of a space
//   - unsaved: the texts of an editor, compared with the index
//   - contradiction: contradictions between pages; contradictiontest plants some
package memory
