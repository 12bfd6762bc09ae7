// Package link resolves links. It is pure: given a link and the pages with its key as a
// name, it returns the page that the link refers to.
//
// A link is found by one key, kb.NameKey of its target's last path segment, in any syntax. A
// page has the keys of its file name, its title, its aliases and its id. So adding, removing
// or renaming a page affects only the links with its keys, and indexing never checks all
// links again.
//
// A link may name another space of the memory, as in [[work:Plan]]; see CrossSpace.
package link
