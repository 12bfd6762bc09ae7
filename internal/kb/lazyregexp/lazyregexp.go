// Package lazyregexp compiles regular expressions on first use. Most runs of a
// command use few of those in the binary, and compiling all of them took a third of
// the start time.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles an expression once, and panics like
// [regexp.MustCompile] if it is invalid.
//
//go:noinline // a hundred copies of the closure are 100 KB
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
