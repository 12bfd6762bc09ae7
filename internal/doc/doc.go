// Package doc is the document model: Markdown and Org pages as byte spans
// behind one Codec.
//
// A Document is a reading of a page's bytes. Everything it reports carries
// the span it was read from, and nothing of the bytes is thrown away, so that
// rendering an unedited document gives its bytes back. An Edit is turned into
// splices of spans: it changes those bytes and no others.
//
// Invariants:
//   - Parse never fails. What cannot be understood stays opaque text and is
//     named in Document.Warnings.
//   - Document.Encode(Document.Text) equals Document.Source.
//   - Parsing takes time linear in the length of the text.
//
// Its subpackages markdown and org implement Codec, and doctest holds the suite
// that both pass.
//
// The other packages of this room, in reading order:
//
//   - markdown: the Markdown codec
//   - org: the Org codec
//   - canvas: JSON Canvas
//   - bases: Obsidian Bases
//   - doctest: the contract suite of codecs
//   - sidecar: machine data beside a document
//   - table: pipe tables
//   - link: link resolution
//   - chunk: pieces for embedding
//   - autotag: tags of a text
//   - merge: three-way merge
//   - indexfile: index files
package doc
