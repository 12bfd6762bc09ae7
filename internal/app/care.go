package app

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/vault"
)

// maxItems is how many examples a check lists.
const maxItems = 10

// Doctor looks for what needs a person's attention. It changes nothing.
func (a *App) Doctor(ctx context.Context) ([]Check, error) {
	checks := []Check{}
	info, err := a.db.Info(ctx)
	if err != nil {
		return nil, err
	}
	checks = append(checks, Check{Name: "memory", State: "ok", Reason: fmt.Sprintf("%s, schema %d, %s", info.Path, info.Schema, info.Engine)})
	checks = append(checks, permissions(info.Path))
	journal, err := a.checkJournal(ctx)
	if err != nil {
		return nil, err
	}
	checks = append(checks, journal)
	all, err := a.spaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		found, err := a.checkSpace(ctx, s)
		if err != nil {
			return nil, err
		}
		checks = append(checks, found...)
	}
	return checks, nil
}

// permissions reports a database that others may read.
func permissions(path string) Check {
	c := Check{Name: "permissions", State: "ok", Reason: "only you can read the memory"}
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		c.State, c.Reason = "warning", fmt.Sprintf("others can read or write the memory: its mode is %04o", info.Mode().Perm())
		c.Remedy = "set the mode of " + path + " to 0600"
	}
	return c
}

func (a *App) checkJournal(ctx context.Context) (Check, error) {
	c := Check{Name: "journal", State: "ok", Reason: "no unfinished writes"}
	err := a.db.View(ctx, func(tx store.Tx) error {
		pending, err := tx.Journal().Pending(ctx)
		if len(pending) > 0 {
			c.State = "warning"
			c.Reason = fmt.Sprintf("%d unfinished writes, of processes that are alive or of spaces that cannot be opened", len(pending))
			c.Remedy = "make the spaces' directories available; the next command finishes the writes"
		}
		return err
	})
	return c, err
}

func (a *App) checkSpace(ctx context.Context, s kb.Space) ([]Check, error) {
	dir := Check{Name: "space " + s.Name, State: "ok", Reason: "kept in the memory"}
	if s.Kind == kb.DirectorySpace {
		dir.Reason = s.Root
	}
	w, err := a.openRow(ctx, s.Row)
	if err != nil {
		e := kb.AsError(err)
		dir.State, dir.Reason, dir.Remedy = "error", e.Message, e.Hint
		return []Check{dir}, nil
	}
	checks := []Check{dir}
	if w.Files != nil {
		listing, err := vault.Scan(ctx, w.Files, a.rules())
		if err != nil {
			return nil, err
		}
		checks = append(checks, skippedFiles(s, listing))
	}
	err = a.db.View(ctx, func(tx store.Tx) error {
		failed, err := a.checkFailures(ctx, tx, s)
		if err != nil {
			return err
		}
		opaque, err := a.checkWarnings(ctx, tx, s)
		if err != nil {
			return err
		}
		links, err := a.checkLinks(ctx, tx, s)
		checks = append(checks, failed, opaque, links)
		return err
	})
	return checks, err
}

func skippedFiles(s kb.Space, l *vault.Listing) Check {
	c := Check{Name: "files " + s.Name, State: "ok", Reason: fmt.Sprintf("%d notes", len(l.Files))}
	if len(l.Skipped) > 0 {
		c.State = "warning"
		c.Reason = fmt.Sprintf("%d notes; %d files look like notes and are not read", len(l.Files), len(l.Skipped))
		c.Remedy = "rename, move or repair them, or name them in .cairnignore"
		for _, x := range l.Skipped[:min(len(l.Skipped), maxItems)] {
			c.Items = append(c.Items, x.Path+": "+x.Reason.String())
		}
	}
	return c
}

func (a *App) checkFailures(ctx context.Context, tx store.Tx, s kb.Space) (Check, error) {
	c := Check{Name: "failures " + s.Name, State: "ok", Reason: "every note could be read"}
	failed, err := tx.Failures().All(ctx, s.Row)
	if len(failed) > 0 {
		c.State = "warning"
		c.Reason = fmt.Sprintf("%d notes could not be read; after three failures one is left out until it changes", len(failed))
		c.Remedy = "repair them, then sync"
		for _, f := range failed[:min(len(failed), maxItems)] {
			c.Items = append(c.Items, fmt.Sprintf("%s: %s (%d times)", f.Path, f.Reason, f.Count))
		}
	}
	return c, err
}

