package chunk

import (
	"crypto/sha256"
	"strconv"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Version identifies the way pages are cut. It is part of every hash: raise it when Split
// returns other texts for the same page and options.
const Version = 1

// MaxChunks is the maximum number of chunks of a page: at the default size
// about six million tokens of text. The rest of a longer page is not embedded;
// keyword search still finds it, and Split reports its size.
const MaxChunks = 1 << 14

// minTokens is the minimum of Options.MaxTokens; smaller values are raised to it.
const minTokens = 16

// Kind is the part of a page that a chunk was cut from.
type Kind string

// The kinds of chunk.
const (
	Section  Kind = "section"   // text under a heading, or a page's title alone
	ItemList Kind = "item-list" // list items and nothing else
	Entry    Kind = "entry"     // a timeline entry, or a part of a long one
)

// Chunk is one piece of a page.
type Chunk struct {
	Kind        Kind
	HeadingPath string   // as in doc.Heading.Path; the common prefix for joined sections
	Span        doc.Span // bytes in Document.Text, without overlap
	Lines       [2]int   // the first and last line of Span, 1-based
	Date        string   // ISO date of any precision, "" without a date
	Text        string   // the text to embed
	Hash        kb.Hash  // of Text and Version
}

// Parts selects the context prepended to a chunk's text.
type Parts uint8

// The parts, in the order in which they are written.
const (
	Title     Parts = 1 << iota // the page's title
	Path                        // the heading path; without it a heading is in the text of the chunk that begins with it
	Date                        // the chunk's date as written, 2022-05-25
	DateWords                   // the chunk's date in words, 25 May 2022
	Tags                        // the page's tags
	Summary                     // the page's summary
)

// Options control how a page is cut. Default returns suitable values; the
// comment of each field defines its zero value.
type Options struct {
	// MaxTokens bounds Count(Text), prefix included; the minimum is 16. A
	// single run of up to 16 characters is never cut, whatever its count.
	MaxTokens int

	// MinTokens is the size up to which a section is joined with the sections
	// after it; 0 keeps every section apart.
	MinTokens int

	// Overlap is the number of tokens up to which whole sentences and items
	// are repeated from the chunk before, within one section or entry.
	Overlap int

	// ItemsPerChunk cuts lists out of their section, this many items to a
	// chunk; 0 leaves lists in the running text. Nested items belong to the
	// item around them.
	ItemsPerChunk int

	// ItemOverlap is the number of items that are repeated in front of a chunk
	// of ItemsPerChunk items. They give a turn of a dialogue its context.
	ItemOverlap int

	// Prefix selects the context that is prepended to chunks.
	Prefix Parts

	// Count returns the number of tokens of a text, without those that a model
	// adds around it. It must be additive over texts separated by white space.
	// nil means Estimate.
	Count func(string) int
}

// Default returns recommended options, measured in docs/benchmarks.md. 400
// tokens fit models with a limit of 512. Each list item is a chunk, since a
// turn of a dialogue or a bullet makes one statement; small sections are
// joined, which saves more chunks than the items cost.
func Default() Options {
	return Options{MaxTokens: 400, MinTokens: 100, Overlap: 50, ItemsPerChunk: 1, Prefix: Title | Path | Date}
}

func (o Options) withDefaults() Options {
	o.MaxTokens = max(o.MaxTokens, minTokens)
	if o.Count == nil {
		o.Count = Estimate
	}
	return o
}

// hash returns the hash of a text to embed.
func hash(text string) kb.Hash {
	return sha256.Sum256([]byte("chunk " + strconv.Itoa(Version) + "\n" + text))
}
