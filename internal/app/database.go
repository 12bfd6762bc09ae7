package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// BackupResult says what was copied where.
type BackupResult struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Bytes int64  `json:"bytes"` // of the memory, before
}

// Backup copies the memory to a file, as it is at one moment; others may go
// on writing. An existing file is not replaced.
func (a *App) Backup(ctx context.Context, file string) (BackupResult, error) {
	to := a.opts.Absolute(file)
	if exists(to) {
		return BackupResult{}, kb.Errorf(kb.Conflict, "%s exists already", to).WithHint("Nothing was changed. Choose another name.")
	}
	info, err := a.db.Info(ctx)
	if err != nil {
		return BackupResult{}, err
	}
	return BackupResult{From: info.Path, To: to, Bytes: info.Bytes}, a.db.Backup(ctx, to)
}

// CompactResult says what compacting gave back.
type CompactResult struct {
	Path   string `json:"path"`
	Before int64  `json:"bytes_before"`
	After  int64  `json:"bytes_after"`
}

// Compact merges the full-text index and makes the memory one file without
// unused space, for transport.
func (a *App) Compact(ctx context.Context) (CompactResult, error) {
	before, err := a.db.Info(ctx)
	if err != nil {
		return CompactResult{}, err
	}
	err = a.db.Update(ctx, func(tx store.Tx) error { return a.index.Text().Merge(ctx, tx.Lexical()) })
	if err != nil {
		return CompactResult{}, err
	}
	if err := a.db.Compact(ctx); err != nil {
		return CompactResult{}, err
	}
	after, err := a.db.Info(ctx)
	return CompactResult{Path: before.Path, Before: before.Bytes, After: after.Bytes}, err
}

// Validate reads everything that the memory holds and checks it against
// itself: the database's structure and references, the hash of every stored
// text, and that the index says of each document what the document says.
func (a *App) Validate(ctx context.Context) ([]Check, error) {
	database := Check{Name: "database", State: "ok", Reason: "structure, references and hashes are sound"}
	if err := a.db.Validate(ctx); err != nil {
		e := kb.AsError(err)
		if e.Code != kb.Damaged {
			return nil, err
		}
		database.State, database.Reason, database.Remedy = "error", e.Message, e.Hint
		if faults, ok := e.Details["faults"].([]string); ok {
			database.Items = faults[:min(len(faults), maxItems)]
		}
		return []Check{database}, nil
	}
	checks := []Check{database}
	all, err := a.spaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		c, err := a.validateSpace(ctx, s)
		if err != nil {
			return nil, err
		}
		checks = append(checks, c)
	}
	text, err := a.checkText(ctx)
	return append(checks, text), err
}

// validateSpace derives every document anew from its stored bytes and
// compares.
func (a *App) validateSpace(ctx context.Context, s kb.Space) (Check, error) {
	c := Check{Name: "index of " + s.Name, State: "ok"}
	err := a.db.View(ctx, func(tx store.Tx) error {
		states, err := tx.Documents().States(ctx, s.Row)
		if err != nil {
			return err
		}
		c.Reason = fmt.Sprintf("%d documents are indexed as they read", len(states))
		for _, st := range states {
			problem, err := a.validateDocument(ctx, tx, s, st)
			if err != nil {
				return err
			}
			if problem != "" {
				c.Items = append(c.Items, st.Path+": "+problem)
			}
		}
		return nil
	})
	if len(c.Items) > 0 {
		c.State = "error"
		c.Reason = fmt.Sprintf("%d documents are indexed otherwise than they read", len(c.Items))
		c.Remedy = "cairn doctor --deep --fix; the documents themselves are sound"
		c.Fix = "index every document of the space again"
		c.mend = func(ctx context.Context) error { return a.reindex(ctx, s) }
		c.Items = c.Items[:min(len(c.Items), maxItems)]
	}
	return c, err
}

func (a *App) validateDocument(ctx context.Context, tx store.Tx, s kb.Space, st store.FileState) (string, error) {
	bytes, err := tx.History().Bytes(ctx, st.Hash)
	if kb.CodeOf(err) == kb.NotFound {
		return "its text is not stored", nil
	}
	if err != nil {
		return "", err
	}
	have, err := tx.Documents().Load(ctx, st.Row)
	if err != nil {
		return "", err
	}
	want := index.Derive(doc.ForPath(a.codecs, st.Path), index.Source{
		Space: s, Path: st.Path, Bytes: bytes, ModTime: st.ModTime, Now: st.Indexed,
	}, mask).Record
	if len(have.Pages) != len(want.Pages) {
		return fmt.Sprintf("%d pages instead of %d", len(have.Pages), len(want.Pages)), nil
	}
	for i := range want.Pages {
		h, w := &have.Pages[i], &want.Pages[i]
		switch {
		case h.Page.Title != w.Page.Title, h.Page.Type != w.Page.Type, h.Page.Status != w.Page.Status,
			!slices.Equal(h.Page.Tags, w.Page.Tags), h.Page.Slug != w.Page.Slug, h.Declared != w.Declared:
			return "other metadata", nil
		case len(h.Links) != len(w.Links), len(h.Observations) != len(w.Observations), len(h.Entries) != len(w.Entries):
			return "other links or facts", nil
		}
	}
	newest, err := tx.History().Version(ctx, s.Row, st.ID, 0)
	if kb.CodeOf(err) == kb.NotFound || err == nil && newest.Hash != st.Hash {
		return "its history does not end in its present text", nil
	}
	return "", err
}

// compareText compares the pages that there are with those that the full-text
// index has. Stray are those that only the index has; nil when it cannot be
// read.
func (a *App) compareText(ctx context.Context) (c Check, stray *[]int64, err error) {
	c = Check{Name: "full text", State: "ok"}
	err = a.db.View(ctx, func(tx store.Tx) error {
		rows, err := tx.Pages().Rows(ctx, store.Filter{})
		if err != nil {
			return err
		}
		texts, err := a.index.Text().Documents(ctx, tx.Lexical())
		if kb.CodeOf(err) == kb.Damaged {
			c.State, c.Reason, c.Remedy = "error", kb.AsError(err).Message, kb.AsError(err).Hint
			return nil
		}
		if err != nil {
			return err
		}
		c.Reason = fmt.Sprintf("%d pages are searchable", len(texts))
		stray = new([]int64)
		if slices.Equal(rows, texts) {
			return nil
		}
		c.State = "error"
		c.Reason = fmt.Sprintf("%d pages, and %d in the full-text index", len(rows), len(texts))
		c.Remedy = "cairn doctor --fix"
		for _, t := range texts {
			if _, ok := slices.BinarySearch(rows, t); !ok {
				*stray = append(*stray, t)
			}
		}
		return nil
	})
	return c, stray, err
}
