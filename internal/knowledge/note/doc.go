// Package note presents pages as notes with observations and relations. A note can
// be read whole, as data; written by its title into a directory; and edited by an
// instruction. Content is read from the document, and the targets of relations from
// the index. The package plans writes; package change carries them out.
package note
