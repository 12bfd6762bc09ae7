// Package tree shows spaces as trees of files: the page or directory at a path, and
// the operations on it, as HTTP methods. A path names one page only, with or
// without its extension, or by an alias of the policy; titles are not resolved.
// Writes use package change.
package tree
