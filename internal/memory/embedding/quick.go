package embedding

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/remote"
	"github.com/cairn-kb/cairn/internal/store"
)

const (
	// Limits of quick work: some tens of milliseconds, which a person does not
	// notice and a program that writes many pages can accept.
	quickPages  = 16
	quickTokens = 1500
	// quickWait is the timeout for another process that embeds: long enough for one
	// small page, too short for all pages.
	quickWait = 50 * time.Millisecond
)

// EmbedSoon embeds pages that were just written, if that is fast: few pages, little
// text, the built-in model or Ollama on this machine. Otherwise it does nothing;
// the pages wait to be embedded like any other, also if Ollama does not answer.
// refs are as in Request. ctx should have a deadline, for slow machines.
func EmbedSoon(ctx context.Context, sess *memory.Session, refs []string) (api.EmbedReport, error) {
	if len(refs) == 0 || len(refs) > quickPages {
		return api.EmbedReport{}, nil
	}
	m, err := ChosenModel(ctx, sess)
	beside := err == nil && ollamaHere(m)
	if !beside && !bge.Available() {
		return api.EmbedReport{}, nil
	}
	if err != nil || !beside && m.Source != sourceBuiltIn {
		return api.EmbedReport{}, err
	}
	r, err := Embed(ctx, sess, Request{Refs: refs, Quick: true})
	if errors.Is(err, embed.ErrAway) && ctx.Err() == nil {
		return api.EmbedReport{}, nil
	}
	return r, err
}

// ollamaHere reports whether Ollama runs a model on this machine.
func ollamaHere(m store.Model) bool {
	c, err := readModelConfig(m)
	if err != nil || m.Source != SourceOllama {
		return false
	}
	u, err := url.Parse(cmp.Or(c.URL, remote.OllamaURL))
	if err != nil {
		return false
	}
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
}

// choose selects the pages of a run, and returns their number.
func (e *run) choose(ctx context.Context, req Request) (total int, err error) {
	if req.Rows != nil {
		e.only = req.Rows
		return len(e.only), nil
	}
	if len(req.Refs) == 0 {
		var (
			stale  []store.StalePage
			pinned []int64
		)
		err = e.engine.DB.View(ctx, func(tx store.Tx) error {
			if e.spaces, err = e.engine.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
				return err
			}
			if stale, err = tx.Vectors().Stale(ctx, e.m.Model(), e.version, e.spaces); err != nil || len(stale) == 0 {
				return err
			}
			pinned, err = tx.Pages().Rows(ctx, store.Filter{Spaces: e.spaces, Tags: []string{kb.PinnedTag}})
			return err
		})
		e.only, e.bytes, e.allWork = inOrder(stale, memory.Keep[State](e.engine).wants(), pinned)
		return len(e.only), err
	}
	if req.Quick {
		e.most, e.wait = quickTokens, quickWait
	}
	e.only = []int64{}
	err = e.engine.DB.View(ctx, func(tx store.Tx) error {
		for _, ref := range req.Refs {
			rows, err := embeddable(ctx, e.engine, tx, ref)
			if err != nil {
				return err
			}
			e.only = append(e.only, rows...)
		}
		return nil
	})
	slices.Sort(e.only)
	e.only = slices.Compact(e.only)
	return len(e.only), err
}

// embeddable returns the rows of the pages that a ref refers to.
func embeddable(ctx context.Context, sess *memory.Session, tx store.Tx, ref string) ([]int64, error) {
	page, err := sess.Refs.Resolve(ctx, tx, ref)
	if err != nil {
		return nil, err
	}
	if page.Node != "" {
		return []int64{page.Row}, nil
	}
	home, err := space.OfPage(ctx, tx, page)
	if err != nil {
		return nil, err
	}
	pages, err := tx.Pages().ByPath(ctx, home.Row, page.Path)
	rows := make([]int64, len(pages))
	for i, p := range pages {
		rows[i] = p.Row
	}
	return rows, err
}
