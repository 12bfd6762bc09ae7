// Package schemas finds the schemas of a space, and which of them is a page's: the one in
// its own metadata, else the one that it names, else the one for its type. It is the same
// for a page that is looked at and for one that is about to be written.
package schemas
