package doctor

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkAllAssertions checks for each space that sidecars contain only assertions
// and no duplicates, and that superseded assertions exist and have ended. Other
// programs can write invalid ones; cairn cannot.
func checkAllAssertions(ctx context.Context, l *Look) (checks []api.Check, err error) {
	err = l.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Assertions().List(ctx, store.AssertionFilter{})
		if err != nil {
			return err
		}
		rows := make([]int64, len(all))
		for i, a := range all {
			rows[i] = a.Page
		}
		pages, err := store.PagesByRow(ctx, tx, rows)
		if err != nil {
			return err
		}
		wrong := wrongAssertions(all, pages)
		spaces, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		for _, s := range l.limit(spaces) {
			c, err := checkAssertions(ctx, tx, s, wrong[s.ID])
			if err != nil {
				return err
			}
			checks = append(checks, c)
		}
		return nil
	})
	return checks, err
}

// wrongAssertions returns the faults by space.
func wrongAssertions(all []kb.Assertion, pages map[int64]kb.Page) map[kb.ID][]string {
	number := func(a kb.Assertion) int64 { return link.AssertionNumber(pages[a.Page].ID, a.Claim(), a.Nth) }
	known := make(map[int64]kb.Assertion, len(all))
	for _, a := range all {
		known[number(a)] = a
	}
	out, by := map[kb.ID][]string{}, map[int64]int64{}
	for i, a := range all {
		tell := func(format string, args ...any) {
			p := pages[a.Page]
			out[p.SpaceID] = append(out[p.SpaceID], fmt.Sprintf("%s:%d: ", vault.SidecarPath(p.Path), a.Line)+fmt.Sprintf(format, args...))
		}
		for j := i - 1; j >= 0 && a.Nth > 0 && all[j].Page == a.Page; j-- {
			if b := all[j]; b.Claim() == a.Claim() && (b.Interval() == a.Interval() || b.Interval().Overlaps(a.Interval())) {
				tell("says the same as line %d", b.Line)
				break
			}
		}
		if a.Supersedes == 0 {
			continue
		}
		old, there := known[a.Supersedes]
		switch {
		case !there:
			tell("supersedes %d, which is not there", a.Supersedes)
		case circular(known, a.Supersedes):
			tell("supersedes itself by way of %d", a.Supersedes)
		case by[a.Supersedes] != 0:
			tell("supersedes %d, as %d does", a.Supersedes, by[a.Supersedes])
		case old.ValidUntil == "":
			tell("supersedes %d, which has not ended", a.Supersedes)
		}
		by[a.Supersedes] = number(a)
	}
	return out
}

// circular reports whether an assertion is superseded by an assertion that it
// supersedes.
func circular(known map[int64]kb.Assertion, number int64) bool {
	at := known[number].Supersedes
	for range len(known) {
		if at == 0 || at == number {
			break
		}
		at = known[at].Supersedes
	}
	return at == number
}

// checkAssertions is checkAllAssertions for one space, with the faults found so
// far. It adds the sidecar entries that are not assertions.
func checkAssertions(ctx context.Context, tx store.Tx, s kb.Space, wrong []string) (api.Check, error) {
	c := api.Check{Name: "assertions " + s.Name, State: "ok", Reason: "none is kept twice, and superseded ones have ended"}
	warnings, err := tx.Pages().Warnings(ctx, s.Row)
	if err != nil {
		return c, err
	}
	var rows []int64
	for _, w := range warnings {
		rows = append(rows, w.Page)
	}
	pages, err := store.PagesByRow(ctx, tx, rows)
	for _, w := range warnings {
		if w.Code == index.WarnAssertion {
			wrong = append(wrong, fmt.Sprintf("%s:%d: %s", vault.SidecarPath(pages[w.Page].Path), w.Line, w.Text))
		}
	}
	if len(wrong) == 0 {
		return c, err
	}
	c.State, c.Reason = "warning", api.Plural(len(wrong), "assertion")+" that cannot be so"
	c.Remedy = "correct them in an editor"
	c.Items = wrong[:min(len(wrong), maxItems)]
	return c, err
}
