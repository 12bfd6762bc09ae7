// Package chunk cuts a page into the pieces of text that are embedded.
//
// The truth is cut at headings; a long section is cut at the ends of sentences,
// list items and code blocks. Each timeline entry is a chunk. The context of a
// chunk (title, heading path, date) is prepended to its text, so that an
// embedder needs only Text and a cache of vectors only Hash.
//
// Invariants:
//   - Split never fails and never returns nothing: a page without text is one
//     chunk with its title.
//   - The spans of a page's chunks ascend, do not overlap, and contain every
//     word of running text in its truth and timeline. A heading that only
//     groups others, or the intro of a list that is cut by items, is in heading
//     paths. Overlap is in Text only, so that a hit points at the new text of
//     its chunk.
//   - A list item, sentence or code block that fits a chunk is never cut.
//   - A chunk's Hash depends on its Text and Version alone: moving the page or
//     changing other parts of it does not change the hash. Shared context
//     (title, heading path, date, overlap) is part of Text.
//   - Time and the memory of the result are linear in the text. A page has at
//     most MaxChunks chunks, and Split returns the number of chunks that it
//     left out. Without context the chunks are no longer than the page.
//
// The package is pure.
package chunk
