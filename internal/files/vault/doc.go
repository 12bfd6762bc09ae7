// Package vault is a directory of documents: which files in it are notes,
// which names cairn may give to new ones, and what ignore files leave out.
//
// Invariants:
//   - Nothing is written, and no symbolic link is followed.
//   - One unreadable file or directory never ends a scan; it is listed with
//     its reason, and Listing.Covers says what is unknown because of it.
//   - Ignore files mean what git means by them, quirks included; the tests
//     ask git itself. .cairnignore and .bmignore have the same syntax.
//   - The names of existing files are taken as they are. The strict rules are
//     for names that cairn makes.
package vault
