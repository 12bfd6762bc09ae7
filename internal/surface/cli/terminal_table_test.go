package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/cli/commandtest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// inYAML is evil within double quotes.
const inYAML = `\e[35m\e]0;own\a\u009b2J\u202e\b\u2066\x7f\U000e0041`

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
		"\"key" + inYAML + "\": \"value" + inYAML + "\"\n---\n> summary " + commandtest.Evil + "\n\nneedle " + commandtest.Evil + " [[ghost" + commandtest.Evil + "]] [[other]] \r hidden\n\n" +
		"## Head " + commandtest.Evil + "\n\n- [cat" + commandtest.Evil + "] observed " + commandtest.Evil + " #tag" + commandtest.Evil + " (context" + commandtest.Evil + ")\n" +
		"- knows" + commandtest.Evil + " [[other]]\n- knows [[other]] @2020..2021 (remark " + commandtest.Evil + ")\n\n---\n\n- 2024-01-01 | source" + commandtest.Evil + " | entry " + commandtest.Evil + "\n"
	write("notes"+commandtest.Evil+"/commandtest.Evil.md", page)
	write("notes"+commandtest.Evil+"/bytes.md", "needle "+commandtest.Evil+" \x9b35m\n")
	inJSON, err := json.Marshal("s" + commandtest.Evil)
	if err != nil {
		t.Fatal(err)
	}
	write("notes"+commandtest.Evil+"/.raw/bytes.json", fmt.Sprintf(`{"sources": {%s: %[1]s}, "fetched": {%[1]s: %[1]s}}`, inJSON))
	write("notes"+commandtest.Evil+"/.raw/orphan"+commandtest.Evil+".json", "{}")
	write("notes"+commandtest.Evil+"/schema.md", "---\ntype: \"t"+inYAML+"\"\nschema:\n  \"f"+inYAML+"\": integer\n  \"g(m"+inYAML+")\": string\n---\n- [c"+commandtest.Evil+"] v"+commandtest.Evil+"\n- r [[x "+commandtest.Evil+"]]\n")
	write("notes"+commandtest.Evil+"/claims.md", "---\nstatus: stale\nstale_reason: by "+commandtest.Evil+"\n---\n- likes [[a "+commandtest.Evil+"]] (why "+commandtest.Evil+")\n- likes [[b "+commandtest.Evil+"]]\n")
	write("notes"+commandtest.Evil+"/other.md", "# Other\n\nback to [[commandtest.Evil]]\n")
	write("notes"+commandtest.Evil+"/na"+commandtest.Evil+"me.md", "# Named\n\nneedle [[commandtest.Evil]] "+commandtest.Evil+"\n")
	write("notes"+commandtest.Evil+"/twin"+commandtest.Evil+"A.md", "a\n")
	write("notes"+commandtest.Evil+"/twin"+commandtest.Evil+"a.md", "a\n")
	write("notes"+commandtest.Evil+"/x.org", "#+title: org "+commandtest.Evil+"\n#+filetags: :t"+commandtest.Evil+":\n* TODO head "+commandtest.Evil+" :tag:\n:PROPERTIES:\n:ID: 11111111-2222-4333-8444-555555555555\n:K"+commandtest.Evil+": v"+commandtest.Evil+"\n:END:\nneedle "+commandtest.Evil+"\n")
	write("notes"+commandtest.Evil+"/secret"+commandtest.Evil+".md", "token: ghp_"+"q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU\n")
	write("notes"+commandtest.Evil+"/dir"+commandtest.Evil+".md/in.md", "in\n")
	write("notes"+commandtest.Evil+"/\x9bnot-utf8.md", "x\n")
	write("notes"+commandtest.Evil+"/.gitignore", "ignored"+commandtest.Evil+"*\n")
	name, err := json.Marshal("talk " + commandtest.Evil)
	if err != nil {
		t.Fatal(err)
	}
	write("day/.cairn/space.toml", "name = \"day\"\nroutine = [{ page = \"in/*.md\" }]\ninbox = { paths = [\"in/*.md\"], done = \"done/\" }\nrotate = [{ page = \"today.md\", to = \"yesterday.md\", text = \"---\\ndate: {date}\\n---\\n\\n## Notes\\n\", add = [{ name = \"note\", section = \"Notes\" }] }]\n"+
		"table = [{ name = \"tasks\", page = \"tasks.md\", columns = [\"Task\", \"When\"] }]\nsources = { dir = \"raw\" }\nalias = [{ from = \"old/*\", to = \"new/*\" }]\n")
	write("day/tasks.md", "# Tasks\n\n| Task | When |\n|---|---|\n| a | now "+commandtest.Evil+" |\n")
	write("day/old/y"+commandtest.Evil+".md", "needle\n")
	write("day/in/x"+commandtest.Evil+".md", "---\ntitle: \"t"+inYAML+"\"\n---\nneedle\n")
	write("talks"+commandtest.Evil+".json", fmt.Sprintf(`[{"uuid": "t1", "name": %s, "chat_messages": [{"uuid": "m1", "sender": %[1]s, "text": %[1]s, "attachments": [{"file_name": %[1]s, "extracted_content": %[1]s}]}]}]`, name))
	write("memory"+commandtest.Evil+".json", fmt.Sprintf(`{"type": "entity", "name": %s, "entityType": %[1]s, "observations": [%[1]s]}
{"type": "relation", "from": %[1]s, "to": %[1]s, "relationType": %[1]s}
{"type": "relation", "from": "gone", "to": %[1]s, "relationType": ""}`, name))
	write("home/.claude/projects/-p/11111111-2222-4333-8444-666666666666.jsonl", fmt.Sprintf(`{"type": "user", "message": {"role": "user", "content": %s}, "uuid": "u1", "timestamp": "2026-01-02T03:04:05Z", "cwd": "/p", "sessionId": "11111111-2222-4333-8444-666666666666", "version": "2.1.197", "gitBranch": %[1]s}
`, name))
	write("home/.claude.json", "{\"mcpServers\": {\"cairn\": {\"command\": \"old"+strings.ReplaceAll(inYAML, `\e`, `\u001b`)[:20]+"\"}}}\n")
	write("bad"+commandtest.Evil+".db", commandtest.Evil+strings.Repeat("not a database ", 100))
	write("skills/memory-recall/SKILL.md", "edited "+commandtest.Evil+"\n")
	return dir
}

