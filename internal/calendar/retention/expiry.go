package retention

import (
	"context"
	"fmt"
	"iter"
	"path"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Retention removes expired pages and sections, each page in its own write. A page
// that is changed at the same time is kept.
var Retention = calendar.Work[api.RetentionReport]{
	Operation: "expire",
	Failed:    "could not be cleared",
	Wants:     func(p *policy.Policy) bool { return len(p.Retention.Pages)+len(p.Retention.Sections) > 0 },
	Plan:      plan,
}

func plan(ctx context.Context, sess *memory.Session, space *write.Space, _ time.Time) iter.Seq[calendar.Step[api.RetentionReport]] {
	step := func(r api.RetentionReport, c *write.Change, err error) calendar.Step[api.RetentionReport] {
		out := calendar.Step[api.RetentionReport]{
			Page: r.Page, Message: r.String(), Err: err, Wrote: func(all []api.RetentionReport, id int64) {
				if len(all) > 0 {
					all[0].Write = id
				}
			},
		}
		if c != nil {
			out.Changes = []write.Change{*c}
		}
		if r.Changes() || len(r.Large) > 0 {
			out.Reports = []api.RetentionReport{r}
		}
		return out
	}
	return func(yield func(calendar.Step[api.RetentionReport]) bool) {
		pages, err := old(ctx, sess, space)
		if err != nil {
			yield(calendar.Step[api.RetentionReport]{Err: err})
			return
		}
		for _, p := range pages {
			if !yield(step(api.RetentionReport{Space: space.Name, Page: p.Path, Changed: &p.changed, To: p.to}, p.change(space), nil)) {
				return
			}
		}
		files, err := oldFiles(ctx, sess, space)
		if err != nil && !yield(calendar.Step[api.RetentionReport]{Err: err}) {
			return
		}
		for _, f := range files {
			changed := f.changed()
			s := step(api.RetentionReport{Space: space.Name, Page: f.Path, Changed: &changed}, nil, nil)
			s.Do = func(ctx context.Context) error { return f.remove(ctx, space) }
			if !yield(s) {
				return
			}
		}
		for _, limit := range space.Policy.Retention.Sections {
			pages, err := limited(ctx, sess, space, limit)
			if err != nil {
				yield(calendar.Step[api.RetentionReport]{Err: err})
				return
			}
			for _, page := range pages {
				limit.Page = page
				if !yield(step(trim(ctx, sess, space, limit))) {
					return
				}
			}
		}
	}
}

// oldPage is an expired page.
type oldPage struct {
	*store.Document
	changed time.Time
	to      string
}

func (p oldPage) change(s *write.Space) *write.Change {
	c := &write.Change{Space: s, Path: p.Path, Of: p.ID, Expected: &p.Version, Action: write.Delete{}}
	if p.to != "" {
		c.Action = write.Move{To: p.to}
	}
	return c
}

// old finds the pages that were not changed for as long as a rule requires, by the
// first matching rule. The time is the later of the file's time and its newest
// version's: a file that was copied here counts as new.
func old(ctx context.Context, sess *memory.Session, s *write.Space) (out []oldPage, err error) {
	now, taken := sess.Now(), map[string]bool{}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		states, err := tx.Documents().States(ctx, s.Row)
		if err != nil {
			return err
		}
		for _, state := range states {
			i := slices.IndexFunc(s.Policy.Retention.Pages, func(r policy.Expiry) bool { return r.Fits(state.Path) })
			if i < 0 {
				continue
			}
			rule := s.Policy.Retention.Pages[i]
			d, err := tx.Documents().ByPath(ctx, s.Row, state.Path)
			if err != nil {
				return err
			}
			changed := d.ModTime
			if d.Recorded.After(changed) {
				changed = d.Recorded
			}
			if now.Sub(changed) < rule.After() {
				continue
			}
			p := oldPage{Document: d, changed: changed.UTC()}
			if rule.To != "" {
				p.to = path.Join(rule.To, path.Base(state.Path))
			}
			if p.to == state.Path {
				continue
			}
			if p.to != "" { // with another name if the path is in use
				if p.to, err = ref.FreePath(ctx, tx, s.Space, p.to, func(at string) bool { return taken[at] }); err != nil {
					return err
				}
				taken[kb.FoldPath(p.to)] = true
			}
			out = append(out, p)
		}
		return nil
	})
	return out, err
}

