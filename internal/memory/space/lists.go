package space

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"path/filepath"
)

// Closed returns the directories of spaces in which agents may only change files
// through cairn.
func (r *Registry) Closed(ctx context.Context) (dirs []string, err error) {
	all, err := r.Directories(ctx)
	for _, each := range all {
		if p, _, err := r.Policy(ctx, each, nil); err == nil && p.Permissions.Closed {
			dirs = append(dirs, each.Root)
		}
	}
	return dirs, err
}

// SkillDirectories returns the directories in which spaces keep skills that their
// user registers.
func (r *Registry) SkillDirectories(ctx context.Context) (dirs []string, err error) {
	all, err := r.Directories(ctx)
	for _, each := range all {
		if p, _, err := r.Policy(ctx, each, nil); err == nil && p.Skills != "" {
			dirs = append(dirs, filepath.Join(each.Root, filepath.FromSlash(p.Skills)))
		}
	}
	return dirs, err
}

// CurrentName returns the name of the space for commands without a space, "" if
// none of several is chosen.
func (r *Registry) CurrentName(ctx context.Context) (string, error) {
	meant, err := r.Meant(ctx)
	if err != nil || len(meant) != 1 {
		return "", err
	}
	return meant[0].Name, nil
}

// DescribeCurrent describes the space for commands without a space.
func (r *Registry) DescribeCurrent(ctx context.Context) (api.Space, error) {
	current, err := r.Current(ctx)
	if err != nil {
		return api.Space{}, err
	}
	return r.Describe(ctx, current)
}

// ProjectAt returns the project of a directory, by default the caller's; see
// ProjectOf.
func (r *Registry) ProjectAt(ctx context.Context, dir string) api.Project {
	var own kb.Space
	if w, err := r.OpenCurrent(ctx); err == nil {
		own = w.Space
	}
	return ProjectOf(r, dir, own)
}
