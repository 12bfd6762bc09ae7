package cli

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// refused marks what an agent may not do: the command ends with kb.Refused.
const refused = "refused: "

// Exit codes of kb.Usage and kb.Refused.
const (
	exitUsage   = 2
	exitRefused = 6
)

// operationsOfAgents has a row for each operation that writes: its input, or a tool of it
// and the input of that, after refused where an agent may not call it. Reading operations change nothing and need no row.
var operationsOfAgents = map[string]string{
	"assert":        `{"subject":"a","predicate":"works_at","object":"Acme"}`,
	"assert_close":  `{"id":"1"}`,
	"review":        refused + `{"do":"seen","through":1}`,
	"take_back":     refused + `{"write":1,"dry_run":true}`,
	"canvas_write":  `{"title":"c","nodes":[],"edges":[]}`,
	"capture":       `{"text":"Captured.","summary":"S."}`,
	"commit":        `{}`,
	"compact":       `{}`,
	"contest":       `{"a":"a","b":"b","reason":"x"}`,
	"curate_decide": refused + `{"do":"merge","refs":["a","b"]}`,
	"daily":         `{"text":"x"}`,
	"delete":        `{"ref":"b"}`,
	"dismiss":       `{"id":"1","note":"n"}`,
	"edit":          `{"ref":"a","edits":[{"do":"append","text":"More."}]}`,
	"gap_approve":   `{"id":1,"sensitivity":"external","approver":"x","question":"who?"}`,
	"gap_log":       `{"question":"who?"}`,
	"gap_note":      `{"id":1,"context":"x"}`,
	"gap_remove":    `{"id":1}`,
	"gap_resolve":   `{"id":1,"ref":"a"}`,
	"inbox":         `{"done":"a"}`,
	"index":         `{}`,
	"ingest":        `{"pages":[{"slug":"i","content":"x"}]}`,
	"link":          `{"from":"a","to":"b","type":"knows"}`,
	"link_close":    `{"id":1}`,
	"move":          `{"ref":"b","to":"c"}`,
	"new_page":      `{"template":"person","title":"P"}`,
	"note_edit":     `{"ref":"a","edits":[{"do":"append","text":"More."}]}`,
	"note_write":    `{"title":"t","content":"x"}`,
	"pull":          `{}`,
	"push":          `{}`,
	"raw_store":     `{"ref":"a","source":"s","data":{}}`,
	"redo":          `{}`,
	"remember":      `{"text":"Remembered."}`,
	"resolve":       `{"id":"1","keep":"a"}`,
	"restore":       `{"ref":"mem:mine"}`,
	"routine":       `{"done":"x"}`,
	"schema_infer":  `{"type":"note"}`,
	"source_add":    `{"url":"https://example.org/"}`,
	"space_create":  refused + `create_memory_project {"project_name":"x","project_path":"HOME/notes/sub"}`,
	"space_remove":  refused + `delete_project {"project_name":"notes"}`,
	"stale_apply":   `{}`,
	"sync":          `{}`,
	"table":         `{"table":"tasks","row":"a","values":{"When":"x"}}`,
	"tag":           `{"ref":"a","add":["x"]}`,
	"timeline_add":  `{"ref":"a","text":"x"}`,
	"today":         `{"kind":"log","text":"x"}`,
	"undo":          `{}`,
	"write":         `{"ref":"new","text":"x"}`,
}

