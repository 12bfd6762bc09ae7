package generated

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// settingsKey is the settings key for the mark of a space at its last complete
// refresh.
func settingsKey(s kb.Space) string { return "regions." + string(s.ID) }

// mark identifies the state of a space: its newest version and its policy.
func mark(ctx context.Context, tx store.Tx, s *write.Space) (string, error) {
	newest, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{s.Row}}, 1, 0)
	if err != nil {
		return "", err
	}
	text, err := s.Policy.Render()
	if err != nil {
		return "", err
	}
	seq := int64(0)
	if len(newest) > 0 {
		seq = newest[0].Seq
	}
	return fmt.Sprintf("%d %x", seq, sha256.Sum256(text)), nil
}

// RefreshDue regenerates the regions of a space that may be affected by changes
// since they were generated.
func RefreshDue(ctx context.Context, sess *memory.Session, s kb.Space) ([]api.GeneratedReport, error) {
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || len(space.Policy.Regions) == 0 {
		return nil, err
	}
	var (
		now, seen string
		since     []kb.Version
	)
	err = sess.DB.View(ctx, func(tx store.Tx) (err error) {
		if now, err = mark(ctx, tx, space); err != nil {
			return err
		}
		if seen, err = tx.Settings().Get(ctx, settingsKey(s)); err != nil || now == seen {
			return err
		}
		seq, rules, _ := strings.Cut(seen, " ")
		if n, err := strconv.ParseInt(seq, 10, 64); err == nil && strings.HasSuffix(now, " "+rules) {
			since, _, err = tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{s.Row}, After: n}, maxChanges, 0)
			return err
		}
		return nil
	})
	if err != nil || now == seen {
		return nil, err
	}
	if len(since) == 0 || len(since) == maxChanges || slices.ContainsFunc(since, func(v kb.Version) bool { return v.Change == kb.Moved }) {
		return run(ctx, sess, space, space.Policy.Regions, false)
	}
	var touched []policy.Region
	for _, r := range space.Policy.Regions {
		if slices.ContainsFunc(since, func(v kb.Version) bool { return concerns(r, v.Path) }) {
			touched = append(touched, r)
		}
	}
	return run(ctx, sess, space, touched, false)
}

// maxChanges bounds how many changes are matched with regions; after more, all
// regions are regenerated.
const maxChanges = 100

// concerns reports whether a change of the page at a path may affect a region.
func concerns(r policy.Region, changed string) bool {
	if glob.Match(r.Page, changed) {
		return true
	}
	paths, except := r.Of(r.Page)
	return r.Show != policy.ViewCredentials && policy.Shows(paths, except, changed)
}

// Generated regenerates the parts of pages that are derived from other pages.
var Generated = calendar.Work[api.GeneratedReport]{
	Operation: "region",
	Wants:     func(p *policy.Policy) bool { return len(p.Regions) > 0 },
}

// Run regenerates the regions of a space. A page that cannot be written does not
// prevent the others.
func Run(ctx context.Context, sess *memory.Session, s kb.Space, dryRun bool) (out []api.GeneratedReport, err error) {
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || !Generated.Wants(space.Policy) {
		return nil, err
	}
	return run(ctx, sess, space, space.Policy.Regions, dryRun)
}

// run regenerates some regions of a space, given that the others are up to date.
func run(ctx context.Context, sess *memory.Session, space *write.Space, regions []policy.Region, dryRun bool) (out []api.GeneratedReport, err error) {
	before := ""
	out, whole, err := Generated.RunIn(ctx, sess, space, func(yield func(calendar.Step[api.GeneratedReport]) bool) {
		var pages []kb.Page
		err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
			if before, err = mark(ctx, tx, space); err == nil && len(regions) > 0 {
				pages, err = all(ctx, tx, space)
			}
			return err
		})
		if err != nil {
			yield(calendar.Step[api.GeneratedReport]{Err: err})
			return
		}
		plan(ctx, sess, space, regions, pages, yield)
	}, dryRun)
	if err != nil || dryRun || !whole {
		return out, err
	}
	if slices.ContainsFunc(out, func(r api.GeneratedReport) bool { return r.Made && r.Write != 0 }) {
		more, err := run(ctx, sess, space, space.Policy.Regions, false) // regions may list other regions
		return append(out, more...), err
	}
	return out, settle(ctx, sess, space, before, out)
}

