package transcript

import (
	"encoding/json"
	"slices"
	"strings"
)

// codexLine is a line of ~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl. Files of 2025 before
// Codex 0.40 have no payload: the line is the item.
type codexLine struct {
	Timestamp string          `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

type codexItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	CallID    string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Message   string          `json:"message"`
	Action    json.RawMessage `json:"action"`

	// Members of the session's metadata.
	Cwd     string          `json:"cwd"`
	Version string          `json:"cli_version"`
	Thread  string          `json:"thread_source"`
	Source  json.RawMessage `json:"source"`
	Git     struct {
		Branch string `json:"branch"`
	} `json:"git"`
}

// codexOthers are types of lines and items without content of the conversation, or that
// repeat it.
var codexOthers = []string{
	"event_msg", "world_state", "token_usage_record", "turn_context", "inter_agent_communication", "ghost_snapshot", "reasoning",
	"web_search_call", "image_generation_call", "tool_search_call", "tool_search_output", "compaction", "compaction_trigger", "item_reference", "agent_message",
}

func readCodex(r *Reader, line []byte) (kind string, known bool) {
	var l codexLine
	if !r.reads(line, &l) {
		return "malformed", false
	}
	payload, kind := []byte(l.Payload), l.Type
	if len(payload) == 0 {
		payload, kind = line, "response_item"
	}
	if kind == "event_msg" || kind == "world_state" {
		r.at(l.Timestamp)
		return kind, true
	}
	var it codexItem
	if !r.reads(payload, &it) {
		return kind, false
	}
	if it.Type == "" && it.ID != "" && kind == "response_item" { // the first line of old files
		kind = "session_meta"
	}
	t := r.at(l.Timestamp)
	switch kind {
	case "session_meta":
		if r.ID == "" {
			r.ID = it.ID
			r.Sub = it.Thread == "subagent" || strings.Contains(string(it.Source), "subagent")
		}
		r.Project, r.Branch, r.Version = first(r.Project, it.Cwd), first(it.Git.Branch, r.Branch), first(it.Version, r.Version)
		return kind, true
	case "turn_context":
		r.Project = first(r.Project, it.Cwd)
		return kind, true
	case "compacted":
		r.summary(t, it.Message)
		return kind, true
	case "response_item":
	default:
		return kind, slices.Contains(codexOthers, kind)
	}
	switch it.Type {
	case "message":
		for _, b := range blocksOf(it.Content) {
			switch {
			case it.Role == "assistant":
				r.assistant(t, b.Text)
			case it.Role == "user" && !strings.HasPrefix(b.Text, "# AGENTS.md instructions"):
				r.user(t, typed(b.Text))
			}
		}
	case "function_call":
		what, c := r.tool(it.Name, json.RawMessage(it.Arguments))
		r.call(t, it.CallID, it.Name, what, c)
	case "custom_tool_call":
		for _, p := range patched(it.Input) {
			r.file(p)
		}
		r.call(t, it.CallID, it.Name, strings.Join(patched(it.Input), " "), call{})
	case "local_shell_call":
		what, c := r.tool("shell", it.Action)
		r.call(t, it.CallID, "shell", what, c)
	case "function_call_output", "custom_tool_call_output":
		r.result(it.CallID, outputOf(it.Output))
	case "":
		return "response_item", strings.Contains(string(line), `"record_type"`) // of old files
	default:
		return "response_item " + it.Type, slices.Contains(codexOthers, it.Type)
	}
	return kind, true
}

// outputOf reads the output of a tool: a string, which may be JSON that contains the text,
// an object, or blocks.
func outputOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		var in struct {
			Content string `json:"content"`
			Output  string `json:"output"`
		}
		if json.Unmarshal(raw, &in) != nil {
			return textOf(raw)
		}
		text = first(in.Output, in.Content)
	}
	var in struct {
		Output string `json:"output"`
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &in) == nil && in.Output != "" {
		text = in.Output
	}
	if _, after, ok := strings.Cut(text, "\nOutput:\n"); ok && strings.Contains(text[:len(text)-len(after)], "exited with code") {
		return after
	}
	return text
}
