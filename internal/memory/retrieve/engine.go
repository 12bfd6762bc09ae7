package retrieve

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Engine searches a memory for one caller. It is safe for concurrent use.
type Engine struct {
	DB        store.Engine
	Index     *index.Index
	Spaces    *space.Registry // what the caller means
	Embedding *embedding.Engine
	Codecs    []doc.Codec
	Now       func() time.Time
	Workers   int // goroutines that read and parse the documents of a past memory

	// Mark notes on pages of an answer, as they are shown, what is wrong with them; not
	// on those of a question about the past.
	Mark func(ctx context.Context, tx store.Tx, pages []kb.Page, shown []api.Page) error
	// Setting is the value of a setting, by its key; nil where there are none.
	Setting func(key string) (string, error)
	// Hint words what to do about an error of which an answer tells.
	Hint kb.Hinter
	// Tell keeps lines that the caller is told with the answer.
	Tell func(lines ...string)
	// Temporary makes the memory that a question about the past is asked of.
	Temporary func(context.Context, store.Options) (store.Engine, error)
	// Pasts keeps these memories for a while.
	Pasts *Pasts
	// Kept keeps the pages that meet filters, until somebody commits; nil for none.
	Kept *store.Kept
}
