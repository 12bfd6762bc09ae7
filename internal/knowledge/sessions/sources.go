package sessions

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc/transcript"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy"
)

// Database is a snapshot of a client's database of sessions. It is safe for
// concurrent use.
type Database interface {
	// Sessions returns when each session last changed, by id.
	Sessions(context.Context) (map[string]time.Time, error)
	// Lines calls line with the records of a session, oldest first, until it
	// returns false.
	Lines(ctx context.Context, id string, line func([]byte) bool) error
	Close() error
}

// OpenDatabase opens the database in a file.
type OpenDatabase func(ctx context.Context, file string) (Database, error)

// databaseFile is the file name of OpenCode's database.
const databaseFile = "opencode.db"

// place is a location of a client's transcripts.
type place struct {
	client transcript.Client
	dir    string // absolute
	match  string // glob over the path below dir, "**/" at its start for any directory
}

// places returns the possible locations of a client's transcripts.
func places(at space.Place, c transcript.Client) []place {
	home := func(variable, dir string) string {
		if d := at.Env(variable); variable != "" && filepath.IsAbs(d) {
			return d
		}
		return filepath.Join(at.Home, dir)
	}
	one := func(dir, match string) []place { return []place{{c, dir, match}} }
	if at.Home == "" {
		return nil
	}
	switch c {
	case transcript.Claude:
		return one(filepath.Join(home("CLAUDE_CONFIG_DIR", ".claude"), "projects"), "*/*.jsonl") // those of sub-agents are deeper
	case transcript.Codex:
		dir := home("CODEX_HOME", ".codex")
		return append(one(filepath.Join(dir, "sessions"), "**/rollout-*.jsonl"), place{c, filepath.Join(dir, "archived_sessions"), "**/rollout-*.jsonl"})
	case transcript.Copilot:
		return one(filepath.Join(home("COPILOT_HOME", ".copilot"), "session-state"), "*/events.jsonl")
	case transcript.Cursor:
		return one(filepath.Join(home("", ".cursor"), "projects"), "**/*.jsonl")
	case transcript.Gemini:
		return one(filepath.Join(home("", ".gemini"), "tmp"), "*/chats/session-*.json*")
	case transcript.OpenCode:
		return one(filepath.Join(home("XDG_DATA_HOME", filepath.Join(".local", "share")), "opencode"), databaseFile)
	case transcript.Qwen:
		return one(filepath.Join(home("", ".qwen"), "projects"), "*/chats/*.jsonl")
	}
	return nil
}

// Found returns the clients with transcripts on this machine.
func Found(at space.Place) (out []transcript.Client) {
	for _, c := range transcript.Clients() {
		if slices.ContainsFunc(places(at, c), func(p place) bool {
			if p.match == databaseFile {
				p.dir = filepath.Join(p.dir, databaseFile)
			}
			_, err := os.Stat(p.dir)
			return err == nil
		}) {
			out = append(out, c)
		}
	}
	return out
}

// Folder is a directory in which clients write sessions.
type Folder struct {
	Dir   string // absolute
	Depth int    // number of watched levels; 0 for all
}

// Watched returns the directories with the sessions that a space shows.
func Watched(at space.Place, s kb.Space) (out []Folder) {
	if !space.OfSessions(s) {
		return nil
	}
	p, err := policy.Parse(s.Policy)
	if err != nil {
		return nil // its sync reports the error
	}
	for _, c := range p.Sessions.Clients {
		for _, pl := range places(at, transcript.Client(c)) {
			f := Folder{Dir: pl.dir}
			if pl.match == databaseFile {
				f.Depth = 1 // deeper levels have copies of repositories
			}
			out = append(out, f)
		}
	}
	return out
}

// file is a directory entry of a transcript.
type file struct {
	client  transcript.Client
	path    string // absolute
	id      string // of a session in a database; path has it as well, after "#"
	size    int64
	modTime int64 // Unix nanoseconds
}

// list returns the transcripts of clients, and the databases with sessions.
// Unreadable directories are skipped.
func list(ctx context.Context, at space.Place, p policy.Sessions) (out []file) {
	for _, c := range p.Clients {
		for _, pl := range places(at, transcript.Client(c)) {
			_ = filepath.WalkDir(pl.dir, func(name string, d fs.DirEntry, err error) error {
				switch {
				case ctx.Err() != nil:
					return fs.SkipAll
				case err != nil && d != nil && d.IsDir():
					return fs.SkipDir
				case err == nil && d.IsDir() && pl.match == databaseFile && name != pl.dir:
					return fs.SkipDir // it has copies of repositories
				case err != nil || !d.Type().IsRegular():
					return nil
				}
				rel, err := filepath.Rel(pl.dir, name)
				if err != nil || !pl.fits(filepath.ToSlash(rel)) {
					return nil
				}
				if pl.match == databaseFile {
					out = append(out, file{client: pl.client, path: name})
					return nil
				}
				if info, err := d.Info(); err == nil {
					out = append(out, file{client: pl.client, path: name, size: info.Size(), modTime: info.ModTime().UnixNano()})
				}
				return nil
			})
		}
	}
	return out
}

func (p place) fits(rel string) bool {
	if base, ok := strings.CutPrefix(p.match, "**/"); ok {
		if p.client == transcript.Cursor && !strings.Contains(rel, "/agent-transcripts/") {
			return false
		}
		is, _ := path.Match(base, path.Base(rel))
		return is
	}
	is, _ := path.Match(p.match, rel)
	return is
}
