package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/safetext"
	"github.com/cairn-kb/cairn/internal/server"
)

// evil is text that would colour, move, ring, reorder and hide if a terminal
// or a reader got it: CSI, OSC, C1, bidi, BEL, backspace, DEL, a tag. cairn's
// own colours are none of these.
const evil = "\x1b[35m\x1b]0;own\a\u009b2J\u202e\b\u2066\x7f\U000e0041"

// inYAML is evil within double quotes.
const inYAML = `\e[35m\e]0;own\a\u009b2J\u202e\b\u2066\x7f\U000e0041`

// ours is how cairn itself draws on a terminal.
var ours = regexp.MustCompile("\x1b\\[(1|2|31|32|33)?m")

// shows finds what stands for evil when it is shown: its ESC as a picture, or
// escaped in JSON, or its C1 control replaced.
var shows = regexp.MustCompile(`␛|\\u001b|\\x1b|�`)

func evilHome(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Skip(err) // this system has no such names
		}
	}
	page := "---\ntitle: \"bad " + inYAML + "\"\ntype: \"type" + inYAML + "\"\ntags: [\"tag" + inYAML + "\"]\naliases: [\"alias" + inYAML + "\"]\n" +
		"\"key" + inYAML + "\": \"value" + inYAML + "\"\n---\n> summary " + evil + "\n\nneedle " + evil + " [[ghost" + evil + "]] [[other]] \r hidden\n\n" +
		"## Head " + evil + "\n\n- [cat" + evil + "] observed " + evil + " #tag" + evil + " (context" + evil + ")\n" +
		"- knows" + evil + " [[other]]\n- knows [[other]] @2020..2021 (remark " + evil + ")\n\n---\n\n- 2024-01-01 | source" + evil + " | entry " + evil + "\n"
	write("notes"+evil+"/evil.md", page)
	write("notes"+evil+"/bytes.md", "needle "+evil+" \x9b35m\n")
	write("notes"+evil+"/other.md", "# Other\n\nback to [[evil]]\n")
	write("notes"+evil+"/na"+evil+"me.md", "# Named\n\nneedle [[evil]] "+evil+"\n")
	write("notes"+evil+"/twin"+evil+"A.md", "a\n")
	write("notes"+evil+"/twin"+evil+"a.md", "a\n")
	write("notes"+evil+"/x.org", "#+title: org "+evil+"\n#+filetags: :t"+evil+":\n* TODO head "+evil+" :tag:\n:PROPERTIES:\n:ID: 11111111-2222-4333-8444-555555555555\n:K"+evil+": v"+evil+"\n:END:\nneedle "+evil+"\n")
	write("notes"+evil+"/secret"+evil+".md", "token: ghp_"+"q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU\n")
	write("notes"+evil+"/dir"+evil+".md/in.md", "in\n")
	write("notes"+evil+"/\x9bnot-utf8.md", "x\n")
	write("notes"+evil+"/.gitignore", "ignored"+evil+"*\n")
	write("home/.claude.json", "{\"mcpServers\": {\"cairn\": {\"command\": \"old"+strings.ReplaceAll(inYAML, `\e`, `\u001b`)[:20]+"\"}}}\n")
	write("bad"+evil+".db", evil+strings.Repeat("not a database ", 100))
	write("skills/memory-recall/SKILL.md", "edited "+evil+"\n")
	return dir
}

