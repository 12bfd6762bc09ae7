package skills

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

//go:embed assets.zip
var archive string // the files in assets: TestArchive writes them

var assets = sync.OnceValue(func() fs.FS {
	z, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err) // it is a part of the program
	}
	return z
})

// File is the name of the file that a skill's directory must have.
const File = "SKILL.md"

// BuiltIn is the source of a skill that nobody replaced.
const BuiltIn = "built-in"

// Skill is one skill.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      string `json:"source"` // BuiltIn, or the file that takes its place
	Hash        string `json:"hash"`   // of Text: see Hash
	Text        []byte `json:"-"`      // of SKILL.md
	Body        []byte `json:"-"`      // what of Text an agent reads: all behind the frontmatter
	Err         error  `json:"-"`      // why it cannot be used: then it has nothing but a name
}

// Hash returns the first 12 hexadecimal digits of a text's SHA-256: enough to
// distinguish versions of a text, and short enough to read.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// Names lists the skills, in the order in which an agent needs them.
func Names() []string {
	return []string{"memory-recall", "memory-write", "memory-maintain", "memory-capture", "memory-compact"}
}

// Of lists the skills that go with sets of tools: those of Names with the core set, and those
// of a set of skills that has the name of a set of tools.
func Of(toolsets ...string) (out []string) {
	if slices.Contains(toolsets, "core") {
		out = Names()
	} else if slices.Contains(toolsets, "capture") {
		out = []string{"memory-capture", "memory-compact"}
	}
	for _, name := range Sets() {
		if slices.Contains(toolsets, name) {
			out = append(out, sets[name]...)
		}
	}
	return out
}

// sets are the skills that are installed where they are asked for.
var sets = map[string][]string{
	"context": {
		"context", "context-today", "context-roadmap", "context-profile", "context-interview", "context-project", "context-policies",
	},
	"guarded": {"memory-curate"},
	"memory": {
		"memory-ingest", "memory-query", "memory-audit", "memory-enrich", "memory-briefing", "memory-alerts", "memory-research", "memory-upgrade",
	},
}

// Command is the skill by which a person types /capture in Claude Code, which makes a command
// of the name of each skill. There is none for /compact: that is a command of Claude Code.
const Command = "capture"

// Sets lists the sets of skills other than those of Names.
func Sets() []string { return slices.Sorted(maps.Keys(sets)) }

// Set lists the skills of a set; kb.NotFound.
func Set(name string) ([]string, error) {
	if names, ok := sets[name]; ok {
		return names, nil
	}
	return nil, kb.Errorf(kb.NotFound, "unknown set of skills %q", name).With("sets", Sets())
}

// Every lists all skills: those of Names, those of the sets, and Command.
func Every() []string {
	out := append(Names(), Command)
	for _, set := range Sets() {
		out = append(out, sets[set]...)
	}
	return out
}

// All returns the skills of Names. NAME/SKILL.md in the first of the
// directories that has it overrides a built-in one; if it breaks the format,
// its Err is kb.Invalid, and the others are unaffected.
func All(ctx context.Context, overrides ...string) []Skill {
	out := make([]Skill, 0, len(Names()))
	for _, name := range Names() {
		s, err := load(ctx, name, overrides)
		if err != nil {
			s = Skill{Name: name, Err: err}
		}
		out = append(out, s)
	}
	return out
}

// Find returns one skill, as All does. One that does not exist is kb.NotFound.
func Find(ctx context.Context, name string, overrides ...string) (Skill, error) {
	if slices.Contains(Every(), name) {
		return load(ctx, name, overrides)
	}
	return Skill{}, kb.Errorf(kb.NotFound, "unknown skill %q", name).WithReason(kb.NoSuchSkill)
}

// call is a call of a tool in a text, with the command that does the same where one follows.
var call = lazyregexp.New("`([a-z][a-z_]*) \\{[^`]*\\}`(?:\\s+\\((`cairn [^`]*`)\\))?")

