package gitsync

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

// Initial .gitignore and .gitattributes of a space. The attributes prevent git from
// changing bytes.
var (
	ignored    = []string{"*~", `\#*\#`, ".#*", ".DS_Store", "*.sync-conflict-*"}
	attributes = []string{"*.org text eol=lf", "*.md text eol=lf", "*.org merge=cairn", "*.md merge=cairn", "**/.raw/*.json merge=cairn"}
)

// Provision adds a space with add. If requested, it first makes the directory a git
// repository, sets its remote, and commits the initial files. Existing files are
// kept.
func Provision(ctx context.Context, sess *memory.Session, req space.AddRequest, add func(context.Context, space.AddRequest) (api.Space, error)) (api.Space, error) {
	if !req.Init && req.Remote == "" {
		if err := hasRepository(ctx, sess, req); err != nil {
			return api.Space{}, err
		}
		out, err := add(ctx, req)
		if err == nil && !req.DryRun {
			err = drive(ctx, sess, &out)
			driveOnAccept(sess, &out)
		}
		return out, err
	}
	t, err := provisioned(ctx, sess, &req)
	if err != nil {
		return api.Space{}, err
	}
	if req.DryRun {
		return add(ctx, req)
	}
	if err := sess.Spaces.MayAttach(ctx, t.Dir, req); err != nil {
		return api.Space{}, err
	}
	req.Allowed = true
	made := false // this call created the repository
	if req.Init {
		if err := fsys.MakeDir(t.Dir); err != nil {
			return api.Space{}, fsys.Explain(err, "make %s", t.Dir)
		}
		if made, err = t.Init(ctx, req.Remote); err != nil {
			return api.Space{}, refusedByGit(err)
		}
	}
	r, err := t.Open(ctx)
	if err != nil {
		return api.Space{}, refusedByGit(err)
	}
	if req.Remote != "" {
		if err := t.SetRemote(ctx, r, req.Remote); err != nil {
			return api.Space{}, refusedByGit(err)
		}
	}
	out, err := add(ctx, req)
	if err != nil && out.ID != "" {
		err = kb.Errorf(kb.CodeOf(err), "%s was added, but not its first pages: %w", out.Name, err).
			WithHint("Mend that, and run it again.")
	}
	if err == nil && (made || sess.Actor.Kind == kb.Human) {
		err = acceptProvisioned(ctx, sess, &out)
	}
	if err == nil && req.Init {
		err = begin(ctx, sess, &out)
	}
	if err == nil {
		err = drive(ctx, sess, &out)
		driveOnAccept(sess, &out)
	}
	return out, err
}

// acceptProvisioned accepts the programs and remotes of a repository that cairn
// itself created or configured: a person asked for them, or there were none before.
func acceptProvisioned(ctx context.Context, sess *memory.Session, out *api.Space) error {
	s, err := sess.Spaces.ByName(ctx, out.Name)
	if err != nil {
		return err
	}
	out.Waiting = slices.DeleteFunc(out.Waiting, func(p kb.PolicyPart) bool { return p.Name == kb.GitPart })
	return sess.Spaces.AcceptPrograms(ctx, s)
}

// hasRepository rejects a guarded space without a repository: no page could ever be
// written to it.
func hasRepository(ctx context.Context, sess *memory.Session, req space.AddRequest) error {
	if req.Database || req.Root == "" {
		return nil
	}
	pol, err := space.Foreseen(ctx, sess.Spaces, req)
	if err != nil || !pol.Guard.Commit {
		return nil // adding the space reports the problem
	}
	dir, err := sess.Spaces.Place.Located(req.Root)
	if err != nil {
		return err
	}
	if _, err := (&git.Tree{Dir: dir}).Open(ctx); errors.Is(err, git.ErrNoRepository) && fsys.Exists(dir) {
		return refusedByGit(err)
	}
	return nil
}