// terminalRows are commands as somebody at a terminal gives them, over a
// memory whose every text is evil. They run in this order.
func terminalRows(dir string) [][]string {
	at := func(name string) string { return filepath.Join(dir, name) }
	message := "-m=why " + evil
	return [][]string{
		{"init"},
		{"space", "add", at("notes" + evil), "--name", "notes"},
		{"space", "add", "--database", "--name", "mem" + evil},
		{"space", "add", at("gone" + evil)},
		{"space", "list"}, {"space"},
		{"space", "show"}, {"space", "show", "no" + evil},
		{"space", "set", "notes", "folder", "f" + evil}, {"space", "set", "notes", "k" + evil, "v"}, {"space", "set", "notes", "type", "t" + evil, "--dry-run"},
		{"space", "default", "notes"}, {"space", "default"}, {"space", "default", "no" + evil},
		{"sync", "--dry-run"},
		{"sync"},
		{"space", "map", "/x" + evil + "/**", "notes"}, {"space", "map"},
		{"get", "evil"}, {"get", "evil", "--section", "Head " + evil}, {"get", "evi" + evil}, {"get", "evil", "--section", "No"},
		{"search", "needle"}, {"search", "needle", "--explain"}, {"search", evil}, {"search", "needle", "--type", "x" + evil}, {"search", "needle", "--after", "y" + evil},
		{"query", "needle", "--mode", "fts"}, {"query", "needle", "--mode", "fts", "--explain", "--depth", "full"},
		{"list"}, {"list", "--sort", "s" + evil},
		{"ls"}, {"ls", "dir" + evil + ".md"}, {"ls", "no" + evil},
		{"links", "evil"}, {"links", "--unresolved"},
		{"backlinks", "other"},
		{"tags"},
		{"tasks"},
		{"timeline", "evil"},
		{"gap"},
		{"gap", "log", "who " + evil, "--context", "c " + evil}, {"gap", "log", "key ghp_" + "q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU " + evil}, {"gap", "log", "again"},
		{"gap", "note", "1", "n " + evil}, {"gap", "note", "no" + evil, "x"},
		{"gap", "approve", "1", "external", "--question", "who " + evil, "--by", "b " + evil}, {"gap", "approve", "1", "x" + evil}, {"gap", "approve", "1", "redacted", "--redacted", "r " + evil},
		{"gap", "resolve", "1", "evil"}, {"gap", "resolve", "2", "no" + evil},
		{"gaps", "--resolved"}, {"gaps", "--resolved", "--all", "--format", "brief"},
		{"gap", "rm", "3"}, {"gap", "rm", "no" + evil},
		{"status"}, {"status", "evil"}, {"status", "evil", "s" + evil}, {"status", "evil", "stale", message},
		{"stats"},
		{"prime"}, {"prime", "--since", "s" + evil},
		{"capture", "needle " + evil, "--title", "Named " + evil, "--tag", "c" + evil, message},
		{"daily", "more " + evil, "--date", "2025-12-01", message}, {"daily", "--date", "2025-12-01"}, {"daily", "--date", "d" + evil},
		{"put", "new", "text " + evil, "--title", "T " + evil, message}, {"put", "new", "again " + evil, "--overwrite", "--dry-run"}, {"put", "bad" + evil, "x"},
		{"put", "leak", "key ghp_" + "q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU " + evil},
		{"edit", "evil", "--append", "more " + evil, message}, {"edit", "evil", "--set", "k=v" + evil, "--dry-run"}, {"edit", "evil", "--find", "no" + evil, "--replace-with", "x"},
		{"edit", "evil"},
		{"tag", "evil", "new" + evil}, {"tag", "evil", "plain"},
		{"untag", "evil", "no" + evil}, {"untag", "evil", "plain"},
		{"link", "evil", "likes", "other", "--context", "c " + evil}, {"link", "evil", "likes", "no" + evil},
		{"link-close", "evil", "likes", "other", "--dry-run"}, {"link-close", "evil", "likes", "no" + evil},
		{"unlink", "evil", "likes", "other", "--dry-run"}, {"unlink", "evil", "no" + evil, "other"},
		{"timeline-add", "evil", "met " + evil, "--source", "s" + evil}, {"timeline-add", "evil", "x", "--date", "d" + evil},
		{"mv", "evil", "moved"}, {"mv", "moved", "evil"}, {"mv", "evil", "no" + evil},
		{"rm", "new"}, {"rm", "no" + evil},
		{"recent", "--since", "7 days"}, {"recent", "--actor", "no" + evil},
		{"history", "evil"}, {"history"}, {"history", "--deleted"},
		{"diff", "evil"}, {"diff", "evil", "1"}, {"diff", "evil", "9" + evil},
		{"restore", "evil", "1", "--dry-run"}, {"restore", "no" + evil},
		{"undo", "--dry-run"}, {"undo"}, {"redo", "--dry-run"}, {"redo"}, {"undo", "--actor", "no" + evil, "--since", "1 day"},
		{"setup"}, {"setup", "claude-code", "--dry-run"}, {"setup", "no" + evil}, {"setup", "claude-code"},
		{"skills"},
		{"skills", "list"},
		{"skills", "show", "memory-recall"}, {"skills", "show", "no" + evil},
		{"skills", "install", "--dir", at("skills"), "--dry-run"}, {"skills", "install", "no" + evil},
		{"skills", "doctor"},
		{"mcp"}, {"mcp", "--toolsets", "no" + evil},
		{"tools-json"}, {"tools-json", "--toolsets", "no" + evil},
		{"call", "recall", `{"query":"needle"}`}, {"call", "no" + evil}, {"call", "browse", `{"path":"` + evil + `"}`}, {"call", "recall", "{" + evil},
		{"pipe"},
		{"embed"}, {"embed", "--stdin"},
		{"model"},
		{"model", "list"},
		{"model", "add", "openai/m" + evil, "--url", "http://127.0.0.1:1/" + evil}, {"model", "add", "dir:" + at("no"+evil)},
		{"model", "use", "no" + evil}, {"model", "rm", "no" + evil}, {"model", "verify"},
		{"serve"}, {"serve", "token"},
		{"maintain", "--force"}, {"maintain", "--dry-run"},
		{"doctor"}, {"doctor", "--deep"}, {"doctor", "--fix", "--dry-run"},
		{"config"}, {"config", "list"}, {"config", "path"}, {"config", "get", "no" + evil}, {"config", "set", "no" + evil, "x"}, {"config", "set", "editor", "ed" + evil}, {"config", "get", "editor"}, {"config", "list"}, {"config", "set", "editor", ""},
		{"db"},
		{"db", "path"}, {"db", "path", "--db", at("no" + evil)},
		{"db", "dump"},
		{"db", "validate"}, {"db", "validate", "--db", at("bad" + evil + ".db")},
		{"db", "backup", at("b" + evil + ".db")}, {"db", "backup", at("b" + evil + ".db")},
		{"db", "compact"},
		{"db", "prune", "--dry-run"}, {"db", "prune", "no" + evil},
		{"db", "restore", at("b" + evil + ".db"), "--dry-run"}, {"db", "restore", at("no" + evil)},
		{"space", "unmap", "/x" + evil + "/**"}, {"space", "unmap", "no" + evil},
		{"space", "rm", "no" + evil},
		{"completion", "bash"}, {"completion", "no" + evil},
		{"man"}, {"man", "no" + evil},
		{"version"},
		{"help", "no" + evil},
		{"no" + evil},
		{"get", "--no" + evil},
		{"__complete", "get", ""}, {"__complete", "get", "twin"}, {"__complete", "space", "show", ""},
	}
}

