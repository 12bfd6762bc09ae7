package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/store"
)

var operationalTests = map[string]func(*testing.T, *env){
	"Journal": func(_ *testing.T, e *env) {
		records := [][]byte{[]byte("first"), {}, []byte(odd)}
		var ids []int64
		for _, rec := range records {
			e.update(func(tx store.Tx) error {
				id, err := tx.Journal().Append(e.ctx, rec)
				ids = append(ids, id)
				return err
			})
		}
		e.view(func(tx store.Tx) error {
			got, err := tx.Journal().Pending(e.ctx)
			e.same(got, []store.JournalEntry{{ID: ids[0], Record: records[0]}, {ID: ids[1]}, {ID: ids[2], Record: records[2]}})
			return err
		})
		wantParts := func(id int64, want ...string) {
			e.view(func(tx store.Tx) error {
				var got []string
				err := tx.Journal().Parts(e.ctx, id, func(part []byte) error {
					got = append(got, string(part))
					return nil
				})
				e.same(got, want)
				return err
			})
		}
		e.update(func(tx store.Tx) error {
			for i, id := range ids {
				for n := range 2 * i {
					if err := tx.Journal().AppendPart(e.ctx, id, n+1, fmt.Appendf(nil, "part %d of %d", n+1, i)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		wantParts(ids[0])
		wantParts(ids[1], "part 1 of 1", "part 2 of 1")
		e.view(func(tx store.Tx) error {
			got, err := tx.Journal().Pending(e.ctx)
			e.same(len(got), len(ids))
			return err
		})
		e.update(func(tx store.Tx) error { return tx.Journal().Clear(e.ctx, ids[2]) })
		e.update(func(tx store.Tx) error { return tx.Journal().Clear(e.ctx, ids[2]) })
		wantParts(ids[2])
		wantParts(ids[1], "part 1 of 1", "part 2 of 1")
		e.update(func(tx store.Tx) error {
			id, err := tx.Journal().Append(e.ctx, nil)
			if id <= ids[2] {
				e.Errorf("number %d was used before", id)
			}
			return err
		})
	},
	"Failures": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		f := store.Failure{Space: sp.Row, Path: odd, Reason: "cannot", Count: 1, Size: 5, ModTime: noon.Add(time.Nanosecond), Last: noon}
		g := store.Failure{Space: sp.Row, Path: "Z", Reason: "other"}
		e.update(func(tx store.Tx) error {
			for _, x := range []store.Failure{f, g, {Space: other.Row, Path: "Z"}} {
				if err := tx.Failures().Put(e.ctx, x); err != nil {
					return err
				}
			}
			f.Count, f.Reason = 2, "still cannot"
			return tx.Failures().Put(e.ctx, f)
		})
		e.view(func(tx store.Tx) error {
			got, err := tx.Failures().All(e.ctx, sp.Row)
			e.same(got, []store.Failure{g, f})
			return err
		})
		for range 2 {
			e.update(func(tx store.Tx) error { return tx.Failures().Clear(e.ctx, sp.Row, "Z") })
		}
		e.view(func(tx store.Tx) error {
			got, err := tx.Failures().All(e.ctx, sp.Row)
			e.same(got, []store.Failure{f})
			e.check(err)
			got, err = tx.Failures().All(e.ctx, other.Row)
			e.same(len(got), 1)
			return err
		})
	},
	"Settings": func(_ *testing.T, e *env) {
		e.update(func(tx store.Tx) error {
			s := tx.Settings()
			for _, kv := range [][2]string{{"a", "1"}, {"b", "2"}, {"a", "3"}, {odd, odd}, {"b", ""}, {"never", ""}} {
				if err := s.Set(e.ctx, kv[0], kv[1]); err != nil {
					return err
				}
			}
			return nil
		})
		e.view(func(tx store.Tx) error {
			got, err := tx.Settings().All(e.ctx)
			e.same(got, map[string]string{"a": "3", odd: odd})
			e.check(err)
			value, err := tx.Settings().Get(e.ctx, "b")
			e.same(value, "")
			return err
		})
	},
	"Info": func(_ *testing.T, e *env) {
		info, err := e.m.Info(e.ctx)
		e.check(err)
		if info.Schema < 1 || info.Engine == "" || info.Path == "" || info.Bytes <= 0 || info.Created.IsZero() {
			e.Errorf("info: %+v", info)
		}
	},
}
