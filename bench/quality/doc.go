// Command quality measures how well cairn finds: it writes collections with
// judged queries as notes, syncs and embeds them through package app as any
// caller would, runs every query in every mode and fusion, beside plain FTS5
// and vectors of other models, and prints nDCG, recall and reciprocal rank.
//
// It is pointed at a folder with one folder for each set, in either of two
// layouts:
//
//   - corpus.jsonl, queries.jsonl and qrels/*.tsv, as BEIR has them. A document
//     becomes a note of its own with its title as heading.
//   - notes/ and questions.jsonl: notes as they are, and questions that name
//     the notes that answer them, as LoCoMo's conversations. With -turns each
//     turn becomes a note, and the turns that are evidence are searched for. A
//     question may also quote the texts that answer it, as evidence.
//
// Nothing of a set is part of this repository, and nothing is asserted: what a
// change of ranking does is for people to weigh.
package main
