// Package memory opens a memory and gives each caller a Session, over which use
// cases are functions. The room also has the packages that every use case needs.
//
// Its packages, in reading order:
//
//   - space: spaces, their policies, and the configuration
//   - ref: from a ref to a page
//   - index: rows derived from documents
//   - schemas: the schema of a page
//   - turn: large documents, worked on one at a time
//   - write: the write path; writetest builds memories for its tests
//   - reconcile: files changed by others: scan, compare, plan, apply
//   - freshness: syncs files with the index before a read
//   - change: one caller's changes: resolves pages, plans edits, applies them
//   - history: versions, diff, restore, undo
//   - review: agents' changes since a person's last review, and decisions on them
//   - links: links at a page and the pages around it
//   - anchor: links to headings and blocks that do not exist
//   - read: the read path composed: sync, embed, retrieve
//   - embedding: models, the queue, vectors in memory
//   - retrieve: the read path
//   - lintpages: lint over the pages of a space
//   - unsaved: the texts of an editor, compared with the index
//   - contradiction: contradictions between pages; contradictiontest plants some
package memory
