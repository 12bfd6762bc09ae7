package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
)

// claudeConversation is an element of conversations.json.
type claudeConversation struct {
	UUID     string          `json:"uuid"`
	Name     string          `json:"name"`
	Created  string          `json:"created_at"`
	Updated  string          `json:"updated_at"`
	Leaf     string          `json:"current_leaf_message_uuid"`
	Messages []claudeMessage `json:"chat_messages"`
}

type claudeMessage struct {
	UUID        string             `json:"uuid"`
	Parent      string             `json:"parent_message_uuid"`
	Text        string             `json:"text"`
	Content     []claudeBlock      `json:"content"`
	Sender      string             `json:"sender"`
	Created     string             `json:"created_at"`
	Attachments []claudeAttachment `json:"attachments"`
	Files       []claudeAttachment `json:"files"`
}

type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
}

type claudeAttachment struct {
	Name    string `json:"file_name"`
	Type    string `json:"file_type"`
	Content string `json:"extracted_content"`
}

// leave counts pieces that are left out, with the reason.
func (r *Receipt) leave(t *Tally, n int, what, reason string) {
	if n > 0 {
		t.Total += n
		t.LeftOut += n
		r.lose(what, reason)
	}
}

const (
	onlyNames  = "the export holds their names only, which the pages say"
	noThoughts = "the model's thoughts are not part of the conversation"
	noText     = "they hold no text"
)

// claude imports the conversations of an export of Claude: each as a page, with its messages
// as sections. A conversation of an earlier import gets its missing messages.
func claude(ctx context.Context, sess *memory.Session, req ExportRequest) (Receipt, error) {
	b := newBatch(sess, req)
	conversations, messages, attachments, files, thoughts := Tally{Kind: "conversations"}, Tally{Kind: "messages"}, Tally{Kind: "attachments"}, Tally{Kind: "files"}, Tally{Kind: "thoughts"}
	others, unknown := Tally{Kind: "other pieces"}, map[string]int{}
	empty, thought, named, none := 0, 0, 0, 0
	take := func(c claudeConversation, add func(page) error) error {
		conv := conversation{id: c.UUID, title: c.Name, source: "claude", created: when(c.Created), updated: when(c.Updated), leaf: c.Leaf}
		if c.UUID == "" {
			return kb.Errorf(kb.Invalid, "a conversation has no uuid")
		}
		before, linear := "", !slices.ContainsFunc(c.Messages, func(m claudeMessage) bool { return m.Parent != "" })
		for _, m := range c.Messages {
			thought += m.thoughts()
			for _, piece := range m.Content {
				if piece.unknown() {
					unknown[piece.Type]++
				}
			}
			named += len(m.Files)
			parent := m.Parent
			if linear {
				parent, before = before, m.UUID
			}
			text := m.render()
			if text == "" {
				none++
			}
			conv.messages = append(conv.messages, message{
				id: m.UUID, parent: parent, who: speaker(m.Sender), text: text, at: when(m.Created), attachments: len(m.Attachments),
			})
		}
		p, err := conv.page(&messages, &attachments)
		if err != nil {
			return err
		}
		if err := b.unique(p.key); err != nil {
			return err
		}
		if len(p.parts) == 0 {
			empty++
			return nil
		}
		return add(p.counted(&conversations))
	}
	r := &pageReader{batch: b}
	r.look, r.read = elements(req.File, take, "conversations*.json")
	r.report = func() {
		b.out.leave(&conversations, empty, api.Plural(empty, "conversation"), "without messages")
		b.out.leave(&messages, none, api.Plural(none, "message"), noText)
		b.out.leave(&files, named, api.Plural(named, "file"), onlyNames)
		b.out.leave(&thoughts, thought, api.Plural(thought, "thought"), noThoughts)
		for _, kind := range sortedKeys(unknown) {
			b.out.leave(&others, unknown[kind], api.Plural(unknown[kind], "piece"), "cairn does not know their kind: "+kb.InLine(kind))
		}
		b.out.Counts = append(b.out.Counts, conversations, messages, attachments, files, thoughts)
		if others.Total > 0 {
			b.out.Counts = append(b.out.Counts, others)
		}
	}
	return b.run(ctx, r)
}

// unknown reports whether a piece is of an unknown kind and has no text.
func (b claudeBlock) unknown() bool {
	switch b.Type {
	case "text", "tool_use", "tool_result", "thinking", "redacted_thinking":
		return false
	}
	return b.Text == ""
}

