package setup

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/skills"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func testPlace(t *testing.T) Place {
	t.Helper()
	p := Place{OS: "linux", Home: filepath.Join(t.TempDir(), "home"), Env: func(string) string { return "" }}
	p.Dir = filepath.Join(p.Home, "project")
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t *testing.T, p Place, req Request) *Plan {
	t.Helper()
	return apply(t, p, req, func(Change) bool { return false })
}

// apply makes the changes of a request but for those that are left out.
func apply(t *testing.T, p Place, req Request, leaveOut func(Change) bool) *Plan {
	t.Helper()
	plan, err := p.Plan(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	plan.Changes = slices.DeleteFunc(plan.Changes, leaveOut)
	if err := plan.Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	return plan
}

// tree lists the files below the home.
func tree(t *testing.T, p Place) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(p.Home, func(name string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		if skills.Installed(text) {
			text = []byte("(as installed)\n")
		}
		rel, _ := filepath.Rel(p.Home, name)
		b.WriteString("-- " + filepath.ToSlash(rel) + " --\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestGolden(t *testing.T) {
	for _, c := range clients {
		for _, s := range []Scope{User, Project} {
			if len(c.in(s)) == 0 {
				continue
			}
			t.Run(c.name+"-"+string(s), func(t *testing.T) {
				p := testPlace(t)
				req := Request{Client: c.name, Scope: s}
				run(t, p, req)
				got := tree(t, p)
				golden := filepath.Join("testdata", c.name+"-"+string(s)+".golden")
				if *update {
					put(t, golden, got)
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("%s:\n%s", golden, got)
				}
				for _, ch := range run(t, p, req).Changes {
					if ch.Action != Unchanged {
						t.Errorf("a second run: %s %s", ch.Action, ch.Path)
					}
				}
				req.Remove = true
				run(t, p, req)
				if left := tree(t, p); left != "" {
					t.Errorf("left over:\n%s", left)
				}
			})
		}
	}
}

// Whatever stands in the files, a client that was set up and removed leaves
// them as they were.
func TestRemoveRestores(t *testing.T) {
	extra := []string{"", " ", "\ufeff", "\ufeff\r\n\r\n", "\n\n\n", "{\"mcpServers\":{}}", "{\"hooks\":{ },\"mcpServers\":{\n}}\n", "{\"hooks\":{\"SessionStart\":[]}}"}
	for _, c := range clients {
		for _, s := range []Scope{User, Project} {
			if len(c.in(s)) == 0 {
				continue
			}
			t.Run(c.name+"-"+string(s), func(t *testing.T) {
				t.Parallel() // most of the time goes to flushing files
				for _, config := range append(extra, configs...) {
					restores(t, c, s, config)
				}
			})
		}
	}
}

func restores(t *testing.T, c client, s Scope, config string) {
	t.Helper()
	p := testPlace(t)
	p.Binary = "/usr/bin/cairn"
	for _, pc := range c.in(s) {
		text := config
		switch pc.part.(type) {
		case table:
			text = tomls[len(config)%len(tomls)]
		case instructions:
			text = markdowns[len(config)%len(markdowns)]
		}
		put(t, p.path(pc.paths[0]), text)
	}
	before := tree(t, p)
	// Skills have files of their own, and flushing them takes most of the time.
	skill := func(ch Change) bool { return ch.ownDir }
	// The two runs are of a cairn at different places: what goes is what is there.
	for _, ch := range apply(t, p, Request{Client: c.name, Scope: s, Command: `/opt/my "cairn"`}, skill).Changes {
		if ch.Action != Changed || ch.Backup == "" {
			t.Errorf("%s: %s without a backup", ch.Action, ch.Path)
		}
	}
	apply(t, p, Request{Client: c.name, Scope: s, Remove: true}, skill)
	if after := tree(t, p); after != before {
		t.Errorf("before %q\nafter  %q", before, after)
	}
}

// An entry that a person wrote otherwise than cairn does is theirs, as is the
// file that it is in.
func TestRemoveLeavesWhatIsNotOurs(t *testing.T) {
	for _, tt := range []struct{ client, path, text string }{
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":{"command":"/my/wrapper","env":{"K":"v"}}}}`},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"x":{},"cairn":{"command":"ssh","args":["host","cairn","mcp"]}}}`},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":{"url":"https://example.org"}}}`},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":"mcp"}}`},
		{"opencode", "{config}/opencode/opencode.json", `{"mcp":{"cairn":{"command":["/my/wrapper"]}}}`},
		{"codex", "~/.codex/config.toml", "[mcp_servers.\"cairn\"]\ncommand = \"/my/wrapper\"\n"},
		{"codex", "~/.codex/config.toml", "mcp_servers = {cairn = {command = \"cairn\", args = [\"mcp\"]}}\n"},
	} {
		p := testPlace(t)
		put(t, p.path(tt.path), tt.text)
		run(t, p, Request{Client: tt.client})
		if all := p.Clients(context.Background()); !slices.ContainsFunc(all, func(s Status) bool { return s.Client == tt.client && s.User }) {
			t.Errorf("%s is not set up", tt.text)
		}
		change := run(t, p, Request{Client: tt.client, Remove: true}).Changes[0]
		if change.Action != Kept || change.Note == "" {
			t.Errorf("%s: %+v", tt.text, change)
		}
		if got, want := tree(t, p), tt.text; !strings.HasSuffix(got, " --\n"+want) || strings.Count(got, "-- ") != 1 {
			t.Errorf("left %s, want %s", got, want)
		}
	}
}

