package skills_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/skills"
	"github.com/cairn-kb/cairn/internal/test/ziptest"
)

var update = flag.Bool("update", false, "write assets.zip")

func TestBuiltIn(t *testing.T) {
	t.Parallel()
	all := skills.All(context.Background())
	if len(all) != len(skills.Names()) {
		t.Fatalf("%d skills", len(all))
	}
	for _, name := range skills.Every()[len(all):] {
		s, err := skills.Find(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	for _, s := range all {
		if s.Err != nil || s.Source != skills.BuiltIn || s.Hash != skills.Hash(s.Text) || len(s.Description) < 100 && s.Name != skills.Command {
			t.Errorf("%s: %+v", s.Name, s)
		}
		if n := bytes.Count(s.Text, []byte("\n")); n > 100 {
			t.Errorf("%s has %d lines: an agent reads all of it", s.Name, n)
		}
	}
}

// The program has the files in assets, compressed.
func TestArchive(t *testing.T) {
	t.Parallel()
	ziptest.Check(t, "assets.zip", "assets", "SKILL.md", *update)
}

// The directories of assets are the names, so that none is forgotten.
func TestNames(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("assets")
	if err != nil || len(entries) != len(skills.Every()) {
		t.Errorf("%d directories of assets for %d names, %v", len(entries), len(skills.Every()), err)
	}
	if set, err := skills.Set("memory"); err != nil || len(set) != 8 {
		t.Errorf("%v, %v", set, err)
	}
	if _, err := skills.Set("none"); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("%v", err)
	}
}

// The skills are those of the tools that a client has.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		sets  []string
		first string
		n     int
	}{
		{[]string{"core"}, "memory-recall", 5},
		{[]string{"core", "more"}, "memory-recall", 5},
		{[]string{"capture"}, "memory-capture", 2},
		{[]string{"memory"}, "memory-ingest", 8},
		{[]string{"core", "memory"}, "memory-recall", 13},
		{[]string{"context"}, "context", 7},
		{[]string{"notes"}, "", 0},
	} {
		got := skills.Of(tc.sets...)
		if len(got) != tc.n || tc.n > 0 && got[0] != tc.first {
			t.Errorf("%v: %v", tc.sets, got)
		}
	}
}

// The skills of sets of tools name no tool of another set.
func TestForNamesToolsOfTheSets(t *testing.T) {
	t.Parallel()
	words := []string{"links", "assertions", "stale"} // of plans and statuses, too
	named := regexp.MustCompile("`([a-z][a-z_]*)(?: \\{[^`]*\\})?`")
	for bits := 1; bits < 1<<len(operation.Sets()); bits++ {
		var sets []operation.Set
		var names []string
		for i, s := range operation.Sets() {
			if bits>>i&1 == 1 {
				sets, names = append(sets, s), append(names, string(s))
			}
		}
		every, offered := operation.OfferedBy(operation.Sets(), false), operation.OfferedBy(sets, false)
		for _, name := range append(skills.Of(names...), "memory-curate") {
			s, err := skills.Find(context.Background(), name)
			if err != nil {
				t.Fatal(err)
			}
			s = s.For(offered)
			for _, m := range named.FindAllSubmatch(s.Body, -1) {
				tool, isCall := string(m[1]), bytes.Contains(m[0], []byte("{"))
				if every(tool) && !offered(tool) && (isCall || !slices.Contains(words, tool)) {
					t.Errorf("%s with %v: names %s", name, names, m[0])
				}
			}
			if s.Err != nil || s.Source != skills.BuiltIn || s.Hash != skills.Hash(s.Text) || bytes.Count(s.Text, []byte("–")) != bytes.Count(s.Text, []byte("| – |")) {
				t.Errorf("%s with %v: %v\n%s", name, names, s.Err, s.Text)
			}
		}
	}
}

// Where a tool is not offered the command remains; texts of a person stay as they are.
func TestForKeepsTheCommand(t *testing.T) {
	t.Parallel()
	s, err := skills.Find(context.Background(), "memory-maintain")
	if err != nil {
		t.Fatal(err)
	}
	core := operation.OfferedBy([]operation.Set{operation.Core}, false)
	got := string(s.For(core).Text)
	for _, want := range []string{"| find links that lead nowhere | – | `cairn links --unresolved` |", "  `cairn gap resolve 3 offices/lease`.\n", "`undo {}` (`cairn undo`)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if all := s.For(operation.OfferedBy(operation.Sets(), false)); !bytes.Equal(all.Text, s.Text) {
		t.Errorf("with all tools:\n%s", all.Text)
	}
	s.Source = "mine"
	if mine := s.For(core); !bytes.Equal(mine.Text, s.Text) {
		t.Errorf("an own text was changed:\n%s", mine.Text)
	}
}

func TestOverride(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	first, second := t.TempDir(), t.TempDir()
	put(t, second, "memory-write", "---\nname: memory-write\ndescription: >-\n  Ours, on\n  two lines.\n---\nText.")
	s, err := skills.Find(ctx, "memory-write", first, second)
	if err != nil {
		t.Fatal(err)
	}
	if s.Description != "Ours, on two lines." || s.Source != filepath.Join(second, "memory-write", skills.File) {
		t.Errorf("%+v", s)
	}
	// A copy that was installed makes an override without its mark.
	put(t, first, "memory-write", string(s.Copy()))
	again, err := skills.Find(ctx, "memory-write", first, second)
	if err != nil || !bytes.Equal(again.Copy(), s.Copy()) || bytes.Contains(again.Text, []byte("<!--")) {
		t.Errorf("%q, %v", again.Text, err)
	}
	// A shell has made the file before cairn prints what goes into it.
	put(t, first, "memory-write", "")
	if s, err := skills.Find(ctx, "memory-write", first); err != nil || s.Source != skills.BuiltIn {
		t.Errorf("beside an empty file: %q, %v", s.Source, err)
	}
	if _, err := skills.Find(ctx, "memory-dream"); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("an unknown skill: %v", err)
	}
}

func TestOverrideThatBreaksTheFormat(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"no frontmatter":                                  "no name",
		"---\nname: memory-write\n---\n":                  "no description",
		"---\nname: memory-writes\ndescription: x\n---\n": "not that of the directory",
		"---\nname: memory-write\ndescription: " + strings.Repeat("é", 1025) + "\n---\n":               "1025 characters",
		"---\nname: [memory-write]\ndescription: x\n---\n":                                             "no name",
		"---\nname: memory-write\ndescription: {a: b}\n---\n":                                          "no description",
		"---\nname: memory-write\ndescription: x\n" + strings.Repeat("# long\n", 20_000) + "---\nbody": "too large",
	} {
		dir := t.TempDir()
		put(t, dir, "memory-write", text)
		if _, err := skills.Find(context.Background(), "memory-write", dir); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v, want %q", text, err, says)
		}
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "a\n", "a\r\n", "a\n\n", "<!-- installed by cairn: 000000000000 -->\n"} {
		c := skills.Skill{Text: []byte(text)}.Copy()
		if !skills.Installed(c) {
			t.Errorf("%q is not known again", c)
		}
		if skills.Installed([]byte(text)) {
			t.Errorf("%q was not installed", text)
		}
		if skills.Installed(append([]byte("x"), c...)) || skills.Installed(append(c, 'x')) {
			t.Errorf("%q was edited", c)
		}
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name, skills.File), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
