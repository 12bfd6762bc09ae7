// Package open picks the database that a memory is in, from a path or a URL.
// It is the only package that knows which databases there are.
package open
