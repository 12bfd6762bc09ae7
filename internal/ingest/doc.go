// Package ingest puts what an agent made of a source into pages: truths, entries,
// relations, assertions and tags of many pages, in one write, with the bytes of the
// source kept beside it as they came. It decides nothing about what a source means; that
// is the plan's. A truth that says nothing new is left out, and evidence never is. What is
// there already is not added again, so that the same plan can be carried out twice.
package ingest