// drive registers cairn as git's merge driver for the documents of a guarded
// space, if the attributes of its files name it. A clone has the attributes,
// but not the configuration that they refer to.
func drive(ctx context.Context, sess *memory.Session, out *api.Space) error {
	s, err := sess.Spaces.ByName(ctx, out.Name)
	if err != nil {
		return err
	}
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || !w.Guards() {
		return err
	}
	t := w.Tree()
	if _, err := t.Open(ctx); err != nil {
		return nil // the commit reports it
	}
	if err := t.Drive(ctx, "document."+w.Policy.Format); err != nil && ctx.Err() == nil {
		out.Warnings = append(out.Warnings, "git will not merge pages by cairn: "+err.Error())
	}
	return ctx.Err()
}

// driveOnAccept registers the merge driver for a policy that is accepted after the
// space was added, as adding the space with it does.
func driveOnAccept(sess *memory.Session, out *api.Space) {
	accept, name := out.Accept, out.Name
	if accept == nil {
		return
	}
	out.Accept = func(ctx context.Context) error {
		if err := accept(ctx); err != nil {
			return err
		}
		s := api.Space{Name: name}
		err := drive(ctx, sess, &s)
		for _, w := range s.Warnings {
			sess.Notices.Add(w)
		}
		return err
	}
}

// provisioned validates a request, makes a remote that is a directory absolute, and
// returns the directory.
func provisioned(ctx context.Context, sess *memory.Session, req *space.AddRequest) (*git.Tree, error) {
	if req.Database || req.Root == "" {
		return nil, kb.Errorf(kb.Usage, "only a directory is kept in git")
	}
	if err := space.OnlyPersonsName(sess.Actor, req.Remote); err != nil {
		return nil, err
	}
	pol, err := space.Foreseen(ctx, sess.Spaces, *req)
	if err != nil {
		return nil, err
	}
	if !pol.Guard.Commit {
		return nil, kb.Errorf(kb.Usage, "a space of the preset %s is not kept in git", pol.Preset).WithHint("That is commit = true in [guard], as the preset guarded has it.")
	}
	if req.Remote != "" {
		if err := git.CheckRemote(req.Remote); err != nil {
			return nil, err
		}
		at, err := sess.Spaces.Place.Located(req.Remote)
		if strings.HasPrefix(req.Remote, ".") || strings.HasPrefix(req.Remote, "~") || filepath.IsAbs(req.Remote) || err == nil && fsys.Exists(at) {
			if err != nil {
				return nil, err
			}
			req.Remote = at // git would resolve it relative to the space
		}
	}
	dir, err := sess.Spaces.Place.Located(req.Root)
	return &git.Tree{Dir: dir}, err
}

// refusedByGit is the error for a failure of git while a space is created.
func refusedByGit(err error) error {
	if kb.CodeOf(err) != kb.Internal {
		return err
	}
	return kb.Errorf(kb.Conflict, "%w", err).WithHint("The space was not added.")
}

// begin adds the git files to a space, and commits all of its files.
func begin(ctx context.Context, sess *memory.Session, out *api.Space) error {
	for name, lines := range map[string][]string{".gitignore": ignored, ".gitattributes": attributes} {
		if err := space.AddLines(ctx, sess.Spaces, out.Root, name, lines); err != nil {
			return err
		}
	}
	s, err := sess.Spaces.ByName(ctx, out.Name)
	if err != nil {
		return err
	}
	w, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil {
		return err
	}
	if _, err := freshness.Sync(ctx, sess, s, freshness.Request{}); err != nil {
		return err
	}
	done, err := commitFiles(ctx, sess, w, nil, Request{Message: "begin the space"})
	if kb.CodeOf(err) == kb.Conflict || kb.CodeOf(err) == kb.Refused {
		out.Warnings = append(out.Warnings, "not committed yet: "+kb.AsError(err).Error())
		return nil
	}
	var failing []string
	for _, f := range done.Left {
		failing = append(failing, f.Path)
	}
	if failing = slices.Compact(failing); len(failing) > 0 { // notes of another program may have several faults each
		out.Warnings = append(out.Warnings, fmt.Sprintf("not committed because of fatal faults: %s; see them: cairn lint --space %s", api.Names(failing), safetext.Word(out.Name)))
	}
	return err
}
