package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
)

// gptConversation is an element of conversations.json.
type gptConversation struct {
	ID      string             `json:"id"`
	Other   string             `json:"conversation_id"`
	Title   string             `json:"title"`
	Created float64            `json:"create_time"`
	Updated float64            `json:"update_time"`
	Leaf    string             `json:"current_node"`
	Mapping map[string]gptNode `json:"mapping"`
}

type gptNode struct {
	Parent   string      `json:"parent"`
	Children []string    `json:"children"`
	Message  *gptMessage `json:"message"`
}

type gptMessage struct {
	Author struct {
		Role string `json:"role"`
		Name string `json:"name"`
	} `json:"author"`
	Created   float64    `json:"create_time"`
	Content   gptContent `json:"content"`
	Recipient string     `json:"recipient"`
	Metadata  struct {
		Hidden      bool `json:"is_visually_hidden_from_conversation"`
		Attachments []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"attachments"`
	} `json:"metadata"`
}

type gptContent struct {
	Type     string            `json:"content_type"`
	Parts    []json.RawMessage `json:"parts"`
	Text     string            `json:"text"`
	Result   string            `json:"result"`
	Language string            `json:"language"`
	Title    string            `json:"title"`
	URL      string            `json:"url"`

	more []string // texts of other fields, by field name
}

func (c *gptContent) UnmarshalJSON(b []byte) error {
	type known gptContent
	if err := json.Unmarshal(b, (*known)(c)); err != nil {
		return err
	}
	if c.Type == "text" || c.Type == "multimodal_text" || c.Type == "code" {
		return nil
	}
	all, err := object(b)
	for _, name := range sortedKeys(all) {
		switch name {
		case "content_type", "parts", "text", "result", "language", "title", "url", "response_format_name", "domain", "tether_id", "assets":
		default:
			if text, ok := all[name].(string); ok && strings.TrimSpace(text) != "" {
				c.more = append(c.more, strings.ReplaceAll(name, "_", " ")+":\n\n"+doc.Fenced("", text))
			}
		}
	}
	return err
}

// seconds converts seconds since 1970 to a time.
func seconds(s float64) time.Time {
	if s <= 0 || s > 253402300799 { // the end of year 9999
		return time.Time{}
	}
	whole, part := math.Modf(s)
	return time.Unix(int64(whole), int64(part*1e9)).UTC()
}

// chatGPT imports the conversations of an export of ChatGPT: each as a page, with its
// messages as sections. The messages of the branch that ChatGPT shows come first, then those
// of other branches.
func chatGPT(ctx context.Context, sess *memory.Session, req ExportRequest) (Receipt, error) {
	b := newBatch(sess, req)
	conversations, messages, attachments, thoughts, files := Tally{Kind: "conversations"}, Tally{Kind: "messages"}, Tally{Kind: "attachments"}, Tally{Kind: "thoughts"}, Tally{Kind: "files"}
	hidden, none, thought, named, empty := 0, 0, 0, 0, 0
	take := func(c gptConversation, add func(page) error) error {
		conv := conversation{id: cmp.Or(c.ID, c.Other), title: c.Title, source: "chatgpt", created: seconds(c.Created), updated: seconds(c.Updated), leaf: c.Leaf}
		if conv.id == "" {
			return kb.Errorf(kb.Invalid, "a conversation has no id")
		}
		for _, id := range c.nodes() {
			n := c.Mapping[id]
			m := message{id: id, parent: n.Parent}
			if x := n.Message; x != nil {
				switch {
				case x.Metadata.Hidden:
					hidden++
				case x.Content.Type == "thoughts" || x.Content.Type == "reasoning_recap":
					thought++
				default:
					var media []string
					m.text, media = x.render()
					named += len(media)
					m.at, m.who = seconds(x.Created), speaker(cmp.Or(x.Author.Name, x.Author.Role))
					if m.text == "" {
						none++
					}
				}
			}
			conv.messages = append(conv.messages, m)
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
		b.out.leave(&messages, hidden, api.Plural(hidden, "message"), "ChatGPT does not show them: its instructions, and yours")
		b.out.leave(&messages, none, api.Plural(none, "message"), noText)
		b.out.leave(&thoughts, thought, api.Plural(thought, "thought"), noThoughts)
		b.out.leave(&files, named, api.Plural(named, "file"), "images and other files: pages name them; cairn keeps text")
		b.out.Counts = append(b.out.Counts, conversations, messages, attachments, thoughts, files)
	}
	return b.run(ctx, r)
}

// nodes returns the ids of the nodes. Answers to the same message keep the order of the
// export.
func (c *gptConversation) nodes() []string {
	at := map[string]int{}
	for _, n := range c.Mapping {
		for i, child := range n.Children {
			at[child] = i
		}
	}
	return slices.SortedFunc(maps.Keys(c.Mapping), func(x, y string) int {
		return cmp.Or(at[x]-at[y], strings.Compare(x, y))
	})
}

// render returns a message as Markdown, and its files and images.
func (m *gptMessage) render() (text string, media []string) {
	var parts []string
	say := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, text)
		}
	}
	c := m.Content
	known := map[string]string{}
	for _, a := range m.Metadata.Attachments {
		known[a.ID] = a.Name
	}
	file := func(id string) {
		if !slices.Contains(media, id) {
			media = append(media, id)
			say("File " + code(cmp.Or(known[id], id)) + " (not imported)")
		}
	}
	for _, raw := range c.Parts {
		var (
			text string
			x    struct {
				Pointer string `json:"asset_pointer"`
				Text    string `json:"text"`
			}
		)
		switch {
		case json.Unmarshal(raw, &text) == nil:
			say(text)
		case json.Unmarshal(raw, &x) == nil && x.Pointer != "":
			_, id, _ := strings.Cut(x.Pointer, "://")
			file(cmp.Or(id, x.Pointer))
		case x.Text != "":
			say(x.Text)
		default:
			say(doc.Fenced("json", indented(raw)))
		}
	}
	for _, a := range m.Metadata.Attachments {
		file(a.ID)
	}
	body := cmp.Or(c.Text, c.Result)
	switch {
	case body == "":
	case c.Type == "text":
		say(body)
	case c.Type == "code":
		what := "Code:\n\n"
		if m.Recipient != "" && m.Recipient != "all" {
			what = "Call of " + code(m.Recipient) + ":\n\n"
		}
		language := c.Language
		if language == "unknown" || strings.ContainsAny(language, "`\n\r ") {
			language = ""
		}
		say(what + doc.Fenced(language, body))
	default:
		if c.Title != "" || c.URL != "" {
			say("From " + code(cmp.Or(c.Title, c.URL)) + ":")
		}
		say(doc.Fenced("", body))
	}
	for _, text := range c.more {
		say(text)
	}
	return strings.Join(parts, "\n\n"), media
}