// plan yields one step for all regions. When that write fails because one of the
// pages changes at the same time, it yields one step per page. Pages with
// conflicting changes are left to the next run.
func plan(ctx context.Context, sess *memory.Session, space *write.Space, regions []policy.Region, pages []kb.Page, yield func(calendar.Step[api.GeneratedReport]) bool) {
	var (
		whole   calendar.Step[api.GeneratedReport]
		changed []int // indexes of the reports with a change
	)
	for _, r := range regions {
		for _, at := range pagesOf(r, pages) {
			report, c, err := one(ctx, sess, space, r, at, pages)
			switch {
			case err != nil:
				if !yield(calendar.Step[api.GeneratedReport]{Page: at, Err: err}) {
					return
				}
			case report != nil:
				if c != nil {
					whole.Changes, changed = append(whole.Changes, *c), append(changed, len(whole.Reports))
				}
				whole.Reports = append(whole.Reports, *report)
			}
		}
	}
	message := func(changes []write.Change) string {
		out := changes[0].Path + " is regenerated"
		if n := len(changes) - 1; n > 0 {
			out += ", and " + api.Plural(n, "other page")
		}
		return out
	}
	whole.Wrote = func(reports []api.GeneratedReport, id int64) {
		for _, i := range changed {
			reports[i].Write = id
		}
	}
	for i, c := range whole.Changes {
		whole.Parts = append(whole.Parts, calendar.Step[api.GeneratedReport]{
			Page: c.Path, Changes: []write.Change{c}, Message: message([]write.Change{c}),
			Wrote: func(_ []api.GeneratedReport, id int64) { whole.Reports[changed[i]].Write = id },
		})
	}
	if len(whole.Changes) > 0 {
		whole.Message = message(whole.Changes)
	}
	yield(whole)
}

// settle records that the regions of a space are up to date, unless there were
// other writes in the meantime.
func settle(ctx context.Context, sess *memory.Session, s *write.Space, before string, done []api.GeneratedReport) error {
	own := map[int64]bool{}
	for _, r := range done {
		own[r.Write] = true // 0 means none
	}
	return sess.DB.Update(ctx, func(tx store.Tx) error {
		now, err := mark(ctx, tx, s)
		if err != nil {
			return err
		}
		seq := int64(0)
		if _, err := fmt.Sscan(before, &seq); err != nil {
			return err
		}
		since, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{s.Row}, After: seq}, 0, 0)
		if err != nil || slices.ContainsFunc(since, func(v kb.Version) bool { return !own[v.Write] }) {
			return err
		}
		return tx.Settings().Set(ctx, settingsKey(s.Space), now)
	})
}

// all returns the pages of a space, by path.
func all(ctx context.Context, tx store.Tx, s *write.Space) ([]kb.Page, error) {
	pages, _, err := tx.Pages().List(ctx, store.Filter{Spaces: []int64{s.Row}}, store.BySlug, 0, 0)
	pages = slices.DeleteFunc(pages, func(p kb.Page) bool { return p.Node != "" })
	slices.SortFunc(pages, func(a, b kb.Page) int {
		if x := strings.Compare(path.Dir(a.Path), path.Dir(b.Path)); x != 0 {
			return x
		}
		return strings.Compare(a.Path, b.Path)
	})
	return pages, err
}

