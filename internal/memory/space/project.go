package space

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// ProjectTags is the parent tag of project tags.
const ProjectTags = "project"

// ProjectTag returns the tag of pages stored from the caller's project,
// "project/NAME", and "" without a project.
func ProjectTag(r *Registry, s kb.Space) string {
	if name := r.Project(s); name != "" {
		return ProjectTags + "/" + name
	}
	return ""
}

// Project returns the slug of the project of the git repository around the caller's
// working directory. It is "" if the directory is not in a repository, or if the
// repository is the space's own: its pages belong to the project anyway.
func (r *Registry) Project(s kb.Space) string {
	root := gitRoot(r.Place.Dir, pathsOf(r.Place.Home))
	if root == "" || holds(root, s) {
		return ""
	}
	return ProjectSlug(filepath.Base(root))
}

// holds reports whether a directory is a space or contains one.
func holds(root string, s kb.Space) bool {
	return s.Root != "" && slices.ContainsFunc(pathsOf(root), func(dir string) bool {
		return s.Root == dir || strings.HasPrefix(s.Root, dir+string(filepath.Separator))
	})
}

// ProjectOf returns the project of a directory, by default the caller's: that of
// the git repository around it, as in Project. Without one, and in the repository
// of a space or of the home directory, it is policy.General.
func ProjectOf(r *Registry, dir string, s kb.Space) api.Project {
	if dir == "" {
		dir = r.Place.Dir
	}
	out := api.Project{Slug: policy.General, Dir: dir}
	if root := gitRoot(dir, pathsOf(r.Place.Home)); root != "" {
		out.Dir = root
		if slug := ProjectSlug(filepath.Base(root)); slug != "" && !holds(root, s) {
			out.Slug = slug
		}
	}
	return out
}

// ProjectSlug returns the slug of a project from the name of its directory: without
// a leading dot and without .d or .git at the end, so that .emacs.d becomes emacs.
func ProjectSlug(name string) string {
	name = strings.TrimLeft(kb.WithoutInvisible(name), ".")
	for _, ext := range []string{".d", ".git"} {
		if short := strings.TrimSuffix(name, ext); short != "" {
			name = short
		}
	}
	return doc.Slug(name)
}

// gitRoot returns the root of the git repository around a directory; for a
// worktree that of its repository. A repository of a whole home directory is
// not a project.
func gitRoot(dir string, homes []string) string {
	if dir == "" {
		return ""
	}
	for ; !slices.Contains(homes, dir); dir = filepath.Dir(dir) {
		info, err := os.Stat(filepath.Join(dir, ".git"))
		switch {
		case err == nil && info.IsDir():
			return dir
		case err == nil && info.Mode().IsRegular():
			return mainTree(dir)
		case filepath.Dir(dir) == dir:
			return ""
		}
	}
	return ""
}

// mainTree returns the repository of a worktree, which has a .git file such as
// "gitdir: /src/api/.git/worktrees/x"; otherwise the directory itself.
func mainTree(dir string) string {
	const longest = 1 << 20 // git's limit
	text, err := fsys.ReadRegular(filepath.Join(dir, ".git"), longest)
	if err != nil {
		return dir
	}
	to, _ := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	trees := filepath.Dir(to)
	if git := filepath.Dir(trees); filepath.Base(trees) == "worktrees" && filepath.Base(git) == ".git" && filepath.IsAbs(git) {
		return filepath.Dir(git)
	}
	return dir
}
