package setup

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Scope says for whom a client is configured.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // every project of this person
	Project Scope = "project" // everyone who works in this directory
)

func (s Scope) check() error {
	if s == "" || s == User || s == Project {
		return nil
	}
	return kb.Errorf(kb.Usage, "unknown scope %q", s).WithHint("Scopes are user and project.")
}

// client is where one client keeps what, and in which form. Paths are those of
// place.path.
type client struct {
	name, title string
	// also are other names by which people ask for it.
	also []string
	// detect are paths, one of them existing when the client is installed, and
	// programs are names to find on the PATH instead.
	detect, programs []string
	// windows says that it is a desktop app.
	windows bool
	user    []piece
	// project is empty for a client that has no such configuration.
	project []piece
	// skills is the directory in which the client looks for skills, below the
	// home and below a project; "" for one that has none.
	skills string
	// next describes further manual steps, there those in the project's scope.
	next, there string
}

// piece is one part of cairn in one of several files: the first of the paths
// that exists, or else the first.
type piece struct {
	paths []string
	part  part
	// where is a path that exists if the piece is wanted; "" wants it always.
	where string
}

// left returns the remaining manual steps in a scope.
func (c client) left(s Scope) string {
	if s == Project {
		return c.there
	}
	return c.next
}

// in returns the pieces of a scope.
func (c client) in(s Scope) []piece {
	if s == Project {
		return c.project
	}
	return c.user
}

// server is the entry that most clients have for a server that they start.
const server = `{"command":"cairn","args":["mcp"]}`

// The parts, as the clients read them in November 2026. docs/agents.md says
// which versions were tried.
var (
	mcpServers = member{keys: []string{"mcpServers", "cairn"}, value: server}
	vscode     = member{keys: []string{"servers", "cairn"}, value: `{"type":"stdio","command":"cairn","args":["mcp"]}`}
	opencode   = member{keys: []string{"mcp", "cairn"}, value: `{"type":"local","command":["cairn","mcp"],"enabled":true}`}
	copilot    = member{keys: []string{"mcpServers", "cairn"}, value: `{"type":"local","command":"cairn","args":["mcp"],"tools":["*"]}`}
	cline      = member{keys: []string{"mcpServers", "cairn"}, value: `{"transport":{"type":"stdio","command":"cairn","args":["mcp"]}}`}
	zed        = member{keys: []string{"context_servers", "cairn"}, value: `{"command":"cairn","args":["mcp"],"env":{}}`}
)

// asJSON has the commands that the client runs print records as JSON, even if the person has
// set another format for their own.
var asJSON = setting{keys: []string{"env", "CAIRN_FORMAT"}, value: "json"}

// actorOf names the client to the commands that it runs, cairn among them.
func actorOf(client string) setting {
	return setting{keys: []string{"env", "CAIRN_ACTOR"}, value: "agent:" + client}
}

func files(part part, paths ...string) piece { return piece{paths: paths, part: part} }

// clineInCode is where the extension of Cline keeps its settings in VS Code.
const clineInCode = "{apps}/Code/User/globalStorage/saoudrizwan.claude-dev"

