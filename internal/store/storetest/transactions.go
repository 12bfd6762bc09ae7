package storetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

var errUndo = errors.New("undo this")

// setting reads a setting in a transaction of its own.
func (e *env) setting(m store.Memory, key string) string {
	e.Helper()
	var value string
	if err := m.View(e.ctx, func(tx store.Tx) (err error) {
		value, err = tx.Settings().Get(e.ctx, key)
		return err
	}); err != nil {
		e.Error(err)
	}
	return value
}

// add adds one to the number in a setting.
func (e *env) add(m store.Memory, key string) error {
	return m.Update(e.ctx, func(tx store.Tx) error {
		value, err := tx.Settings().Get(e.ctx, key)
		if err != nil {
			return err
		}
		n, _ := strconv.Atoi(value) // "" counts as 0
		return tx.Settings().Set(e.ctx, key, strconv.Itoa(n+1))
	})
}

var transactionTests = map[string]func(*testing.T, *env){
	"FailureUndoesAll": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := rich(sp)
		err := e.m.Update(e.ctx, func(tx store.Tx) error {
			e.check(e.putIn(tx, d))
			e.check(tx.Settings().Set(e.ctx, "k", "v"))
			e.check(tx.History().Record(e.ctx, &kb.Write{Time: noon}, []*store.NewVersion{version(d, kb.Created, []byte("x"))}))
			return errUndo
		})
		if !errors.Is(err, errUndo) {
			e.Errorf("error %v", err)
		}
		e.same(e.setting(e.m, "k"), "")
		e.view(func(tx store.Tx) error {
			st, err := tx.Pages().Stats(e.ctx, nil)
			e.same(st, store.Stats{})
			e.check(err)
			_, err = tx.History().Bytes(e.ctx, hashOf([]byte("x")))
			e.wantCode(err, kb.NotFound)
			return nil
		})
		e.check(e.add(e.m, "k")) // and the next one works
	},
	"PanicUndoesAll": func(_ *testing.T, e *env) {
		func() {
			defer func() {
				if recover() == nil {
					e.Error("the panic was swallowed")
				}
			}()
			_ = e.m.Update(e.ctx, func(tx store.Tx) error {
				e.check(tx.Settings().Set(e.ctx, "k", "v"))
				panic("on purpose")
			})
		}()
		e.same(e.setting(e.m, "k"), "")
		e.check(e.add(e.m, "k"))
	},
	"WritesFailInView": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := rich(sp)
		e.put(d)
		page := d.Pages[0].Page.Row
		e.model("m")
		for name, write := range map[string]func(tx store.Tx) error{
			"Spaces.Add":       func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &kb.Space{ID: idOf("n"), Name: "n"}) },
			"Spaces.Update":    func(tx store.Tx) error { return tx.Spaces().Update(e.ctx, sp) },
			"Spaces.Remove":    func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, sp.Row) },
			"Spaces.Forget":    func(tx store.Tx) error { return tx.Spaces().Forget(e.ctx, sp.Row, noon) },
			"Spaces.Return":    func(tx store.Tx) error { return tx.Spaces().Return(e.ctx, sp) },
			"Spaces.Map":       func(tx store.Tx) error { return tx.Spaces().Map(e.ctx, "/x", sp.Row) },
			"Spaces.Unmap":     func(tx store.Tx) error { return tx.Spaces().Unmap(e.ctx, "/x") },
			"Documents.Put":    func(tx store.Tx) error { return tx.Documents().Put(e.ctx, []*store.Document{doc(sp, "n.md")}) },
			"Documents.Remove": func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{d.Row}) },
			"Documents.Touch":  func(tx store.Tx) error { return tx.Documents().Touch(e.ctx, d.Row, 1, noon, noon, noon) },
			"Pages.SetID":      func(tx store.Tx) error { return tx.Pages().SetID(e.ctx, page, idOf("n")) },
			"Links.Put":        func(tx store.Tx) error { return tx.Links().Put(e.ctx, []*store.Document{rich(sp)}) },
			"Links.Resolve":    func(tx store.Tx) error { return tx.Links().Resolve(e.ctx, []store.Resolution{{Row: 1}}) },
			"History.Record":   func(tx store.Tx) error { return tx.History().Record(e.ctx, &kb.Write{Time: noon}, nil) },
			"Journal.Append":   func(tx store.Tx) error { _, err := tx.Journal().Append(e.ctx, nil); return err },
			"Journal.Clear":    func(tx store.Tx) error { return tx.Journal().Clear(e.ctx, 1) },
			"Failures.Put":     func(tx store.Tx) error { return tx.Failures().Put(e.ctx, store.Failure{Space: sp.Row, Path: "p"}) },
			"Failures.Clear":   func(tx store.Tx) error { return tx.Failures().Clear(e.ctx, sp.Row, "p") },
			"Models.Put":       func(tx store.Tx) error { return tx.Models().Put(e.ctx, store.Model{Name: "n", Dims: 1}) },
			"Models.Activate":  func(tx store.Tx) error { return tx.Models().Activate(e.ctx, "m") },
			"Models.Remove":    func(tx store.Tx) error { return tx.Models().Remove(e.ctx, "m") },
			"Vectors.Put":      func(tx store.Tx) error { return tx.Vectors().Put(e.ctx, embeddings("m", "1", d)) },
			"Vectors.Drop":     func(tx store.Tx) error { return tx.Vectors().Drop(e.ctx, "m") },
			"Settings.Set":     func(tx store.Tx) error { return tx.Settings().Set(e.ctx, "k", "v") },
			"Gaps.Log":         func(tx store.Tx) error { return tx.Gaps().Log(e.ctx, &kb.Gap{Space: sp.Row, Last: noon}) },
			"Gaps.Update":      func(tx store.Tx) error { return tx.Gaps().Update(e.ctx, kb.Gap{Row: 1}) },
			"Gaps.Remove":      func(tx store.Tx) error { return tx.Gaps().Remove(e.ctx, 1) },
		} {
			e.Log(name)
			e.wantCode(e.m.View(e.ctx, write), kb.Internal)
		}
		e.wantLoaded(sp, d)
	},
	"TxMayNotBeKept": func(_ *testing.T, e *env) {
		var kept store.Tx
		e.update(func(tx store.Tx) error { kept = tx; return nil })
		e.wantCode(kept.Settings().Set(e.ctx, "k", "v"), kb.Internal)
		_, err := kept.Settings().Get(e.ctx, "k")
		e.wantCode(err, kb.Internal)
	},
	"UpdateSeesItsOwnWrites": func(_ *testing.T, e *env) {
		e.update(func(tx store.Tx) error {
			e.check(tx.Settings().Set(e.ctx, "k", "v"))
			got, err := tx.Settings().Get(e.ctx, "k")
			e.same(got, "v")
			return err
		})
	},
	"BuffersMayBeUsedAgain": func(_ *testing.T, e *env) {
		var segment int64
		e.update(func(tx store.Tx) (err error) {
			if segment, err = tx.Lexical().CreateSegment(e.ctx); err != nil {
				return err
			}
			buf := []byte("first")
			if err := tx.Lexical().PutPage(e.ctx, segment, 0, 0, buf); err != nil {
				return err
			}
			copy(buf, "other")
			return tx.Lexical().PutPage(e.ctx, segment, 0, 1, buf)
		})
		e.view(func(tx store.Tx) error {
			got, err := tx.Lexical().Pages(e.ctx, segment, 0, 0, 2)
			e.same(string(got), "firstother")
			return err
		})
	},
	"ViewIsOneState": func(_ *testing.T, e *env) {
		second := e.open(e.T, e.dir)
		e.check(e.add(e.m, "n"))
		e.view(func(tx store.Tx) error {
			before, err := tx.Settings().Get(e.ctx, "n")
			e.same(before, "1")
			e.check(err)
			e.check(e.add(e.m, "n")) // readers do not block writers
			e.check(e.add(second, "n"))
			after, err := tx.Settings().Get(e.ctx, "n")
			e.same(after, "1")
			e.same(e.setting(e.m, "n"), "3")
			return err
		})
	},
	"ReadersAreNotBlockedByAWriter": func(_ *testing.T, e *env) {
		second := e.open(e.T, e.dir)
		e.update(func(tx store.Tx) error {
			e.check(tx.Settings().Set(e.ctx, "k", "uncommitted"))
			e.same(e.setting(e.m, "k"), "")
			e.same(e.setting(second, "k"), "")
			return nil
		})
		e.same(e.setting(second, "k"), "uncommitted")
	},
	"ViewsWithinViews": func(_ *testing.T, e *env) {
		e.check(e.add(e.m, "n"))
		var nest func(depth int) error
		nest = func(depth int) error {
			return e.m.View(e.ctx, func(tx store.Tx) error {
				if depth == 0 {
					return nil
				}
				return nest(depth - 1)
			})
		}
		e.check(nest(20))
	},
	"NoUpdateIsLost": func(_ *testing.T, e *env) {
		const writers, rounds = 8, 12
		handles := []store.Memory{e.m, e.open(e.T, e.dir)}
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				for range rounds {
					if err := e.add(handles[i%2], "n"); err != nil {
						e.Error(err)
					}
				}
			})
			wg.Go(func() {
				last := 0
				for range rounds {
					n, _ := strconv.Atoi(e.setting(handles[i%2], "n"))
					if n < last {
						e.Errorf("%d after %d", n, last)
					}
					last = n
				}
			})
		}
		wg.Wait()
		e.same(e.setting(e.m, "n"), fmt.Sprint(writers*rounds))
	},
	"TwoHandlesOneMemory": func(_ *testing.T, e *env) {
		second := e.open(e.T, e.dir)
		sp := e.space("s")
		d := rich(sp)
		if err := second.Update(e.ctx, func(tx store.Tx) error { return e.putIn(tx, d) }); err != nil {
			e.Fatal(err)
		}
		e.wantLoaded(sp, d)
	},
	"NobodyInTheWay": func(_ *testing.T, e *env) {
		ctx := store.WithPatience(e.ctx, 0)
		for range 50 { // a free lock is available without patience, each time
			e.check(e.m.Update(ctx, func(store.Tx) error { return nil }))
		}
	},
	"Changed": func(_ *testing.T, e *env) {
		second := e.open(e.T, e.dir)
		var last int64
		ask := func(differs bool, when string) {
			e.Helper()
			n, err := e.m.Changed(e.ctx)
			e.check(err)
			if (n != last) != differs {
				e.Errorf("%s: %d after %d", when, n, last)
			}
			last = n
		}
		ask(true, "at first")
		ask(false, "nothing happened")
		e.check(e.add(e.m, "n"))
		ask(true, "own commit")
		e.check(e.add(second, "n"))
		ask(true, "commit of another handle")
		_ = e.m.Update(e.ctx, func(store.Tx) error { return errUndo })
		e.setting(e.m, "n")
		ask(false, "an undone update and a view")
	},
	"CancelledContext": func(_ *testing.T, e *env) {
		ctx, cancel := context.WithCancel(e.ctx)
		cancel()
		for name, f := range map[string]func() error{
			"View":   func() error { return e.m.View(ctx, func(store.Tx) error { return nil }) },
			"Update": func() error { return e.m.Update(ctx, func(store.Tx) error { return nil }) },
		} {
			if err := f(); !errors.Is(err, context.Canceled) {
				e.Errorf("%s: %v", name, err)
			}
		}
		// Cancelled half way: no change stays.
		ctx, cancel = context.WithCancel(e.ctx)
		err := e.m.Update(ctx, func(tx store.Tx) error {
			e.check(tx.Settings().Set(ctx, "k", "v"))
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			e.Errorf("Update cancelled within: %v", err)
		}
		e.same(e.setting(e.m, "k"), "")
	},
	"CancelWhileWaitingForAWriter": func(_ *testing.T, e *env) {
		second := e.open(e.T, e.dir)
		for name, waiting := range map[string]store.Memory{"same handle": e.m, "another handle": second} {
			ctx, cancel := context.WithCancel(e.ctx)
			e.update(func(store.Tx) error {
				done := make(chan error)
				go func() { done <- waiting.Update(ctx, func(store.Tx) error { return nil }) }()
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					e.Errorf("%s: %v", name, err)
				}
				return nil
			})
		}
	},
	"ClosedMemory": func(_ *testing.T, e *env) {
		e.check(e.m.Close())
		e.check(e.m.Close())
		e.wantCode(e.m.View(e.ctx, func(store.Tx) error { return nil }), kb.Internal)
		e.wantCode(e.m.Update(e.ctx, func(store.Tx) error { return nil }), kb.Internal)
		_, err := e.m.Changed(e.ctx)
		e.wantCode(err, kb.Internal)
	},
}
