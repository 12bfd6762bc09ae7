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

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/surface/skills"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func testPlace(t *testing.T) Place {
	t.Helper()
	p := Place{OS: "linux", Home: filepath.Join(fsystest.TempDir(t), "home"), Env: func(string) string { return "" }}
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
	if err := p.Apply(context.Background(), plan.Changes); err != nil {
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
	t.Parallel()
	for _, c := range clients {
		for _, s := range []Scope{User, Project} {
			if len(c.in(s)) == 0 {
				continue
			}
			t.Run(c.name+"-"+string(s), func(t *testing.T) {
				p := testPlace(t)
				req := Request{Clients: []string{c.name}, Scope: s}
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
	t.Parallel()
	extra := []string{"", " ", "\ufeff", "\ufeff\r\n\r\n", "\n\n\n", "{\"mcpServers\":{}}", "{\"hooks\":{ },\"mcpServers\":{\n}}\n", "{\"hooks\":{\"SessionStart\":[]}}",
		"// nothing here yet\n", "\ufeff/* a */ // b", "// a\r\n\r\n// b\r\n"}
	for _, c := range clients {
		for _, s := range []Scope{User, Project} {
			if len(c.in(s)) == 0 {
				continue
			}
			t.Run(c.name+"-"+string(s), func(t *testing.T) {
				t.Parallel()
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
		case hookFile:
			continue // it is all ours, or not at all
		}
		put(t, p.path(pc.paths[0]), text)
	}
	before := tree(t, p)
	// Skills have files of their own, which take most of the time.
	skill := func(ch Change) bool { return ch.Skill != "" }
	// The two runs are of a cairn at different places: what goes is what is there.
	for _, ch := range apply(t, p, Request{Clients: []string{c.name}, Scope: s, Command: `/opt/"my dir"/cairn`}, skill).Changes {
		if own := filepath.Base(ch.Path) == "cairn.json"; ch.Action != Changed && !own || ch.Backup == "" && !own {
			t.Errorf("%s: %s without a backup", ch.Action, ch.Path)
		}
	}
	apply(t, p, Request{Clients: []string{c.name}, Scope: s, Remove: true}, skill)
	if after := tree(t, p); after != before {
		t.Errorf("before %q\nafter  %q", before, after)
	}
}

// What a person wrote otherwise than cairn does is theirs, as is the file that
// it is in: both ways leave it, and say so. It counts as set up when it runs
// cairn.
func TestWhatIsNotOursIsLeft(t *testing.T) {
	t.Parallel()
	const prime = `{"type":"command","command":"cairn prime --format hook --actor gemini-cli-mcp-client"}`
	for _, tt := range []struct {
		client, path, text string
		configured         bool
	}{
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":{"command":"/my/wrapper","env":{"K":"v"}}}}`, false},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"x":{},"cairn":{"command":"ssh","args":["host","cairn","mcp"]}}}`, false},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":{"command":"docker"}}}`, false},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":{"url":"https://example.org"}}}`, false},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":"mcp"}}`, false},
		{"cursor", "~/.cursor/mcp.json", `{"mcpServers":{"cairn":{"command":"/opt/cairn","args":["mcp","--space","x"],"env":{"A":"b"}}}}`, true},
		{"opencode", "{config}/opencode/opencode.json", `{"mcp":{"cairn":{"command":["/my/wrapper"]}}}`, false},
		{"codex", "~/.codex/config.toml", "[mcp_servers.\"cairn\"]\ncommand = \"/my/wrapper\"\n", false},
		{"codex", "~/.codex/config.toml", "mcp_servers = {cairn = {command = \"cairn\", args = [\"mcp\"]}}\n", true},
		{"codex", "~/.codex/config.toml", "[\"mcp_servers\".\"cairn\"]\ncommand = \"cairn\"\nargs = [\"mcp\"]\n[mcp_servers.cairn.env]\nA = \"b\"\n", true},
		{"gemini", "~/.gemini/settings.json", `{"mcpServers":{"cairn":{"command":"docker"}},"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"x"},` + prime + `]}]}}`, false},
	} {
		p := testPlace(t)
		put(t, p.path(tt.path), tt.text)
		for range 2 {
			if ch := run(t, p, Request{Clients: []string{tt.client}, Command: "/other/cairn"}).Changes[0]; ch.Action != Unchanged || ch.Note == "" {
				t.Errorf("%s set up: %+v", tt.text, ch)
			}
			all := p.Clients(context.Background())
			if got := slices.ContainsFunc(all, func(s Status) bool { return s.Client == tt.client && s.User }); got != tt.configured {
				t.Errorf("%s is set up: %t", tt.text, got)
			}
		}
		if ch := run(t, p, Request{Clients: []string{tt.client}, Remove: true}).Changes[0]; ch.Action != Kept || ch.Note == "" {
			t.Errorf("%s removed: %+v", tt.text, ch)
		}
		if got, want := tree(t, p), tt.text; !strings.HasSuffix(got, " --\n"+want) || strings.Count(got, "-- ") != 1 {
			t.Errorf("left %s, want %s", got, want)
		}
	}
}

// A file of its own is made, changed and removed whole, and left alone when it
// is not as cairn writes it.
func TestHookFile(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	path, space := p.path("~/.copilot/hooks/cairn.json"), "My notes"
	of := func(req Request) Change {
		req.Clients = []string{"copilot"}
		return run(t, p, req).Changes[1]
	}
	of(Request{})
	if ch := of(Request{Command: "/opt/cairn", Serve: Serve{Space: &space}}); ch.Action != Changed {
		t.Errorf("%+v", ch)
	}
	if got := readFile(t, path); !strings.Contains(got, `"/opt/cairn prime --format copilot --actor github-copilot-developer --space \"My notes\""`) {
		t.Errorf("it holds %s", got)
	}
	if ch := of(Request{}); ch.Action != Unchanged {
		t.Errorf("%+v", ch)
	}
	if of(Request{Remove: true}); fsys.Exists(path) {
		t.Error("it is left over")
	}
	for _, mine := range []string{"{}", "not JSON", `{"version":1,"hooks":{"sessionStart":[{"type":"command","command":"cairn prime"}]}}`} {
		put(t, path, mine)
		for _, req := range []Request{{Command: "/opt/cairn"}, {Remove: true}} {
			if ch := of(req); ch.Note == "" || readFile(t, path) != mine {
				t.Errorf("%s: %+v", mine, ch)
			}
		}
	}
}

// A file has a part of ours beside an entry that is not: what was ours goes to
// the byte, and the copy with it.
func TestRemoveBesideAnothersEntry(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	path := p.path("~/.gemini/settings.json")
	put(t, path, `{"mcpServers":{"cairn":{"command":"docker"}}}`)
	before := tree(t, p)
	run(t, p, Request{Clients: []string{"gemini"}})
	if ch := run(t, p, Request{Clients: []string{"gemini"}, Remove: true}).Changes[0]; ch.Action != Changed || ch.Note == "" {
		t.Errorf("%+v", ch)
	}
	if after := tree(t, p); after != before {
		t.Errorf("before %q\nafter  %q", before, after)
	}
}

// A program that is asked for by name takes the place of the one that was set
// up, and all goes again, whatever its name.
func TestCommandUpdates(t *testing.T) {
	t.Parallel()
	for _, c := range clients {
		p := testPlace(t)
		pc := c.user[0]
		text := "{\"a\":1}\n"
		if _, ok := pc.part.(table); ok {
			text = "a = 1\n"
		}
		put(t, p.path(pc.paths[0]), text)
		before := tree(t, p)
		skill := func(ch Change) bool { return ch.Skill != "" }
		apply(t, p, Request{Clients: []string{c.name}}, skill)
		apply(t, p, Request{Clients: []string{c.name}, Command: "/other/tool"}, skill)
		for _, pc := range c.user {
			if pc.where != "" {
				continue
			}
			now := readFile(t, p.path(pc.paths[0]))
			if _, lines := pc.part.(instructions); !lines && !strings.Contains(now, "/other/tool") {
				t.Errorf("%s: %s", c.name, now)
			}
		}
		// To the byte what setup writes: it goes also without its name. When
		// somebody changed the file since, that needs to be said.
		apply(t, p, Request{Clients: []string{c.name}, Remove: true}, skill)
		if after := tree(t, p); after != before {
			t.Errorf("before %q\nafter  %q", before, after)
		}
		apply(t, p, Request{Clients: []string{c.name}, Command: "/other/tool"}, skill)
		put(t, p.path(pc.paths[0]), strings.Replace(readFile(t, p.path(pc.paths[0])), "1", "2", 1))
		for command, kept := range map[string]bool{"": true, "/other/tool": false} {
			plan, err := p.Plan(context.Background(), Request{Clients: []string{c.name}, Command: command, Remove: true})
			if err != nil || (plan.Changes[0].Note != "") != kept {
				t.Errorf("%s with %q: %+v, %v", c.name, command, plan.Changes[0], err)
			}
		}
	}
}

// What a person put into an entry that cairn wrote without changing what it
// says can be had again, and the file that it is in stays.
func TestRemoveKeepsACopyOfWhatItDidNotWrite(t *testing.T) {
	t.Parallel()
	const mine = `{"mcpServers":{"cairn":{"args":["mcp"],"command":"/x/cairn" /* mine */}}}`
	for _, before := range []string{"", "{\"mcpServers\": {}}"} {
		p := testPlace(t)
		path := p.path("~/.cursor/mcp.json")
		if before != "" {
			put(t, path, before)
			run(t, p, Request{Clients: []string{"cursor"}})
		}
		put(t, path, mine)
		run(t, p, Request{Clients: []string{"cursor"}, Remove: true})
		copied := path + backupSuffix
		if before != "" {
			copied += "-2"
		}
		if got := readFile(t, copied); got != mine {
			t.Errorf("the copy holds %q", got)
		}
		if left := readFile(t, path); left != "{}" {
			t.Errorf("after %q: left %q", before, left)
		}
	}
}

// What an older cairn wrote goes without a trace, when it is set up anew and
// when it is taken out; what a person wrote in its place is kept beside.
func TestOlderInstructions(t *testing.T) {
	t.Parallel()
	older := instructions{"Of last year.\n"}.block()
	for _, before := range []string{"", "# Mine\n"} {
		for _, again := range []bool{true, false} {
			for _, byHand := range []bool{true, false} {
				p := testPlace(t)
				path := p.path("AGENTS.md")
				if before != "" {
					put(t, path, before)
				}
				run(t, p, Request{Clients: []string{"cursor"}, Scope: Project})
				text := strings.Replace(readFile(t, path), instructions{}.block(), older, 1)
				if byHand {
					text = strings.Replace(text, "last", "this", 1)
				}
				put(t, path, text)
				if again {
					run(t, p, Request{Clients: []string{"cursor"}, Scope: Project})
					if now := readFile(t, path); !strings.HasSuffix(now, instructions{}.block()) || strings.Contains(now, "year") {
						t.Errorf("set up again: %q", now)
					}
				}
				run(t, p, Request{Clients: []string{"cursor"}, Scope: Project, Remove: true})
				if fsys.Exists(path) != (before != "") || before != "" && readFile(t, path) != before {
					t.Errorf("%q became %s", before, tree(t, p))
				}
				copied := path + backupSuffix
				if before != "" {
					copied += "-2"
				}
				if fsys.Exists(copied) != byHand || byHand && readFile(t, copied) != text || before != "" && fsys.Exists(path+backupSuffix) {
					t.Errorf("by hand: %t; left over %s", byHand, tree(t, p))
				}
			}
		}
	}
}

// The person's own changes since the set-up outlive the removal, and the copy
// from before stays.
func TestRemoveKeepsLaterChanges(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	path := p.path(".cursor/mcp.json")
	put(t, path, "{\n  \"a\": 1\n}\n")
	run(t, p, Request{Clients: []string{"cursor"}, Scope: Project})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, strings.Replace(string(text), `"a": 1`, `"a": 2`, 1))
	run(t, p, Request{Clients: []string{"cursor"}, Scope: Project, Remove: true})
	want := "-- project/.cursor/mcp.json --\n{\n  \"a\": 2\n}\n-- project/.cursor/mcp.json.cairn-backup --\n{\n  \"a\": 1\n}\n"
	if got := tree(t, p); got != want {
		t.Errorf("got %q", got)
	}
}

// A setting that had our value before is the person's, and stays when cairn is taken out.
func TestRemoveKeepsOwnSettings(t *testing.T) {
	t.Parallel()
	for _, before := range []string{
		"{\n  \"env\": {\n    \"CAIRN_FORMAT\": \"json\"\n  }\n}\n",
		"{\"env\":{\"CAIRN_FORMAT\":\"json\",\"CAIRN_ACTOR\":\"agent:claude-code\"},\"a\":1}",
		"{\"env\":{\"CAIRN_FORMAT\":\"json\",\"CAIRN_ACTOR\":\"human:me\"}}",
	} {
		for _, edited := range []bool{false, true} {
			p := testPlace(t)
			path := p.path("~/.claude/settings.json")
			put(t, path, before)
			run(t, p, Request{Clients: []string{"claude-code"}})
			want := before
			if edited {
				put(t, path, strings.Replace(readFile(t, path), "{", "{\n\"mine\": 1,", 1))
				want = strings.Replace(before, "{", "{\n\"mine\": 1,", 1)
			}
			run(t, p, Request{Clients: []string{"claude-code"}, Remove: true})
			if got := readFile(t, path); got != want {
				t.Errorf("%q became %q", before, got)
			}
		}
	}
}

// One of two files is broken: neither changes.
func TestBrokenFileStopsAll(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	put(t, p.path("~/.claude/settings.json"), "{\n\"a\": 1,\n\"b\" 2\n}")
	before := tree(t, p)
	_, err := p.Plan(context.Background(), Request{Clients: []string{"claude-code"}})
	if err == nil || !strings.Contains(err.Error(), "line 3") || !strings.Contains(err.Error(), "settings.json") {
		t.Errorf("got %v", err)
	}
	if after := tree(t, p); after != before {
		t.Errorf("changed to %q", after)
	}
}

func TestSharedInstructionsStayWhileNeeded(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	for _, name := range []string{"cursor", "codex"} {
		run(t, p, Request{Clients: []string{name}, Scope: Project})
	}
	run(t, p, Request{Clients: []string{"cursor"}, Scope: Project, Remove: true})
	if !fsys.Exists(p.path("AGENTS.md")) {
		t.Error("Codex lost its instructions")
	}
	run(t, p, Request{Clients: []string{"codex"}, Scope: Project, Remove: true})
	if left := tree(t, p); left != "" {
		t.Errorf("left over:\n%s", left)
	}
}

// The directories that were made go when they are empty, and no others do.
func TestMadeDirectoriesGo(t *testing.T) {
	t.Parallel()
	dirs := func(p Place) (all []string) {
		err := filepath.Walk(filepath.Dir(p.Home), func(name string, info os.FileInfo, err error) error {
			if err == nil {
				all = append(all, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, mine := range []string{"", ".cursor", ".agents/skills", ".config"} {
		p := testPlace(t)
		p.Own = filepath.Join(p.Home, ".config", "cairn")
		if err := os.MkdirAll(filepath.Join(p.Home, mine), 0o700); err != nil {
			t.Fatal(err)
		}
		before := dirs(p)
		for _, req := range []Request{{Clients: []string{"cursor", "codex"}}, {Clients: []string{"cursor"}, Scope: Project}} {
			run(t, p, req)
		}
		put(t, filepath.Join(p.Home, ".codex", "mine"), "")
		for _, req := range []Request{{Clients: []string{"cursor"}}, {Clients: []string{"codex"}}, {Clients: []string{"cursor"}, Scope: Project}} {
			req.Remove = true
			run(t, p, req)
		}
		if !fsys.Exists(filepath.Join(p.Home, ".codex", "mine")) {
			t.Fatal("a file of somebody's is gone")
		}
		if err := os.RemoveAll(filepath.Join(p.Home, ".codex")); err != nil {
			t.Fatal(err)
		}
		after := slices.DeleteFunc(dirs(p), func(name string) bool { // still listed: .codex was in use
			rel, _ := filepath.Rel(p.Home, name)
			return slices.Contains([]string{".config", ".config/cairn", ".config/cairn/" + madeFile}, filepath.ToSlash(rel)) && rel != mine
		})
		if !slices.Equal(before, after) {
			t.Errorf("with %q: before %q\nafter %q", mine, before, after)
		}
		run(t, p, Request{Clients: []string{"codex"}})
		run(t, p, Request{Clients: []string{"codex"}, Remove: true})
		if after := dirs(p); !slices.Equal(before, after) {
			t.Errorf("with %q: before %q\nat the end %q", mine, before, after)
		}
	}
}

func TestLinksAreKept(t *testing.T) {
	t.Parallel()
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
	run(t, p, Request{Clients: []string{"cursor"}})
	if target, err := os.Readlink(link); err != nil || target != real {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if text, err := os.ReadFile(real); err != nil || !strings.Contains(string(text), "cairn") {
		t.Errorf("its file holds %q, %v", text, err)
	}
	run(t, p, Request{Clients: []string{"cursor"}, Remove: true})
	if text, err := os.ReadFile(real); err != nil || string(text) != "{}\n" {
		t.Errorf("its file holds %q, %v", text, err)
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Plan(context.Background(), Request{Clients: []string{"cursor"}}); err == nil {
		t.Error("a link to nothing was followed")
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
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
