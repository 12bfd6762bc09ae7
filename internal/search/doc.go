// Package search is the room for ranking and embeddings. It has no code of its own.
//
// Its packages, in reading order:
//
//   - analysis: text to terms
//   - query: the query language
//   - lexical: the full-text index, BM25F
//   - embed: the Embedder interface; its subpackages implement it: packed, bge (which is
//     built in), modeldir and remote, over tokenizer, model, kernel and safetensors;
//     embedtest is the contract suite
//   - vector: nearest vectors
//   - rank: fusion of ranked lists
//   - snippet: the passage that a hit shows
package search