func (a *App) checkWarnings(ctx context.Context, tx store.Tx, s kb.Space) (Check, error) {
	c := Check{Name: "documents " + s.Name, State: "ok", Reason: "every document was understood"}
	warnings, err := tx.Pages().Warnings(ctx, s.Row)
	if err != nil || len(warnings) == 0 {
		return c, err
	}
	c.State = "warning"
	c.Reason = fmt.Sprintf("%d places in documents were kept as plain text", len(warnings))
	c.Remedy = "mend them in an editor; nothing is lost meanwhile"
	var rows []int64
	for _, w := range warnings[:min(len(warnings), maxItems)] {
		rows = append(rows, w.Page)
	}
	pages, err := tx.Pages().Get(ctx, slices.Compact(slices.Clone(rows)))
	paths := map[int64]string{}
	for _, p := range pages {
		paths[p.Row] = p.Path
	}
	for _, w := range warnings[:len(rows)] {
		c.Items = append(c.Items, fmt.Sprintf("%s:%d: %s", paths[w.Page], w.Line, w.Text))
	}
	return c, err
}

func (a *App) checkLinks(ctx context.Context, tx store.Tx, s kb.Space) (Check, error) {
	c := Check{Name: "links " + s.Name, State: "ok"}
	st, err := tx.Pages().Stats(ctx, []int64{s.Row})
	// A link to a page that is not written yet is no fault; one that may mean
	// several pages is.
	c.Reason = fmt.Sprintf("%d links, %d to pages that are not there", st.Links, st.Unresolved)
	if st.Ambiguous > 0 {
		c.State = "warning"
		c.Reason += fmt.Sprintf(", %d that may mean several pages", st.Ambiguous)
		c.Remedy = "list them with cairn links --unresolved, and write a path instead of a name"
	}
	return c, err
}

// dumpPage is a page in the canonical dump: everything derived, nothing that
// depends on when or in which order it was indexed.
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
	Created      string            `json:"created,omitempty"`
	Updated      string            `json:"updated"`
	Hash         string            `json:"hash"`
	Links        []dumpLink        `json:"links,omitempty"`
	Observations []dumpObservation `json:"observations,omitempty"`
	Entries      []Entry           `json:"timeline,omitempty"`
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

// Dump writes everything that is derived from documents as JSON lines, in
// order of space and path. Two memories over the same documents dump the
// same.
func (a *App) Dump(ctx context.Context, w io.Writer) error {
	all, err := a.spaces(ctx)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err = a.db.View(ctx, func(tx store.Tx) error {
		for _, s := range all {
			states, err := tx.Documents().States(ctx, s.Row)
			if err != nil {
				return err
			}
			for _, st := range states {
				if err := dumpDocument(ctx, tx, s, st.Row, enc); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return kb.Errorf(kb.Internal, "cannot write the dump: %w", err)
	}
	return nil
}

func dumpDocument(ctx context.Context, tx store.Tx, s kb.Space, row int64, enc *json.Encoder) error {
	d, err := tx.Documents().Load(ctx, row)
	if err != nil {
		return err
	}
	for i := range d.Pages {
		p := &d.Pages[i].Page
		out := dumpPage{
			Space: s.Name, Path: d.Path, Node: p.Node, ID: p.ID, Slug: p.Slug, Title: p.Title, Type: p.Type,
			Status: p.Status, Summary: p.Summary, Tags: p.Tags, Aliases: p.Aliases, Hash: d.Hash.String(),
			Updated: p.Updated.UTC().Format("2006-01-02T15:04:05.000000Z"),
		}
		if !p.Created.IsZero() {
			out.Created = p.Created.UTC().Format("2006-01-02T15:04:05Z")
		}
		ends, err := tx.Links().From(ctx, p.Row)
		if err != nil {
			return err
		}
		for _, l := range ends {
			out.Links = append(out.Links, dumpLink{
				Type: l.Type, Kind: l.Kind, Target: l.Name, To: l.Page.ID, Candidates: l.Candidates, Heading: l.Heading,
				Text: l.Text, ValidFrom: l.ValidFrom, ValidUntil: l.ValidUntil, Context: l.Context, Line: l.Line,
			})
		}
		for _, o := range d.Pages[i].Observations {
			out.Observations = append(out.Observations, dumpObservation{o.Category, o.Text, o.Tags, o.Context, o.Line})
		}
		for _, e := range d.Pages[i].Entries {
			out.Entries = append(out.Entries, Entry{s.Name + ":" + p.Slug, e.Date, e.Source, e.Text, e.Detail, e.Line})
		}
		if err := enc.Encode(out); err != nil {
			return kb.Errorf(kb.Internal, "cannot write the dump: %w", err)
		}
	}
	return nil
}
