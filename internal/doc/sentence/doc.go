// Package sentence splits running text into sentences and shortens it without breaking
// markup. It is the only splitter: titles, briefs, summaries, chunks and package temporal
// use it.
//
//   - A full stop ends no sentence after a title (Dr.), an abbreviation that introduces
//     something (e.g., approx.), an initial or an ordinal, nor within a number, a version, an
//     address or a file name.
//   - After an abbreviation that may be the last word (Inc., etc., p.m.) the next word
//     decides. In doubt the sentence continues: two sentences in one lose nothing, half of
//     one is wrong.
//   - A sentence does not end within a link, code or emphasis.
package sentence
