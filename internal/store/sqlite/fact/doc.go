// Package fact reads what many pages say in SQLite; see store.Facts.
package fact
