package space

import "github.com/cairn-kb/cairn/internal/kb"

// agentVariables are environment variables that clients set for the commands of
// their agents, with cairn setup's names for the clients. They were taken from the
// clients' documentation and sources in November 2026.
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

// namedAgent is a variable with the name of the agent, shared by several clients.
const namedAgent = "AI_AGENT"

// agentOf returns the actor for a command run by the agent of a known client, and
// the variable that identifies it; "" for none. It takes precedence over the
// configuration file: the person configured there does not run the command.
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

// isOn reports whether a variable is set to a value other than a negation.
func isOn(value string) bool { return value != "" && value != "0" && value != "false" }
