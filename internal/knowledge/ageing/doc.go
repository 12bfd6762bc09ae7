// Package ageing sets the status of pages, and reports which of them are stale
// and why. Package lifecycle evaluates the rules of the space's policy; all
// results are stored in the documents.
package ageing
