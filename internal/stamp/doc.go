// Package stamp fills in the metadata of documents that cairn keeps for their writers:
// who made a page, when, and for which project.
//
// It is pure. Which stamps there are is the policy's, and to whom they apply that of
// package write. What a writer says itself is never replaced.
package stamp
