package doctor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// dumpPage is a page in the canonical dump: all derived data, without data that
// depends on the time or order of indexing.
type dumpPage struct {
	Space        string            `json:"space"`
	Path         string            `json:"path"`
	Node         string            `json:"node,omitempty"`
	ID           kb.ID             `json:"id"`
	Slug         string            `json:"slug"`
	Title        string            `json:"title"`
	Type         string            `json:"type,omitempty"`
	Status       kb.Status         `json:"status"`
	Summary      string            `json:"summary,omitempty"`
	Tags         []string          `json:"tags,omitempty"`
	Aliases      []string          `json:"aliases,omitempty"`
	Day          string            `json:"day,omitempty"`
	Properties   []string          `json:"properties,omitempty"`
	Items        []kb.Item         `json:"items,omitempty"`
	Created      string            `json:"created,omitempty"`
	Updated      string            `json:"updated,omitempty"`
	Hash         string            `json:"hash"`
	Sidecar      string            `json:"sidecar,omitempty"` // hash
	Links        []dumpLink        `json:"links,omitempty"`
	Observations []dumpObservation `json:"observations,omitempty"`
	Entries      []api.Entry       `json:"timeline,omitempty"`
	Assertions   []dumpAssertion   `json:"assertions,omitempty"`
}

type dumpAssertion struct {
	ID int64 `json:"id"`
	kb.Assertion
}

type dumpLink struct {
	Type       string `json:"type"`
	Kind       string `json:"kind"`
	Target     string `json:"target"`
	To         kb.ID  `json:"to,omitempty"`
	Candidates int    `json:"candidates,omitempty"`
	Heading    string `json:"heading,omitempty"`
	Text       string `json:"text,omitempty"`
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
	Context    string `json:"context,omitempty"`
	Line       int    `json:"line"`
}

type dumpObservation struct {
	Category string   `json:"category"`
	Text     string   `json:"text"`
	Tags     []string `json:"tags,omitempty"`
	Context  string   `json:"context,omitempty"`
	Line     int      `json:"line"`
}

// Receipt identifies a dump: two memories with the same receipt hold the same
// knowledge, regardless of the time and order of indexing.
type Receipt struct {
	Pages  int    `json:"pages"`
	SHA256 string `json:"sha256"` // of the dump, in hex
}

// Dump writes everything derived from documents as JSON lines, sorted by space and
// path. Each line is written to w at once, without truncation. Two memories of the
// same documents produce the same dump.
func Dump(ctx context.Context, sess *memory.Session, w io.Writer) (r Receipt, err error) {
	all, err := sess.Spaces.All(ctx)
	if err != nil {
		return r, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		r, err = DumpOf(ctx, tx, all, w)
		return err
	})
	return r, err
}

// DumpOf is Dump of these spaces in a transaction.
func DumpOf(ctx context.Context, tx store.Tx, all []kb.Space, w io.Writer) (Receipt, error) {
	hash := sha256.New()
	enc := json.NewEncoder(io.MultiWriter(w, hash))
	enc.SetEscapeHTML(false)
	pages := 0
	for _, s := range all {
		states, err := tx.Documents().States(ctx, s.Row)
		if err != nil {
			return Receipt{}, err
		}
		for _, st := range states {
			n, err := dumpDocument(ctx, tx, s, st.Row, enc)
			if err != nil {
				return Receipt{}, err
			}
			pages += n
		}
	}
	return Receipt{pages, hex.EncodeToString(hash.Sum(nil))}, nil
}

func dumpDocument(ctx context.Context, tx store.Tx, s kb.Space, row int64, enc *json.Encoder) (pages int, err error) {
	d, err := tx.Documents().Load(ctx, row)
	if err != nil {
		return 0, err
	}
	for i := range d.Pages {
		p := &d.Pages[i].Page
		out := dumpPage{
			Space: s.Name, Path: d.Path, Node: p.Node, ID: p.ID, Slug: p.Slug, Title: p.Title, Type: p.Type,
			Status: p.Status, Summary: p.Summary, Tags: p.Tags, Aliases: p.Aliases, Hash: d.Hash.String(),
		}
		if d.Side.Exists() && p.Node == "" {
			out.Sidecar = d.Side.Hash.String()
		}
		// A file's modification time is not part of the knowledge: it differs
		// between copies.
		if !p.Updated.Equal(d.ModTime.Truncate(time.Microsecond)) {
			out.Updated = p.Updated.UTC().Format("2006-01-02T15:04:05.000000Z")
		}
		out.Day = p.Day
		for _, v := range d.Pages[i].Properties {
			out.Properties = append(out.Properties, v.Key+": "+v.Text)
		}
		for _, it := range d.Pages[i].Items {
			it.Page = 0
			out.Items = append(out.Items, it)
		}
		if !p.Created.IsZero() {
			out.Created = p.Created.UTC().Format("2006-01-02T15:04:05Z")
		}
		ends, err := tx.Links().From(ctx, p.Row)
		if err != nil {
			return 0, err
		}
		for _, l := range ends {
			out.Links = append(out.Links, dumpLink{
				Type: l.Type, Kind: l.Kind, Target: l.Name, To: l.Page.ID, Candidates: l.Candidates, Heading: l.Heading,
				Text: l.Text, ValidFrom: l.ValidFrom, ValidUntil: l.ValidUntil, Context: l.Context, Line: l.Line,
			})
		}
		for _, a := range d.Pages[i].Assertions {
			a.Page = 0
			out.Assertions = append(out.Assertions, dumpAssertion{link.AssertionNumber(p.ID, a.Claim(), a.Nth), a})
		}
		for _, o := range d.Pages[i].Observations {
			out.Observations = append(out.Observations, dumpObservation{o.Category, o.Text, o.Tags, o.Context, o.Line})
		}
		for _, e := range d.Pages[i].Entries {
			out.Entries = append(out.Entries, api.Entry{Page: s.Name + ":" + p.Slug, Date: e.Date, Source: e.Source, Text: e.Text, Detail: e.Detail, Line: e.Line})
		}
		if err := enc.Encode(out); err != nil {
			return 0, kb.Errorf(kb.Internal, "cannot write the dump: %w", err)
		}
	}
	return len(d.Pages), nil
}
