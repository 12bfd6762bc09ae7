// Package knowledge is the room for use cases about knowledge. It has no code
// of its own.
//
// Its packages, in reading order:
//
//   - ingest: text and sources as new pages
//   - note: pages as notes with observations and relations
//   - assertion: assertions in sidecars of documents
//   - gap: questions without an answer
//   - ageing: the lifecycle of pages
//   - compact: merges stale pages into summaries
//   - inbox: pages waiting to be filed
//   - curate: pages that need attention; merge, split, replace
//   - conformity: pages against their schemas
//   - sessions: past sessions of agents as pages
package knowledge
