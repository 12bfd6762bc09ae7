package operation

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/note"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

type projectsInput struct {
	Name string `json:"name,omitempty" jsonschema:"only this one"`
}

// project is a space as those of other memories are.
type project struct {
	ID           kb.ID    `json:"external_id"`
	Name         string   `json:"name"`
	Path         string   `json:"path,omitempty" jsonschema:"absent: kept in the database"`
	Permalink    string   `json:"permalink"`
	Active       bool     `json:"is_active"`
	Default      bool     `json:"is_default"`
	Notes        int      `json:"note_count"`
	Observations int      `json:"observation_count"`
	Relations    int      `json:"relation_count"`
	Unresolved   int      `json:"unresolved_count"`
	SyncedAt     string   `json:"synced_at,omitempty"`
	Sync         *syncing `json:"sync,omitempty" jsonschema:"whether changes of files are read as they come, and the last of them"`
}

// syncing is the sync state of a directory that other programs change.
type syncing struct {
	Running     bool   `json:"running" jsonschema:"by this process or a server of the memory"`
	Watched     bool   `json:"watched" jsonschema:"the system reports changes; else the directory is listed before each answer"`
	Directories int    `json:"directories,omitempty"`
	Reason      string `json:"reason,omitempty" jsonschema:"why it is not watched"`
	*api.Activity
}

// syncingOf returns the sync state that this process has of a space, otherwise
// the last one that the memory's server recorded.
func syncingOf(ctx context.Context, a *memory.Session, s api.Space) (*syncing, error) {
	if w := freshness.Watch(a, s.ID); w != nil {
		return &syncing{Running: true, Watched: w.Watched, Directories: w.Directories, Reason: w.Reason, Activity: w.Activity}, nil
	}
	st, err := freshness.Served(ctx, a)
	if err != nil || st == nil || s.Root == "" {
		return nil, err
	}
	st.Events = slices.DeleteFunc(st.Events, func(e api.FileEvent) bool { return e.Space != "" && e.Space != s.Name })
	return &syncing{Running: st.Running, Activity: &st.Activity}, nil
}

type projectList struct {
	Projects []project `json:"projects"`
	LeftOut  string    `json:"left_out,omitempty"`
}

var projects = define(Operation{
	Name: "projects", Title: "List the projects", Group: notebook, Route: Route{"GET", "/projects"},
	Description: "The spaces of the memory, with how many notes, observations and relations each has.",
	ReadOnly:    true, Idempotent: true,
	nothing: projectList{Projects: []project{}},
}, func(ctx context.Context, a *memory.Session, in projectsInput) (projectList, error) {
	out := projectList{Projects: []project{}}
	all, err := a.Spaces.List(ctx)
	if err != nil {
		return out, err
	}
	if in.Name != "" {
		one, err := a.Spaces.Show(ctx, in.Name)
		if err != nil {
			return out, err
		}
		all = []api.Space{one}
	}
	for _, s := range all {
		st, err := state.CountStats(ctx, a.In(s.Name), false)
		if kb.CodeOf(err) == kb.Refused {
			continue // another one is the only one that may be used
		}
		if err != nil {
			return out, err
		}
		p := project{
			ID: s.ID, Name: s.Name, Path: s.Root, Permalink: s.Name, Active: true, Default: s.Default,
			Notes: st.Pages, Observations: st.Observations, Relations: st.Links, Unresolved: st.Unresolved,
		}
		if s.SyncedAt != nil {
			p.SyncedAt = s.SyncedAt.UTC().Format(timeLayout)
		}
		if in.Name != "" {
			if p.Sync, err = syncingOf(ctx, a, s); err != nil {
				return out, err
			}
		}
		out.Projects = append(out.Projects, p)
	}
	return out, nil
})

type spaceCreateInput struct {
	Name    string `json:"name"`
	Path    string `json:"path" jsonschema:"directory, made where there is none"`
	Default bool   `json:"default,omitempty" jsonschema:"make it the default"`
	Preset  string `json:"preset,omitempty" jsonschema:"notes where absent"`
	Init    bool   `json:"init,omitempty" jsonschema:"make a git repository of it, for a preset that commits"`
	Remote  string `json:"remote,omitempty" jsonschema:"where the repository is pushed; only a person"`
	Dry     bool   `json:"dry_run,omitempty" jsonschema:"change nothing: the space as it would be, and its documents"`
}

