// Package review lists what others wrote since a person last looked, and keeps what that
// person decided about it.
//
// The mark of a person moves when the person says so, and not by looking. Decisions about
// changes before the mark are dropped. Both are operational data, in the settings of the
// memory.
package review