// mute are the commands that say nothing that came from elsewhere.
var mute = map[string]string{
	"cairn init":          "the path of the memory, if that is plain",
	"cairn stats":         "counts",
	"cairn skills":        "help",
	"cairn space":         "help",
	"cairn model":         "help",
	"cairn gap":           "help",
	"cairn config":        "help",
	"cairn db":            "help",
	"cairn db compact":    "counts",
	"cairn serve":         "what serverOutput prints, see below",
	"cairn serve token":   "a token of ours",
	"cairn db prune":      "counts",
	"cairn maintain":      "counts; what fails, it says on standard error, which is under test below",
	"cairn version":       "what the binary was built from",
	"cairn model list":    "models that work",
	"cairn config path":   "the path of the configuration, if that is plain",
	"cairn skills list":   "skills of ours",
	"cairn skills doctor": "places and states",
	"cairn embed":         "counts",
	"cairn model verify":  "counts",
}

// Whatever texts, names, paths, actors, settings and foreign files hold,
// nothing but cairn's own colours reaches a terminal, from any command.
func TestNoCommandLetsControlsThrough(t *testing.T) {
	dir := evilHome(t)
	seen, shown := map[string]bool{}, map[string]bool{}
	p := new(program)
	for _, args := range terminalRows(dir) {
		for _, format := range []string{"", "json", "brief"} {
			cmd, _, err := newRoot(p).Find(args)
			if err != nil {
				cmd = newRoot(p) // an error, to be said by it
			}
			with := args
			if format != "" {
				with = append(args[:len(args):len(args)], "--format", format)
			}
			out, errs := atTerminal(t, dir, with)
			seen[cmd.CommandPath()] = true
			for _, text := range []string{out, errs} {
				checkHarmless(t, with, text)
				shown[cmd.CommandPath()] = shown[cmd.CommandPath()] || shows.MatchString(text)
			}
		}
	}
	for _, e := range []server.Event{
		{Kind: server.Watching, Space: evil, Mode: "polling", Reason: evil},
		{Kind: server.Failed, Space: evil, Part: server.Directory, Err: kb.Errorf(kb.Internal, "%s", evil).WithHint("%s", evil)},
		{Kind: server.Mended, Space: evil, Part: server.Directory},
		{Kind: server.Maintained, Job: evil, Maintain: &app.JobReport{Job: evil, Did: evil}},
		{Kind: server.Synced, Space: evil, Sync: &app.SyncReport{Space: evil}},
	} {
		for _, format := range []string{"human", "json", "brief"} {
			var said bytes.Buffer
			p := &program{env: Env{Stdout: &said, Stderr: &said, StdoutTTY: true, StderrTTY: true, Getenv: os.Getenv}}
			p.flags.format = format
			serverOutput{p}.event(e)
			if checkHarmless(t, []string{"serve", string(e.Kind)}, said.String()); !shows.MatchString(said.String()) {
				t.Errorf("%s says %q", e.Kind, said.String())
			}
		}
	}
	var said bytes.Buffer
	timer := &program{env: Env{Stderr: &said}}
	timer.jobFailures(app.MaintainResult{List: app.List[app.JobReport]{Items: []app.JobReport{
		{Job: evil, Failures: []app.JobFailure{{Message: evil, Hint: evil}}},
	}}}, true)
	if checkHarmless(t, []string{"maintain"}, said.String()); !shows.MatchString(said.String()) {
		t.Errorf("a job that fails says %q", said.String())
	}
	for _, c := range commandsOf(newRoot(p)) {
		switch path := c.CommandPath(); {
		case !c.Runnable():
		case !seen[path]:
			t.Errorf("%s is in no row", path)
		case mute[path] == "" && !shown[path]:
			t.Errorf("%s showed nothing that is evil: its rows test nothing", path)
		}
	}
}

