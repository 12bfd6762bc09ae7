// Package tree shows spaces as trees of files: the page or directory at a path,
// and the operations on it by the methods of HTTP. A path names one page only,
// with or without its extension, or by an alias of the policy; titles do not
// count. Writes go through package change, as all do.
package tree
