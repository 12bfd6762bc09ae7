// Package entry finds timeline entries of many pages in SQLite; see store.Items.
package entry