// checkHarmless fails when a terminal would obey text beyond cairn's colours.
func checkHarmless(t *testing.T, args []string, text string) {
	t.Helper()
	rest := ours.ReplaceAllString(text, "")
	for i, r := range rest {
		if r == '\n' || r == '\t' || !safetext.Dangerous(r) && (r != utf8.RuneError || strings.HasPrefix(rest[i:], "�")) {
			continue
		}
		t.Errorf("cairn %q says %U in %q", args, r, rest[max(0, i-40):min(len(rest), i+20)])
		return
	}
}

// atTerminal runs a command whose three streams are a terminal.
func atTerminal(t *testing.T, dir string, args []string) (out, errs string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	vars := map[string]string{
		"HOME": filepath.Join(dir, "home"), "TERM": "xterm-256color", "CAIRN_ACTOR": "mallory" + evil, "EDITOR": "false",
	}
	now := time.Now()
	env := Env{
		Args: args, Stdin: strings.NewReader(`{"tool":"recall","input":{"query":"` + "\u202e" + `needle"}}` + "\n{" + evil + "\n"),
		Stdout: &stdout, Stderr: &stderr, StdinTTY: true, StdoutTTY: true, StderrTTY: true,
		Getenv: func(k string) string { return vars[k] },
		MCP:    func(context.Context, MCPSession) error { return kb.Errorf(kb.Internal, "%s", evil) },
		Dir:    dir, Home: vars["HOME"], TempDir: t.TempDir(),
		Now: func() time.Time { return now }, // so that no bar is drawn: how long work takes is not tested here
		After: func(time.Duration) <-chan time.Time {
			cancel() // a server that has nothing to do but wait has said what it says
			return nil
		},
	}
	Main(ctx, env)
	return stdout.String(), stderr.String()
}

func commandsOf(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		out = append(out, commandsOf(sub)...)
	}
	return out
}
