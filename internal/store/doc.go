// Package store says what cairn needs of a database: an Engine with locks and
// one transaction type made of small roles. sqlite implements it; open picks an
// implementation from a path or a URL; storetest holds the suite that every
// implementation passes.
//
// Two kinds of rows live in a memory. Derived rows are a pure function of
// documents and their paths, and a sync brings them back: documents, pages,
// names, links, observations, entries, and the full-text index. Vectors are
// too, by an embedding model, which is slow enough that they are kept while
// their page is. Operational rows are not derived; losing them loses no
// knowledge: spaces and the map of directories to them, writes and versions
// with their bytes, the journal of unfinished writes, files that failed to
// sync, questions that could not be answered, contradictions that were dismissed, the registry of embedding models,
// settings.
//
// The one exception is a database space, whose documents live here: its
// current versions are its pages.
//
// Times are kept to the microsecond and come back in UTC; modification times
// of files to the nanosecond. Lists take a limit and an offset; a limit of 0
// or less is none. Rows of spaces, pages, versions, writes, journal entries and
// gaps, and change numbers of vectors, are never given to another one later.
//
// The other packages of this room, in reading order:
//
//   - open: a store from a path or URL
//   - sqlite: a memory in one SQLite file
//   - storetest: the contract suite of stores
package store
