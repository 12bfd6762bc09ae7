// Package curate says which pages of a space are worth a look, and does what a person
// decides of them: it merges two pages, splits one, replaces one by another, and notes
// that somebody looked.
//
// Invariants:
//   - To look changes nothing.
//   - Only a person decides. What one decides is one write, which undo takes back.
//   - A page that another one takes the place of stays as a page, so that whatever
//     names its id finds it, here and in other programs, and is led on.
package curate
