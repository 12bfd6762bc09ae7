package doctor

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/store"
)

// stored holds the results of comparing all stored data.
type stored struct {
	index         []api.Check // and histories
	text, vectors api.Check
}

// validated reads all stored data, once and in one transaction.
func (l *Look) validated(ctx context.Context) (stored, error) {
	if l.stored != nil {
		return *l.stored, nil
	}
	v := &validation{health: l.Session}
	var (
		out stored
		err error
	)
	if v.model, err = embedding.ActiveModel(ctx, l.Session); err != nil && ctx.Err() != nil {
		return out, err
	}
	err = l.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		if out.text, err = checkText(ctx, l.Session, tx); err != nil {
			return err
		}
		if out.text.State == "ok" {
			if v.sums, err = l.Index.Text().Sums(ctx, tx.Lexical()); err != nil {
				return err
			}
		}
		for _, s := range l.limit(all) {
			v.unended = nil
			c, err := v.space(ctx, tx, s)
			if err != nil {
				return err
			}
			out.index = append(out.index, c, v.history(s))
		}
		out.vectors, err = v.vectors(ctx, tx)
		return err
	})
	if err == nil {
		l.stored = &out
	}
	return out, err
}

func checkIndex(ctx context.Context, l *Look) ([]api.Check, error) {
	v, err := l.validated(ctx)
	return v.index, err
}

func checkVectors(ctx context.Context, l *Look) (api.Check, error) {
	v, err := l.validated(ctx)
	return v.vectors, err
}

func checkDatabase(ctx context.Context, l *Look) (api.Check, error) {
	c := api.Check{Name: "database", State: "ok", Reason: "structure, references and hashes are sound"}
	db, ok := l.DB.(store.Validator)
	if !ok {
		c.Reason = "checked by its own tools"
		return c, nil
	}
	err := db.Validate(ctx)
	if err == nil {
		return c, nil
	}
	e := kb.AsError(err)
	if e.Code != kb.Damaged {
		return c, err
	}
	l.damaged = true
	c.State, c.Reason, c.Remedy = "error", e.Message, l.Hint.Of(e)
	if faults, ok := e.Details["faults"].([]string); ok {
		c.Items = faults[:min(len(faults), maxItems)]
	}
	if derived, _ := e.Details["derived"].(bool); derived {
		c.Remedy = "cairn doctor --deep --fix; no document and no version is affected"
		c.Fix, c.Mend = "take rows away that belong to nothing, and repeat names and tags from their pages", db.Sweep
	}
	return c, nil
}

// validateBatch is the number of documents derived and compared at a time.
const validateBatch = 200

// validation compares stored data with newly derived data.
type validation struct {
	health  *memory.Session
	model   embed.Embedder   // nil if unavailable
	sums    map[int64]uint64 // checksums of the full text, by page; nil when it cannot be read
	strange []int64          // pages with vectors of the active model for passages that they do not have
	unended []string         // documents of the present space with a history that does not end in their text
}

// space derives every document again from its stored bytes and compares.
func (v *validation) space(ctx context.Context, tx store.Tx, s kb.Space) (api.Check, error) {
	c := api.Check{Name: "index of " + s.Name, State: "ok"}
	states, err := tx.Documents().States(ctx, s.Row)
	if err != nil {
		return c, err
	}
	c.Reason = "indexed as they read: " + api.Plural(len(states), "document")
	for batch := range slices.Chunk(states, validateBatch) {
		found, err := v.batch(ctx, tx, s, batch)
		if err != nil {
			return c, err
		}
		c.Items = append(c.Items, found...)
	}
	if len(c.Items) > 0 {
		c.State = "error"
		c.Reason = api.Plural(len(c.Items), "document") + " with an index that says something else"
		c.Remedy = "cairn doctor --deep --fix; the documents themselves are sound"
		c.Fix = "index every document of the space again"
		c.Mend = func(ctx context.Context) error {
			if s.Kind == kb.DirectorySpace { // a text that is not stored is read from its file
				if err := syncDirectory(ctx, v.health, s.Row, reconcile.Options{Full: true}); err != nil {
					return err
				}
			}
			return v.health.Syncer.Rederive(ctx, s)
		}
		c.Items = c.Items[:min(len(c.Items), maxItems)]
	}
	return c, nil
}

