package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
)

// basicConfig is the config.json of Basic Memory.
type basicConfig struct {
	Projects map[string]basicProject `json:"projects"`
	Default  string                  `json:"default_project"`
}

// basicProject is a project; older versions store only its path.
type basicProject struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
}

// UnmarshalJSON reads both forms.
func (p *basicProject) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &p.Path) == nil {
		return nil
	}
	type object basicProject
	return json.Unmarshal(b, (*object)(p))
}

// basicMemory adds the projects of Basic Memory as spaces: those of its
// configuration, or the one given directory. Notes stay in place, unchanged. Its
// default project becomes the default space if there is none.
func basicMemory(ctx context.Context, sess *memory.Session, req ExportRequest) (Receipt, error) {
	b := newBatch(sess, req)
	return b.run(ctx, fromBasicMemory{b})
}

// fromBasicMemory is an import of Basic Memory, which adds spaces and writes no pages.
type fromBasicMemory struct{ *batch }

func (fromBasicMemory) drafts(context.Context) iter.Seq2[draft, error] {
	return func(func(draft, error) bool) {}
}

func (fromBasicMemory) finish(context.Context) error { return nil }

func (b fromBasicMemory) open(ctx context.Context) ([]*write.Space, way, error) {
	sess, req := b.Session, b.req
	config, err := basicProjects(ctx, req.File)
	if err != nil {
		return nil, notAtAll, err
	}
	t := Tally{Kind: "projects", Total: len(config.Projects)}
	known, err := sess.Spaces.All(ctx)
	if err != nil && !space.NothingYet(err) {
		return nil, notAtAll, err
	}
	spaces := map[string]string{} // names, by project
	for _, name := range slices.Sorted(maps.Keys(config.Projects)) {
		p := config.Projects[name]
		leave := func(why string) {
			t.LeftOut++
			b.out.lose("project "+name, why)
		}
		root, err := filepath.EvalSymlinks(p.Path)
		if err != nil {
			why := "its directory cannot be read: " + p.Path
			if errors.Is(err, os.ErrNotExist) {
				why = "there is no directory " + p.Path
				if p.Mode == "cloud" {
					why = "it is in the cloud, and not on this machine"
				}
			}
			leave(why)
			continue
		}
		if i := slices.IndexFunc(known, func(s kb.Space) bool { return s.Root == root }); i >= 0 {
			t.There++
			spaces[name] = known[i].Name
			continue
		}
		made, err := sess.Spaces.Add(ctx, space.AddRequest{Root: root, Name: cmp.Or(kb.WithoutInvisible(name), filepath.Base(root)), DryRun: req.DryRun})
		if err != nil {
			if ctx.Err() != nil {
				return nil, notAtAll, err
			}
			leave(kb.AsError(err).Message)
			continue
		}
		t.Brought++
		spaces[name] = made.Name
	}
	b.out.Counts = append(b.out.Counts, t)
	if name := spaces[config.Default]; name != "" && !req.DryRun {
		if _, err := sess.Spaces.Default(ctx, ""); kb.CodeOf(err) == kb.NotFound {
			if _, err := sess.Spaces.Default(ctx, name); err != nil {
				return nil, notAtAll, err
			}
		}
	}
	return nil, notAtAll, nil
}

// basicProjects reads the projects of a file or directory.
func basicProjects(ctx context.Context, file string) (out basicConfig, err error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		inside := filepath.Join(file, "config.json")
		if _, err := os.Stat(inside); err != nil {
			return basicConfig{Projects: map[string]basicProject{filepath.Base(file): {Path: file}}}, nil
		}
		file = inside
	}
	if isDatabase(file) {
		projects, err := foreign.Projects(ctx, file)
		out.Projects = map[string]basicProject{}
		for _, p := range projects {
			out.Projects[p.Name] = basicProject{Path: p.Path}
			if p.Default {
				out.Default = p.Name
			}
		}
		return out, err
	}
	err = Read(ctx, file, func(_ context.Context, c basicConfig) error {
		if len(c.Projects) == 0 {
			return kb.Errorf(kb.Invalid, "it names no projects")
		}
		out = c
		return nil
	})
	return out, err
}

// isDatabase reports whether a file is an SQLite database.
func isDatabase(file string) bool {
	return strings.HasPrefix(string(File{file, onDisk(file)}.head()), "SQLite format 3\x00")
}
