package embedding

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"

	"github.com/cairn-kb/cairn/internal/store"
)

// Engine embeds the pages of a memory for one caller. It is safe for concurrent
// use.
type Engine struct {
	DB      store.Engine
	Spaces  *space.Registry // what the caller means
	Refs    *ref.Resolver
	Codecs  []doc.Codec
	Place   space.Place
	Now     func() time.Time
	Workers int // goroutines that a model in this process may use; 0 is one per processor

	// How to wait before a server is asked again, and a number from 0 up to 1
	// to vary that; nil for real time and chance.
	Wait   func(context.Context, time.Duration) error
	Chance func() float64

	*State
}
