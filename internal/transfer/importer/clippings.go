package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

func pocketFiles(t *tree) []File { return csvWith(t, "title", "url", "time_added") }

// pocket reads the list of Pocket: a page for each address.
func pocket(ctx context.Context, t *tree, r *onePass) error {
	for _, f := range pocketFiles(t) {
		err := records(ctx, f, func(get func(string) string) error {
			address := get("url")
			if address == "" {
				r.leave("notes", get("title"), "it has no address")
				return nil
			}
			out := note{id: r.key("pocket", address), title: get("title"), kind: "bookmark", metadata: metadata("url", address, "state", get("status"))}
			if out.title == "" {
				out.title = address
			}
			if s, err := strconv.ParseInt(get("time_added"), 10, 64); err == nil {
				out.created = seconds(float64(s))
			}
			out.tags = append(out.tags, strings.FieldsFunc(get("tags"), func(c rune) bool { return c == '|' || c == ',' })...)
			out.body = func(links) string { return markup.Link(address, "") }
			return r.add(out)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func readwiseFiles(t *tree) []File { return csvWith(t, "highlight", "book title") }

// readwise reads the highlights of Readwise: a page for each book, which a later export
// extends.
func readwise(ctx context.Context, t *tree, r *onePass) error {
	read := func(row func(key, title string, get func(string) string), blank func(title string)) error {
		for _, f := range readwiseFiles(t) {
			err := records(ctx, f, func(get func(string) string) error {
				title := get("book title")
				if get("highlight") == "" && get("note") == "" {
					blank(title)
					return nil
				}
				row(title+"\x00"+get("book author"), title, get)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	rows := newRows()
	err := read(func(key, _ string, _ func(string) string) { rows.count(key) }, func(title string) { r.leave("highlights", title, noText) })
	if err != nil {
		return err
	}
	for group := range rows.groups() {
		books := map[string]*note{}
		var order []*note
		err := read(func(key, title string, get func(string) string) {
			if !group.has(key) {
				return
			}
			b := books[key]
			if b == nil {
				b = &note{id: r.key("readwise", title, get("book author")), title: title, kind: "book", metadata: metadata("author", get("book author"))}
				books[key] = b
				order = append(order, b)
			}
			b.highlight(r, get)
		}, func(string) {})
		if err != nil {
			return err
		}
		for _, b := range order {
			if err := r.add(*b); err != nil {
				return err
			}
		}
	}
	return nil
}

// highlight adds a highlight to the page of its book.
func (b *note) highlight(r *onePass, get func(string) string) {
	for _, tag := range strings.Split(get("document tags"), ",") {
		if !slices.Contains(b.tags, tag) {
			b.tags = append(b.tags, tag)
		}
	}
	at := readwiseTime(get("highlighted at"))
	if !at.IsZero() && (b.created.IsZero() || at.Before(b.created)) {
		b.created = at
	}
	if !r.texts {
		return
	}
	var facts []string
	if where := get("location"); where != "" && where != "0" {
		facts = append(facts, strings.TrimSpace(get("location type")+" "+where))
	}
	if !at.IsZero() {
		facts = append(facts, at.Format(time.DateOnly))
	}
	line := "- [highlight] " + kb.InLine(get("highlight"))
	x := part{section: "Highlights", of: "highlights", like: highlightLike(line, facts)}
	for _, tag := range strings.Split(get("tags"), ",") {
		if tag = strings.Join(strings.Fields(tag), "-"); tag != "" {
			line += " #" + tag
		}
	}
	if len(facts) > 0 {
		line += " (" + strings.Join(facts, ", ") + ")"
	}
	x.text = line + "\n"
	if n := kb.InLine(get("note")); n != "" {
		x.below = "  - " + n + "\n"
	}
	b.parts = append(b.parts, x)
}

// highlightLike returns a function that reports whether a line is a highlight with the same
// text, place and day. Its tags may change in later exports.
func highlightLike(begin string, facts []string) func(line string) bool {
	end := ""
	if len(facts) > 0 {
		end = " (" + strings.Join(facts, ", ") + ")"
	}
	hidden := string(secrets.Hide([]byte(begin)))
	return func(line string) bool {
		rest, ok := strings.CutPrefix(line, begin)
		if !ok {
			rest, ok = strings.CutPrefix(line, hidden)
		}
		tags, ends := strings.CutSuffix(rest, end)
		return ok && ends && (tags == "" || tags[0] == ' ') &&
			!slices.ContainsFunc(strings.Fields(tags), func(word string) bool { return word[0] != '#' })
	}
}

func readwiseTime(text string) time.Time {
	return timeIn(text, "2006-01-02 15:04:05-07:00", "2006-01-02 15:04:05Z07:00", time.RFC3339, "2006-01-02 15:04:05", "January 2, 2006 3:04 PM", time.DateOnly)
}

// mem0Memory is a memory of mem0.
type mem0Memory struct {
	ID         string          `json:"id"`
	Memory     string          `json:"memory"`
	User       string          `json:"user_id"`
	Agent      string          `json:"agent_id"`
	App        string          `json:"app_id"`
	Run        string          `json:"run_id"`
	Categories []string        `json:"categories"`
	Facts      json.RawMessage `json:"metadata"`
	Created    string          `json:"created_at"`
	Changed    string          `json:"updated_at"`
	Expires    string          `json:"expiration_date"`
}

// mem0Relation is an edge of the graph of mem0.
type mem0Relation struct {
	From  string `json:"source"`
	Kind  string `json:"relationship"`
	Other string `json:"relation"` // name of the kind in some versions
	To    string `json:"target"`
	Dest  string `json:"destination"` // name of the target in others
}

func mem0Files(t *tree) (out []File) {
	for _, f := range t.named("*.json", "*.jsonl") {
		head := string(f.head())
		if strings.Contains(head, `"memory"`) && (strings.Contains(head, `"user_id"`) || strings.Contains(head, `"agent_id"`)) && !strings.Contains(head, `"core_memory"`) {
			out = append(out, f)
		}
	}
	return out
}

// mem0 reads memories of mem0: a page for each user or agent, with a fact for each memory.
func mem0(ctx context.Context, t *tree, r *onePass) error {
	rows := newRows()
	if err := mem0Rows(ctx, t, func(m mem0Memory) error {
		if kb.InLine(m.Memory) == "" {
			r.leave("memories", m.ID, noText)
			return nil
		}
		kind, name := m.of()
		rows.count(kind + "\x00" + name)
		return nil
	}, func(json.RawMessage) error { return nil }); err != nil {
		return err
	}
	for group := range rows.groups() {
		pages := map[string]*note{}
		var order []*note
		page := func(kind, name string) *note {
			key := kind + "\x00" + name
			p := pages[key]
			if p == nil {
				p = &note{title: name, kind: kind}
				pages[key] = p
				order = append(order, p)
			}
			return p
		}
		err := mem0Rows(ctx, t, func(m mem0Memory) error {
			if kind, name := m.of(); kb.InLine(m.Memory) != "" && group.has(kind+"\x00"+name) {
				return m.fact(r, page(kind, name), name)
			}
			return nil
		}, func(b json.RawMessage) error {
			var x mem0Relation
			if len(b) <= 2 { // the element is an empty list
				return nil
			}
			if err := json.Unmarshal(b, &x); err == nil {
				kind, to := kb.InLine(cmp.Or(x.Kind, x.Other)), unbracketed(cmp.Or(x.To, x.Dest))
				if from := "user\x00" + x.From; rows.has(from) && kind != "" && to != "" {
					if group.has(from) {
						p := page("user", x.From)
						p.parts = append(p.parts, part{text: "- " + strings.Join(strings.Fields(kind), "_") + " [[" + to + "]]\n", section: "Relations", of: "relations"})
					}
					return nil
				}
			}
			if group.from == 0 {
				r.leave("relations", kb.InLine(string(b[:min(len(b), 200)])), "it begins at a name that is not a page")
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, p := range order {
			p.id = r.key("mem0", p.kind, p.title)
			if err := r.add(*p); err != nil {
				return err
			}
		}
	}
	return nil
}

// mem0Rows calls memory and relation with the memories and the relations of mem0.
func mem0Rows(ctx context.Context, t *tree, memory func(mem0Memory) error, relation func(json.RawMessage) error) error {
	raw := decoded(memory)
	for _, f := range mem0Files(t) {
		var err error
		if fieldsOf(f, "results", "memories") {
			err = eachIn(ctx, f, map[string]func(json.RawMessage) error{"results": raw, "memories": raw, "relations": relation})
		} else {
			err = each(ctx, f, func(_ context.Context, m mem0Memory) error { return memory(m) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// of returns the page of a memory: that of its user, agent, app or run.
func (m mem0Memory) of() (kind, name string) {
	switch {
	case m.User != "":
		return "user", m.User
	case m.Agent != "":
		return "agent", m.Agent
	case m.App != "":
		return "app", m.App
	case m.Run != "":
		return "run", m.Run
	}
	return "memories", "mem0"
}

// fact adds a memory to the page with a name.
func (m mem0Memory) fact(r *onePass, p *note, name string) error {
	if !r.texts {
		return nil
	}
	category := "note"
	if len(m.Categories) > 0 && kb.InLine(m.Categories[0]) != "" {
		category = unbracketed(m.Categories[0])
	}
	line := "- [" + category + "] " + kb.InLine(m.Memory)
	for _, c := range m.Categories[min(1, len(m.Categories)):] {
		line += " #" + strings.Join(strings.Fields(c), "-")
	}
	if at := readwiseTime(m.Created); !at.IsZero() {
		line += " (" + at.Format(time.DateOnly) + ")"
	}
	line += "\n"
	known := line // the lines below it change in later exports
	for _, x := range [][2]string{{"agent", m.Agent}, {"app", m.App}, {"run", m.Run}, {"updated", m.Changed}, {"expires", m.Expires}} {
		at, value := readwiseTime(x[1]), kb.InLine(x[1])
		if !at.IsZero() {
			value = at.Format(time.DateOnly)
		}
		if value != "" && value != name && !strings.HasPrefix(m.Created, value) {
			line += "  - " + x[0] + ": " + value + "\n"
		}
	}
	p.parts = append(p.parts, part{text: line, known: known, section: "Observations", of: "memories"})
	facts, err := object(m.Facts)
	if err != nil {
		return err
	}
	for _, k := range sortedKeys(facts) {
		if value := kb.InLine(inWords(facts[k])); value != "" {
			p.parts[len(p.parts)-1].text += "  - " + kb.InLine(k) + ": " + value + "\n"
		}
	}
	return nil
}

// lettaBlock is a block of memory of an agent of Letta.
type lettaBlock struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description"`
}

// lettaMessage is a message of an agent.
type lettaMessage struct {
	Role    string    `json:"role"`
	Content lettaText `json:"content"`
	Created string    `json:"created_at"`
	Calls   []struct {
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// said returns the text that a message adds to its content: agents of MemGPT answer through
// a tool.
func (m lettaMessage) said() (text string) {
	for _, c := range m.Calls {
		var said struct {
			Message string `json:"message"`
		}
		if c.Function.Name == "send_message" && json.Unmarshal([]byte(c.Function.Arguments), &said) == nil && said.Message != "" {
			text = strings.TrimSpace(text + "\n\n" + said.Message)
		}
	}
	return text
}

// lettaFile is a file that agents may read.
type lettaFile struct {
	Name    string `json:"file_name"`
	Content string `json:"content"`
}

// lettaAgent is an agent, with its messages as parts.
type lettaAgent struct {
	id, name, about  string
	created, changed string
	system           bool     // whether it has a system prompt
	blocks           []string // ids of shared blocks
	own              []lettaBlock
	tags             []string
	messages         []part
	left             []lettaLeft
	read             int // number of messages read
}

// lettaLeft is a message that is not imported.
type lettaLeft struct {
	number int
	why    string
}

func lettaFiles(t *tree) (out []File) {
	for _, f := range t.named("*.af", "*.json") {
		head := string(f.head())
		if strings.HasSuffix(strings.ToLower(f.name), ".af") || fieldsOf(f, "core_memory") || fieldsOf(f, "agents") && strings.Contains(head, `"block_ids"`) {
			out = append(out, f)
		}
	}
	return out
}

// lettaShared spills the blocks of files with several agents, since they come after the
// agents.
func lettaShared(ctx context.Context, t *tree, into *fsys.Dir) (err error) {
	if t.spill, err = newSpill(into); err != nil {
		return err
	}
	for _, f := range lettaFiles(t) {
		err := eachIn(ctx, f, map[string]func(json.RawMessage) error{"blocks": func(raw json.RawMessage) error {
			var x lettaBlock
			if err := json.Unmarshal(raw, &x); err != nil {
				return err
			}
			return t.spill.add(f.name+"\x00"+x.ID, raw)
		}})
		if err != nil {
			return err
		}
	}
	return t.spill.seal()
}

// letta reads agent files of Letta: each agent becomes a page with its memory blocks and
// messages. An older file is a single agent, with its blocks in core_memory.
func letta(ctx context.Context, t *tree, r *onePass) error {
	for _, f := range lettaFiles(t) {
		err := walked(ctx, f, func(w *walk) error {
			var (
				alone   lettaAgent
				several bool
				used    = map[uint64]struct{}{}
			)
			err := w.object(func(key string) error {
				switch key {
				case "agents":
					several = w.opens() // null does not count
					return w.list(func() error {
						var a lettaAgent
						if err := w.object(func(key string) error { return a.member(w, key, r.texts) }); err != nil {
							return err
						}
						for _, id := range a.blocks {
							used[r.keys.hash(id)] = struct{}{}
						}
						return r.letta(t, f, a)
					})
				case "files":
					return w.list(func() error { return value(w, r.lettaFile) })
				}
				return alone.member(w, key, r.texts)
			})
			if err != nil {
				return err
			}
			if !several {
				return r.letta(t, f, alone)
			}
			if !r.texts {
				return nil
			}
			return eachIn(ctx, f, map[string]func(json.RawMessage) error{"blocks": decoded(func(x lettaBlock) error {
				if _, is := used[r.keys.hash(x.ID)]; !is {
					r.leave("blocks", x.Label, "no agent has it")
				}
				return nil
			})})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lettaFile adds a file that agents may read.
func (r *onePass) lettaFile(x lettaFile) error {
	if strings.TrimSpace(x.Content) == "" {
		r.leave("notes", x.Name, noText)
		return nil
	}
	n := note{id: r.key("letta", "file", x.Name), title: x.Name, kind: "document"}
	n.body = func(links) string { return x.Content }
	return r.add(n)
}

// member reads a member of an agent; messages are read only if texts is set.
func (a *lettaAgent) member(w *walk, key string, texts bool) error {
	text := func(to *string) error {
		return value(w, func(s string) error { *to = s; return nil })
	}
	switch key {
	case "id":
		return text(&a.id)
	case "name":
		return text(&a.name)
	case "description":
		return text(&a.about)
	case "created_at":
		return text(&a.created)
	case "updated_at":
		return text(&a.changed)
	case "system":
		return value(w, func(s string) error { a.system = s != ""; return nil })
	case "tags":
		return w.list(func() error { return value(w, func(s string) error { a.tags = append(a.tags, s); return nil }) })
	case "block_ids":
		return w.list(func() error { return value(w, func(s string) error { a.blocks = append(a.blocks, s); return nil }) })
	case "core_memory":
		return w.list(func() error { return value(w, func(x lettaBlock) error { a.own = append(a.own, x); return nil }) })
	case "messages":
		if texts {
			return w.list(func() error { return value(w, a.message) })
		}
	}
	return w.skip()
}

// message adds a message.
func (a *lettaAgent) message(m lettaMessage) error {
	a.read++
	thought, said := string(m.Content), m.said()
	text := strings.TrimSpace(thought + "\n\n" + said)
	if text == "" || m.Role == "system" || m.Role == "tool" {
		why := "it is of the program: " + m.Role
		if text == "" {
			why = noText
		}
		a.left = append(a.left, lettaLeft{a.read, why})
		return nil
	}
	x := message{who: speaker(m.Role), at: lettaTime(m.Created)}
	p := part{text: "### " + x.named() + "\n\n" + text + "\n\n", section: "Messages", of: "messages"}
	if thought != "" && said != "" {
		p.known = strings.TrimSuffix(p.text, said+"\n\n") // earlier versions of cairn left out the rest
	}
	a.messages = append(a.messages, p)
	return nil
}

func (r *onePass) letta(t *tree, f File, a lettaAgent) error {
	name := a.name
	if name == "" {
		name = strings.TrimSuffix(path.Base(f.name), path.Ext(f.name))
	}
	out := note{id: r.key("letta", a.id, name), title: name, kind: "agent", created: lettaTime(a.created), updated: lettaTime(a.changed), tags: a.tags}
	out.body = func(links) string { return a.about }
	block := func(x lettaBlock) {
		if strings.TrimSpace(x.Value) == "" {
			r.leave("blocks", name+": "+x.Label, noText)
			return
		}
		text := strings.TrimSpace(x.Value) + "\n\n"
		if x.Description != "" {
			text = "> " + kb.InLine(x.Description) + "\n\n" + text
		}
		out.parts = append(out.parts, part{text: text, section: kb.InLine(x.Label), of: "blocks"})
	}
	for _, x := range a.own {
		block(x)
	}
	if len(a.blocks) > 0 && r.texts {
		shared := make([]string, len(a.blocks))
		for i, id := range a.blocks {
			shared[i] = f.name + "\x00" + id
		}
		for raw := range t.spill.of(shared...) {
			var x lettaBlock
			if err := json.Unmarshal(raw, &x); err != nil {
				return err
			}
			block(x)
		}
	}
	if a.system {
		r.leave("instructions", name, "the system prompt is part of the program")
	}
	for _, m := range a.left {
		r.leave("messages", name+", message "+strconv.Itoa(m.number), m.why)
	}
	out.parts = append(out.parts, a.messages...)
	return r.add(out)
}

func lettaTime(text string) time.Time {
	return timeIn(text, "2006-01-02T15:04:05.999999", "2006-01-02T15:04:05.999999Z07:00")
}

// lettaText is the text of a message's content: a string, or a list of parts.
type lettaText string

func (t *lettaText) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*t = lettaText(strings.TrimSpace(text))
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return nil // another form without text
	}
	var out []string
	for _, p := range parts {
		if p.Text != "" && (p.Type == "" || p.Type == "text") {
			out = append(out, p.Text)
		}
	}
	*t = lettaText(strings.TrimSpace(strings.Join(out, "\n\n")))
	return nil
}

// appleFiles returns the notes in a directory or archive from Apple: text, Markdown or HTML.
func appleFiles(t *tree) (out []File) {
	if !isApple(t) {
		return nil
	}
	return t.named("*.txt", "*.md", "*.html")
}

func isApple(t *tree) bool {
	return len(t.named("notes details.csv", "notes_details.csv")) > 0 || slices.ContainsFunc(t.files, func(f File) bool {
		return strings.Contains(f.name, "iCloud Notes/") || strings.HasPrefix(f.name, "Notes/") && path.Dir(f.name) != "Notes" && path.Ext(f.name) == ".txt"
	})
}

// apple reads Apple Notes as exported by privacy.apple.com: a directory for each note, with
// its text and attachments, and a table with dates.
func apple(ctx context.Context, t *tree, r *onePass) error {
	type row struct {
		created, changed time.Time
		deleted          bool
	}
	rows := map[string][]row{} // by title, which several notes may share
	for _, f := range t.named("notes details.csv", "notes_details.csv") {
		err := records(ctx, f, func(get func(string) string) error {
			rows[get("title")] = append(rows[get("title")], row{appleTime(get("created on")), appleTime(get("modified on")), strings.EqualFold(get("deleted"), "yes")})
			return nil
		})
		if err != nil {
			return err
		}
	}
	notes := appleFiles(t)
	used := map[string]bool{}
	byDir := map[string][]File{}
	perDir, titled := map[string]int{}, map[string]int{}
	title := func(f File) string { return strings.TrimSuffix(path.Base(f.name), path.Ext(f.name)) }
	for _, f := range notes {
		used[f.name] = true
		perDir[path.Dir(f.name)]++
		titled[title(f)]++
	}
	for _, f := range t.files {
		if !used[f.name] && path.Ext(f.name) != ".csv" {
			dir := path.Dir(f.name)
			for perDir[dir] == 0 && dir != "." && dir != "/" { // in a subdirectory of the note's directory
				dir = path.Dir(dir)
			}
			byDir[dir] = append(byDir[dir], f)
		}
	}
	for _, f := range notes {
		text, err := f.text()
		if err != nil {
			r.leave("notes", f.name, kb.AsError(err).Message)
			continue
		}
		name := title(f)
		known := rows[name]
		if len(known) > 0 && !slices.ContainsFunc(known, func(x row) bool { return !x.deleted }) || slices.Contains(strings.Split(path.Dir(f.name), "/"), "Recently Deleted") {
			r.leave("notes", name, "it is deleted")
			continue
		}
		out := note{id: r.key("apple-notes", f.name), title: name}
		if len(known) == 1 && titled[name] == 1 { // else the row of the note is ambiguous
			out.created, out.updated = known[0].created, known[0].changed
		}
		if out.updated.IsZero() {
			out.updated = f.day()
		}
		dir := path.Dir(f.name)
		folder := dir
		if path.Base(dir) == name {
			folder = path.Dir(dir)
		}
		for _, level := range strings.Split(folder, "/") {
			if level != "." && level != "iCloud Notes" && level != "Notes" {
				out.folder = append(out.folder, level)
			}
		}
		if perDir[dir] == 1 {
			for _, x := range byDir[dir] {
				used[x.name] = true
				out.files = append(out.files, attached(x))
			}
		}
		if path.Ext(f.name) == ".html" && r.texts {
			d, err := markup.Read(text, markup.Options{Image: picture})
			if err != nil {
				r.leave("notes", name, kb.AsError(err).Message)
				continue
			}
			text = d.Text
		}
		out.body = func(to links) string {
			text := relinked(text, to)
			if first, rest, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n"); kb.InLine(first) == kb.InLine(name) {
				text = rest
			}
			for _, a := range out.files {
				text += "\n\n" + fileName(a.name)
			}
			return text
		}
		if err := r.add(out); err != nil {
			return err
		}
	}
	for _, dir := range sortedKeys(byDir) {
		for _, f := range byDir[dir] {
			if !used[f.name] {
				r.leave("attachments", f.name, "the note that it belongs to is not known")
			}
		}
	}
	return nil
}

func appleTime(text string) time.Time {
	return timeIn(text, "2006-01-02T15:04:05Z", "January 2, 2006 at 3:04 PM", "Monday January 2,2006 3:04 PM MST", "1/2/2006 3:04:05 PM", "2006-01-02 15:04:05")
}