// commandsOfAgents has a row for each command that no operation stands for: its arguments,
// after refused where an agent may not give it. HOME is replaced.
var commandsOfAgents = map[string]string{
	"collection add":              refused + "collection add x HOME/notes",
	"config set":                  refused + "config set routine_command touch",
	"config unset":                refused + "config unset format",
	"db backup":                   "db backup HOME/b.db",
	"db copy":                     "db copy HOME/old.db HOME/copy.db",
	"db compact":                  "db compact",
	"db prune":                    refused + "db prune",
	"db restore":                  refused + "db restore HOME/old.db",
	"doctor":                      "doctor --fix",
	"embed":                       "embed",
	"export":                      "export --dir HOME/out",
	"find-all":                    "find-all --in HOME/more x",
	"forget":                      refused + "forget a",
	"import basic-memory":         "import basic-memory HOME/more",
	"import chatgpt":              "import chatgpt HOME/none",
	"import claude conversations": "import claude conversations HOME/none",
	"import claude projects":      "import claude projects HOME/none",
	"import kt":                   "import kt HOME/none",
	"import memory-json":          "import memory-json HOME/none",
	"import quaid":                "import quaid HOME/none",
	"init":                        "init",
	"journal export":              "journal export HOME/out",
	"maintain":                    refused + "maintain --install",
	"model add":                   refused + "model add openai/x --url http://127.0.0.1:1/",
	"model rm":                    refused + "model rm x",
	"model use":                   refused + "model use x",
	"web":                         refused + "web --print",
	"serve token":                 refused + "serve token",
	"space add":                   refused + "space add HOME/notes/sub",
	"space add --sessions":        refused + "space add --sessions claude-code --below HOME --days 9",
	"space default":               refused + "space default mem",
	"space edit":                  refused + "space edit notes",
	"space map":                   refused + "space map HOME/y/** notes",
	"space move-host":             refused + "space move-host notes",
	"space migrate":               refused + "space migrate --space notes",
	"space restore":               refused + "space restore gone",
	"space rm":                    refused + "space rm notes",
	"space set":                   refused + "space set folder x --space notes",
	"space unmap":                 refused + "space unmap HOME/x/**",
	"space upgrade":               refused + "space upgrade notes",
	"curate merge":                refused + "curate merge a b",
	"curate split":                refused + "curate split a --section More",
	"curate stamp":                refused + "curate stamp a",
	"curate supersede":            refused + "curate supersede a b",
	"search":                      "search --in HOME/more x", // from an index that is not kept
	"skills install":              "skills install --dir HOME/skills",
	"setup":                       "setup claude-code",
	"table rm":                    "table rm tasks a",
	"uninstall":                   refused + "uninstall",
	"untag":                       "untag a x",
	"tag-rename":                  "tag-rename x y",
	"unlink":                      "unlink a knows b",
	"inbox done":                  "inbox done a",
	"routine done":                "routine done x",
	"table set":                   "table set tasks a When=x",
	"status":                      "status a stale",
	"review":                      refused + "review seen 1",
}

// harmlessCommands read, serve the operations above, or print what the binary knows.
var harmlessCommands = strings.Fields(`activity backlinks blame call change completion config-get config-list config-path collection-list db-dump db-path db-validate emacs
	gap imports list lsp man mcp merge-driver model-list model-verify pipe prime recent routine-due serve skills-doctor skills-list skills-show
	space-policy stats tags tools-json upgrade version`)

// unkept are calls that the policy of the space makes misuse: it has no git, index, inbox
// or directory for sources.
var unkept = []string{"call commit", "call inbox", "call index", "call pull", "call push", "call source_add", "inbox done"}

