// Package foreign opens databases of other programs, so that importers can read them.
// Nothing is written to them, and what their schemas define does not run.
//
// It must not import store: what rows mean there is for each importer to say.
//
// Package basicmemory reads the database of Basic Memory, as far as its notes do not
// hold the same, as plain values. It writes nothing and decides nothing.
//
// Package kt reads the database of kt, the knowledge tracker, as plain values. It
// writes nothing and decides nothing.
//
// Package quaid reads a database of quaid, of any of its versions, as plain values: by the
// columns that it has. It writes nothing and decides nothing.
package foreign
