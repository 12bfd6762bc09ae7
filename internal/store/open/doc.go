// Package open selects the database of a memory from a path or a URL. It is the only package
// that knows which databases exist.
package open
