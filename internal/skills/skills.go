package skills

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

//go:embed assets/*/SKILL.md
var assets embed.FS

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
// tell versions of a text apart, and short enough to read.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// Names lists the skills, in the order in which an agent needs them.
func Names() []string {
	return []string{"memory-recall", "memory-write", "memory-maintain", "memory-capture", "memory-compact"}
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

// Sets lists the sets of skills besides those of Names.
func Sets() []string { return slices.Sorted(maps.Keys(sets)) }

// Set lists the skills of a set; kb.NotFound.
func Set(name string) ([]string, error) {
	if names, ok := sets[name]; ok {
		return names, nil
	}
	return nil, kb.Errorf(kb.NotFound, "there is no set of skills %q", name).With("sets", Sets())
}

// Every lists all skills: those of Names, then those of the sets.
func Every() []string {
	out := Names()
	for _, set := range Sets() {
		out = append(out, sets[set]...)
	}
	return out
}

// All returns the skills of Names. In place of a built-in one comes NAME/SKILL.md of
// the first of the directories that has it; such a text that breaks the format
// is kb.Invalid, which stands in Err and leaves the others alone.
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
	return Skill{}, kb.Errorf(kb.NotFound, "there is no skill %q", name).WithReason(kb.NoSuchSkill)
}

func load(ctx context.Context, name string, overrides []string) (Skill, error) {
	for _, dir := range overrides {
		file := filepath.Join(dir, name, File)
		text, err := readOverride(ctx, filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Skill{}, fsys.Explain(err, "read %s", file)
		}
		if len(text) == 0 {
			continue // a shell has just made it, to write there what is printed here
		}
		s, err := parse(name, text)
		if err != nil {
			return Skill{}, kb.Errorf(kb.Invalid, "%s: %w", file, err).WithHint("The format is described at agentskills.io. Mend the file, or remove it to have the built-in skill.")
		}
		s.Source = file
		return s, nil
	}
	text, err := assets.ReadFile("assets/" + name + "/" + File)
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
