package relational

import "context"

// bundleKey identifies a bundle.
type bundleKey struct{ model, number int64 }

// unlikeBundles returns the bundles with other pages than those in the table embedded, and
// unreadable ones.
func (t *Tx) unlikeBundles(ctx context.Context) ([]bundleKey, error) {
	want := map[bundleKey]uint32{} // a bit for each place
	if err := t.query(ctx, "SELECT model, page FROM embedded", nil, func(r Row) error {
		number, place := bundleOf(r.Int(1))
		want[bundleKey{r.Int(0), number}] |= 1 << place
		return nil
	}); err != nil {
		return nil, err
	}
	var unlike []bundleKey
	if err := t.query(ctx, "SELECT model, number, bytes FROM bundles", nil, func(r Row) error {
		key := bundleKey{r.Int(0), r.Int(1)}
		b, _, ok := decodeBundle(r.Blob(2))
		have := uint32(0)
		for place, p := range b {
			if len(p.info) > 0 {
				have |= 1 << place
			}
		}
		if !ok || have == 0 || have != want[key] {
			unlike = append(unlike, key)
		}
		delete(want, key)
		return nil
	}); err != nil {
		return nil, err
	}
	for key := range want { // the bundle does not exist
		unlike = append(unlike, key)
	}
	return unlike, nil
}

// mendBundle removes vectors without a page, and replaces missing ones by
// invalid ones, which are recomputed.
func (t *Tx) mendBundle(ctx context.Context, key bundleKey) error {
	is, err := t.readBundle(ctx, key.model, key.number)
	if err != nil {
		return err
	}
	to, err := t.damagedBundle(ctx, key.model, key.number)
	if err != nil {
		return err
	}
	for place := range to {
		if len(to[place].info) > 0 && len(is[place].info) > 0 {
			to[place] = is[place]
		}
	}
	b := rebundling{t: t, open: true, model: key.model, number: key.number, bundle: to}
	return b.flush(ctx)
}