// clients are all that setup knows, by name.
var clients = []client{
	{
		name: "claude-code", title: "Claude Code", skills: claudeSkills, detect: []string{"~/.claude", "~/.claude.json"},
		also: []string{"claude", "claudecode", "claude-cli"}, programs: []string{"claude"},
		user: []piece{
			files(mcpServers, "~/.claude.json"),
			files(sessionStart("claude-code"), "~/.claude/settings.json"),
			files(actorOf("claude-code"), "~/.claude/settings.json"),
			files(asJSON, "~/.claude/settings.json"),
			files(denial{}, "~/.claude/settings.json"),
			files(instructions{}, "~/.claude/CLAUDE.md"),
		},
		project: []piece{
			files(mcpServers, ".mcp.json"),
			files(sessionStart("claude-code"), ".claude/settings.json"),
			files(actorOf("claude-code"), ".claude/settings.json"),
			files(asJSON, ".claude/settings.json"),
			files(instructions{}, "CLAUDE.md"),
		},
		there: "Claude Code asks once whether to approve the server.",
	},
	{
		name: "claude-desktop", title: "Claude Desktop", windows: true, detect: []string{"{apps}/Claude"},
		also: []string{"claude-app"},
		user: []piece{files(mcpServers, "{apps}/Claude/claude_desktop_config.json")},
	},
	{
		name: "cline", title: "Cline", windows: true, skills: sharedSkills, detect: []string{"~/.cline", clineInCode},
		also: []string{"cline-cli"}, programs: []string{"cline"},
		user: []piece{
			files(cline, "~/.cline/data/settings/cline_mcp_settings.json"),
			{paths: []string{clineInCode + "/settings/cline_mcp_settings.json"}, part: mcpServers, where: clineInCode},
			files(instructions{}, "~/.cline/rules/cairn.md"),
		},
	},
	{
		name: "codex", title: "Codex", skills: sharedSkills, detect: []string{"~/.codex"},
		also: []string{"codex-cli", "openai-codex"}, programs: []string{"codex"},
		user: []piece{
			files(table{}, "~/.codex/config.toml"),
			files(sessionStart("codex-mcp-client"), "~/.codex/hooks.json"),
			files(instructions{}, "~/.codex/AGENTS.md"),
		},
		project: []piece{
			files(table{}, ".codex/config.toml"),
			files(sessionStart("codex-mcp-client"), ".codex/hooks.json"),
			files(instructions{}, "AGENTS.md"),
		},
		next:  "Codex asks once whether to trust the hook.",
		there: "Codex reads .codex only in projects that you trust, and asks once whether to trust the hook.",
	},
	{
		name: "copilot", title: "Copilot CLI", skills: sharedSkills, detect: []string{"~/.copilot"},
		also: []string{"copilot-cli", "github-copilot", "github-copilot-cli"}, programs: []string{"copilot"},
		user: []piece{
			files(copilot, "~/.copilot/mcp-config.json"),
			files(hookFile{sessionStart("github-copilot-developer")}, "~/.copilot/hooks/cairn.json"),
			files(instructions{}, "~/.copilot/copilot-instructions.md"),
		},
		project: []piece{
			files(copilot, ".github/mcp.json"), // a hook would fail where the cloud agent runs it
			files(instructions{}, "AGENTS.md"),
		},
	},
	{
		name: "cursor", title: "Cursor", windows: true, skills: sharedSkills, detect: []string{"~/.cursor"},
		also: []string{"cursor-agent", "cursor-cli"}, programs: []string{"cursor", "cursor-agent"},
		user:    []piece{files(mcpServers, "~/.cursor/mcp.json")},
		project: []piece{files(mcpServers, ".cursor/mcp.json"), files(instructions{}, "AGENTS.md")},
	},
	{
		name: "gemini", title: "Gemini CLI", skills: sharedSkills, detect: []string{"~/.gemini"},
		also: []string{"gemini-cli", "google-gemini"}, programs: []string{"gemini"},
		user: []piece{
			files(mcpServers, "~/.gemini/settings.json"),
			files(sessionStart("gemini-cli-mcp-client"), "~/.gemini/settings.json"),
			files(instructions{}, "~/.gemini/GEMINI.md"),
		},
		project: []piece{
			files(mcpServers, ".gemini/settings.json"),
			files(sessionStart("gemini-cli-mcp-client"), ".gemini/settings.json"),
			files(instructions{}, "GEMINI.md"),
		},
		next:  "Gemini CLI runs servers and hooks only in folders that you trust: it asks, or /permissions.",
		there: "Gemini CLI runs servers and hooks only in folders that you trust: it asks, or /permissions.",
	},
	{
		name: "opencode", title: "OpenCode", skills: sharedSkills, detect: []string{"{config}/opencode"},
		also: []string{"open-code", "opencode-ai"}, programs: []string{"opencode"},
		user: []piece{
			files(opencode, "{config}/opencode/opencode.json", "{config}/opencode/opencode.jsonc"),
			files(instructions{}, "{config}/opencode/AGENTS.md"),
		},
		project: []piece{files(opencode, "opencode.json", "opencode.jsonc"), files(instructions{}, "AGENTS.md")},
	},
	{
		name: "qwen", title: "Qwen Code", skills: sharedSkills, detect: []string{"~/.qwen"},
		also: []string{"qwen-code", "qwencode"}, programs: []string{"qwen"},
		user: []piece{
			files(mcpServers, "~/.qwen/settings.json"),
			files(sessionStart("qwen-cli-mcp-client-cairn"), "~/.qwen/settings.json"),
			files(instructions{}, "~/.qwen/QWEN.md"),
		},
		project: []piece{
			files(mcpServers, ".qwen/settings.json"),
			files(sessionStart("qwen-cli-mcp-client-cairn"), ".qwen/settings.json"),
			files(instructions{}, "QWEN.md"),
		},
	},
	{
		name: "vscode", title: "VS Code", windows: true, skills: sharedSkills, detect: []string{"{apps}/Code"},
		also: []string{"vs-code", "code", "visual-studio-code"}, programs: []string{"code"},
		user:    []piece{files(vscode, "{apps}/Code/User/mcp.json")},
		project: []piece{files(vscode, ".vscode/mcp.json"), files(instructions{}, "AGENTS.md")},
	},
	{
		name: "windsurf", title: "Windsurf", windows: true, skills: sharedSkills, detect: []string{"~/.codeium/windsurf"},
		programs: []string{"windsurf"},
		user:     []piece{files(mcpServers, "~/.codeium/windsurf/mcp_config.json")},
	},
	{
		name: "zed", title: "Zed", windows: true, skills: sharedSkills, detect: []string{"{zed}"},
		also: []string{"zed-editor", "zeditor"}, programs: []string{"zed", "zeditor"},
		user: []piece{files(zed, "{zed}/settings.json")},
	},
}

// Generic is the name under which a person asks for the entry itself, for a
// client that is not known here.
const Generic = "generic"

// Find returns the name of the client that a person means: what setup calls it
// itself, or another usual name, in any case and with blanks or hyphens.
func Find(name string) (string, bool) {
	plain := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-")
	for _, c := range clients {
		if c.name == plain || slices.Contains(c.also, plain) {
			return c.name, true
		}
	}
	return Generic, plain == Generic
}

// Title returns what a client calls itself, "" for none that setup knows.
func Title(name string) string {
	for _, c := range clients {
		if c.name == name {
			return c.title
		}
	}
	return ""
}

// Snippet is the entry that most clients take, for a person to place.
const Snippet = `{
  "mcpServers": {
    "cairn": {
      "command": "cairn",
      "args": ["mcp"]
    }
  }
}
`

// Names lists the clients, Generic last.
func Names() []string {
	names := make([]string, 0, len(clients)+1)
	for _, c := range clients {
		names = append(names, c.name)
	}
	return append(names, Generic)
}
