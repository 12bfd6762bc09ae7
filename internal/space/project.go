package space

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// ProjectTag is the tag of pages that were remembered in the project of the
// caller's working directory, "project/NAME", and "" for none: the directory is
// in no git repository, or the space is that repository's own, whose pages are of
// the project anyway.
func (r *Registry) ProjectTag(s kb.Space) string {
	root := gitRoot(r.Place.Dir, pathsOf(r.Place.Home))
	if root == "" || s.Root != "" && slices.ContainsFunc(pathsOf(root), func(dir string) bool {
		return s.Root == dir || strings.HasPrefix(s.Root, dir+string(filepath.Separator))
	}) {
		return ""
	}
	name := doc.Slug(kb.WithoutInvisible(filepath.Base(root)))
	if name == "" {
		return ""
	}
	return "project/" + name
}

// gitRoot returns the top of the git repository around a directory; of a worktree
// that of the repository that it belongs to. A repository of a whole home
// directory is no project.
func gitRoot(dir string, homes []string) string {
	if dir == "" {
		return ""
	}
	for ; !slices.Contains(homes, dir); dir = filepath.Dir(dir) {
		info, err := os.Stat(filepath.Join(dir, ".git"))
		switch {
		case err == nil && info.IsDir():
			return dir
		case err == nil:
			return mainTree(dir)
		case filepath.Dir(dir) == dir:
			return ""
		}
	}
	return ""
}

// mainTree returns the repository of a worktree, whose .git is a file such as
// "gitdir: /src/api/.git/worktrees/x"; the directory itself where it is none.
func mainTree(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, ".git"))
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