// terminalRows are commands as somebody at a terminal gives them, over a
// memory whose every text is commandtest.Evil. They run in this order.
func terminalRows(dir string) [][]string {
	at := func(name string) string { return filepath.Join(dir, name) }
	message := "-m=why " + commandtest.Evil
	return [][]string{
		{"init"},
		{"space", "add", at("notes" + commandtest.Evil), "--name", "notes"},
		{"space", "add", "--database", "--name", "mem" + commandtest.Evil},
		{"space", "add", at("gone" + commandtest.Evil)},
		{"space", "list"}, {"space"},
		{"space", "show"}, {"space", "show", "no" + commandtest.Evil},
		{"space", "set", "notes", "folder", "f" + commandtest.Evil}, {"space", "set", "notes", "k" + commandtest.Evil, "v"}, {"space", "set", "notes", "type", "t" + commandtest.Evil, "--dry-run"},
		{"space", "default", "notes"}, {"space", "default"}, {"space", "default", "no" + commandtest.Evil},
		{"sync", "--dry-run"},
		{"sync"},
		{"space", "map", "/x" + commandtest.Evil + "/**", "notes"}, {"space", "map"},
		{"get", "commandtest.Evil"}, {"get", "commandtest.Evil", "--section", "Head " + commandtest.Evil}, {"get", "evi" + commandtest.Evil}, {"get", "commandtest.Evil", "--section", "No"},
		{"search", "needle"}, {"search", "needle", "--explain"}, {"search", commandtest.Evil}, {"search", "needle", "--type", "x" + commandtest.Evil}, {"search", "needle", "--after", "y" + commandtest.Evil},
		{"find-all", "needle"}, {"query", "needle", "--mode", "fts"}, {"query", "needle", "--mode", "fts", "--explain", "--depth", "full"},
		{"list"}, {"list", "--sort", "s" + commandtest.Evil},
		{"ls"}, {"ls", "dir" + commandtest.Evil + ".md"}, {"ls", "no" + commandtest.Evil},
		{"links", "commandtest.Evil"}, {"links", "--unresolved"},
		{"backlinks", "other"},
		{"build-context", "other"}, {"build-context", "memory://**"},
		{"graph", "other"}, {"map", "--as", "text"}, {"map"}, {"project", at("p" + commandtest.Evil)}, {"graph", "other", "--as", "dot"}, {"graph", "other", "--as", "mermaid"},
		{"tags"},
		{"tasks"},
		{"timeline", "commandtest.Evil"},
		{"gap"},
		{"gap", "log", "who " + commandtest.Evil, "--context", "c " + commandtest.Evil}, {"gap", "log", "key ghp_" + "q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU " + commandtest.Evil}, {"gap", "log", "again"},
		{"gap", "note", "1", "n " + commandtest.Evil}, {"gap", "note", "no" + commandtest.Evil, "x"},
		{"gap", "approve", "1", "external", "--question", "who " + commandtest.Evil, "--by", "b " + commandtest.Evil}, {"gap", "approve", "1", "x" + commandtest.Evil}, {"gap", "approve", "1", "redacted", "--redacted", "r " + commandtest.Evil},
		{"gap", "resolve", "1", "commandtest.Evil"}, {"gap", "resolve", "2", "no" + commandtest.Evil},
		{"gaps", "--resolved"}, {"gaps", "--resolved", "--all", "--format", "brief"},
		{"show", "commandtest.Evil", "--with-links"}, {"show", "no" + commandtest.Evil},
		{"context"}, {"context", "--about", "needle " + commandtest.Evil}, {"context", "--space", "no" + commandtest.Evil},
		{"import", "no" + commandtest.Evil}, {"import", "kt", "no" + commandtest.Evil}, {"import", "kt", at("bad" + commandtest.Evil + ".db")},
		{"import", "basic-memory", "no" + commandtest.Evil}, {"import", "claude", "no" + commandtest.Evil}, {"import", "claude", "conversations", at("talks" + commandtest.Evil + ".json")}, {"import", "claude", "projects", "no" + commandtest.Evil},
		{"ingest", "no" + commandtest.Evil}, {"ingest", at("notes" + commandtest.Evil + "/other.md"), "--ref", "r" + commandtest.Evil, "--dry-run"},
		{"import", "chatgpt", at("bad" + commandtest.Evil + ".db")}, {"import", "memory-json", at("memory" + commandtest.Evil + ".json")}, {"import", "quaid", at("bad" + commandtest.Evil + ".db")}, {"import", "quaid", "no" + commandtest.Evil}, {"import", "no" + commandtest.Evil, "--into", "v"}, {"ingest", at("notes" + commandtest.Evil + "/other.md"), "--ref", "r" + commandtest.Evil}, {"imports"}, {"imports", "--format", "brief"}, {"export", "--raw", "--import-id", "no" + commandtest.Evil}, {"db", "validate", "--original", "no" + commandtest.Evil, "--exported", "x"},
		{"schema"}, {"schema", "no" + commandtest.Evil}, {"schema", "validate"}, {"schema", "validate", "--valid", "--format", "brief"}, {"schema", "validate", "--type", "x" + commandtest.Evil},
		{"schema", "infer", "t" + commandtest.Evil}, {"schema", "diff", "t" + commandtest.Evil}, {"schema", "infer", "x" + commandtest.Evil},
		{"check"}, {"check", "--all", "--format", "brief"}, {"check", "--type", "x" + commandtest.Evil}, {"check", "--dismiss", "no" + commandtest.Evil, "--note", "n " + commandtest.Evil},
		{"check", "--resolve", "no" + commandtest.Evil, "--keep", "a"},
		{"gap", "rm", "3"}, {"gap", "rm", "no" + commandtest.Evil},
		{"status"}, {"status", "commandtest.Evil"}, {"status", "commandtest.Evil", "s" + commandtest.Evil}, {"status", "commandtest.Evil", "stale", message},
		{"stale"}, {"stale", "--due", "--format", "brief"}, {"stale", "--apply", "--dry-run"},
		{"compact", "--dry-run"}, {"compact", "--plan"}, {"compact", "--apply", at("no" + commandtest.Evil)}, {"compact", "--apply", at("bad" + commandtest.Evil + ".db")},
		{"stats"},
		{"briefing"}, {"briefing", "--since", "s" + commandtest.Evil},
		{"prime"}, {"prime", "--since", "s" + commandtest.Evil},
		{"capture", "needle " + commandtest.Evil, "--title", "Named " + commandtest.Evil, "--tag", "c" + commandtest.Evil, message},
		{"space", "add", at("day"), "--accept"}, {"today", "--space", "day", "note", "needle " + commandtest.Evil}, {"today", "--space", "day"}, {"today", "k" + commandtest.Evil, "needle " + commandtest.Evil},
		{"routine", "--space", "day"}, {"routine", "due", "--space", "day"}, {"routine", "show", "x" + commandtest.Evil, "--space", "day"}, {"routine", "done", "x", "text" + commandtest.Evil, "--space", "day"}, {"inbox", "--space", "day"}, {"inbox", "done", "day:in/x" + commandtest.Evil}, {"inbox", "done", "no" + commandtest.Evil},
		{"commit", "--all"}, {"commit", "no" + commandtest.Evil}, {"pull"}, {"merge-driver", "b" + commandtest.Evil, "o", "t", "p"}, {"pull", "--dry-run"}, {"pull", "--space", "no" + commandtest.Evil}, {"push", "--space", "no" + commandtest.Evil},
		{"contest", "commandtest.Evil", "other", "--reason", "why " + commandtest.Evil, "--dry-run"}, {"contest", "commandtest.Evil", "no" + commandtest.Evil, "--reason", "x"},
		{"curate"}, {"curate", "--kind", "k" + commandtest.Evil}, {"--actor", "human:ada", "curate", "merge", "commandtest.Evil", "other", "--dry-run"}, {"--actor", "human:ada", "curate", "merge", "commandtest.Evil", "no" + commandtest.Evil},
		{"--actor", "human:ada", "curate", "split", "commandtest.Evil", "--section", "no" + commandtest.Evil}, {"--actor", "human:ada", "curate", "split", "no" + commandtest.Evil, "--section", "x"}, {"--actor", "human:ada", "curate", "supersede", "commandtest.Evil", "other", "--reason", "why " + commandtest.Evil, "--dry-run"}, {"--actor", "human:ada", "curate", "supersede", "no" + commandtest.Evil, "other"}, {"--actor", "human:ada", "curate", "stamp", "commandtest.Evil", "--dry-run"}, {"--actor", "human:ada", "curate", "stamp", "no" + commandtest.Evil},
		{"source"}, {"source", "add", "--space", "no" + commandtest.Evil, "--url", "https://example.org/"}, {"source", "add", "--space", "day", "--url", "x" + commandtest.Evil}, {"source", "add", "--space", "day", "--url", "https://example.org/x", "--title", "t " + commandtest.Evil, "--file", at("notes" + commandtest.Evil + "/other.md")},
		{"table", "--space", "day"}, {"table", "no" + commandtest.Evil, "--space", "day"}, {"table", "set", "tasks", "b " + commandtest.Evil, "When=w " + commandtest.Evil, "--space", "day"}, {"table", "set", "no" + commandtest.Evil, "b", "When=w", "--space", "day"}, {"table", "set", "tasks", "a", "No" + commandtest.Evil + "=w", "--space", "day"}, {"table", "rm", "tasks", "a", "--space", "day", "--dry-run"}, {"table", "rm", "tasks", "no" + commandtest.Evil, "--space", "day"},
		{"journal"}, {"journal", "export", at("no" + commandtest.Evil), "--space", "day"}, {"journal", "export", at("no" + commandtest.Evil), "--space", "no" + commandtest.Evil},
		{"space", "migrate", "--space", "day", "--dry-run"}, {"space", "migrate", "--space", "no" + commandtest.Evil},
		{"lint"}, {"lint", "commandtest.Evil", "--format", "brief"}, {"lint", "no" + commandtest.Evil},
		{"index"}, {"index", "--check", "--space", "n" + commandtest.Evil},
		{"daily", "more " + commandtest.Evil, "--date", "2025-12-01", message}, {"daily", "--date", "2025-12-01"}, {"daily", "--date", "d" + commandtest.Evil},
		{"new", "person", "P " + commandtest.Evil, "--set", "owner=o " + commandtest.Evil, message}, {"new", "n" + commandtest.Evil, "x"}, {"new", "person", "P", "--set", commandtest.Evil},
		{"put", "new", "text " + commandtest.Evil, "--title", "T " + commandtest.Evil, message}, {"put", "new", "again " + commandtest.Evil, "--overwrite", "--dry-run"}, {"put", "bad" + commandtest.Evil, "x"},
		{"put", "leak", "key ghp_" + "q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU " + commandtest.Evil},
		{"edit", "commandtest.Evil", "--append", "more " + commandtest.Evil, message}, {"edit", "commandtest.Evil", "--set", "k=v" + commandtest.Evil, "--dry-run"}, {"edit", "commandtest.Evil", "--find", "no" + commandtest.Evil, "--replace-with", "x"},
		{"edit", "commandtest.Evil"},
		{"tag", "commandtest.Evil", "new" + commandtest.Evil}, {"tag", "commandtest.Evil", "plain"},
		{"tag-rename", "no" + commandtest.Evil, "plain"}, {"tag-rename", "tag" + commandtest.Evil, "plain"},
		{"untag", "commandtest.Evil", "no" + commandtest.Evil}, {"untag", "commandtest.Evil", "plain"},
		{"link", "commandtest.Evil", "likes", "other", "--context", "c " + commandtest.Evil}, {"link", "commandtest.Evil", "likes", "no" + commandtest.Evil},
		{"link-close", "commandtest.Evil", "likes", "other", "--dry-run"}, {"link-close", "commandtest.Evil", "likes", "no" + commandtest.Evil},
		{"unlink", "commandtest.Evil", "likes", "other", "--dry-run"}, {"unlink", "commandtest.Evil", "no" + commandtest.Evil, "other"},
		{"timeline-add", "commandtest.Evil", "met " + commandtest.Evil, "--source", "s" + commandtest.Evil}, {"timeline-add", "commandtest.Evil", "x", "--date", "d" + commandtest.Evil},
		{"raw", "bytes"}, {"raw", "bytes", "s" + commandtest.Evil}, {"raw", "bytes", "no" + commandtest.Evil}, {"raw", "bytes", "s" + commandtest.Evil, at("no" + commandtest.Evil)},
		{"assert", "commandtest.Evil", "p " + commandtest.Evil, "o " + commandtest.Evil, "--source", "s " + commandtest.Evil, "--evidence", "e " + commandtest.Evil}, {"assert", "no" + commandtest.Evil, "p", "o"}, {"assert", "commandtest.Evil", "p", "o", "--since", "d" + commandtest.Evil},
		{"assertions"}, {"assertions", "commandtest.Evil", "--status", "all"}, {"assertions", "--format", "brief"}, {"assertions", "--status", "s" + commandtest.Evil}, {"assert-close", "1"}, {"assert-close", "n" + commandtest.Evil},
		{"mv", "commandtest.Evil", "moved"}, {"mv", "moved", "commandtest.Evil"}, {"mv", "commandtest.Evil", "no" + commandtest.Evil},
		{"rm", "new"}, {"rm", "no" + commandtest.Evil},
		{"recent", "--since", "7 days"}, {"recent", "--actor", "no" + commandtest.Evil},
		{"history", "commandtest.Evil"}, {"history"}, {"history", "--deleted"},
		{"diff", "commandtest.Evil"}, {"diff", "commandtest.Evil", "1"}, {"diff", "commandtest.Evil", "9" + commandtest.Evil},
		{"blame", "commandtest.Evil"}, {"blame", "no" + commandtest.Evil}, {"activity"}, {"activity", "--since", "d" + commandtest.Evil},
		{"space", "add", "--sessions", "claude-code"}, {"sessions", "--since", "2026-01-01"}, {"sessions", "--since", "d" + commandtest.Evil}, {"sessions", "--project", "p" + commandtest.Evil}, {"sessions", "distil"}, {"sessions", "distil", "--since", "d" + commandtest.Evil}, {"sessions", "distil", "--project", "p" + commandtest.Evil}, {"unreviewed"}, {"unreviewed", "--since", "d" + commandtest.Evil}, {"change", "1"}, {"change", "n" + commandtest.Evil}, {"change", "1", "--page", "no" + commandtest.Evil},
		{"review"}, {"review", "dismiss", "i" + commandtest.Evil, "--note", "n" + commandtest.Evil}, {"review", "x" + commandtest.Evil, "y"},
		{"restore", "commandtest.Evil", "1", "--dry-run"}, {"restore", "no" + commandtest.Evil},
		{"undo", "--dry-run"}, {"undo"}, {"redo", "--dry-run"}, {"redo"}, {"undo", "--actor", "no" + commandtest.Evil, "--since", "1 day"},
		{"forget", "--match", "needle", "--dry-run"}, {"forget", "no" + commandtest.Evil, "--dry-run"}, {"forget", "--actor", "no" + commandtest.Evil, "--dry-run"}, {"forget", "--verify", "no" + commandtest.Evil},
		{"setup"}, {"setup", "claude-code", "--dry-run"}, {"setup", "no" + commandtest.Evil}, {"setup", "claude-code"},
		{"skills"},
		{"skills", "list"},
		{"skills", "show", "memory-recall"}, {"skills", "show", "no" + commandtest.Evil},
		{"skills", "install", "--dir", at("skills"), "--dry-run"}, {"skills", "install", "no" + commandtest.Evil},
		{"skills", "doctor"},
		{"emacs"},
		{"lsp"},
		{"mcp"}, {"mcp", "--toolsets", "no" + commandtest.Evil},
		{"tools-json"}, {"tools-json", "--toolsets", "no" + commandtest.Evil},
		{"call", "recall", `{"query":"needle"}`}, {"call", "no" + commandtest.Evil}, {"call", "browse", `{"path":"` + commandtest.Evil + `"}`}, {"call", "recall", "{" + commandtest.Evil},
		{"pipe"},
		{"embed"}, {"embed", "--stdin"},
		{"model"},
		{"model", "list"},
		{"model", "add", "openai/m" + commandtest.Evil, "--url", "http://127.0.0.1:1/" + commandtest.Evil}, {"model", "add", "dir:" + at("no"+commandtest.Evil)},
		{"model", "use", "no" + commandtest.Evil}, {"model", "rm", "no" + commandtest.Evil}, {"model", "verify"},
		{"serve"}, {"serve", "token"}, {"web", "--print"},
		{"maintain", "--force"}, {"maintain", "--dry-run"},
		{"doctor"}, {"doctor", "--deep"}, {"doctor", "--fix", "--dry-run"},
		{"config"}, {"config", "list"}, {"config", "path"}, {"config", "get", "no" + commandtest.Evil}, {"config", "set", "no" + commandtest.Evil, "x"}, {"config", "set", "editor", "ed" + commandtest.Evil}, {"config", "get", "editor"}, {"config", "list"}, {"config", "unset", "editor"}, {"config", "unset", "no" + commandtest.Evil}, {"uninstall", "--dry-run"}, {"uninstall", "--export", at("no" + commandtest.Evil), "--dry-run"},
		{"db"},
		{"db", "path"}, {"db", "path", "--db", at("no" + commandtest.Evil)},
		{"db", "dump"}, {"db", "copy", at("no" + commandtest.Evil), at("copy" + commandtest.Evil + ".db")},
		{"db", "validate"}, {"db", "validate", "--db", at("bad" + commandtest.Evil + ".db")},
		{"validate"}, {"validate", "--db", at("bad" + commandtest.Evil + ".db")},
		{"collection"}, {"collection", "list"}, {"collection", "add", "no" + commandtest.Evil, at("no" + commandtest.Evil)},
		{"db", "backup", at("b" + commandtest.Evil + ".db")}, {"db", "backup", at("b" + commandtest.Evil + ".db")},
		{"db", "compact"},
		{"db", "prune", "--dry-run"}, {"db", "prune", "no" + commandtest.Evil},
		{"db", "restore", at("b" + commandtest.Evil + ".db"), "--dry-run"}, {"db", "restore", at("no" + commandtest.Evil)},
		{"space", "unmap", "/x" + commandtest.Evil + "/**"}, {"space", "unmap", "no" + commandtest.Evil},
		{"space", "move-host", "no" + commandtest.Evil}, {"space", "move-host", "notes", at("no" + commandtest.Evil), "--dry-run"},
		{"space", "policy", "no" + commandtest.Evil}, {"space", "edit", "no" + commandtest.Evil}, {"space", "upgrade", "no" + commandtest.Evil}, {"space", "policy"},
		{"space", "rm", "no" + commandtest.Evil}, {"space", "restore", "no" + commandtest.Evil}, {"space", "list", "--forgotten"},
		{"completion", "bash"}, {"completion", "no" + commandtest.Evil},
		{"man"}, {"man", "no" + commandtest.Evil},
		{"version"}, {"upgrade", "--check"}, {"upgrade", "no" + commandtest.Evil},
		{"help", "no" + commandtest.Evil},
		{"no" + commandtest.Evil},
		{"get", "--no" + commandtest.Evil},
		{"__complete", "get", ""}, {"__complete", "get", "twin"}, {"__complete", "space", "show", ""},
	}
}

