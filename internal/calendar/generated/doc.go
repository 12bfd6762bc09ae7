// Package generated makes parts of pages from other pages: lists, tables and the catalog of a
// space, by its policy. Such a part stands between two marks; every byte outside of them
// stays as it is. Marks that are missing, doubled or nested are told of, and the page stays
// whole. What would be as it is already is not written.
package generated
