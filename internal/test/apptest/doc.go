// Package apptest is what tests of use cases and surfaces begin with: a home
// directory, the options of a memory in it, and a check of results. It is
// imported by tests only.
package apptest
