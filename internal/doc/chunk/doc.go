// Package chunk cuts a page into the pieces of text that are embedded.
//
// The truth is cut by heading sections; a long section is cut at the ends of
// sentences, list items and code blocks. Each timeline entry is a chunk of its
// own. What travels with a chunk into the model (title, heading path, date)
// stands in front of its text, so that Text is all that an embedder needs and
// Hash all that a cache of vectors needs.
//
// Invariants:
//   - Split never fails and never returns nothing: a page without text is one
//     chunk with its title.
//   - The spans of a page's chunks ascend and do not overlap, and hold every
//     word of running text in its truth and timeline; a heading that only groups
//     others or a list that is cut by its items is in heading paths. Overlap is
//     in Text only, so a hit points at the text that is new in it.
//   - No list item, sentence or code block is cut that fits a chunk.
//   - A chunk's Hash depends on its Text and Version alone: moving the page or
//     changing other parts of it leaves the hash. What a chunk shares with its
//     page (title, heading path, date, overlap) is part of its Text.
//   - Time and the memory of the result are linear in the text; a page has at
//     most MaxChunks chunks, of which none holds more text of its own than the
//     page. How many more a page would have is said.
//
// The package is pure.
package chunk
