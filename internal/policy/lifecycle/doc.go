// Package lifecycle decides what time does to knowledge: which statements of a page
// cannot all be true. It is pure: it is given what is known, and returns findings.
package lifecycle
