package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/runs"
)

// maxItems is the maximum number of examples in a check.
const maxItems = 10

// Look is one run of checks, with data shared by several of them.
type Look struct {
	*memory.Session
	Asked Question

	only    string      // space; "" for all
	kept    *store.Kept // cached results; nil reads everything again
	mark    int64       // see store.Keep
	git     gitState
	damaged bool // the database has faults

	stored *stored // see Look.validated
	rows   *rows   // see Look.everyday
}

// gitState returns the state of the repository of a guarded space.
type gitState func(context.Context, *write.Space) (*api.GitState, error)

// inspected is a space under inspection.
type inspected struct {
	kb.Space
	w      *write.Space      // nil unless the questions are everyday ones
	closed bool              // the space cannot be opened: its other checks are skipped
	sync   *api.Check        // see inspected.scanned
	report *reconcile.Report // nil when the directory cannot be scanned
}

// Doctor finds problems that need attention. It changes nothing; Mend performs the
// repairs. With deep it also runs all checks of Validate. more holds checks of the
// caller.
func Doctor(ctx context.Context, sess *memory.Session, deep bool, more ...Check) ([]api.Check, error) {
	l := &Look{Session: sess, Asked: Daily}
	l.git = func(ctx context.Context, w *write.Space) (*api.GitState, error) { return gitsync.State(ctx, sess, w) }
	if deep {
		l.Asked |= Deep
	}
	return l.run(ctx, append(Registry(), more...))
}

// Problems returns the results of Doctor that are not ok, without the checks that
// read all documents. Results that depend on the memory alone are cached until the
// next commit. git returns the states of repositories.
func Problems(ctx context.Context, sess *memory.Session, git func() ([]api.GitState, error)) ([]api.Check, error) {
	mark, err := sess.DB.Changed(ctx)
	if err != nil {
		return nil, err
	}
	l := &Look{Session: sess, Asked: Status, kept: sess.Kept, mark: mark}
	l.git = func(_ context.Context, w *write.Space) (*api.GitState, error) {
		all, err := git()
		if i := slices.IndexFunc(all, func(s api.GitState) bool { return s.Space == w.Name }); i >= 0 {
			return &all[i], err
		}
		return nil, err
	}
	checks, err := l.run(ctx, Registry())
	return slices.DeleteFunc(checks, func(c api.Check) bool { return c.State == "ok" }), err
}

// Validate reads the whole memory and checks its consistency: the database's
// structure and references, the hash of every stored text, unfinished writes,
// stored vectors, and that the index, its full text and links agree with each
// document. With files it also reads the files of every directory space and
// compares them with the index, and checks relations and assertions.
func Validate(ctx context.Context, sess *memory.Session, files bool) ([]api.Check, error) {
	asked := Stored
	if files {
		asked |= Files
	}
	return ValidatePart(ctx, sess, asked, "")
}

// ValidatePart answers Stored, Files, Links, Assertions and Embeddings. With a
// space name it only checks that space; data shared by all spaces is checked as a
// whole.
func ValidatePart(ctx context.Context, sess *memory.Session, asked Question, space string) ([]api.Check, error) {
	if space != "" {
		s, err := sess.Spaces.ByName(ctx, space)
		if err != nil {
			return nil, err
		}
		space = s.Name // ByName ignores case
	}
	return (&Look{Session: sess, Asked: asked, only: space}).run(ctx, Registry())
}

// WithoutMemory runs the checks that need no memory.
func WithoutMemory(ctx context.Context, all []Check) ([]api.Check, error) {
	return (&Look{Asked: NoMemory}).run(ctx, all)
}

// run runs the checks for the questions, in order. Consecutive checks of spaces are
// run one space at a time.
func (l *Look) run(ctx context.Context, all []Check) ([]api.Check, error) {
	checks := []api.Check{}
	all = slices.DeleteFunc(all, func(c Check) bool { return c.Asked&l.Asked == 0 })
	for len(all) > 0 {
		n := 1
		for all[0].Memory == nil && n < len(all) && all[n].Memory == nil {
			n++
		}
		found, err := l.perform(ctx, all[:n])
		if err != nil {
			return nil, err
		}
		checks, all = append(checks, found...), all[n:]
	}
	return checks, nil
}

