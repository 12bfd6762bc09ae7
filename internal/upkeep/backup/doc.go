// Package backup copies a memory to a file, compacts a memory, and restores a copy.
package backup
