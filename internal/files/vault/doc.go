// Package vault describes a directory of documents: which files in it are notes, which names
// cairn may give to new notes, and which files are ignored.
//
// Invariants:
//   - Nothing is written, and no symbolic link is followed.
//   - One unreadable file or directory never ends a scan; it is listed with its reason, and
//     Listing.Covers reports which paths are unknown because of it.
//   - Ignore files have git's semantics, including its quirks; the tests compare with git
//     itself. .cairnignore and .bmignore have the same syntax.
//   - The names of existing files are accepted unchanged. The strict rules apply to names
//     that cairn makes.
package vault