// perform runs one check of the memory, or several of all spaces.
func (l *Look) perform(ctx context.Context, checks []Check) (out []api.Check, err error) {
	if l.damaged && (l.Asked&Stored != 0 || checks[0].Sound) {
		return nil, nil
	}
	if checks[0].Memory != nil {
		return checks[0].Memory(ctx, l)
	}
	spaces, err := l.allSpaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range spaces {
		in := &inspected{Space: s}
		for rest := checks; len(rest) > 0 && !in.closed; {
			n := 1
			for rest[0].indexed != nil && n < len(rest) && rest[n].indexed != nil {
				n++
			}
			var found []api.Check
			if rest[0].indexed != nil {
				found, err = l.checkIndexed(ctx, rest[:n], in.Space)
			} else {
				found, err = rest[0].space(ctx, l, in)
			}
			if err != nil {
				return nil, err
			}
			out, rest = append(out, found...), rest[n:]
		}
	}
	return out, nil
}

// checkIndexed performs the checks that read only the index of a space, in one transaction.
func (l *Look) checkIndexed(ctx context.Context, checks []Check, s kb.Space) ([]api.Check, error) {
	return store.Keep(l.kept, l.mark, fmt.Sprint("space ", s.Row), func() (all []api.Check, err error) {
		err = l.DB.View(ctx, func(tx store.Tx) error {
			for _, c := range checks {
				found, err := c.indexed(ctx, l.Session, tx, s)
				if err != nil {
					return err
				}
				all = append(all, found)
			}
			return nil
		})
		return all, err
	})
}

// one wraps a result in a list.
func one(check func(context.Context, *Look) (api.Check, error)) func(context.Context, *Look) ([]api.Check, error) {
	return func(ctx context.Context, l *Look) ([]api.Check, error) {
		c, err := check(ctx, l)
		return []api.Check{c}, err
	}
}

// ofFile wraps a check of the memory's file, for databases that have one.
func ofFile(check func(l *Look, path string) (api.Check, error)) func(context.Context, *Look) ([]api.Check, error) {
	return func(_ context.Context, l *Look) ([]api.Check, error) {
		db, ok := l.DB.(store.FileBacked)
		if !ok {
			return nil, nil
		}
		c, err := check(l, db.Path())
		return []api.Check{c}, err
	}
}

// rows holds data used by several checks.
type rows struct {
	def            string // the default space
	all, forgotten []kb.Space
	models         []store.Model
	journal        api.Check
	maintenance    api.Check
	never          []string  // spaces with ageing rules and no aged pages
	text           api.Check // empty with Deep, which makes a wider comparison
}

// everyday reads the data of everyday checks, once and in one transaction.
func (l *Look) everyday(ctx context.Context) (rows, error) {
	if l.rows != nil {
		return *l.rows, nil
	}
	var r rows
	err := l.DB.View(ctx, func(tx store.Tx) (err error) {
		if r.all, err = tx.Spaces().All(ctx); err != nil {
			return err
		}
		if r.forgotten, err = tx.Spaces().Forgotten(ctx); err != nil {
			return err
		}
		if r.def, err = tx.Settings().Get(ctx, space.DefaultKey); err != nil {
			return err
		}
		if r.journal, err = unfinished(ctx, l.Session, tx); err != nil {
			return err
		}
		if r.maintenance, err = runs.Check(ctx, tx); err != nil {
			return err
		}
		last, err := runs.Last(ctx, tx)
		if err != nil {
			return err
		}
		if !runs.Ever(last, "staleness") && r.maintenance.State == "ok" {
			if r.never, err = ageing.Never(ctx, l.Session, tx, l.Now().Add(-ageingWait)); err != nil {
				return err
			}
		}
		if r.models, err = tx.Models().All(ctx); err != nil || l.Asked&Deep != 0 {
			return err
		}
		r.text, err = store.Keep(l.kept, l.mark, "text", func() (api.Check, error) { return checkText(ctx, l.Session, tx) })
		return err
	})
	if err == nil {
		l.rows = &r
	}
	return r, err
}

// limit returns the spaces to check.
func (l *Look) limit(all []kb.Space) []kb.Space {
	return slices.DeleteFunc(slices.Clone(all), func(s kb.Space) bool { return l.only != "" && s.Name != l.only })
}

func (l *Look) allSpaces(ctx context.Context) ([]kb.Space, error) {
	if l.Asked&everyday == 0 {
		all, err := l.Spaces.All(ctx)
		return l.limit(all), err
	}
	r, err := l.everyday(ctx)
	return r.all, err
}