// TestAgentsChangeNoLimits calls every operation and every command as an agent: no space,
// policy, mapping, setting, model, token or schedule changes, and what would change one is
// refused.
func TestAgentsChangeNoLimits(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	home := limitsHome(t)
	rows := map[string][]string{}
	forbidden := map[string]bool{}
	add := func(name, row string, args []string) {
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "HOME", home)
		}
		rows[name], forbidden[name] = args, strings.HasPrefix(row, refused)
	}
	known := map[string]bool{}
	for _, op := range operation.All() {
		known[op.Name] = true
		row, ok := operationsOfAgents[op.Name]
		if ok == op.ReadOnly {
			t.Errorf("operation %s: reads %v, and has a row: %v", op.Name, op.ReadOnly, ok)
			continue
		}
		if ok {
			tool, input := op.Name, strings.TrimPrefix(row, refused)
			if !strings.HasPrefix(input, "{") {
				tool, input, _ = strings.Cut(input, " ")
			}
			add("call "+op.Name, row, []string{"call", tool, input})
		}
	}
	for name := range operationsOfAgents {
		if !known[name] {
			t.Errorf("operation %s is gone: remove its row", name)
		}
	}
	covered := map[string]bool{}
	for _, use := range offered {
		covered[path(use)] = true
	}
	for _, name := range harmlessCommands {
		covered[strings.ReplaceAll(name, "-", " ")], covered[name] = true, true
	}
	leaves := map[string]bool{}
	for _, c := range commandsOf(newRoot(&command.Program{})) {
		name := strings.TrimPrefix(c.CommandPath(), "cairn ")
		if !c.Runnable() || c.HasSubCommands() || c.Hidden && name != "collection add" {
			continue
		}
		leaves[name] = true
		if commandsOfAgents[name] == "" && !covered[name] {
			t.Errorf("command %s has no row: say what an agent may do with it", name)
		}
	}
	for name, row := range commandsOfAgents {
		if command, _, _ := strings.Cut(name, " --"); !leaves[command] {
			t.Errorf("command %s is gone: remove its row", name)
			continue
		}
		add(name, row, strings.Fields(strings.TrimPrefix(row, refused)))
	}

	before := limitsOf(t, home)
	var since []string
	for i, name := range slices.Sorted(maps.Keys(rows)) {
		code, said := asActor(t, home, "agent:mallory", rows[name])
		if forbidden[name] != (code == exitRefused) {
			t.Errorf("cairn %q: exit code %d, refused should be %v: %s", rows[name], code, forbidden[name], said)
		}
		if code == exitUsage && !slices.Contains(unkept, name) {
			t.Errorf("cairn %q is no call that an agent would make: %s", rows[name], said)
		}
		if since = append(since, name); len(since) < 20 && i < len(rows)-1 {
			continue
		}
		if now := limitsOf(t, home); now != before {
			t.Errorf("one of %q changed limits:\n%s", since, cmp.Diff(before, now))
			before = now
		}
		since = nil
	}
}

