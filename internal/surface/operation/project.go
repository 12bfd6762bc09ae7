package operation

import (
	"context"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
)

type projectInput struct {
	Dir string `json:"dir,omitempty" jsonschema:"absolute path (default: where the client works)"`
}

var projectSlug = define(Operation{
	Name: "project_slug", Title: "Name the project of a directory", Group: more, Route: Route{"GET", "/project"},
	Description: "The slug by which pages name the project of a directory, and general where it is of none.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in projectInput) (api.Project, error) {
	if in.Dir != "" && !filepath.IsAbs(in.Dir) {
		return api.Project{}, kb.Errorf(kb.Usage, "dir %q is not an absolute path", in.Dir)
	}
	return a.Spaces.ProjectAt(ctx, in.Dir), nil
})
