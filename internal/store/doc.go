// Package store defines the interface to a database: an Engine with locks and one
// transaction type made of small roles. sqlite and postgres implement it; open selects an
// implementation from a path or a URL; storetest has the suite that every implementation
// passes.
//
// A memory has two kinds of rows. Derived rows are a pure function of documents and their
// paths, and a sync restores them: documents, pages, names, links, observations, entries,
// and the full-text index. Vectors are also derived, by an embedding model, but so slowly
// that they are kept as long as their page. Operational rows are not derived, but losing
// them loses no knowledge: spaces and their directory mappings, writes and versions with
// their bytes, the journal of unfinished writes, files that failed to sync, unanswered
// questions, dismissed contradictions, the registry of embedding models, settings.
//
// The one exception is a database space, which stores its documents here: its current
// versions are its pages.
//
// Times have a precision of microseconds and are returned in UTC; modification times of
// files have nanoseconds. Lists take a limit and an offset; a limit of 0 or less means no
// limit. Row numbers of spaces, pages, versions, writes, journal entries and gaps, and
// change numbers of vectors, are never reused.
//
// The other packages of this room, in reading order:
//
//   - open: a store from a path or URL
//   - relational: the roles of a transaction over SQL, for all engines
//   - pool: idle connections
//   - sqlite: a memory in one SQLite file
//   - sqlitetest, in sqlite: empty databases for tests
//   - postgres: memories in a PostgreSQL database
//   - pgtest, in postgres: a server for tests
//   - storetest: the contract suite of stores
package store
