// Package lifecycle decides how knowledge ages: which pages are stale, which
// statements contradict each other, and which pages a summary covers. It is
// pure: it takes facts as data and returns findings.
package lifecycle
