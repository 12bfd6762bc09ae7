// Package lazyregexp compiles regular expressions when they are first used. Most runs of a
// command use few of those that are linked, and compiling all took a third of its start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns what compiles an expression once and panics, as [regexp.MustCompile] does,
// when it is not valid.
//
//go:noinline // a hundred copies of the closure are 100 KB
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
