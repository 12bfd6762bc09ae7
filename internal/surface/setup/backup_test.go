package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// A copy of an earlier state, or a file of that name that is somebody's, is
// neither written over nor taken away.
func TestOtherBackupsStay(t *testing.T) {
	t.Parallel()
	const last, now = `{"a":1,"precious":1}`, `{"a":1}`
	for _, tt := range []struct {
		name, has string // what the name of the first copy holds
		before    string // the file before the set-up; "" for none
	}{
		{"a copy of an earlier state", last, now},
		{"of the same text", now, now},
		{"no configuration", "mine", now},
		{"no configuration, and no file", "mine", ""},
		{"of a file that is gone", last, ""},
	} {
		p := testPlace(t)
		path := p.path("~/.cursor/mcp.json")
		put(t, path+backupSuffix, tt.has)
		if tt.before != "" {
			put(t, path, tt.before)
		}
		before := tree(t, p)
		for range 2 {
			ch := run(t, p, Request{Clients: []string{"cursor"}}).Changes[0]
			if tt.before != "" && readFile(t, ch.Backup) != tt.before || (ch.Backup == "") != (tt.before == "") {
				t.Errorf("%s: the copy is %q", tt.name, ch.Backup)
			}
			run(t, p, Request{Clients: []string{"cursor"}, Remove: true})
			if after := tree(t, p); after != before {
				t.Errorf("%s: before %s\nafter %s", tt.name, before, after)
			}
		}
	}
}

// What cannot be read has the name all the same.
func TestBackupNameTaken(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	path := p.path("~/.cursor/mcp.json")
	put(t, path, "{}")
	put(t, path+backupSuffix+"/x", "a directory")
	before := tree(t, p)
	if ch := run(t, p, Request{Clients: []string{"cursor"}}).Changes[0]; ch.Backup != path+backupSuffix+"-2" {
		t.Errorf("the copy is %s", ch.Backup)
	}
	run(t, p, Request{Clients: []string{"cursor"}, Remove: true})
	if after := tree(t, p); after != before {
		t.Errorf("before %s\nafter %s", before, after)
	}
}

// The person changed the file after the set-up: the copy stays, also when the
// client is set up and taken out again.
func TestBackupOfWhatWasLostStays(t *testing.T) {
	t.Parallel()
	const first, later = `{"a":1,"precious":1}`, `{"a":1}`
	p := testPlace(t)
	path := p.path("~/.claude.json")
	put(t, path, first)
	run(t, p, Request{Clients: []string{"claude-code"}})
	put(t, path, strings.Replace(readFile(t, path), `,"precious":1`, "", 1))
	for range 2 {
		run(t, p, Request{Clients: []string{"claude-code"}, Remove: true})
		if got, kept := readFile(t, path), readFile(t, path+backupSuffix); got != later || kept != first {
			t.Errorf("left %q and %q", got, kept)
		}
		run(t, p, Request{Clients: []string{"claude-code"}})
	}
}

// A file that may not be written fails the request before anything changes.
func TestReadOnlyFile(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	path := p.path("~/.claude/settings.json")
	put(t, path, "{}")
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	before := tree(t, p)
	if _, err := p.Plan(context.Background(), Request{Clients: []string{"claude-code"}}); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("got %v", err)
	}
	if after := tree(t, p); after != before {
		t.Errorf("left over %s", after)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, p, Request{Clients: []string{"claude-code"}})
}

// A change that fails after the copy was made takes the copy back.
func TestFailedChangeLeavesNoBackup(t *testing.T) {
	t.Parallel()
	for _, remove := range []bool{false, true} {
		p := testPlace(t)
		path := p.path("~/.cursor/mcp.json")
		text := "{}"
		if remove {
			text = `{"mcpServers":{"cairn":{"args":["mcp"],"command":"cairn"}}}`
		}
		put(t, path, text)
		plan, err := p.Plan(context.Background(), Request{Clients: []string{"cursor"}, Remove: remove})
		if err != nil {
			t.Fatal(err)
		}
		if !plan.Changes[0].keep {
			t.Error("there is to be no copy")
		}
		put(t, path, text+"\n")
		if err := p.Apply(context.Background(), plan.Changes); kb.CodeOf(err) != kb.Conflict {
			t.Errorf("got %v", err)
		}
		if fsys.Exists(path + backupSuffix) {
			t.Error("a copy is left over")
		}
	}
}

// A change that fails after others names those that were made, keeps no words that deny them,
// and lists their directories; to ask again does the rest, and taking out leaves nothing.
func TestFailedChangeNamesThoseBefore(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	p.Own = filepath.Join(p.Home, ".config", "cairn")
	path := p.path("~/.gemini/GEMINI.md")
	put(t, path, "Mine.\n")
	before := tree(t, p)
	req := Request{Clients: []string{"claude-code", "gemini"}}
	plan, err := p.Plan(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, "Mine, changed.\n")
	err = p.Apply(t.Context(), plan.Changes)
	e := kb.AsError(err)
	done, _ := e.Details["changed"].([]string)
	if kb.CodeOf(err) != kb.Conflict || len(done) == 0 || strings.Contains(e.Hint, "Nothing was") {
		t.Errorf("got %v, hint %q, changed %q", err, e.Hint, done)
	}
	_, said, _ := strings.Cut(e.Error(), "changed before that: ")
	for _, ch := range plan.Changes {
		text, err := os.ReadFile(ch.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if written := string(text) == string(ch.after); written != slices.Contains(done, ch.Path) || written != strings.Contains(said, ch.Path) {
			t.Errorf("%s was written: %t, and the error is %v", ch.Path, written, said)
		}
	}
	put(t, path, "Mine.\n")
	run(t, p, req)
	if text := readFile(t, path); !strings.Contains(text, "cairn") {
		t.Errorf("the rest was not done: %s", text)
	}
	req.Remove = true
	run(t, p, req)
	if after := tree(t, p); after != before {
		t.Errorf("left over %s, before %s", after, before)
	}
}
