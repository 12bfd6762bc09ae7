package relational

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type models struct{ t *Tx }

func (m models) All(ctx context.Context) ([]store.Model, error) {
	var out []store.Model
	err := m.t.query(ctx, "SELECT name, source, dims, active, created, config FROM models ORDER BY name", nil, func(r Row) error {
		out = append(out, store.Model{
			Name: r.Text(0), Source: r.Text(1), Dims: r.Num(2), Active: r.Int(3) == 1, Created: r.Time(4), Config: r.Text(5),
		})
		return nil
	})
	return out, err
}

func (m models) Put(ctx context.Context, model store.Model) error {
	if model.Name == "" || model.Dims <= 0 {
		return kb.Errorf(kb.Invalid, "a model needs a name, and a number of dimensions above 0")
	}
	var dims int
	var used bool
	found, err := m.t.one(ctx, "SELECT dims, EXISTS (SELECT 1 FROM embedded e WHERE e.model = m.row) FROM models m WHERE name = ?",
		[]any{model.Name}, func(r Row) { dims, used = r.Num(0), r.Int(1) == 1 })
	if err != nil {
		return err
	}
	if found && used && dims != model.Dims {
		return kb.Errorf(kb.Conflict, "model %q has vectors of %d dimensions, so it cannot get %d", model.Name, dims, model.Dims).
			WithHint("remove the model first; its vectors go with it")
	}
	err = m.t.exec(ctx, `INSERT INTO models (name, source, dims, active, created, config) VALUES (?, ?, ?, 0, ?, ?)
ON CONFLICT (name) DO UPDATE SET source = excluded.source, dims = excluded.dims, config = excluded.config`,
		model.Name, model.Source, model.Dims, micros(model.Created), model.Config)
	return err
}

func (m models) Activate(ctx context.Context, name string) error {
	if name != "" {
		if _, err := m.t.modelRow(ctx, name); err != nil {
			return err
		}
	}
	// Deactivate first, so that two are never active.
	if err := m.t.exec(ctx, "UPDATE models SET active = 0 WHERE active = 1"); err != nil || name == "" {
		return err
	}
	err := m.t.exec(ctx, "UPDATE models SET active = 1 WHERE name = ?", name)
	return err
}

func (m models) Remove(ctx context.Context, name string) error {
	number, err := m.t.modelRow(ctx, name)
	if err != nil {
		return err
	}
	active, err := m.t.one(ctx, "SELECT 1 FROM models WHERE row = ? AND active = 1", []any{number}, func(Row) {})
	if err != nil {
		return err
	}
	if active {
		return kb.Errorf(kb.Conflict, "model %q is active", name).WithHint("activate another one first")
	}
	if err := m.t.dropModelVectors(ctx, number); err != nil {
		return err
	}
	err = m.t.exec(ctx, "DELETE FROM models WHERE row = ?", number)
	return err
}

// modelRow returns the row of a model; kb.NotFound.
func (t *Tx) modelRow(ctx context.Context, name string) (int64, error) {
	var number int64
	found, err := t.one(ctx, "SELECT row FROM models WHERE name = ?", []any{name}, func(r Row) { number = r.Int(0) })
	if err == nil && !found {
		return 0, kb.Errorf(kb.NotFound, "no embedding model is named %q", name)
	}
	return number, err
}
