package prime

import (
	"time"

	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Engine primes the sessions of one caller. It is safe for concurrent use.
type Engine struct {
	DB     store.Engine
	Spaces *space.Registry
	Codecs []doc.Codec
	Place  config.Place
	Now    func() time.Time
	Actor  kb.Actor
}