// TestAgentsWriteNoFilesIntoSpaces gives every command that takes a path to write to the
// directory of a space, as an agent: nothing is written, and the answer names the command
// for a person, for whom it works.
func TestAgentsWriteNoFilesIntoSpaces(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	home := limitsHome(t)
	for name, text := range map[string]string{"base": "x\n", "theirs": "y\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	notes := filepath.Join(home, "notes")
	if err := os.Symlink(notes, filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"man HOME/notes", "man HOME/notes/sub", "man HOME/link/man1 --markdown", "skills install --dir HOME/notes", "skills install memory-recall --dir HOME/link/skills",
		"export --dir HOME/notes/out", "export --dir HOME/notes/out --normalise", "db backup HOME/notes/b.db", "db backup HOME/link/b.db", "db copy HOME/old.db HOME/notes/b.db", "db copy HOME/old.db HOME/link/b.db",
		"init HOME/notes/memory.db", "merge-driver HOME/base HOME/notes/a.md HOME/theirs a.md",
	} {
		before := snapshotOf(t, notes)
		code, said := asActor(t, home, "agent:mallory", strings.Fields(strings.ReplaceAll(args, "HOME", home)))
		if code != exitRefused || !strings.Contains(said, "A person may do it: cairn "+strings.Fields(args)[0]) {
			t.Errorf("cairn %s: exit code %d: %s", args, code, said)
		}
		if now := snapshotOf(t, notes); now != before {
			t.Errorf("cairn %s changed the space:\n%s", args, cmp.Diff(before, now))
		}
	}
	for _, args := range []string{"setup claude-code --scope project", "skills install --scope project"} {
		for _, actor := range []string{"agent:mallory", "human:ada"} { // a second run changes nothing
			want := 0
			if actor == "agent:mallory" {
				want = exitRefused
			}
			if code, said := asActorIn(t, home, notes, actor, strings.Fields(args)); code != want {
				t.Errorf("cairn %s in a space by %s: exit code %d: %s", args, actor, code, said)
			}
		}
	}
	for _, args := range []string{"man HOME/man1", "skills install --dir HOME/skills", "merge-driver HOME/base HOME/theirs HOME/theirs a.md"} {
		if code, said := asActor(t, home, "agent:mallory", strings.Fields(strings.ReplaceAll(args, "HOME", home))); code != 0 {
			t.Errorf("cairn %s: exit code %d: %s", args, code, said)
		}
	}
	if code, said := asActor(t, home, "human:ada", []string{"man", notes + "/man1"}); code != 0 {
		t.Errorf("a person: exit code %d: %s", code, said)
	}
}

// snapshotOf lists the files of a directory with their texts.
func snapshotOf(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out.WriteString(path + "\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// limitsHome is a home with spaces, a mapping, a setting, a token and pages, all made by a
// person.
func limitsHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for name, text := range map[string]string{"notes/a.md": "# A\n\nText.\n\n## More\n\nx\n", "notes/b.md": "# B\n\nOther.\n", "more/m.md": "# M\n", "notes/sub/x.txt": ""} {
		at := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{
		"space add HOME/notes --name notes", "space add --database --name mem", "space default notes", "space map HOME/x/** notes", "config set editor vi",
		"space add --database --name gone", "space rm gone", "sync", "serve token --agent ci", "put mine text --space mem", "db backup HOME/old.db",
	} {
		if code, said := asActor(t, home, "human:ada", strings.Fields(strings.ReplaceAll(args, "HOME", home))); code != 0 {
			t.Fatalf("cairn %s: %d %s", args, code, said)
		}
	}
	return home
}

// counted are figures that change with the pages.
var counted = regexp.MustCompile(`"(pages|synced_at|left)":[^,}]*`)

// limitsOf describes what bounds an agent: the spaces with their policies, mappings,
// settings, models and tokens, and the files outside of spaces that a scheduler or a
// shell would read.
func limitsOf(t *testing.T, home string) string {
	t.Helper()
	var out strings.Builder
	for _, args := range []string{
		"space list --json=id,name,kind,root,default,preset", "space policy notes", "space policy mem", "space list --forgotten --json=id,name", "space map --json", "space default --json", "config list --json", "model list --json",
	} {
		_, said := asActor(t, home, "human:ada", strings.Fields(args))
		out.WriteString(args + "\n" + counted.ReplaceAllString(said, ""))
	}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := filepath.ToSlash(apptest.OK(filepath.Rel(home, path))(t))
		if strings.Contains(name, "systemd") || strings.Contains(name, "LaunchAgents") || strings.Contains(name, "token") || strings.HasSuffix(name, ".toml") {
			text, err := os.ReadFile(path)
			out.WriteString(name + "\n" + string(text))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// asActor runs a command without a terminal, and returns its exit code and all output.
func asActor(t *testing.T, home, actor string, args []string) (code int, said string) {
	t.Helper()
	return asActorIn(t, home, home, actor, args)
}

// asActorIn is asActor in a working directory.
func asActorIn(t *testing.T, home, dir, actor string, args []string) (code int, said string) {
	t.Helper()
	var out bytes.Buffer
	vars := map[string]string{"HOME": home, "CAIRN_ACTOR": actor, "EDITOR": "true", "PATH": os.Getenv("PATH")}
	code = Main(t.Context(), command.Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		Getenv: func(k string) string { return vars[k] },
		MCP:    func(context.Context, command.MCPSession) error { return kb.Errorf(kb.Internal, "no server") },
		LSP:    func(context.Context, command.LSPSession) error { return kb.Errorf(kb.Internal, "no server") },
		Dir:    dir, Home: home, TempDir: t.TempDir(), Now: time.Now, After: time.After,
	})
	return code, out.String()
}
