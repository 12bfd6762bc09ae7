package operation

import (
	"context"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
)

type projectInput struct {
	Dir string `json:"dir,omitempty" jsonschema:"absolute path (default: where the client works)"`
}

var projectSlug = define(Operation{
	Name: "project_slug", Title: "Name the project of a directory", Group: more, Route: Route{"GET", "/project"},
	Description: "The slug by which pages name the project of a directory, and general where it is of none.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *app.App, in projectInput) (app.Project, error) {
	if in.Dir != "" && !filepath.IsAbs(in.Dir) {
		return app.Project{}, kb.Errorf(kb.Usage, "dir %q is no absolute path", in.Dir)
	}
	return a.Spaces().Project(ctx, in.Dir), nil
})
