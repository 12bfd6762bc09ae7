package transcript

import (
	"encoding/json"
	"slices"
	"strings"
)

// copilotLine is a line of ~/.copilot/session-state/SESSION/events.jsonl.
type copilotLine struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Data      struct {
		SessionID string `json:"sessionId"`
		Version   string `json:"copilotVersion"`
		Content   string `json:"content"`
		Context   struct {
			Cwd    string `json:"cwd"`
			Branch string `json:"branch"`
		} `json:"context"`
		ToolRequests []struct {
			ID        string          `json:"toolCallId"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolRequests"`
		ToolCallID string          `json:"toolCallId"`
		Result     json.RawMessage `json:"result"`
	} `json:"data"`
}

func readCopilot(r *Reader, line []byte) (kind string, known bool) {
	var l copilotLine
	if !r.reads(line, &l) {
		return "malformed", false
	}
	t := r.at(l.Timestamp)
	d := l.Data
	r.Project, r.Branch, r.Version = first(r.Project, d.Context.Cwd), first(d.Context.Branch, r.Branch), first(d.Version, r.Version)
	switch l.Type {
	case "session.start", "session.resume":
		r.ID = first(r.ID, d.SessionID)
	case "user.message":
		r.user(t, typed(d.Content))
	case "assistant.message":
		r.assistant(t, d.Content)
		for _, c := range d.ToolRequests {
			what, does := r.tool(c.Name, c.Arguments)
			r.call(t, c.ID, c.Name, what, does)
		}
	case "tool.execution_complete":
		var in struct {
			Content string `json:"content"`
		}
		_ = json.Unmarshal(d.Result, &in) // a result of another form has no text
		r.result(d.ToolCallID, in.Content)
	default:
		head, _, dotted := strings.Cut(l.Type, ".")
		return l.Type, dotted && slices.Contains([]string{"session", "assistant", "tool", "abort", "hook", "subagent", "skill", "system"}, head)
	}
	return l.Type, true
}

// cursorLine is a line of ~/.cursor/projects/PROJECT/agent-transcripts/SESSION.jsonl.
type cursorLine struct {
	Role    string `json:"role"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

func readCursor(r *Reader, line []byte) (kind string, known bool) {
	var l cursorLine
	if !r.reads(line, &l) {
		return "malformed", false
	}
	for _, b := range blocksOf(l.Message.Content) {
		switch {
		case b.Type == "tool_use":
			what, c := r.tool(b.Name, b.Input)
			r.call(r.Started, "", b.Name, what, c)
		case b.Type != "text":
		case l.Role == "user":
			r.user(r.Started, typed(b.Text))
		case l.Role == "assistant":
			r.assistant(r.Started, b.Text)
		}
	}
	return first(l.Role, "other"), l.Role == "user" || l.Role == "assistant"
}
