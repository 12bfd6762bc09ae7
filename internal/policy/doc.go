// Package policy is a space's rules as data: the format and the folders of new
// pages, permissions, required metadata, retention, the context that agents
// always get, and how git is used.
//
// A Policy is read from a preset or from .cairn/space.toml, which its owner may
// change. Code asks the policy and never which preset it came from. Decisions
// are pure functions over data; internal/memory/write acts on them. Fill adds
// the metadata stamps that a policy defines (author, time, project) to
// documents; it never replaces a value from the writer, and package write
// decides which documents get stamps.
//
// The other packages of this room, in reading order:
//
//   - secrets: credentials in text
//   - schema: schemas of page types
//   - lint: problems of documents
//   - lifecycle: staleness and contradiction
package policy
