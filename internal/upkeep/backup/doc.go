// Package backup copies a memory to a file, compacts it, and puts a copy in its place.
package backup