// pagesOf lists the paths of the pages that have a region or should have it:
// existing pages, and missing ones next to existing pages.
func pagesOf(r policy.Region, pages []kb.Page) (out []string) {
	if !strings.ContainsAny(r.Page, glob.Special) {
		return []string{r.Page}
	}
	found := map[string]bool{}
	for _, p := range pages {
		if glob.Match(r.Page, p.Path) {
			found[p.Path] = true
		}
		if r.Text == "" {
			continue
		}
		for dir := path.Dir(p.Path); dir != "."; dir = path.Dir(dir) {
			if at := dir + "/" + path.Base(r.Page); glob.Match(r.Page, at) {
				found[at] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// one plans the region of one page; nil when it is up to date.
func one(ctx context.Context, sess *memory.Session, s *write.Space, r policy.Region, at string, pages []kb.Page) (*api.GeneratedReport, *write.Change, error) {
	d, err := change.At(ctx, sess, s, at)
	if err != nil {
		return nil, nil, err
	}
	out := &api.GeneratedReport{Space: s.Name, Page: at}
	shown, err := listEntries(ctx, sess, s, r, at, pages)
	if err != nil {
		return nil, nil, err
	}
	text := d.Doc.Text
	if !d.Exists() {
		if r.Text == "" || len(shown) == 0 {
			return nil, nil, nil
		}
		text, out.Made = []byte(strings.ReplaceAll(r.Text, "{name}", path.Base(path.Dir(at)))), true
	}
	inner, problem := find(text, r.Mark)
	if problem != "" {
		out.Problem = problem
		return out, nil, nil
	}
	made := shower{s.Policy, r, at, d.Codec.Format(), pages}.show(shown)
	if strings.Contains(string(text), "\r\n") {
		made = strings.ReplaceAll(made, "\n", "\r\n")
	}
	if made == string(text[inner.Start:inner.End]) && !out.Made {
		return nil, nil, nil
	}
	if text, err = doc.ApplySplices(text, []doc.Splice{{Span: inner, New: made}}); err == nil && d.Exists() {
		text, err = d.Doc.Encode(text)
	}
	if err != nil {
		return nil, nil, err
	}
	c := d.Put(text)
	return out, &c, nil
}

// listEntries returns the pages that a region lists, with the metadata that it
// needs.
func listEntries(ctx context.Context, sess *memory.Session, s *write.Space, r policy.Region, at string, pages []kb.Page) (out []entry, err error) {
	if r.Show == policy.ViewCredentials {
		return nil, nil
	}
	paths, except := r.Of(at)
	values := len(r.Columns)+len(r.Groups) > 0
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		for i := range pages {
			p := &pages[i]
			if !policy.Shows(paths, except, p.Path) {
				continue
			}
			in := entry{Page: p}
			if values {
				properties, err := tx.Pages().Properties(ctx, p.Row)
				if err != nil {
					return err
				}
				in.values = map[string][]string{"status": {string(p.Status)}, "type": {p.Type}}
				said := map[string]bool{}
				for _, v := range properties {
					key := strings.ToLower(v.Key)
					if !said[key] {
						said[key], in.values[key] = true, nil
					}
					in.values[key] = append(in.values[key], v.Text)
				}
			}
			out = append(out, in)
		}
		return nil
	})
	return out, err
}

// Emptied returns a text without the generated regions of its page, for comparing
// the rest.
func Emptied(p *policy.Policy, at string, text []byte) []byte {
	for _, r := range p.Regions {
		if !glob.Match(r.Page, at) {
			continue
		}
		if inner, problem := find(text, r.Mark); problem == "" {
			if cut, err := doc.ApplySplices(text, []doc.Splice{{Span: inner}}); err == nil {
				text = cut
			}
		}
	}
	return text
}

// Problems lists the problems that prevent regions of a space from being generated.
func Problems(ctx context.Context, sess *memory.Session, s kb.Space) (out []string, err error) {
	done, err := Run(ctx, sess, s, true)
	for _, r := range done {
		if r.Problem != "" {
			out = append(out, r.Page+": "+r.Problem)
		}
	}
	return out, err
}
