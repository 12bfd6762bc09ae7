// Package foreign opens databases of other programs, so that importers can read them.
// Nothing is written to them, and what their schemas define does not run.
//
// It must not import store: what rows mean there is for each importer to say.
package foreign
