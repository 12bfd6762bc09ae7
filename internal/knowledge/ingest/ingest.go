package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"

	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Kind is the kind of batches that hold a source.
const Kind = "ingest"

// Request is a source, pages derived from it, or both.
type Request struct {
	api.WriteOptions
	Source *Source // nil for pages alone
	Pages  []api.PlannedPage
	// Force writes truths without new content, and applies a plan again.
	Force bool
}

// Source is a text that pages are derived from.
type Source struct {
	Text []byte
	Name string // of the file; "" for none
	Type string // meeting, article, doc or conversation
	Ref  string // citation key; "" for its name
	Date string // day or date phrase; "" is today
}

// Types are the valid types of sources.
func Types() []string { return []string{"meeting", "article", "doc", "conversation"} }

// Answer is the outcome of a request.
type Answer struct {
	api.Written
	Source *Kept       `json:"source,omitempty"`
	Left   []Left      `json:"left_out,omitempty"` // truths without new content
	There  int         `json:"there,omitempty"`    // entries, relations and assertions that existed already
	Known  []Mentioned `json:"known,omitempty"`    // pages mentioned in the source, when the request has no pages
}

// Kept is a stored source.
type Kept struct {
	Batch string `json:"batch,omitempty"` // id for reading its bytes
	Hash  string `json:"sha256"`
	Bytes int    `json:"bytes"`
	Ref   string `json:"ref,omitempty"` // of its page
	// Refreshed reports that these bytes were ingested before: only their new
	// location was recorded.
	Refreshed bool `json:"refreshed,omitempty"`
}

// Left is a truth that was not written.
type Left struct {
	Slug    string  `json:"slug"`
	Reason  string  `json:"reason"` // duplicate (same words) or near_duplicate (by similarity)
	Words   float64 `json:"shared_words"`
	Meaning float64 `json:"similarity,omitempty"`
}

// Mentioned is a page mentioned in a source.
type Mentioned struct {
	Ref     string `json:"ref"`
	Title   string `json:"title"`
	Type    string `json:"type,omitempty"`
	Version int    `json:"version"`
	Summary string `json:"summary,omitempty"`
	Lines   []int  `json:"lines"` // of the source, the first ones
}

// lockName names the lock that keeps two processes from ingesting the same source
// at once.
const lockName = "ingest"

// Ingest stores a source and applies a plan, in one atomic write.
func Ingest(ctx context.Context, sess *memory.Session, req Request) (Answer, error) {
	if err := check(req.Pages); err != nil {
		return Answer{}, err
	}
	if req.Source == nil && req.Pages == nil {
		return Answer{}, kb.Errorf(kb.Usage, "there is neither a source nor a page")
	}
	if req.Source != nil {
		if err := checkSource(sess, req.Source); err != nil {
			return Answer{}, err
		}
		if !req.DryRun {
			unlock, err := sess.DB.Lock(ctx, lockName, store.Exclusive, store.Patience(ctx, store.BusyTime))
			if err != nil {
				return Answer{}, err
			}
			defer func() { _ = unlock() }() // the lock is released when the process ends, in any case
		}
	}
	r := run{Session: sess, req: req}
	return r.do(ctx)
}

// checkSource fills in defaults of a source and rejects an invalid one.
func checkSource(sess *memory.Session, s *Source) error {
	if len(s.Text) == 0 {
		return kb.Errorf(kb.Usage, "the source is empty")
	}
	if len(s.Text) > write.MaxDocument {
		return kb.Errorf(kb.Invalid, "the source has %d bytes, more than the %d that a page may have", len(s.Text), write.MaxDocument)
	}
	if s.Type != "" && !slices.Contains(Types(), s.Type) {
		return kb.Errorf(kb.Usage, "unknown source type %q", s.Type).With("types", Types())
	}
	if s.Date == "" {
		s.Date = "today"
	}
	date, err := change.Date(s.Date, sess.Now())
	s.Date = date
	return err
}

// run is the state of one ingest.
type run struct {
	*memory.Session
	req  Request
	out  Answer
	hash kb.Hash // of the source
	plan kb.Hash // zero without pages
	home *write.Space
	page kb.ID // of the source; "" if it has none yet
	path string

	batch kb.Batch // batch with its bytes, once stored
}