type spaceCreated struct {
	api.Space
	Documents []string `json:"documents,omitempty" jsonschema:"with dry_run: paths of the first"`
	Count     int      `json:"count,omitempty" jsonschema:"with dry_run: number of documents"`

	existed bool
}

// maxDocuments is how many documents of a directory are named before it is a space.
const maxDocuments = 500

var spaceCreate = define(Operation{
	Name: "space_create", Title: "Make a space", Group: notebook, Route: Route{"POST", "/spaces"},
	Description: "Make a directory a space of notes. An agent may only below the home directory or where its client works.",
	Dry:         "dry_run",
	first:       true,
}, func(ctx context.Context, a *memory.Session, in spaceCreateInput) (s spaceCreated, err error) {
	if in.Name != "" {
		_, missing := a.Spaces.Show(ctx, in.Name)
		s.existed = missing == nil
	}
	s.Space, err = gitsync.CreateSpace(ctx, a, space.AddRequest{Root: in.Path, Name: in.Name, Preset: in.Preset, Init: in.Init, Remote: in.Remote, DryRun: in.Dry})
	if err == nil && in.Dry {
		s.Documents, s.Count, err = read.Unattached(ctx, a, s.Root, maxDocuments)
		return s, err
	}
	if err == nil && in.Default {
		switch _, err = a.Spaces.Default(ctx, s.Name); {
		case err == nil:
			s.Default = true
		case kb.AsError(err).Reason == kb.PersonOnly:
			s.Notes, err = append(s.Notes, "the default space stays as it is: a person may change it"), nil
		}
	}
	if err == nil {
		_, err = read.Freshen(ctx, a.In(s.Name), read.FreshenRequest{})
	}
	return s, err
})

type spaceRemoveInput struct {
	Name string `json:"name"`
}

var spaceRemove = define(Operation{
	Name: "space_remove", Title: "Forget a space", Group: notebook, Route: Route{"DELETE", "/spaces/{name...}"},
	Description: "Forget a space. The files of a directory stay; its history, and pages in the database, can be restored for 30 days.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in spaceRemoveInput) (api.Space, error) {
	return a.Spaces.Remove(ctx, space.RemoveRequest{Name: in.Name})
})

type fileInput struct {
	Path  string `json:"path" jsonschema:"of the file within the space, or a ref"`
	Space string `json:"space,omitempty"`
}

type fileAnswer struct {
	Path  string `json:"path"`
	Media string `json:"media_type"`
	Bytes int64  `json:"bytes"`
	Text  string `json:"text,omitempty"`
	Data  string `json:"data,omitempty" jsonschema:"binary data, in base64"`
}

var readFile = define(Operation{
	Name: "file", Title: "Read a file", Group: notebook, Route: Route{"GET", "/files/{path...}"},
	Description: "Any file of a space, such as an image, up to 1 MiB, except hidden and ignored ones.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in fileInput) (fileAnswer, error) {
	c, err := note.ReadContent(ctx, a.In(in.Space), in.Path)
	out := fileAnswer{Path: c.Path, Media: c.Media, Bytes: c.Size}
	if strings.HasPrefix(c.Media, "text/") || c.Media == "application/json" {
		out.Text = strings.ToValidUTF8(string(c.Bytes), "\uFFFD")
	} else {
		out.Data = base64.StdEncoding.EncodeToString(c.Bytes)
	}
	return out, err
})

type listProjectsTool struct {
	Format format `json:"output_format,omitempty"`
}

type createProjectTool struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Default bool   `json:"set_default,omitempty"`
	Format  format `json:"output_format,omitempty"`
}

type madeProject struct {
	ID      kb.ID    `json:"external_id"`
	Name    string   `json:"name"`
	Path    string   `json:"path"`
	Default bool     `json:"is_default"`
	Created bool     `json:"created"`
	Notes   []string `json:"notes,omitempty"`
}

type deleteProjectTool struct {
	Name  string `json:"project"`
	Notes bool   `json:"delete_notes,omitempty" jsonschema:"only a person deletes files"`
}