// mute are the commands that say nothing that came from elsewhere.
var mute = map[string]string{
	"cairn init":          "the path of the memory, if that is plain",
	"cairn stats":         "counts",
	"cairn skills":        "help",
	"cairn source":        "help",
	"cairn journal":       "help",
	"cairn emacs":         "a text of ours",
	"cairn space":         "help",
	"cairn model":         "help",
	"cairn gap":           "help",
	"cairn config":        "help",
	"cairn db":            "help",
	"cairn db compact":    "counts",
	"cairn serve":         "what serverOutput prints, see below",
	"cairn serve token":   "a token of ours",
	"cairn web":           "a link of ours",
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
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	dir := evilHome(t)
	seen, shown := map[string]bool{}, map[string]bool{}
	root := newRoot(new(command.Program))
	formats := []string{"", "json", "brief"}[:slowtest.Count(1, 3)]
	for _, args := range terminalRows(dir) {
		for _, format := range formats {
			cmd, _, err := root.Find(args)
			if err != nil {
				cmd = root // an error, to be said by it
			}
			with := args
			if format != "" {
				with = append(args[:len(args):len(args)], "--format", format)
			}
			out, errs := atTerminal(t, dir, with)
			seen[cmd.CommandPath()] = true
			for _, text := range []string{out, errs} {
				commandtest.Harmless(t, text, with...)
				shown[cmd.CommandPath()] = shown[cmd.CommandPath()] || commandtest.Shown(text)
			}
		}
	}
	for _, c := range commandsOf(root) {
		switch path := c.CommandPath(); {
		case !c.Runnable():
		case !seen[path]:
			t.Errorf("%s is in no row", path)
		case slowtest.On() && mute[path] == "" && !shown[path]:
			t.Errorf("%s showed nothing that is commandtest.Evil: its rows test nothing", path)
		}
	}
}

// atTerminal runs a command whose three streams are a terminal.
func atTerminal(t *testing.T, dir string, args []string) (out, errs string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	vars := map[string]string{
		"HOME": filepath.Join(dir, "home"), "TERM": "xterm-256color", "CAIRN_ACTOR": "human:mallory" + commandtest.Evil, "EDITOR": "false",
	}
	now := time.Now()
	env := command.Env{
		Args: args, Stdin: strings.NewReader(`{"tool":"recall","input":{"query":"` + "\u202e" + `needle"}}` + "\n{" + commandtest.Evil + "\n"),
		Stdout: &stdout, Stderr: &stderr, StdinTTY: true, StdoutTTY: true, StderrTTY: true,
		Getenv: func(k string) string { return vars[k] },
		MCP:    func(context.Context, command.MCPSession) error { return kb.Errorf(kb.Internal, "%s", commandtest.Evil) },
		LSP:    func(context.Context, command.LSPSession) error { return kb.Errorf(kb.Internal, "%s", commandtest.Evil) },
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
