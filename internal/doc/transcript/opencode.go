package transcript

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// openCodeLine is a row of the database of OpenCode: the session, or a part of a message
// with the message.
type openCodeLine struct {
	Session struct {
		ID        string `json:"id"`
		Directory string `json:"directory"`
		Title     string `json:"title"`
		Version   string `json:"version"`
	} `json:"session"`
	Message struct {
		Role    string          `json:"role"`
		Summary json.RawMessage `json:"summary"` // true for the summary of a session; an object for a request
	} `json:"message"`
	Part struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		Synthetic bool   `json:"synthetic"` // written by the client
		Ignored   bool   `json:"ignored"`
		Tool      string `json:"tool"`
		CallID    string `json:"callID"`
		State     struct {
			Status string          `json:"status"`
			Input  json.RawMessage `json:"input"`
			Output string          `json:"output"`
			Error  string          `json:"error"`
		} `json:"state"`
	} `json:"part"`
	Time int64 `json:"time"` // in milliseconds
}

// openCodeOthers are types of parts without content of the conversation.
var openCodeOthers = []string{"agent", "compaction", "patch", "reasoning", "retry", "snapshot", "step-finish", "step-start", "subtask"}

func readOpenCode(r *Reader, line []byte) (kind string, known bool) {
	var l openCodeLine
	if !r.reads(line, &l) {
		return "malformed", false
	}
	if s := l.Session; s.ID != "" {
		r.ID, r.Project, r.Version = s.ID, s.Directory, s.Version
		if !strings.HasPrefix(s.Title, "New session - ") { // the title until the client has named it
			r.name(s.Title)
		}
		return "session", true
	}
	var t time.Time
	if l.Time > 0 {
		t = r.when(time.UnixMilli(l.Time).UTC())
	}
	switch p := l.Part; p.Type {
	case "text":
		switch {
		case p.Synthetic || p.Ignored:
		case l.Message.Role == "user":
			r.user(t, typed(p.Text))
		case string(l.Message.Summary) == "true":
			r.summary(t, p.Text)
		default:
			r.assistant(t, p.Text)
		}
	case "tool":
		what, c := r.tool(p.Tool, p.State.Input)
		r.call(t, p.CallID, p.Tool, what, c)
		text := first(p.State.Output, p.State.Error)
		if c.Agent {
			if _, report, ok := strings.Cut(text, "<task_result>"); ok {
				text, _, _ = strings.Cut(report, "</task_result>")
			}
		}
		r.result(p.CallID, text)
	case "file":
		if l.Message.Role == "user" {
			r.user(t, "(file left out)")
		}
	default:
		return first(p.Type, "other"), slices.Contains(openCodeOthers, p.Type)
	}
	return l.Part.Type, true
}
