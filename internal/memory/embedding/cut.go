package embedding

import (
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/embed"
)

// Cut splits a page into chunks by the estimated number of tokens. A chunk that is
// too long for the model by its own count is split again, since many models accept
// fewer tokens than chunks usually have. It counts the omitted chunks at the end of
// a very long page.
func Cut(m embed.Embedder, d *doc.Document, node int) (chunks []chunk.Chunk, left int, err error) {
	// A file name may contain a credential, and masking the text does not hide
	// that.
	if own := d.FileTitle(node); string(secrets.Hide([]byte(own))) != own {
		hidden := *d
		hidden.Nodes = slices.Clone(d.Nodes)
		hidden.Nodes[node].Title, hidden.Nodes[node].Aliases = string(secrets.Hide([]byte(own))), nil
		d = &hidden
	}
	opts, most := ChunkOptions(), m.MaxTokens()
	chunks, left = chunk.Split(d, node, opts)
	for range cutTries {
		longest, err := longestOf(m, chunks)
		if err != nil || longest <= most {
			return chunks, left, err
		}
		if opts.Count == nil {
			opts.MaxTokens = min(opts.MaxTokens, most)
			opts.Count = func(text string) int {
				n, err := m.CountTokens(text)
				if err != nil {
					return len(text)
				}
				return n
			}
		} else { // the parts of a chunk have more tokens than the chunk
			opts.MaxTokens = opts.MaxTokens * most / longest * 15 / 16
		}
		chunks, left = chunk.Split(d, node, opts)
	}
	return chunks, left, nil
}

// cutTries is how often a page is split again. By then chunks have their minimum
// size, or the model's token counts are inconsistent; it rejects overlong chunks.
const cutTries = 6

// longestOf returns the tokens of the longest chunk among those that may be too
// long for a model: chunks with few bytes cannot have many tokens.
func longestOf(m embed.Embedder, chunks []chunk.Chunk) (tokens int, err error) {
	for _, c := range chunks {
		if len(c.Text) <= m.MaxTokens() {
			continue
		}
		n, err := m.CountTokens(c.Text)
		if err != nil {
			return 0, err
		}
		tokens = max(tokens, n)
	}
	return tokens, nil
}
