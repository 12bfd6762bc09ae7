// Package note is pages as notes with observations and relations: one read whole,
// as data; one written by its title into a directory; one edited by an instruction.
// What a page says is read from its document, and where its relations lead from the
// index. It decides what is written; package change carries it out.
package note
