package routine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// lastRun is the heading in a dossier, and the metadata key, for the time of the
// last run.
const (
	lastHeading = "Last run"
	lastKey     = "last_run"
)

// List lists the routines of a space in the order of its policy, those of a glob by path.
func List(ctx context.Context, sess *memory.Session, s *write.Space) (out []api.Routine, err error) {
	out = []api.Routine{}
	if len(s.Policy.Routines) == 0 {
		return out, nil
	}
	var states []store.FileState
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		states, err = tx.Documents().States(ctx, s.Row)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(states, func(a, b store.FileState) int { return strings.Compare(a.Path, b.Path) })
	for _, r := range s.Policy.Routines {
		if !r.Many() {
			found, err := one(ctx, sess, s, r, r.Page)
			if err != nil {
				return nil, err
			}
			out = append(out, found)
			continue
		}
		for _, d := range states {
			if !glob.Match(r.Page, d.Path) {
				continue
			}
			found, err := one(ctx, sess, s, r, d.Path)
			if err != nil {
				return nil, err
			}
			out = append(out, found)
		}
	}
	return out, nil
}

// Due returns the names of the routines of a space that are due.
func Due(ctx context.Context, sess *memory.Session, s *write.Space) (names []string, err error) {
	all, err := List(ctx, sess, s)
	for _, r := range all {
		if r.Due {
			names = append(names, r.Name)
		}
	}
	return names, err
}

// one evaluates the routine of one page.
func one(ctx context.Context, sess *memory.Session, s *write.Space, r policy.Routine, page string) (api.Routine, error) {
	out := api.Routine{Name: r.Name(page), Flow: r.FlowOf(page), Page: page, Dossier: r.Dossier}
	rules, err := change.At(ctx, sess, s, page)
	if err != nil && kb.CodeOf(err) != kb.Conflict {
		return out, err
	}
	line := r.Cron
	if r.Many() {
		line = value(rules.Doc, "cron")
	}
	cron, err := dates.ParseCron(line)
	if err != nil {
		out.Problem = "its cron cannot be read: " + err.Error()
		return out, nil
	}
	if r.From != r.To {
		cron = cron.Within(r.From, r.To%24)
	}
	last, known := readTime(value(rules.Doc, lastKey))
	if r.Dossier != "" {
		dossier, err := change.At(ctx, sess, s, r.Dossier)
		if err != nil && kb.CodeOf(err) != kb.Conflict {
			return out, err
		}
		last, known = lastOf(dossier.Doc)
	}
	if known {
		out.Last = &last
	} else if last, err = made(ctx, sess, rules); err != nil {
		return out, err
	}
	now := sess.Now()
	zone := s.Policy.Calendar(now.Location()).Zone
	since, due := cron.Due(zone, last, now)
	if out.Due = due; due {
		out.Since = new(since.UTC())
	}
	if next, ok := cron.Next(zone, now); ok {
		out.Next = new(next.UTC())
	}
	return out, nil
}

// made returns when a page was created: the interval of a routine that was never
// done starts then. It is now for a missing page.
func made(ctx context.Context, sess *memory.Session, page *change.Document) (at time.Time, err error) {
	if !page.Exists() {
		return sess.Now(), nil
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		versions, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{page.Space.Row}, Page: page.Row.ID}, 0, 0)
		if len(versions) > 0 {
			at = versions[len(versions)-1].Time
		}
		return err
	})
	return at, err
}

func value(d *doc.Document, key string) string {
	if p, ok := d.Nodes[0].Property(key); ok && len(p.Values) > 0 {
		return p.Values[0]
	}
	return ""
}

func readTime(text string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, strings.TrimSpace(text))
	return t.UTC(), err == nil
}

// lastOf reads from a dossier when a routine was last done: the newest time at the
// start of a line under the heading.
func lastOf(d *doc.Document) (last time.Time, known bool) {
	for _, h := range d.Nodes[0].Headings {
		if !strings.EqualFold(strings.TrimSpace(h.Text), lastHeading) {
			continue
		}
		for line := range strings.Lines(string(d.Text[h.Line.End:h.Section.End])) {
			first, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "-*+ "), " ")
			if t, ok := readTime(strings.TrimRight(first, ":,;")); ok && t.After(last) {
				last, known = t, true
			}
		}
	}
	return last, known
}

// Find returns a routine by its name, its flow or the path of its page.
func Find(ctx context.Context, sess *memory.Session, s *write.Space, name string) (api.Routine, error) {
	all, err := List(ctx, sess, s)
	if err != nil {
		return api.Routine{}, err
	}
	var names []string
	for _, r := range all {
		if name == r.Name || name == r.Flow || name == r.Page || strings.TrimSuffix(r.Page, ".md") == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	notFound := kb.Errorf(kb.NotFound, "%s has no routine %q", s.Name, name)
	if len(names) == 0 {
		return api.Routine{}, notFound.WithHint("Name some in [[routine]] of its policy, or use the preset context.")
	}
	return api.Routine{}, notFound.WithHint("There are %s.", strings.Join(names, ", "))
}

// Done records that a routine was done now, and its result. Without a dossier the
// history has the record.
func Done(ctx context.Context, sess *memory.Session, s *write.Space, name, text string, opts api.WriteOptions) (api.Written, error) {
	r, err := Find(ctx, sess, s, name)
	if err != nil {
		return api.Written{}, err
	}
	now := sess.Now().In(s.Policy.Calendar(sess.Now().Location()).Zone).Format(time.RFC3339)
	text = strings.Join(strings.Fields(text), " ")
	at := cmp.Or(r.Dossier, r.Page)
	d, err := change.At(ctx, sess, s, at)
	if err != nil {
		return api.Written{}, err
	}
	if !d.Exists() {
		return api.Written{}, kb.Errorf(kb.NotFound, "%s is not there, and would keep when %s was done", at, r.Name).
			WithHint("Upgrading the space makes the pages of its preset that are missing.")
	}
	edit := doc.Edit(doc.SetProperty{Key: lastKey, Value: now})
	if r.Dossier != "" {
		edit = lastRun(d, strings.TrimSpace(now+" "+text))
	} else {
		opts.Message = cmp.Or(opts.Message, text)
	}
	c := d.Change(write.Edit{Edits: []doc.Edit{edit}})
	if opts.Expected != nil {
		c.Expected = opts.Expected
	}
	return change.Apply(ctx, sess, "routine", opts, []write.Change{c})
}

// lastRun adds a line under the heading of a dossier, and restores the heading if
// it was removed.
func lastRun(d *change.Document, line string) doc.Edit {
	if _, err := d.Doc.Nodes[0].Section(lastHeading); kb.CodeOf(err) == kb.NotFound {
		return doc.Append{Text: d.Codec.Format().Heading(lastHeading) + "\n\n- " + line}
	}
	return doc.ReplaceSection{Section: lastHeading, Text: "- " + line}
}
