package storetest

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// model registers a model that is not active.
func (e *env) model(name string) store.Model {
	e.Helper()
	m := store.Model{Name: name, Source: "builtin", Dims: 384, Created: noon, Config: `{"pooling":"cls"}`}
	e.update(func(tx store.Tx) error { return tx.Models().Put(e.ctx, m) })
	return m
}

func (e *env) wantModels(want ...store.Model) {
	e.Helper()
	e.view(func(tx store.Tx) error {
		got, err := tx.Models().All(e.ctx)
		e.same(got, want)
		return err
	})
}

func (e *env) activate(name string) {
	e.Helper()
	e.update(func(tx store.Tx) error { return tx.Models().Activate(e.ctx, name) })
}

var modelTests = map[string]func(*testing.T, *env){
	"None": func(_ *testing.T, e *env) { e.wantModels() },
	"AllByName": func(_ *testing.T, e *env) {
		b, a := e.model("b"), e.model("a")
		upper, strange := e.model("A"), store.Model{Name: odd, Source: odd, Dims: 1, Config: odd}
		e.update(func(tx store.Tx) error { return tx.Models().Put(e.ctx, strange) })
		e.wantModels(upper, a, strange, b)
	},
	"PutReplacesTheDescriptionOnly": func(_ *testing.T, e *env) {
		m := e.model("m")
		e.activate("m")
		again := store.Model{Name: "m", Source: "/models/m", Dims: 768, Created: noon.Add(time.Hour), Config: "{}"}
		e.update(func(tx store.Tx) error { return tx.Models().Put(e.ctx, again) })
		again.Active, again.Created = true, m.Created
		e.wantModels(again)
	},
	"PutDoesNotActivate": func(_ *testing.T, e *env) {
		m := store.Model{Name: "m", Dims: 3, Active: true}
		e.update(func(tx store.Tx) error { return tx.Models().Put(e.ctx, m) })
		m.Active = false
		e.wantModels(m)
	},
	"PutOfNonsense": func(_ *testing.T, e *env) {
		for _, m := range []store.Model{{Dims: 3}, {Name: "m"}, {Name: "m", Dims: -1}} {
			e.updateFails(kb.Invalid, func(tx store.Tx) error { return tx.Models().Put(e.ctx, m) })
		}
		e.wantModels()
	},
	"DimensionsStayWhileThereAreVectors": func(_ *testing.T, e *env) {
		m := e.model("m")
		d := doc(e.space("s"), "a.md")
		e.put(d)
		e.embed("m", "1", d)
		m.Dims = 768
		e.updateFails(kb.Conflict, func(tx store.Tx) error { return tx.Models().Put(e.ctx, m) })
		m.Dims, m.Source = 384, "elsewhere"
		e.update(func(tx store.Tx) error { return tx.Models().Put(e.ctx, m) })
		e.wantModels(m)
		m.Dims = 768
		e.update(func(tx store.Tx) error {
			e.check(tx.Vectors().Drop(e.ctx, "m"))
			return tx.Models().Put(e.ctx, m)
		})
		e.wantModels(m)
	},
	"AtMostOneIsActive": func(_ *testing.T, e *env) {
		a, b := e.model("a"), e.model("b")
		active := func(name string) {
			e.Helper()
			a.Active, b.Active = name == "a", name == "b"
			e.wantModels(a, b)
		}
		active("")
		for _, name := range []string{"a", "a", "b", "a", "", "", "b"} {
			e.activate(name)
			active(name)
		}
		e.update(func(tx store.Tx) error {
			for _, unknown := range []string{"c", "B"} {
				e.wantCode(tx.Models().Activate(e.ctx, unknown), kb.NotFound)
			}
			return nil // the failed calls changed nothing, so this may commit
		})
		active("b")
	},
	"UndoneSwitch": func(_ *testing.T, e *env) {
		a, b := e.model("a"), e.model("b")
		e.activate("a")
		if err := e.m.Update(e.ctx, func(tx store.Tx) error {
			e.check(tx.Models().Activate(e.ctx, "b"))
			return errUndo
		}); err == nil {
			e.Fatal("committed")
		}
		a.Active = true
		e.wantModels(a, b)
	},
	"Remove": func(_ *testing.T, e *env) {
		d := doc(e.space("s"), "a.md")
		e.put(d)
		a, b := e.model("a"), e.model("b")
		first := e.embed("a", "1", d)
		e.embed("b", "1", d)
		e.activate("a")
		remove := func(name string) func(store.Tx) error {
			return func(tx store.Tx) error { return tx.Models().Remove(e.ctx, name) }
		}
		e.updateFails(kb.Conflict, remove("a"))
		e.updateFails(kb.NotFound, remove("A"))
		e.activate("b")
		e.update(remove("a"))
		e.updateFails(kb.NotFound, remove("a"))
		b.Active = true
		e.wantModels(b)
		e.view(func(tx store.Tx) error {
			_, err := tx.Vectors().Get(e.ctx, "a", first[0].Page)
			e.wantCode(err, kb.NotFound)
			_, err = tx.Vectors().Get(e.ctx, "b", first[0].Page)
			return err
		})

		// Another model with the same name starts without vectors.
		e.model("a")
		e.wantModels(a, b)
		e.wantCounts("a", "1", 0, 1)
	},
}