func speaker(name string) string {
	switch name = kb.InLine(name); name {
	case "human", "user":
		return "User"
	case "":
		return "Somebody"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func (m *claudeMessage) thoughts() (n int) {
	for _, b := range m.Content {
		if b.Type == "thinking" || b.Type == "redacted_thinking" {
			n++
		}
	}
	return n
}

// render returns a message as Markdown: its text, tool calls, the text of attachments, and
// the names of files.
func (m *claudeMessage) render() string {
	var parts []string
	say := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, text)
		}
	}
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			say(b.Text)
		case "tool_use":
			say("Call of " + code(b.Name) + ":\n\n" + doc.Fenced("json", indented(b.Input)))
		case "tool_result":
			what := "Result of "
			if b.IsError {
				what = "Error of "
			}
			say(what + code(b.Name) + ":\n\n" + doc.Fenced("", resultText(b.Content)))
		case "thinking", "redacted_thinking":
		default:
			say(b.Text)
		}
	}
	if len(parts) == 0 {
		say(m.Text)
	}
	for _, a := range m.Attachments {
		say("Attachment " + code(cmp.Or(a.Name, a.Type, "without a name")) + ":\n\n" + doc.Fenced("", a.Content))
	}
	for _, f := range m.Files {
		say(missingFile(f.Name))
	}
	return strings.Join(parts, "\n\n")
}

// code is a name as code.
func code(name string) string { return "`" + strings.ReplaceAll(kb.InLine(name), "`", "'") + "`" }

// resultText is the text of what a tool answered, or its JSON.
func resultText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var blocks []claudeBlock
	if json.Unmarshal(raw, &blocks) != nil {
		return indented(raw)
	}
	var out []string
	for _, b := range blocks {
		if b.Type != "text" {
			return indented(raw)
		}
		out = append(out, b.Text)
	}
	return strings.Join(out, "\n")
}

// claudeProject is one of projects.json.
type claudeProject struct {
	UUID        string `json:"uuid"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Prompt      string `json:"prompt_template"`
	Created     string `json:"created_at"`
	Updated     string `json:"updated_at"`
	Docs        []struct {
		UUID    string `json:"uuid"`
		Name    string `json:"filename"`
		Content string `json:"content"`
		Created string `json:"created_at"`
	} `json:"docs"`
}

// claudeProjects imports the projects of an export of Claude: each as a page
// with its description and instructions, and its documents as pages next to it.
func claudeProjects(ctx context.Context, sess *memory.Session, req ExportRequest) (Receipt, error) {
	b := newBatch(sess, req)
	projects, docs := Tally{Kind: "projects"}, Tally{Kind: "documents"}
	empty := 0
	take := func(c claudeProject, add func(page) error) error {
		if c.UUID == "" {
			return kb.Errorf(kb.Invalid, "a project has no uuid")
		}
		title := cmp.Or(kb.InLine(c.Name), "Project "+c.UUID)
		var text bytes.Buffer
		if c.Description != "" {
			fmt.Fprintf(&text, "%s\n\n", ingest.Undivided(strings.TrimSpace(c.Description)))
		}
		if c.Prompt != "" {
			fmt.Fprintf(&text, "## Instructions\n\n%s\n\n", ingest.Undivided(strings.TrimSpace(c.Prompt)))
		}
		folder := vault.FileName(b.hide(title), "")
		if err := b.unique(c.UUID); err != nil {
			return err
		}
		if text.Len() == 0 && len(c.Docs) == 0 {
			empty++
			return nil
		}
		p := page{key: c.UUID, title: title, kind: "project", source: "claude", folder: folder, head: text.String(), created: stamp(when(c.Created)), updated: stamp(when(c.Updated))}
		if err := add(p.counted(&projects)); err != nil {
			return err
		}
		for _, d := range c.Docs {
			if d.UUID == "" {
				return kb.Errorf(kb.Invalid, "a document of the project %s has no uuid", c.UUID)
			}
			if err := b.unique(d.UUID); err != nil {
				return err
			}
			p := page{key: d.UUID, title: cmp.Or(kb.InLine(d.Name), "Document "+d.UUID), kind: "document", source: "claude", folder: folder, head: ingest.Undivided(d.Content), created: stamp(when(d.Created))}
			if err := add(p.counted(&docs)); err != nil {
				return err
			}
		}
		return nil
	}
	r := &pageReader{batch: b}
	r.look, r.read = elements(req.File, take, "projects.json", "projects/*.json")
	r.report = func() {
		b.out.leave(&projects, empty, api.Plural(empty, "project"), "with nothing in it")
		b.out.Counts = append(b.out.Counts, projects, docs)
	}
	return b.run(ctx, r)
}
