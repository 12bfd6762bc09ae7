package embedding

import (
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/embed"
)

// Cut splits a page by the estimate of its tokens, and where that makes a chunk
// that is too long for the model by the model's own count into chunks that it
// takes: many models take fewer tokens than chunks have otherwise.
// What it leaves out at the end of a very long page it counts.
func Cut(m embed.Embedder, d *doc.Document, node int) (chunks []chunk.Chunk, left int, err error) {
	// What a file is called may hold a credential, and no text of it hides that.
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
		} else { // the parts of a chunk have more tokens together than apart
			opts.MaxTokens = opts.MaxTokens * most / longest * 15 / 16
		}
		chunks, left = chunk.Split(d, node, opts)
	}
	return chunks, left, nil
}

// cutTries is how often a page is cut again. By then chunks are as short as
// they get, or the model's token counts make no sense; it refuses chunks that
// are too long.
const cutTries = 6

// longestOf returns the tokens of the longest of chunks that may be too long
// for a model: chunks with few bytes cannot have many tokens.
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