// For returns a built-in skill as an agent with some tools reads it: a call of another tool is
// left out, and its command remains. A skill of a person is returned unchanged.
func (s Skill) For(offered func(tool string) bool) Skill {
	if s.Source != BuiltIn || s.Err != nil {
		return s
	}
	text := call().ReplaceAllFunc(s.Text, func(found []byte) []byte {
		m := call().FindSubmatch(found)
		switch {
		case offered(string(m[1])):
			return found
		case len(m[2]) > 0:
			return m[2]
		}
		return []byte("–") // in a table, which has the command in the next column
	})
	out, err := parse(s.Name, text)
	out.Source, out.Err = s.Source, err
	return out
}

// Registered returns the skills in directories, NAME/SKILL.md each, that a
// person keeps in addition to cairn's, sorted by name; the first of two with
// one name wins. One that breaks the format, or has the name of one of cairn's,
// has Err set.
func Registered(ctx context.Context, dirs ...string) (out []Skill, err error) {
	for _, dir := range dirs {
		names, err := registered(dir)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if slices.ContainsFunc(out, func(s Skill) bool { return s.Name == name }) {
				continue
			}
			s, found, err := own(ctx, dir, name)
			switch {
			case err != nil:
				s = Skill{Name: name, Err: err}
			case !found:
				continue
			case slices.Contains(Every(), name):
				s = Skill{Name: name, Err: kb.Errorf(kb.Invalid, "%s: cairn has a skill of this name", s.Source).WithHint("Give it another name.")}
			}
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// registered lists what a directory of skills holds; nothing where there is none.
func registered(dir string) (names []string, err error) {
	d, err := fsys.OpenDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fsys.Explain(err, "read %s", dir)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	entries, err := d.ReadDir(".")
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, fsys.Explain(err, "read %s", dir)
}

// own reads the skill of a name that a person keeps in a directory.
func own(ctx context.Context, dir, name string) (s Skill, found bool, err error) {
	file := filepath.Join(dir, name, File)
	text, err := readOverride(ctx, filepath.Join(dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Skill{}, false, nil
	case err != nil:
		return Skill{}, false, fsys.Explain(err, "read %s", file)
	case len(text) == 0: // the shell just created it, to redirect this output to it
		return Skill{}, false, nil
	}
	if s, err = parse(name, text); err != nil {
		return Skill{}, false, kb.Errorf(kb.Invalid, "%s: %w", file, err).WithHint("The format is described at agentskills.io. Mend the file, or remove it to have the built-in skill.")
	}
	s.Source = file
	return s, true, nil
}

func load(ctx context.Context, name string, overrides []string) (Skill, error) {
	for _, dir := range overrides {
		if s, found, err := own(ctx, dir, name); err != nil || found {
			return s, err
		}
	}
	text, err := fs.ReadFile(assets(), name+"/"+File)
	if err != nil {
		return Skill{}, kb.Errorf(kb.Internal, "the skill %s is not in this build: %w", name, err)
	}
	s, err := parse(name, text)
	if err != nil {
		return Skill{}, kb.Errorf(kb.Internal, "the built-in skill %s: %w", name, err)
	}
	s.Source = BuiltIn
	return s, nil
}

// maxText bounds a SKILL.md. The format asks for less than 500 lines; an agent
// reads all of it.
const maxText = 64 << 10

func readOverride(ctx context.Context, dir string) (_ []byte, err error) {
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	text, _, err := fsys.ReadFile(ctx, d, File, maxText)
	return text, err
}

// parse reads a SKILL.md. A copy that was installed and is taken for an
// override loses its mark.
func parse(name string, text []byte) (Skill, error) {
	text, _ = unmarked(text)
	page := markdown.Codec{}.Parse(name+"/"+File, text).Nodes[0]
	fields := map[string]string{}
	for _, p := range page.Metadata {
		if len(p.Values) == 1 && !p.List && !p.Opaque {
			fields[p.Key] = p.Values[0]
		}
	}
	s := Skill{Name: fields["name"], Description: fields["description"], Hash: Hash(text), Text: text, Body: bytes.TrimSpace(text[page.Head.End:])}
	return s, check(name, s)
}
