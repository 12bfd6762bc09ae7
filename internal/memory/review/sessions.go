package review

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// pause is the longest one within a session.
const pause = 30 * time.Minute

// follows is the operation of writes that refresh generated parts of pages.
const follows = "region"

// SessionsRequest asks for the sessions of agents, in all spaces that the caller may use.
type SessionsRequest struct {
	Since         string // date or date phrase; "" is the mark of the caller, or a week without one
	Decided       bool   // also those about which the caller has decided
	Limit, Offset int    // Limit 0 is all
	Pages         int    // of each session at most; 0 is all
}

// Sessions lists the sessions of agents, the newest first.
func Sessions(ctx context.Context, sess *memory.Session, req SessionsRequest) (out api.WorkSessions, err error) {
	out.Items = []api.WorkSession{}
	var since time.Time
	if req.Since != "" {
		if since, err = query.Since(req.Since, sess.Now()); err != nil {
			return out, err
		}
	}
	var (
		shown  []session
		decide map[int64]api.Decision
		spaces map[int64]string

		projects map[kb.ID][]string
	)
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		m, err := read(ctx, tx, sess.Actor)
		if err != nil {
			return err
		}
		if decide, err = m.decisions(ctx, tx); err != nil {
			return err
		}
		f, err := m.unseen(ctx, sess, tx)
		if err != nil {
			return err
		}
		switch {
		case req.Since != "":
			f.After, f.Since = 0, since
		case f.After != 0:
			since = m.SeenAt
		default:
			since = f.Since
		}
		if out.Through, err = tx.History().Seq(ctx, sess.Now().Add(24*time.Hour)); err != nil {
			return err
		}
		known, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		spaces = space.Names(known)
		found, err := memory.Keep[histories](sess).read(ctx, tx, f)
		if err != nil {
			return err
		}
		for _, s := range found.sessions {
			if !req.Decided && !slices.ContainsFunc(s.versions, func(v kb.Version) bool { return decide[v.Seq] == "" }) {
				out.Decided++
				continue
			}
			shown = append(shown, s)
		}
		out.Total = len(shown)
		shown = shown[min(max(req.Offset, 0), len(shown)):]
		shown = shown[:min(api.Limit(req.Limit), len(shown))]
		projects, err = projectsOf(ctx, tx, f.Spaces, shown)
		return err
	})
	if err != nil {
		return out, err
	}
	out.Since = since.UTC().Truncate(time.Second)
	for _, s := range shown {
		item, runs := s.describe(spaces)
		for _, r := range runs[:min(api.Limit(req.Pages), len(runs))] {
			item.Pages = append(item.Pages, r.describe(spaces, decide))
		}
		if len(projects) > 0 {
			for _, v := range s.versions {
				item.Projects = append(item.Projects, projects[v.Page]...)
			}
			slices.Sort(item.Projects)
			item.Projects = slices.Compact(item.Projects)
		}
		out.Items = append(out.Items, item)
	}
	out.Next = api.Next(req.Offset, len(shown), out.Total)
	return out, nil
}

// unseen selects the changes of agents since the mark, of a week without one, in all spaces
// that the caller may use.
func (m mark) unseen(ctx context.Context, sess *memory.Session, tx store.Tx) (store.VersionFilter, error) {
	f := store.VersionFilter{Actor: kb.Actor{Kind: kb.Agent}, After: m.Seen}
	if m.Seen == 0 {
		f.Since = sess.Now().Add(-7 * 24 * time.Hour).Truncate(time.Hour)
	}
	var err error
	f.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, true)
	return f, err
}

// fewTagged is how many pages with a project are read rather than the ids of all pages.
const fewTagged = 100

// projectsOf returns the projects of the pages of some sessions, by their tags: pages that are
// captured in a repository have one.
func projectsOf(ctx context.Context, tx store.Tx, spaces []int64, of []session) (map[kb.ID][]string, error) {
	if len(of) == 0 {
		return nil, nil
	}
	tagged, err := tx.Pages().Rows(ctx, store.Filter{Spaces: spaces, Tags: []string{space.ProjectTags}})
	if err != nil || len(tagged) == 0 {
		return nil, err
	}
	written := map[kb.ID]bool{}
	for _, s := range of {
		for _, v := range s.versions {
			written[v.Page] = true
		}
	}
	rows := tagged
	if len(tagged) > fewTagged {
		if rows, err = tx.Pages().ByIDs(ctx, func(id kb.ID) bool { return written[id] }); err != nil {
			return nil, err
		}
		rows = slices.DeleteFunc(rows, func(row int64) bool {
			_, is := slices.BinarySearch(tagged, row)
			return !is
		})
	}
	pages, err := tx.Pages().Get(ctx, rows)
	out := map[kb.ID][]string{}
	for _, p := range pages {
		if !written[p.ID] {
			continue
		}
		for _, tag := range p.Tags {
			if name, ok := strings.CutPrefix(tag, space.ProjectTags+"/"); ok {
				out[p.ID] = append(out[p.ID], name)
			}
		}
	}
	return out, err
}

// session is the writes of one actor without a long pause.
type session struct {
	actor    kb.Actor
	versions []kb.Version // newest first
	writes   map[int64]kb.Write
}

// group puts versions, which are the newest first, into sessions, the newest first.
func group(versions []kb.Version, writes []kb.Write) []session {
	of := map[int64]kb.Write{}
	for _, w := range writes {
		if w.Operation != follows {
			of[w.ID] = w
		}
	}
	var out []session
	open := map[kb.Actor]int{}
	for _, v := range versions {
		w, ok := of[v.Write]
		if !ok {
			continue
		}
		at, ok := open[v.Actor]
		if ok {
			last := out[at].versions[len(out[at].versions)-1]
			ok = last.Time.Sub(v.Time) <= pause
		}
		if !ok {
			at = len(out)
			open[v.Actor] = at
			out = append(out, session{actor: v.Actor, writes: map[int64]kb.Write{}})
		}
		out[at].versions = append(out[at].versions, v)
		out[at].writes[w.ID] = w
	}
	return out
}

