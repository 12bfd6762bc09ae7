// Package generated makes parts of pages from other pages: lists, tables and the
// catalog of a space, by its policy. Such a part is enclosed by two marks; the
// bytes outside of them are never changed. Marks that are missing, doubled or
// nested are reported, and the page is not changed. Unchanged regions are not
// written.
package generated
