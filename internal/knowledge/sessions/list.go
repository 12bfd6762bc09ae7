package sessions

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// ListRequest asks for past sessions.
type ListRequest struct {
	Project       string // directory in or below which they ran, or a directory name; "" for all
	Since         string // date or date phrase; "" for all
	Client        string // "" for all
	Limit, Offset int    // Limit 0 is all
}

// List returns past sessions, newest first. It refreshes the spaces first.
func List(ctx context.Context, sess *memory.Session, req ListRequest) (out api.PastSessions, err error) {
	out.Items = []api.PastSession{}
	found, err := spaces(ctx, sess)
	if err != nil {
		return out, err
	}
	if len(found) == 0 {
		sess.Notices.Add("no past sessions are attached")
		return out, nil
	}
	came, err := freshness.ToRead(ctx, sess, found, nil)
	if err != nil {
		return out, err
	}
	sess.Notices.Add(came.Notes...)
	all, err := known(ctx, sess, found, req)
	if err != nil {
		return out, err
	}
	out.Total = len(all)
	all = all[min(max(req.Offset, 0), len(all)):]
	out.Items = append(out.Items, all[:min(api.Limit(req.Limit), len(all))]...)
	out.Next = api.Next(req.Offset, len(out.Items), out.Total)
	return out, nil
}

// OfProject returns the newest sessions that ran in a directory or below it, from
// the last refresh: it reads no transcript.
func OfProject(ctx context.Context, sess *memory.Session, dir string, most int) ([]api.PastSession, error) {
	found, err := spaces(ctx, sess)
	if err != nil || len(found) == 0 || dir == "" {
		return nil, err
	}
	all, err := known(ctx, sess, found, ListRequest{Project: dir})
	return all[:min(most, len(all))], err
}

// spaces returns the spaces of sessions that the caller may use.
func spaces(ctx context.Context, sess *memory.Session) (out []kb.Space, err error) {
	all, err := sess.Spaces.Directories(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if space.OfSessions(s) && (sess.Spaces.Pinned == "" || strings.EqualFold(sess.Spaces.Pinned, s.Name)) {
			out = append(out, s)
		}
	}
	return out, nil
}

func known(ctx context.Context, sess *memory.Session, found []kb.Space, req ListRequest) (out []api.PastSession, err error) {
	since := sess.Now().AddDate(-1000, 0, 0)
	if req.Since != "" {
		if since, err = query.Since(req.Since, sess.Now()); err != nil {
			return nil, err
		}
	}
	in := projects(sess, req.Project)
	for _, s := range found {
		open, err := sess.Spaces.OpenSpace(ctx, s)
		if err != nil {
			return nil, err
		}
		st, err := read(ctx, sess, s, open.Files)
		if err != nil {
			return nil, err
		}
		for _, x := range st.Sources {
			p := x.Session
			if x.Page == "" || x.ended().Before(since) || req.Client != "" && req.Client != string(p.Client) || !in(p.Project) {
				continue
			}
			out = append(out, api.PastSession{
				ID: p.ID, Client: string(p.Client), Ref: s.Name + ":" + link.Slug(x.Page), Title: p.Name(), Project: p.Project, Branch: p.Branch,
				Started: p.Started, Ended: x.ended(), Turns: p.Turns, Files: p.Files, Commits: p.Commits, Open: p.Left(),
				Resume: p.Client.Resume(p.ID), Gone: x.Gone, Unknown: p.Unknown,
			})
		}
	}
	slices.SortFunc(out, func(a, b api.PastSession) int { return cmp.Or(b.Ended.Compare(a.Ended), cmp.Compare(a.Ref, b.Ref)) })
	return out, nil
}

// projects returns a function that reports whether a directory is in a project: a
// path, or a directory name.
func projects(sess *memory.Session, project string) func(dir string) bool {
	switch {
	case project == "":
		return func(string) bool { return true }
	case !strings.ContainsAny(project, `/\.~`):
		return func(dir string) bool {
			return slices.ContainsFunc(strings.FieldsFunc(filepath.ToSlash(dir), func(r rune) bool { return r == '/' }), func(name string) bool {
				return space.ProjectSlug(name) == space.ProjectSlug(project)
			})
		}
	}
	root := sess.Place.Absolute(project)
	return func(dir string) bool {
		rel, err := filepath.Rel(root, dir)
		return dir != "" && err == nil && filepath.IsLocal(rel)
	}
}
