package forget

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
)

// beyond lists the places that forgetting does not reach: the history of git
// repositories, the originals of imports, backups, data that a server stores apart
// from its tables, and other machines.
func beyond(ctx context.Context, sess *memory.Session, p *plan) ([]api.Beyond, error) {
	spaces, err := sess.Spaces.All(ctx)
	if err != nil {
		return nil, err
	}
	out := []api.Beyond{}
	for _, s := range spaces {
		if s.Root == "" {
			continue
		}
		repository := repositoryAround(s.Root)
		if repository == "" {
			continue
		}
		var paths []string
		for _, path := range slices.Concat(p.paths[s.Row], p.partly[s.Row]) {
			if rel, err := filepath.Rel(repository, filepath.Join(s.Root, filepath.FromSlash(path))); err == nil {
				paths = append(paths, "--path "+safetext.Word(filepath.ToSlash(rel)))
			}
		}
		if len(paths) == 0 {
			continue
		}
		out = append(out, api.Beyond{
			What: "the history of the git repository " + repository + ", its clones and its remotes",
			Commands: []string{
				fmt.Sprintf("git -C %s filter-repo --invert-paths %s", safetext.Word(repository), strings.Join(paths, " ")),
				fmt.Sprintf("git -C %s push --force --all", safetext.Word(repository)),
			},
		})
	}
	info, err := sess.DB.Info(ctx)
	if err != nil {
		return nil, err
	}
	forgotten, err := sess.Spaces.Forgotten(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range forgotten {
		out = append(out, api.Beyond{
			What: "texts in the history of the removed space " + s.Name + ", which is kept for a time",
			At:   s.ForgottenAt, Commands: []string{"cairn space rm --purge " + safetext.Word(s.Name)},
		})
	}
	imported, err := originals(ctx, sess, p)
	if err != nil {
		return nil, err
	}
	out = append(out, imported...)
	copies, err := backups(ctx, sess, info.Path)
	if err != nil {
		return nil, err
	}
	out = append(out, copies...)
	if db, ok := sess.DB.(store.Scrubber); ok && len(db.Files()) == 0 {
		out = append(out, api.Beyond{
			What:     "the write-ahead log of the PostgreSQL server until it is recycled, its archive, its base backups and its replicas",
			Commands: []string{"psql -c CHECKPOINT"},
		})
	}
	return append(out, api.Beyond{What: "exports, copies on other machines, and what agents and models were shown; the receipt finds copies of the memory"}), nil
}

// backups lists the known copies of the memory: those next to it, and those made by
// db backup.
func backups(ctx context.Context, sess *memory.Session, database string) ([]api.Beyond, error) {
	known, err := backup.Known(ctx, sess)
	if err != nil {
		return nil, err
	}
	if db, ok := sess.DB.(store.FileBacked); ok {
		database = db.Path()
	}
	entries, _ := os.ReadDir(filepath.Dir(database)) // there is none for a server
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasPrefix(e.Name(), filepath.Base(database)+".before-") {
			known = append(known, filepath.Join(filepath.Dir(database), e.Name()))
		}
	}
	slices.Sort(known)
	var out []api.Beyond
	for _, name := range slices.Compact(known) {
		info, err := os.Stat(name)
		if err != nil {
			continue // it does not exist any more
		}
		at := info.ModTime().UTC().Truncate(time.Second)
		out = append(out, api.Beyond{What: "the backup " + name, At: &at, Commands: []string{"rm " + safetext.Word(name)}})
	}
	return out, nil
}

// repositoryAround returns the git repository that a directory is in, "" for none.
func repositoryAround(dir string) string {
	for last := ""; dir != last; dir, last = filepath.Dir(dir), dir {
		if fsys.Exists(filepath.Join(dir, ".git")) {
			return dir
		}
	}
	return ""
}

// stillLinked counts the pages with links to the selected ones: these pages stay,
// and contain their names.
func stillLinked(ctx context.Context, sess *memory.Session, p *plan) (lines []string, err error) {
	gone := map[kb.ID]bool{}
	for _, d := range p.Documents {
		gone[d.ID] = true
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		for _, d := range p.Documents {
			pages, err := tx.Pages().ByID(ctx, d.ID)
			if err != nil {
				return err
			}
			for _, page := range pages {
				in, err := tx.Links().To(ctx, page.Row)
				if err != nil {
					return err
				}
				from := map[string]bool{}
				for _, l := range in {
					if !gone[l.Page.ID] {
						from[l.Page.Ref()] = true
					}
				}
				for ref := range from {
					lines = append(lines, fmt.Sprintf("%s: it links to %s", ref, page.Ref()))
				}
			}
		}
		return nil
	})
	slices.Sort(lines)
	return lines, err
}
