// Package policy is a space's rules as data: which format and folders new
// pages get, who may do what where, what a page must hold, how long things
// are kept, what is always shown to an agent, and how git is kept.
//
// A Policy is read from a preset or from .cairn/space.toml, whose owner may
// change it. Code asks the policy and never which preset it came from. The
// deciders are pure: they take data and return decisions; internal/memory/write acts
// on them.
//
// Its subpackage secrets finds credentials in text.
//
// Package stamp fills in the metadata of documents that cairn keeps for their writers:
// who made a page, when, and for which project.
//
// It is pure. Which stamps there are is the policy's, and to whom they apply that of
// package write. What a writer says itself is never replaced.
//
// The other packages of this room, in reading order:
//
//   - secrets: credentials in text
//   - schema: schemas of page types
//   - lint: problems of documents
//   - lifecycle: staleness and contradiction
package policy
