// Package doc is the document model: Markdown and Org pages as byte spans behind one Codec.
//
// A Document is a parsed page. Each of its parts has the span from which it was read, and no
// bytes are lost, so that an unedited document renders to its own bytes. An Edit becomes
// splices of spans: it changes those bytes and no others.
//
// Invariants:
//   - Parse never fails. Text that it does not understand stays opaque and is listed in
//     Document.Warnings.
//   - Document.Encode(Document.Text) equals Document.Source.
//   - Parsing takes time linear in the length of the text.
//
// Its subpackages markdown and org implement Codec, and doctest has the suite that both
// pass.
//
// The other packages of this room, in reading order:
//
//   - markdown: the Markdown codec
//   - org: the Org codec
//   - canvas: JSON Canvas
//   - bases: Obsidian Bases
//   - doctest: the contract suite of codecs
//   - sidecar: machine data of a document
//   - table: pipe tables
//   - link: link resolution
//   - sentence: sentence boundaries
//   - chunk: pieces for embedding
//   - temporal: statements of a page about time
//   - autotag: tags of a text
//   - merge: three-way merge
//   - indexfile: index files
//   - transcript: transcripts of agents' clients
package doc