// history reports the findings of space about histories.
func (v *validation) history(s kb.Space) api.Check {
	c := api.Check{Name: "history of " + s.Name, State: "ok", Reason: "it ends in what documents say now"}
	if len(v.unended) > 0 {
		c.State, c.Reason = "error", api.Plural(len(v.unended), "document")+" with a history that does not end in the present text"
		c.Remedy = "restore a backup, or change and save these documents, which records their text; nothing else can"
		c.Items = v.unended[:min(len(v.unended), maxItems)]
	}
	return c
}

// batch returns the faults of documents, a line for each faulty one.
func (v *validation) batch(ctx context.Context, tx store.Tx, s kb.Space, states []store.FileState) ([]string, error) {
	ctx, over, err := turn.Alone(ctx, v.health.DB, slices.MaxFunc(states, func(a, b store.FileState) int { return cmp.Compare(a.Size, b.Size) }).Size)
	if err != nil {
		return nil, err
	}
	defer over()
	problems := make([][]string, len(states))
	var stored []*store.Document
	var derived []*index.Derived
	place := map[int64]int{} // index in states, by row of the document
	for i, st := range states {
		have, want, problem, err := v.document(ctx, tx, s, st)
		if err != nil {
			return nil, err
		}
		if problem != "" {
			problems[i] = append(problems[i], problem)
		}
		if want == nil {
			continue
		}
		if problems[i] = append(problems[i], index.Differences(have, want)...); len(have.Pages) != len(want.Record.Pages) {
			continue
		}
		for j := range have.Pages {
			want.Record.Pages[j].Page.Row = have.Pages[j].Page.Row
		}
		if err := v.passages(ctx, tx, have, want); err != nil {
			return nil, err
		}
		stored, derived, place[st.Row] = append(stored, have), append(derived, want), i
	}
	wrong, err := index.WrongLinks(ctx, tx, s, stored)
	if err != nil {
		return nil, err
	}
	for row := range wrong {
		problems[place[row]] = append(problems[place[row]], "where links lead")
	}
	if v.sums != nil {
		sums := index.TextSums(derived)
		for _, d := range stored {
			if slices.ContainsFunc(d.Pages, func(p store.PageRecord) bool { return v.sums[p.Page.Row] != sums[p.Page.Row] }) {
				problems[place[d.Row]] = append(problems[place[d.Row]], "full text")
			}
		}
	}
	var out []string
	for i, st := range states {
		if len(problems[i]) > 0 {
			out = append(out, st.Path+": "+strings.Join(problems[i], ", "))
		}
	}
	return out, nil
}

// document returns a document as stored and as derived again from its text; nil and
// a problem when there is no text.
func (v *validation) document(ctx context.Context, tx store.Tx, s kb.Space, st store.FileState) (*store.Document, *index.Derived, string, error) {
	bytes, err := tx.History().Bytes(ctx, st.Hash)
	if kb.CodeOf(err) == kb.NotFound {
		return nil, nil, "its text is not stored", nil
	}
	if err != nil {
		return nil, nil, "", err
	}
	side, err := index.StoredSide(ctx, tx, st.Side)
	if kb.CodeOf(err) == kb.NotFound {
		return nil, nil, "its sidecar is not stored", nil
	}
	if err != nil {
		return nil, nil, "", err
	}
	have, err := tx.Documents().Load(ctx, st.Row)
	if err != nil {
		return nil, nil, "", err
	}
	want := index.Derive(doc.ForNote(v.health.Codecs, s.Syntax, st.Path), index.Source{
		Space: s, Path: st.Path, Bytes: bytes, ModTime: st.ModTime, Side: side, Now: st.Indexed,
	}, secrets.Hide)
	newest, err := tx.History().Version(ctx, s.Row, st.ID, 0)
	switch {
	case kb.CodeOf(err) == kb.NotFound, err == nil && (newest.Hash != st.Hash || newest.Side.Hash != st.Side.Hash || newest.Path != st.Path):
		v.unended = append(v.unended, st.Path)
	case err == nil && newest.Version != have.Version:
		return have, want, "version", nil
	case err != nil:
		return nil, nil, "", err
	}
	return have, want, "", nil
}