// What a person put into an entry that cairn wrote, or formatted otherwise,
// can be had again.
func TestRemoveKeepsACopyOfWhatItDidNotWrite(t *testing.T) {
	const mine = `{"mcpServers":{"cairn":{"command":"/x/cairn","args":["mcp","--read-only"],"env":{"K":"v"}}}}`
	for _, before := range []string{"", "{\"mcpServers\": {}}"} {
		p := testPlace(t)
		path := p.path("~/.cursor/mcp.json")
		if before != "" {
			put(t, path, before)
			run(t, p, Request{Client: "cursor"})
		}
		put(t, path, mine)
		run(t, p, Request{Client: "cursor", Remove: true})
		if copied := readFile(t, path+backupSuffix); copied != mine {
			t.Errorf("the copy holds %q", copied)
		}
		if fsys.Exists(path) != (before != "") {
			t.Errorf("after %q: there is a file: %t", before, fsys.Exists(path))
		}
	}
}

// What an older cairn wrote goes without a trace, when it is set up anew and
// when it is taken out; what a person wrote in its place is kept beside.
func TestOlderInstructions(t *testing.T) {
	older := instructions{"Of last year.\n"}.block()
	for _, before := range []string{"", "# Mine\n"} {
		for _, again := range []bool{true, false} {
			for _, byHand := range []bool{true, false} {
				p := testPlace(t)
				path := p.path("AGENTS.md")
				if before != "" {
					put(t, path, before)
				}
				run(t, p, Request{Client: "cursor", Scope: Project})
				text := strings.Replace(readFile(t, path), instructions{}.block(), older, 1)
				if byHand {
					text = strings.Replace(text, "last", "this", 1)
				}
				put(t, path, text)
				if again {
					run(t, p, Request{Client: "cursor", Scope: Project})
					if now := readFile(t, path); !strings.HasSuffix(now, instructions{}.block()) || strings.Contains(now, "year") {
						t.Errorf("set up again: %q", now)
					}
				}
				run(t, p, Request{Client: "cursor", Scope: Project, Remove: true})
				if fsys.Exists(path) != (before != "") || before != "" && readFile(t, path) != before {
					t.Errorf("%q became %s", before, tree(t, p))
				}
				if fsys.Exists(path+backupSuffix) != byHand || byHand && readFile(t, path+backupSuffix) != text {
					t.Errorf("by hand: %t; left over %s", byHand, tree(t, p))
				}
			}
		}
	}
}

