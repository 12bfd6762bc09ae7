package doctor

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkEmbeddings checks that one model is active, that its vectors of each page
// match the page's passages, and that the vectors of all models are complete. Pages
// waiting for embedding are counted, but are not a fault.
func checkEmbeddings(ctx context.Context, l *Look) (checks []api.Check, err error) {
	v := &validation{health: l.Session}
	if v.model, err = embedding.ActiveModel(ctx, l.Session); err != nil && ctx.Err() != nil {
		return nil, err
	}
	err = l.DB.View(ctx, func(tx store.Tx) error {
		active, err := v.active(ctx, tx)
		if err != nil {
			return err
		}
		spaces, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		for _, s := range l.limit(spaces) {
			if err := v.embedded(ctx, tx, s); err != nil {
				return err
			}
		}
		vectors, err := v.vectors(ctx, tx)
		checks = []api.Check{active, vectors}
		return err
	})
	return checks, err
}

// active checks that the registry has exactly one active model.
func (v *validation) active(ctx context.Context, tx store.Tx) (api.Check, error) {
	all, err := tx.Models().All(ctx)
	if err != nil {
		return api.Check{}, err
	}
	c, err := checkModel(ctx, v.health, all)
	if err != nil {
		return c, err
	}
	var names []string
	for _, m := range all {
		if m.Active {
			names = append(names, m.Name)
		}
	}
	if len(names) > 1 {
		c.State, c.Reason = "error", fmt.Sprintf("%s are active", api.Plural(len(names), "model"))
		c.Items, c.Remedy = names, "choose one with: cairn model use NAME"
	}
	if v.model == nil || c.State != "ok" {
		return c, nil
	}
	_, waiting, err := tx.Vectors().Counts(ctx, v.model.Model(), embedding.Version(), nil)
	if err == nil && waiting > 0 {
		c.Reason += ", which has yet to embed " + api.Plural(waiting, "page")
	}
	if kb.CodeOf(err) == kb.NotFound { // no model was ever used
		err = nil
	}
	return c, err
}

// embedded compares the vectors of the pages of a space with their passages.
func (v *validation) embedded(ctx context.Context, tx store.Tx, s kb.Space) error {
	if v.model == nil {
		return nil
	}
	states, err := tx.Documents().States(ctx, s.Row)
	if err != nil {
		return err
	}
	for _, st := range states {
		if err := v.embeddedDocument(ctx, tx, s, st); err != nil {
			return err
		}
	}
	return nil
}

func (v *validation) embeddedDocument(ctx context.Context, tx store.Tx, s kb.Space, st store.FileState) error {
	ctx, over, err := turn.Alone(ctx, v.health.DB, st.Size)
	if err != nil {
		return err
	}
	defer over()
	have, want, _, err := v.document(ctx, tx, s, st)
	if err != nil || want == nil || len(have.Pages) != len(want.Record.Pages) {
		return err // the overall check reports differences
	}
	return v.passages(ctx, tx, have, want)
}
