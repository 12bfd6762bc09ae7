// Package link decides where links lead. It is pure: it is given a link and
// the pages that carry its key as a name, and says which one is meant.
//
// A link is found by one key, kb.NameKey of its target's last path segment,
// whatever its syntax. A page carries the keys of its file name, its title,
// its aliases and its id. So a page that appears, goes or is renamed touches
// the links that have its keys and no others, and indexing never looks at
// all links again.
//
// A link may name another space of the memory, as in [[work:Plan]]; see Abroad.
package link
