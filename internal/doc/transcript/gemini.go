package transcript

import (
	"encoding/json"
	"slices"
)

// geminiLine is a line of ~/.gemini/tmp/PROJECT/chats/session-*.jsonl: the session, a change
// of it, or a message. A message is written again after its tools have run. Up to Gemini CLI
// 0.40 the whole file was one object with the messages in it.
type geminiLine struct {
	SessionID string          `json:"sessionId"`
	StartTime string          `json:"startTime"`
	Kind      string          `json:"kind"`
	Messages  []geminiMessage `json:"messages"`
	Set       json.RawMessage `json:"$set"`
	Rewind    json.RawMessage `json:"$rewindTo"`
	geminiMessage
}

type geminiMessage struct {
	ID        string          `json:"id"`
	Timestamp string          `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []struct {
		ID     string          `json:"id"`
		Name   string          `json:"name"`
		Args   json.RawMessage `json:"args"`
		Result []part          `json:"result"`
	} `json:"toolCalls"`
}

// part is a part of a message in the API of Gemini.
type part struct {
	Text         string `json:"text"`
	Thought      bool   `json:"thought"`
	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID       string `json:"id"`
		Response struct {
			Output string `json:"output"`
			Error  string `json:"error"`
		} `json:"response"`
	} `json:"functionResponse"`
}

func readGemini(r *Reader, line []byte) (kind string, known bool) {
	var l geminiLine
	if !r.reads(line, &l) {
		return "malformed", false
	}
	if l.SessionID != "" {
		r.ID, r.Sub = l.SessionID, l.Kind == "subagent"
		r.at(l.StartTime)
	}
	for _, m := range l.Messages {
		r.geminiMessage(m)
	}
	switch {
	case l.Type != "":
		return l.Type, r.geminiMessage(l.geminiMessage)
	case l.SessionID != "" || len(l.Set) > 0 || len(l.Rewind) > 0:
		return "session", true
	}
	return "other", false
}

func (r *Reader) geminiMessage(m geminiMessage) (known bool) {
	t := r.at(m.Timestamp)
	switch m.Type {
	case "user", "gemini":
	default:
		return slices.Contains([]string{"info", "error", "warning"}, m.Type)
	}
	parts := partsOf(m.Content)
	written := slices.ContainsFunc(parts, func(p part) bool { return p.Text != "" }) // otherwise it is written again
	if written && (m.ID == "" || !r.again(m.ID)) {
		for _, p := range parts {
			switch {
			case p.Thought:
			case m.Type == "user":
				r.user(t, typed(p.Text))
			default:
				r.assistant(t, p.Text)
			}
		}
	}
	for _, c := range m.ToolCalls {
		if c.ID != "" && r.again("call "+c.ID) {
			continue
		}
		what, does := r.tool(c.Name, c.Args)
		r.call(t, c.ID, c.Name, what, does)
		for _, p := range c.Result {
			if f := p.FunctionResponse; f != nil {
				r.result(c.ID, first(f.Response.Output, f.Response.Error))
			}
		}
	}
	return true
}

func partsOf(content json.RawMessage) []part {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []part{{Text: text}}
	}
	var out []part
	_, _ = decode(content, &out) // members of another form have no text
	return out
}

// qwenLine is a line of ~/.qwen/projects/PROJECT/chats/SESSION.jsonl.
type qwenLine struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	GitBranch string `json:"gitBranch"`
	Version   string `json:"version"`
	Sidechain bool   `json:"isSidechain"`
	Message   struct {
		Parts []part `json:"parts"`
	} `json:"message"`
}

func readQwen(r *Reader, line []byte) (kind string, known bool) {
	var l qwenLine
	if !r.reads(line, &l) {
		return "malformed", false
	}
	if l.Sidechain {
		return l.Type, true
	}
	t := r.at(l.Timestamp)
	r.ID, r.Project, r.Branch, r.Version = first(r.ID, l.SessionID), first(r.Project, l.Cwd), first(l.GitBranch, r.Branch), first(l.Version, r.Version)
	switch l.Type {
	case "user", "assistant", "tool_result":
	default:
		return l.Type, l.Type == "system"
	}
	for _, p := range l.Message.Parts {
		switch {
		case p.Thought:
		case p.FunctionCall != nil:
			what, c := r.tool(p.FunctionCall.Name, p.FunctionCall.Args)
			r.call(t, p.FunctionCall.ID, p.FunctionCall.Name, what, c)
		case p.FunctionResponse != nil:
			r.result(p.FunctionResponse.ID, first(p.FunctionResponse.Response.Output, p.FunctionResponse.Response.Error))
		case l.Type == "user":
			r.user(t, typed(p.Text))
		default:
			r.assistant(t, p.Text)
		}
	}
	return l.Type, true
}
