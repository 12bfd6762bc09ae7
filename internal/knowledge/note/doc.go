// Package note is pages as notes with observations and relations: one read
// whole, as data; one written by its title into a directory; one edited by an
// instruction. Content is read from the document, and the targets of relations
// from the index. It plans writes; package change carries them out.
package note
