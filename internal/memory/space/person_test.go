package space_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/transfer/exporter"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// An agent changes pages, and nothing that binds it: no space, policy, mapping or model.
// A person and the schedule may.
func TestAgentsChangeNoSpaces(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{"a.md": "# A\n", "rules/r.md": "# R\n"})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Name: "notes"}))(t)
	full := b.Dir("full", map[string]string{"CLAUDE.md": "rules\n"})
	empty := filepath.Join(b.Home, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(*memory.Session) error{
		"remove": func(s *memory.Session) error {
			_, err := s.Spaces.Remove(t.Context(), space.RemoveRequest{Name: "notes"})
			return err
		},
		"set": func(s *memory.Session) error {
			_, err := s.Spaces.Set(t.Context(), space.SetRequest{Name: "notes", Key: "format", Value: "org"})
			return err
		},
		"rewrite": func(s *memory.Session) error {
			_, err := space.Rewrite(t.Context(), s.Spaces, space.RewriteRequest{Name: "notes", Text: []byte("name = \"notes\"\n")})
			return err
		},
		"default":       func(s *memory.Session) error { _, err := s.Spaces.Default(t.Context(), "notes"); return err },
		"map":           func(s *memory.Session) error { _, err := s.Spaces.Map(t.Context(), "/work/*", "notes"); return err },
		"unmap":         func(s *memory.Session) error { return s.Spaces.Unmap(t.Context(), "/work/*") },
		"attach":        func(s *memory.Session) error { _, err := s.Spaces.Attach(t.Context(), full); return err },
		"attach inside": func(s *memory.Session) error { _, err := s.Spaces.Attach(t.Context(), root+"/rules"); return err },
		"add with files": func(s *memory.Session) error {
			_, err := gitsync.AddSpace(t.Context(), s, space.AddRequest{Root: full})
			return err
		},
		"add inside": func(s *memory.Session) error {
			_, err := gitsync.AddSpace(t.Context(), s, space.AddRequest{Root: root + "/rules"})
			return err
		},
		"add above": func(s *memory.Session) error {
			_, err := gitsync.AddSpace(t.Context(), s, space.AddRequest{Root: b.Home})
			return err
		},
		"export inside": func(s *memory.Session) error {
			_, err := exporter.ExportDirectory(t.Context(), s, exporter.Request{Dir: root + "/rules/new"})
			return err
		},
		"export above": func(s *memory.Session) error {
			_, err := exporter.ExportDirectory(t.Context(), s, exporter.Request{Dir: b.Home})
			return err
		},
		"back up inside": func(s *memory.Session) error { _, err := backup.Backup(t.Context(), s, root+"/b.md"); return err },
		"use model":      func(s *memory.Session) error { _, err := embedding.UseModel(t.Context(), s, "builtin"); return err },
		"add model": func(s *memory.Session) error {
			_, err := embedding.AddModel(t.Context(), s, embedding.ModelAdd{Name: "ollama/x"})
			return err
		},
		"remove model": func(s *memory.Session) error { _, err := embedding.RemoveModel(t.Context(), s, "ollama/x"); return err },
	} {
		err := do(a.As(kb.AgentNamed("robot")))
		if e := kb.AsError(err); err == nil || e.Code != kb.Refused || e.Reason != kb.PersonOnly || e.Facts["command"] == "" {
			t.Errorf("%s by an agent: %v", name, err)
		}
	}
	if _, err := gitsync.AddSpace(t.Context(), a.As(kb.AgentNamed("robot")), space.AddRequest{Root: empty, Name: "empty"}); err != nil {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := a.Spaces.Set(t.Context(), space.SetRequest{Name: "notes", Key: "format", Value: "org"}); err != nil {
		t.Errorf("a person sets a policy: %v", err)
	}
	if _, err := a.Spaces.Remove(t.Context(), space.RemoveRequest{Name: "notes"}); err != nil {
		t.Errorf("a person removes a space: %v", err)
	}
}

// TestAgentsWriteNoFilesIntoSpacesOfOthers: the rules of a directory bind an agent that names
// a memory which does not have the space.
func TestAgentsWriteNoFilesIntoSpacesOfOthers(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	vault := b.Dir("outer/vault", map[string]string{"a.md": "# A\n", ".cairn/space.toml": "name = \"vault\"\n", "empty.md": ""})
	plain := b.Dir("plain", map[string]string{"a.md": "# A\n"})
	a := b.Open()
	robot, person := a.As(kb.AgentNamed("robot")), a.As(kb.Actor{Kind: kb.Human})
	for path, refused := range map[string]bool{
		vault: true, vault + "/new/deep": true, vault + "/a.md": true, filepath.Dir(vault): true, plain: false, plain + "/new": false,
	} {
		if err := robot.Spaces.MayFill(t.Context(), path, "export"); (err != nil && kb.AsError(err).Reason == kb.PersonOnly) != refused {
			t.Errorf("an agent writes to %s: %v", path, err)
		}
		if err := person.Spaces.MayFill(t.Context(), path, "export"); err != nil {
			t.Errorf("a person writes to %s: %v", path, err)
		}
	}
	for file, refused := range map[string]bool{vault + "/n.md": true, vault + "/empty.md": true, plain + "/n.db": false} {
		o := memory.Options{Place: space.Place{Env: func(string) string { return "" }, Dir: b.Home, Home: b.Home, DB: file}, Now: time.Now, Actor: kb.AgentNamed("robot")}
		made, err := memory.Open(t.Context(), o, true)
		if (err != nil && kb.AsError(err).Reason == kb.PersonOnly) != refused {
			t.Errorf("an agent makes %s: %v", file, err)
		}
		if err == nil {
			if err := made.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestAgentsMakeNoSpaceWhereTheirClientSaysThatItWorks: the directories that a client names
// give an agent neither the files of the memory, such as the owner's token, nor others.
func TestAgentsMakeNoSpaceWhereTheirClientSaysThatItWorks(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	mem := b.Dir("mem2", map[string]string{"memory.db.token": "secret"})
	hidden := b.Dir(".ssh", map[string]string{"id": "key"})
	a := b.Open()
	for _, dir := range []string{mem, hidden, b.Home, "/etc"} {
		robot := a.For(memory.Caller{Actor: kb.AgentNamed("robot"), Dir: dir})
		_, err := gitsync.CreateSpace(t.Context(), robot, space.AddRequest{Root: dir, Name: "x"})
		if kb.CodeOf(err) != kb.Refused {
			t.Errorf("%s: %v", dir, err)
		}
		if _, err := os.Stat(filepath.Join(dir, ".cairn")); err == nil {
			t.Errorf("%s: something was written there", dir)
		}
	}
	if all, err := a.Spaces.All(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("spaces: %v, %v", all, err)
	}
}