// oldFile is an expired file that is not a page.
type oldFile struct{ vault.File }

func (f oldFile) changed() time.Time { return time.Unix(0, f.ModTime).UTC() }

// oldFiles returns the expired files that are not pages: mails, images, plain text.
// Rules that move pages do not apply to files. In a repository such files belong to
// the user.
func oldFiles(ctx context.Context, sess *memory.Session, s *write.Space) (out []oldFile, err error) {
	rule := func(at string) *policy.Expiry {
		i := slices.IndexFunc(s.Policy.Retention.Pages, func(r policy.Expiry) bool { return r.Fits(at) })
		if i < 0 || s.Policy.Retention.Pages[i].To != "" {
			return nil
		}
		return &s.Policy.Retention.Pages[i]
	}
	others := func(r policy.Expiry) bool {
		return slices.ContainsFunc(r.Paths, func(g string) bool { return doc.ForPath(sess.Codecs, g) == nil })
	}
	if s.Files == nil || s.Guards() || !slices.ContainsFunc(s.Policy.Retention.Pages, others) {
		return nil, nil
	}
	list, err := read.Files(ctx, sess, s.Space, "", 0)
	if err != nil {
		return nil, err
	}
	for _, f := range list.Files {
		if r := rule(f.Path); r != nil && sess.Now().Sub(oldFile{f}.changed()) >= r.After() {
			out = append(out, oldFile{f})
		}
	}
	return out, nil
}

// remove deletes the file, unless it changed since it was listed.
func (f oldFile) remove(ctx context.Context, s *write.Space) error {
	info, err := s.Files.Lstat(f.Path)
	if err == nil && (info.Size() != f.Size || info.ModTime().UnixNano() != f.ModTime) {
		return kb.Errorf(kb.Conflict, "%s changed", f.Path)
	}
	if err == nil {
		err = fsys.RemoveDurable(ctx, s.Files, f.Path, fsys.Any())
	}
	return fsys.Explain(err, "delete %s", f.Path)
}

// limited returns the pages that a limit applies to, by path.
func limited(ctx context.Context, sess *memory.Session, s *write.Space, limit policy.SectionLimit) (pages []string, err error) {
	if !limit.Many() {
		return []string{limit.Page}, nil
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		states, err := tx.Documents().States(ctx, s.Row)
		for _, state := range states {
			if limit.Fits(state.Path) {
				pages = append(pages, state.Path)
			}
		}
		return err
	})
	slices.Sort(pages)
	return pages, err
}

// trim plans the removal of a page's sections.
func trim(ctx context.Context, sess *memory.Session, s *write.Space, limit policy.SectionLimit) (api.RetentionReport, *write.Change, error) {
	out := api.RetentionReport{Space: s.Name, Page: limit.Page}
	codec := doc.ForNote(sess.Codecs, s.Syntax, limit.Page)
	if codec == nil {
		return out, nil, kb.Errorf(kb.Invalid, "it is not the name of a note").WithHint("Name pages in the space's policy with their extension.")
	}
	var (
		row  *store.Document
		text []byte
	)
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		if row, err = tx.Documents().ByPath(ctx, s.Row, limit.Page); err != nil {
			return err
		}
		text, err = tx.History().Bytes(ctx, row.Hash)
		return err
	})
	if kb.CodeOf(err) == kb.NotFound {
		return out, nil, nil
	}
	if err != nil || doc.ConflictLine(text) > 0 {
		return out, nil, err
	}
	d := codec.Parse(limit.Page, text)
	gone, large := decide(d, limit, s.Policy.Calendar(sess.Now().Location()).Of(sess.Now()))
	for _, l := range large {
		out.Large = append(out.Large, fmt.Sprintf("%s, %d bytes,", l.heading, l.span.Len()))
	}
	if len(gone) == 0 {
		return out, nil, nil
	}
	var cuts []doc.Splice
	for _, g := range gone {
		out.Sections = append(out.Sections, g.heading)
		cuts = append(cuts, doc.Splice{Span: g.span})
	}
	if text, err = doc.ApplySplices(d.Text, cuts); err == nil {
		text, err = d.Encode(text)
	}
	return out, &write.Change{
		Space: s, Path: limit.Page, Of: row.ID, Expected: &row.Version,
		Action: write.Put{Bytes: text, Overwrite: true, KeepID: true, Copied: true},
	}, err
}