func (r *run) do(ctx context.Context) (Answer, error) {
	r.out.Written = api.Written{DryRun: r.req.DryRun, Pages: []api.WrittenPage{}}
	var changes []write.Change
	if r.req.Source != nil {
		done, more, err := r.source(ctx)
		if err != nil || done {
			return r.out, err
		}
		changes = more
	}
	more, err := r.pages(ctx)
	if err != nil {
		return Answer{}, err
	}
	changes = append(changes, more...)
	if len(r.req.Pages) == 0 {
		if err := r.mentions(ctx); err != nil {
			return Answer{}, err
		}
	}
	req := write.Request{
		Actor: r.Session.Actor, Operation: "ingest", Message: r.req.Message, Changes: changes,
		DryRun: r.req.DryRun, AllowSecrets: r.req.AllowSecrets, RewriteTimeline: r.req.RewriteTimeline,
	}
	if r.req.Source == nil {
		req.Operation = "put"
	} else {
		req.Within = r.keep
	}
	w := r.out.Written
	if len(changes) > 0 {
		if r.req.Source != nil && r.home.Files != nil && !r.req.DryRun { // a crash after the files are written must not lose the bytes
			if err := r.Session.DB.Update(ctx, func(tx store.Tx) error { return r.keepBefore(ctx, tx) }); err != nil {
				return Answer{}, err
			}
		}
		if w, err = change.ApplyRequest(ctx, r.Session, req, r.req.Diff); err != nil {
			return Answer{}, errors.Join(err, r.forget(context.WithoutCancel(ctx), err))
		}
	}
	r.out.Written = w
	if r.req.Source == nil || r.req.DryRun {
		return r.out, nil
	}
	if w.Write == 0 && r.out.Source.Batch == "" { // the page exists: only the bytes are new
		if err := r.Session.DB.Update(ctx, func(tx store.Tx) error { return r.keep(ctx, tx, nil) }); err != nil {
			return Answer{}, err
		}
	}
	r.out.Source.Ref = r.home.Name + ":" + slugOf(r.path)
	return r.out, nil
}

// keep stores the bytes of the source within the transaction of the write. For
// bytes stored already, it records the page created from them.
func (r *run) keep(ctx context.Context, tx store.Tx, versions []kb.Version) error {
	for _, v := range versions {
		if v.Space == r.home.Row && v.Path == r.path {
			r.page = v.Page
		}
	}
	b := r.batch
	switch {
	case b.Row != 0 && b.Plan == r.plan:
		r.out.Source.Batch = b.ID
		return tx.Batches().SetPage(ctx, b.Row, r.path, r.page)
	case b.Row != 0:
		if err := tx.Batches().Remove(ctx, b.Row); err != nil {
			return err
		}
		b.Row, b.Plan = 0, r.plan
	default:
		b = r.newBatch()
	}
	r.out.Source.Batch = b.ID
	return tx.Batches().Add(ctx, &b, r.item())
}

// keepBefore stores the bytes of the source before the write. The plan counts as
// applied only after its write: an existing page of the source does not prove that.
func (r *run) keepBefore(ctx context.Context, tx store.Tx) error {
	b := r.newBatch()
	if r.page != "" {
		b.Plan = kb.Hash{}
	}
	err := tx.Batches().Add(ctx, &b, r.item())
	r.batch = b
	return err
}

func (r *run) newBatch() kb.Batch {
	now := r.Session.Now()
	sum := sha256.Sum256([]byte(r.hash.String() + r.plan.String() + now.String() + r.req.Source.Name))
	return kb.Batch{
		ID:    now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(sum[:4]),
		Space: r.home.Row, Kind: Kind, Source: r.req.Source.named(), Plan: r.plan, Created: now,
	}
}

func (r *run) item() []store.BatchItem {
	return []store.BatchItem{{Path: r.path, Page: r.page, Hash: r.hash, Bytes: r.req.Source.Text}}
}

// forget removes the bytes of a source if nothing of it was written. If a write
// was interrupted, its files may exist, and the bytes stay.
func (r *run) forget(ctx context.Context, err error) error {
	if r.batch.Row == 0 || kb.CodeOf(err) == kb.Internal {
		return nil
	}
	return r.Session.DB.Update(ctx, func(tx store.Tx) error { return tx.Batches().Remove(ctx, r.batch.Row) })
}

// planHash returns the hash that identifies a plan.
func planHash(pages []api.PlannedPage) (kb.Hash, error) {
	if len(pages) == 0 {
		return kb.Hash{}, nil
	}
	text, err := json.Marshal(pages)
	return sha256.Sum256(text), err
}
