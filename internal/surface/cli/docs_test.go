package cli_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^```(?:sh|console|bash)?$\n(.*?)^```$")
	shown     = regexp.MustCompile(`(?m)^(?:    |\$ )(cairn .*)$`)
	served    = regexp.MustCompile(`^cairn (serve|mcp|web|pipe|edit|space edit|push|pull)\b`)
)

// notTried are commands of docs that no test can run as they are written, with what is missing.
var notTried = map[string]string{
	`cairn db copy memory.db "$CAIRN_DB"`:                                                             "a server of PostgreSQL; TestScriptsWithPostgres copies",
	`cairn model add openai/text-embedding-3-small --key-env OPENAI_API_KEY`:                          "a server of OpenAI",
	"cairn space move-host notes ~/notes":                                                             "a memory of several machines",
	`cairn db copy "$CAIRN_DB" back.db`:                                                               "a server of PostgreSQL; TestScriptsWithPostgres copies",
	`cairn space add --preset guarded ~/.local/share/ai-kb --init --remote git@example.org:ai-kb.git`: "a server of git",
}

// mayFail are commands that fail here as they should, with what they say.
var mayFail = map[string]string{
	"cairn model add ollama/nomic-embed-text":                      "Ollama cannot be reached",
	"cairn model add openai/bge-m3 --url http://127.0.0.1:8080/v1": "cannot be reached",
	"cairn db validate --original ~/notes --exported ~/out":        "it is not in the export", // which is one of another space by then
}

// commandsIn returns the commands of cairn in the code blocks of a page, in order.
func commandsIn(page string) (out []string) {
	for _, m := range shown.FindAllStringSubmatch(page, -1) {
		out = append(out, m[1])
	}
	for _, block := range codeBlock.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			if strings.HasPrefix(line, "cairn ") {
				out = append(out, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	return slices.DeleteFunc(out, func(c string) bool { return served.MatchString(c) || notTried[c] != "" || strings.Contains(c, "…") })
}

// Every command in README and docs runs as it is written, in a home with the notes of the
// examples: what it names may be missing, but no command, flag or argument is wrong.
func TestDocsCommands(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are typed into a shell")
	}
	slowtest.NoRace(t, "a hundred processes, each of which does one thing after the other")
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	ran := 0
	for _, page := range append(pages, "../../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		commands := commandsIn(string(text))
		ran += len(commands)
		if len(commands) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			for i, code := range exitCodes(t, commands) {
				if says := mayFail[commands[i]]; code.code == 1 && says != "" && strings.Contains(code.said, says) {
					continue
				}
				if code.code == 2 || code.code == 1 || code.code > 7 {
					t.Errorf("%s\nexits with %d:\n%s", commands[i], code.code, code.said)
				}
			}
		})
	}
	if ran < 150 {
		t.Errorf("%d commands were found", ran)
	}
}

type exit struct {
	code int
	said string
}

// exitCodes types commands one after the other, in a directory of notes that is a space.
func exitCodes(t *testing.T, commands []string) []exit {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"notes", "Vault"} {
		if err := os.CopyFS(filepath.Join(home, name), os.DirFS("../../../examples/notes")); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		".gitconfig": "[user]\n\tname = Ada\n\temail = ada@example.org\n", "integrations.md": "# Integrations\n",
		"notes/meeting.md": "# Meeting\n\nAda met Babbage.\n", "notes/notes.md": "They pay late.\n", "notes/new.toml": "name = \"notes\"\n",
	} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var script strings.Builder
	script.WriteString("cairn space add . --name notes >/dev/null\n")
	for i, c := range commands {
		fmt.Fprintf(&script, "(\n%s\n) >../out%d 2>&1 </dev/null\necho $? >../code%[2]d\n", c, i)
	}
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", script.String())
	cmd.Dir, cmd.WaitDelay = filepath.Join(home, "notes"), time.Second
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "TZ=UTC", "CAIRN_DB=", "CAIRN_SPACE=",
		"CAIRN_ACTOR=", "CAIRN_CONFIG=", "CAIRN_EMBED=off", "EDITOR=true", "GORACE=atexit_sleep_ms=0")
	if out, err := cmd.CombinedOutput(); ctx.Err() != nil {
		t.Fatalf("a command does not end: %v\n%s", err, out)
	}
	exits := make([]exit, len(commands))
	for i := range exits {
		said, err := os.ReadFile(filepath.Join(home, "out"+strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		code, err := os.ReadFile(filepath.Join(home, "code"+strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(code)))
		if err != nil {
			t.Fatal(err)
		}
		exits[i] = exit{n, string(said)}
	}
	return exits
}

var inline = regexp.MustCompile("`cairn ([a-z][a-z-]+)")

// Every command that a page names in its text exists: it has a page in docs/cli.
func TestDocsNameCommands(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	named := 0
	for _, page := range append(pages, "../../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inline.FindAllStringSubmatch(string(text), -1) {
			named++
			if _, err := os.Stat("../../../docs/cli/cairn-" + m[1] + ".md"); err != nil && m[1] != "help" {
				t.Errorf("%s: there is no command %q", page, m[1])
			}
		}
	}
	if named < 200 {
		t.Errorf("%d commands are named", named)
	}
}