// joined adds the sessions of later versions to those of earlier ones. An actor's newest session
// may go on in the oldest one of the later. None of those given is changed.
func joined(later, earlier []session) []session {
	newest := map[kb.Actor]int{} // in earlier
	for i, s := range earlier {
		if _, ok := newest[s.actor]; !ok {
			newest[s.actor] = i
		}
	}
	out := slices.Clone(later)
	goesOn := map[int]bool{}
	for i := len(out) - 1; i >= 0; i-- {
		s := out[i]
		at, ok := newest[s.actor]
		if !ok {
			continue
		}
		delete(newest, s.actor)
		if before := earlier[at]; s.versions[len(s.versions)-1].Time.Sub(before.versions[0].Time) <= pause {
			goesOn[at] = true
			out[i].versions = slices.Concat(s.versions, before.versions)
			out[i].writes = maps.Clone(before.writes)
			maps.Copy(out[i].writes, s.writes)
		}
	}
	for i, s := range earlier {
		if !goesOn[i] {
			out = append(out, s)
		}
	}
	return out
}

// describe describes a session without its pages, and returns their runs.
func (s session) describe(spaces map[int64]string) (api.WorkSession, []run) {
	newest, oldest := s.versions[0], s.versions[len(s.versions)-1]
	out := api.WorkSession{
		Write: oldest.Write, Last: newest.Write, Actor: s.actor.String(), From: oldest.Time.UTC(), Until: newest.Time.UTC(),
		Writes: len(s.writes), Spaces: []string{}, Pages: []api.PageChange{},
	}
	said := map[string]bool{}
	for _, v := range s.versions {
		if name := spaces[v.Space]; !slices.Contains(out.Spaces, name) {
			out.Spaces = append(out.Spaces, name)
		}
		if m := s.writes[v.Write].Message; m != "" && !said[m] {
			said[m] = true
			out.Messages = append(out.Messages, m)
		}
	}
	slices.Sort(out.Spaces)
	slices.Reverse(out.Messages)
	runs := s.runs()
	out.Changed = len(runs)
	return out, runs
}

// run is versions of a page without another's between them, newest first.
type run []kb.Version

func (r run) newest() kb.Version { return r[0] }
func (r run) oldest() kb.Version { return r[len(r)-1] }

// runs are the changes of pages, the page that was written last first.
func (s session) runs() []run {
	type page struct {
		space int64
		id    kb.ID
	}
	var out []run
	at := map[page]int{}
	for _, v := range s.versions {
		k := page{v.Space, v.Page}
		if i, ok := at[k]; ok && out[i].oldest().Version == v.Version+1 {
			out[i] = append(out[i], v)
			continue
		}
		at[k] = len(out)
		out = append(out, run{v})
	}
	return out
}

func (r run) describe(spaces map[int64]string, decided map[int64]api.Decision) api.PageChange {
	newest, oldest := r.newest(), r.oldest()
	p := api.PageChange{
		ID: newest.Page, Ref: spaces[newest.Space] + ":" + link.Slug(newest.Path), Title: newest.Title, Change: kb.Changed,
		From: oldest.Version - 1, To: newest.Version,
	}
	switch {
	case newest.Change == kb.Deleted:
		p.Change = kb.Deleted
	case slices.ContainsFunc(r, func(v kb.Version) bool { return v.Change == kb.Created }):
		p.Change = kb.Created
	case slices.ContainsFunc(r, func(v kb.Version) bool { return v.Change == kb.Moved }):
		p.Change = kb.Moved
	}
	p.Decision = decided[newest.Seq]
	for _, v := range r {
		if decided[v.Seq] != p.Decision {
			p.Decision = ""
		}
	}
	return p
}

// versions are those of the changes that a request is about, newest first.
func versions(ctx context.Context, sess *memory.Session, req ChangeRequest) (found []kb.Version, writes []kb.Write, err error) {
	if req.Write < 1 || req.Last != 0 && req.Last < req.Write {
		return nil, nil, kb.Errorf(kb.Usage, "there are no writes from %d to %d", req.Write, cmp.Or(req.Last, req.Write))
	}
	f := store.VersionFilter{Write: req.Write, Last: req.Last}
	if req.Ref != "" {
		if err := sameDocument(ctx, sess, req.Ref, &f); err != nil {
			return nil, nil, err
		}
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		first, err := tx.History().Write(ctx, req.Write)
		if kb.CodeOf(err) == kb.NotFound {
			return kb.Errorf(kb.NotFound, "there is no write %d", req.Write).WithReason(kb.NoSuchWrite)
		}
		if err != nil {
			return err
		}
		f.Actor = first.Actor
		if req.Ref == "" {
			m, err := read(ctx, tx, sess.Actor)
			if err != nil {
				return err
			}
			unseen, err := m.unseen(ctx, sess, tx)
			if err != nil {
				return err
			}
			known, all, err := memory.Keep[histories](sess).within(ctx, tx, unseen, first, max(req.Write, req.Last))
			if all || err != nil {
				found, writes = known.versions, known.writes
				return err
			}
			f.Spaces = unseen.Spaces
		}
		if found, _, err = tx.History().Versions(ctx, f, 1<<30, 0); err != nil {
			return err
		}
		writes, _, err = tx.History().Writes(ctx, f, 1<<30, 0)
		return err
	})
	return found, writes, err
}