// The person's own changes since the set-up outlive the removal, and the copy
// from before stays.
func TestRemoveKeepsLaterChanges(t *testing.T) {
	p := testPlace(t)
	path := p.path(".cursor/mcp.json")
	put(t, path, "{\n  \"a\": 1\n}\n")
	run(t, p, Request{Client: "cursor", Scope: Project})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, strings.Replace(string(text), `"a": 1`, `"a": 2`, 1))
	run(t, p, Request{Client: "cursor", Scope: Project, Remove: true})
	want := "-- project/.cursor/mcp.json --\n{\n  \"a\": 2\n}\n-- project/.cursor/mcp.json.cairn-backup --\n{\n  \"a\": 1\n}\n"
	if got := tree(t, p); got != want {
		t.Errorf("got %q", got)
	}
}

// One of two files is broken: neither changes.
func TestBrokenFileStopsAll(t *testing.T) {
	p := testPlace(t)
	put(t, p.path("~/.claude/settings.json"), "{\n\"a\": 1,\n\"b\" 2\n}")
	before := tree(t, p)
	_, err := p.Plan(context.Background(), Request{Client: "claude-code"})
	if err == nil || !strings.Contains(err.Error(), "line 3") || !strings.Contains(err.Error(), "settings.json") {
		t.Errorf("got %v", err)
	}
	if after := tree(t, p); after != before {
		t.Errorf("changed to %q", after)
	}
}

func TestSharedInstructionsStayWhileNeeded(t *testing.T) {
	p := testPlace(t)
	for _, name := range []string{"cursor", "codex"} {
		run(t, p, Request{Client: name, Scope: Project})
	}
	run(t, p, Request{Client: "cursor", Scope: Project, Remove: true})
	if !fsys.Exists(p.path("AGENTS.md")) {
		t.Error("Codex lost its instructions")
	}
	run(t, p, Request{Client: "codex", Scope: Project, Remove: true})
	if left := tree(t, p); left != "" {
		t.Errorf("left over:\n%s", left)
	}
}

func TestLinksAreKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	p := testPlace(t)
	real := filepath.Join(p.Home, "dotfiles", "mcp.json")
	put(t, real, "{}\n")
	if err := os.Mkdir(filepath.Join(p.Home, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(p.Home, ".cursor", "mcp.json")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	run(t, p, Request{Client: "cursor"})
	if target, err := os.Readlink(link); err != nil || target != real {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if text, err := os.ReadFile(real); err != nil || !strings.Contains(string(text), "cairn") {
		t.Errorf("its file holds %q, %v", text, err)
	}
	run(t, p, Request{Client: "cursor", Remove: true})
	if text, err := os.ReadFile(real); err != nil || string(text) != "{}\n" {
		t.Errorf("its file holds %q, %v", text, err)
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Plan(context.Background(), Request{Client: "cursor"}); err == nil {
		t.Error("a link to nothing was followed")
	}
}

func TestPaths(t *testing.T) {
	env := map[string]string{"APPDATA": `C:\Roaming`, "XDG_CONFIG_HOME": "/xdg"}
	for _, tt := range []struct{ os, name, want string }{
		{"linux", "~/.claude.json", "/h/.claude.json"},
		{"linux", "{apps}/Claude/x", "/xdg/Claude/x"},
		{"darwin", "{apps}/Claude/x", "/h/Library/Application Support/Claude/x"},
		{"darwin", "{zed}/x", "/h/.config/zed/x"},
		{"linux", "{zed}/x", "/xdg/zed/x"},
		{"linux", ".mcp.json", "/d/.mcp.json"},
	} {
		p := Place{OS: tt.os, Home: "/h", Dir: "/d", Env: func(k string) string { return env[k] }}
		if got := filepath.ToSlash(p.path(tt.name)); got != tt.want {
			t.Errorf("%s on %s: %s, want %s", tt.name, tt.os, got, tt.want)
		}
	}
}
