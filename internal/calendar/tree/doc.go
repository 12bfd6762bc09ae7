// Package tree shows spaces as trees of files: what stands at a path, and what a program
// may do with it by the methods of HTTP. A path means one page only, with or without its
// extension, or by an alias of the policy; titles do not count. What is written goes
// through change, as everything does.
package tree