type deletedProject struct {
	Deleted bool   `json:"deleted"`
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`
	Note    string `json:"note"`
}

type readContentTool struct {
	Path    string `json:"path"`
	Project string `json:"project,omitempty"`
}

type fileContent struct {
	Type   string            `json:"type"` // text, document
	Text   string            `json:"text,omitempty"`
	Media  string            `json:"content_type"`
	Source map[string]string `json:"source,omitempty"`
	Left   string            `json:"left_out,omitempty"`
}

// maxContentText is how much of a text file is answered.
const maxContentText = 10 * defaultBudget * bytesPerToken

func contentOf(f fileAnswer) (textResult, error) {
	if f.Data == "" {
		text, _ := cut(f.Text, maxContentText)
		out := fileContent{Type: "text", Text: text, Media: f.Media}
		if len(text) < len(f.Text) {
			out.Left = fmt.Sprintf("%d bytes", len(f.Text)-len(text))
		}
		return textResult{data: out}, nil
	}
	if strings.HasPrefix(f.Media, "image/") {
		data, err := base64.StdEncoding.DecodeString(f.Data)
		return textResult{
			data:  fileContent{Type: "image", Media: f.Media, Source: map[string]string{"type": "base64", "media_type": f.Media, "data": f.Data}},
			image: data, words: f.Media,
		}, err
	}
	return textResult{data: fileContent{Type: "document", Media: f.Media, Source: map[string]string{"type": "base64", "media_type": f.Media, "data": f.Data}}}, nil
}

func projectTools() []*Tool {
	return []*Tool{
		adapt(notesTool("list_memory_projects", "List projects", "All projects, with counts.", nil), projects,
			func(listProjectsTool) (projectsInput, error) { return projectsInput{}, nil },
			func(in listProjectsTool, all projectList) (textResult, error) {
				all.Projects, all.LeftOut = Named(all.Projects, "projects", func(p project) string { return p.Name })
				return formatted(cmp.Or(in.Format, asJSON), all, func() string {
					var text strings.Builder
					for _, p := range all.Projects {
						fmt.Fprintf(&text, "- %s [%s] %s: %d notes\n", p.Name, p.ID, p.Path, p.Notes)
					}
					return text.String() + all.LeftOut
				}), nil
			}, formats),
		adapt(notesTool("create_memory_project", "Create a project", "Make a directory below home a project.", map[string]string{"project_name": "name", "project_path": "path", "project": "name"}), spaceCreate,
			func(in createProjectTool) (spaceCreateInput, error) {
				return spaceCreateInput{Name: in.Name, Path: in.Path, Default: in.Default}, nil
			},
			func(in createProjectTool, s spaceCreated) (textResult, error) {
				out := madeProject{s.ID, s.Name, s.Root, s.Default, !s.existed, append(s.Notes, s.Warnings...)}
				return formatted(cmp.Or(in.Format, asJSON), out, func() string {
					if s.existed {
						return fmt.Sprintf("Project %s exists already: %s\n", s.Name, s.Root)
					}
					return fmt.Sprintf("Project %s added: %s\n", s.Name, s.Root)
				}), nil
			}, formats),
		adapt(notesTool("delete_project", "Delete a project", "Forget a project; its files stay.", map[string]string{"project_name": "project", "name": "project", "project_id": "project"}), spaceRemove,
			func(in deleteProjectTool) (spaceRemoveInput, error) {
				if in.Notes {
					return spaceRemoveInput{}, kb.Errorf(kb.Refused, "only a person deletes the files of a project").
						WithHint("Nothing was changed. Without delete_notes the project is forgotten, and its files stay.")
				}
				return spaceRemoveInput{Name: in.Name}, nil
			},
			func(in deleteProjectTool, s api.Space) (textResult, error) {
				return textResult{data: deletedProject{true, s.Name, s.Root, "its files are untouched"}}, nil
			}),
		adapt(notesTool("read_content", "Read a file", "Any file of a project: text, an image, or base64.", ofNote), readFile,
			func(in readContentTool) (fileInput, error) { return fileInput{Path: in.Path, Space: in.Project}, nil },
			func(_ readContentTool, f fileAnswer) (textResult, error) { return contentOf(f) }),
	}
}
