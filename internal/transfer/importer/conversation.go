package importer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
)

// conversation is a conversation of any program.
type conversation struct {
	id, title, source string
	created, updated  time.Time
	messages          []message
	leaf              string // last message of the branch that the program shows; "" for the last message of all
}

// message is a message of a conversation, with its text as Markdown. A message without text
// only connects other messages.
type message struct {
	id, parent string
	who, text  string
	at         time.Time

	attachments int // attachments with their text in the message's text
}

// page renders a conversation: the branch that the program shows, then the other branches.
// Messages without text are left out.
func (c conversation) page(messages, attachments *Tally) (page, error) {
	p := page{key: c.id, title: kb.InLine(c.title), kind: "conversation", source: c.source, created: stamp(c.created), updated: stamp(c.updated)}
	if p.title == "" {
		p.title = "Conversation " + c.id
		if !c.created.IsZero() {
			p.title = "Conversation of " + c.created.UTC().Format("2006-01-02 15:04")
		}
	}
	order, main, err := c.order()
	if err != nil {
		return p, err
	}
	byID := map[string]*message{}
	for i := range c.messages {
		byID[c.messages[i].id] = &c.messages[i]
	}
	for _, m := range order {
		if m.text == "" {
			continue
		}
		note := ""
		if !main[m.id] {
			note = ", on another branch"
			if from := byID[m.parent]; from != nil && main[from.id] {
				note += ": after " + from.named()
			}
		}
		p.parts = append(p.parts, part{id: m.id, count: messages, held: attachments, holds: m.attachments, text: fmt.Sprintf("## %s%s\n<!-- %s -->\n\n%s\n\n", m.named(), note, m.id, strings.TrimRight(ingest.Undivided(m.text), " \t\r\n"))})
	}
	return p, nil
}

// named returns the heading of a message.
func (m *message) named() string {
	if m.at.IsZero() {
		return m.who
	}
	return m.who + ", " + m.at.UTC().Format("2006-01-02 15:04:05")
}

// order returns the messages of the shown branch in order, and then those of the other
// branches, each below the message that it answers. Duplicate messages, and messages that
// answer each other in a cycle, are kb.Invalid.
func (c conversation) order() (out []*message, main map[string]bool, err error) {
	byID, children := map[string]*message{}, map[string][]*message{}
	for i := range c.messages {
		m := &c.messages[i]
		if byID[m.id] != nil || m.id == "" {
			return nil, nil, kb.Errorf(kb.Invalid, "conversation %s: message %q is a duplicate, or has no id", c.id, m.id)
		}
		byID[m.id] = m
	}
	for i := range c.messages {
		m := &c.messages[i]
		above := m.parent
		if byID[above] == nil {
			above = "" // the message that it answers is not in the export
		}
		children[above] = append(children[above], m)
	}
	main = map[string]bool{}
	leaf := c.leaf
	if byID[leaf] == nil && len(c.messages) > 0 {
		leaf = c.messages[len(c.messages)-1].id
	}
	for m := byID[leaf]; m != nil && !main[m.id]; m = byID[m.parent] {
		main[m.id] = true
		out = append(out, m)
	}
	slices.Reverse(out)
	todo := slices.Clone(children[""])
	slices.Reverse(todo)
	seen := 0
	for len(todo) > 0 {
		m := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		seen++
		if !main[m.id] {
			out = append(out, m)
		}
		below := children[m.id]
		for i := len(below) - 1; i >= 0; i-- {
			todo = append(todo, below[i])
		}
	}
	if seen != len(c.messages) {
		return nil, nil, kb.Errorf(kb.Invalid, "in the conversation %s, %s answer each other in a circle", c.id, api.Plural(len(c.messages)-seen, "message"))
	}
	return out, main, nil
}

// stamp formats a time for front matter.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// timeIn parses a time in one of several layouts; it returns the zero time if none fits.
func timeIn(text string, layouts ...string) time.Time {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// when parses a time; it returns the zero time for other texts.
func when(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// indented returns JSON with indentation.
func indented(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(b)
}
