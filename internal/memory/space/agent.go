package space

import "github.com/cairn-kb/cairn/internal/kb"

// agentVariables are set by clients for the commands that their agents run, with the
// names that cairn setup has for them. They were read in the clients' documentation and
// sources in November 2026.
var agentVariables = []struct{ name, agent string }{
	{"CLAUDECODE", "claude-code"},
	{"CODEX_SANDBOX", "codex"},
	{"CODEX_SANDBOX_NETWORK_DISABLED", "codex"},
	{"CODEX_THREAD_ID", "codex"},
	{"CURSOR_AGENT", "cursor"},
	{"CLINE_ACTIVE", "cline"},
	{"COPILOT_CLI", "copilot"},
	{"COPILOT_AGENT", "vscode"},
	{"GEMINI_CLI", "gemini"},
	{"QWEN_CODE", "qwen"},
	{"OPENCODE", "opencode"},
}

// namedAgent is a variable with the name of the agent, which several clients share.
const namedAgent = "AI_AGENT"

// agentOf returns the actor of a command that the agent of a known client runs, and the
// variable that says so; "" for none. It comes before the configuration file: the person
// who named themselves there is not the one who runs the command.
func agentOf(env func(string) string) (actor, variable string) {
	for _, v := range agentVariables {
		if isOn(env(v.name)) {
			return kb.Actor{Kind: kb.Agent, Name: v.agent}.String(), v.name
		}
	}
	if name := env(namedAgent); isOn(name) {
		return kb.AgentNamed(name).String(), namedAgent
	}
	return "", ""
}

// isOn reports whether a variable is set to something that does not deny it.
func isOn(value string) bool { return value != "" && value != "0" && value != "false" }
