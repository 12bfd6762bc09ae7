package change

import (
	"context"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// destination returns the new path of a moved page.
func destination(ctx context.Context, sess *memory.Session, p chosen, s MoveStep, req Request) (to string, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		if to, err = within(p.space, all, s.To); err != nil {
			return err
		}
		if to, err = pathAfter(p, to, req); err != nil {
			return err
		}
		if doc.ForPath(sess.Codecs, to) == nil {
			if p.dir == "" && !strings.HasSuffix(s.To, "/") && !strings.HasPrefix(to, "/") && len(req.Refs) == 1 {
				to = renamed(p, to)
			}
			to += path.Ext(p.Path)
		}
		// A single slash is the directory of the space. The write path rejects any
		// other invalid path.
		if strings.HasSuffix(s.To, ":/") || s.To == "/" {
			to = strings.TrimPrefix(to, "/")
		}
		to = path.Clean(to)
		if now, ok := p.space.Policy.Unaliased(to); ok {
			to = now
		}
		bear, err := ref.ByName(ctx, tx, link.Slug(to), p.space.Space)
		if err != nil {
			return err
		}
		return ref.SlugIsFree(bear, to, p.Path)
	})
	return to, err
}

// renamed returns the path without extension of a page with a new name. In spaces
// with one folder, where file names contain the levels, it is the path of a new
// page of this name; in Dendron, which may have several vaults, within the folder
// of the page.
func renamed(p chosen, name string) string {
	syntax := doc.SyntaxOf(p.space.Policy.Syntax)
	if syntax.Level == "" || syntax.Named {
		return space.NamedPath(p.space, name)
	}
	if first, _, below := strings.Cut(name, "/"); below && p.space.Files != nil {
		if info, err := p.space.Files.Lstat(first); err == nil && info.IsDir() {
			return name
		}
	}
	return path.Join(path.Dir(p.Path), strings.ReplaceAll(name, "/", syntax.Level))
}

// pathAfter returns the path of a page after a move of its selection to a path.
func pathAfter(p chosen, to string, req Request) (string, error) {
	into, name := strings.HasSuffix(to, "/"), path.Base(p.Path)
	if p.dir != "" {
		name = p.Path[len(p.dir)+1:]
	}
	switch {
	case req.Where != nil || len(req.Refs) > 1:
		if !into {
			return "", kb.Errorf(kb.Usage, "several pages move into a directory, and %q is the name of a page", to).
				WithHint("End it in a slash: %s/", to)
		}
		if req.Where == nil && p.dir != "" {
			name = path.Base(p.dir) + "/" + name
		}
		return to + name, nil
	case p.dir == "" && into:
		return to + name, nil
	case p.dir == "":
		return to, nil
	case into:
		to += path.Base(p.dir)
	}
	if strings.HasPrefix(cleanDir(to)+"/", p.dir+"/") && cleanDir(to) != p.dir {
		return "", kb.Errorf(kb.Usage, "%s cannot move into itself", p.dir)
	}
	return to + "/" + name, nil
}

// mayTake does not allow moving a directory onto an existing one, which would mix
// the pages of the two.
func mayTake(ctx context.Context, sess *memory.Session, found []chosen, req Request) error {
	if req.Where != nil || len(req.Refs) != 1 || found[0].dir == "" {
		return nil
	}
	for _, s := range req.Steps {
		move, ok := s.(MoveStep)
		if !ok {
			continue
		}
		to, err := destination(ctx, sess, found[0], move, req)
		if err != nil {
			return err
		}
		to = strings.TrimSuffix(to, found[0].Path[len(found[0].dir):])
		var there []kb.Page
		err = sess.DB.View(ctx, func(tx store.Tx) (err error) {
			there, err = documentsBelow(ctx, tx, found[0].space.Space, to)
			return err
		})
		if err != nil {
			return err
		}
		if len(there) > 0 && there[0].Path != found[0].Path {
			return kb.Errorf(kb.Conflict, "there is a directory %s already", to).
				WithHint("Nothing was changed. To move it into that one, end the path in a slash: %s/", to).With("path", to)
		}
	}
	return nil
}

// within returns the part of a name after its space, which must be this space:
// pages do not move between spaces.
func within(home *write.Space, all []kb.Space, raw string) (string, error) {
	for _, s := range all {
		rest, ok := strings.CutPrefix(raw, s.Name+":")
		switch {
		case ok && s.ID == home.ID:
			return rest, nil
		case ok:
			return "", kb.Errorf(kb.Usage, "pages do not move between spaces").
				WithHint("Write it again as %s, then remove it in %s.", raw, home.Name)
		}
	}
	if strange, ok := ref.UnknownSpace(raw); ok {
		return "", space.NoSuch(strange, all)
	}
	return raw, nil
}
