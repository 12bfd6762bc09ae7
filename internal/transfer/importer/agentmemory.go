package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// agentExport is what agentmemory exports, or the file of its MCP server without an engine.
type agentExport struct {
	Sessions     []agentSession         `json:"sessions"`
	Observations map[string][]agentItem `json:"observations"` // by session
	Summaries    []agentItem            `json:"summaries"`

	Memories   []agentItem `json:"memories"`
	Semantic   []agentItem `json:"semanticMemories"`
	Procedural []agentItem `json:"proceduralMemories"`
	Lessons    []agentItem `json:"lessons"`
	Insights   []agentItem `json:"insights"`
	Crystals   []agentItem `json:"crystals"`

	Alone map[string]agentItem `json:"mem:memories"`

	Nodes       []json.RawMessage `json:"graphNodes"`
	Edges       []json.RawMessage `json:"graphEdges"`
	Actions     []json.RawMessage `json:"actions"`
	ActionEdges []json.RawMessage `json:"actionEdges"`
	Routines    []json.RawMessage `json:"routines"`
	Signals     []json.RawMessage `json:"signals"`
	Checkpoints []json.RawMessage `json:"checkpoints"`
	Sentinels   []json.RawMessage `json:"sentinels"`
	Sketches    []json.RawMessage `json:"sketches"`
	Facets      []json.RawMessage `json:"facets"`
	Profiles    []json.RawMessage `json:"profiles"`
}

type agentSession struct {
	ID      string   `json:"id"`
	Project string   `json:"project"`
	Started string   `json:"startedAt"`
	Ended   string   `json:"endedAt"`
	Prompt  string   `json:"firstPrompt"`
	Summary string   `json:"summary"`
	Agent   string   `json:"agentId"`
	Model   string   `json:"model"`
	Tags    []string `json:"tags"`
	Commits []string `json:"commitShas"`
}

// agentItem is a memory, a lesson, an observation or another piece: each kind has some of the
// fields.
type agentItem struct {
	ID      string `json:"id"`
	Session string `json:"sessionId"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	Name    string `json:"name"`
	Project string `json:"project"`
	Agent   string `json:"agentId"`
	Created string `json:"createdAt"`
	Updated string `json:"updatedAt"`
	Time    string `json:"timestamp"`
	Forget  string `json:"forgetAfter"`
	Image   string `json:"imageData"`
	Latest  *bool  `json:"isLatest"`
	Deleted bool   `json:"deleted"`

	Content   string   `json:"content"`
	Fact      string   `json:"fact"`
	Narrative string   `json:"narrative"`
	Context   string   `json:"context"`
	When      string   `json:"triggerCondition"`
	Steps     []string `json:"steps"`
	Outcome   string   `json:"expectedOutcome"`
	Facts     []string `json:"facts"`
	Decisions []string `json:"keyDecisions"`
	Outcomes  []string `json:"keyOutcomes"`
	Lessons   []string `json:"lessons"`

	Tags     []string `json:"tags"`
	Concepts []string `json:"concepts"`
	Files    []string `json:"files"`
	Modified []string `json:"filesModified"`
	Affected []string `json:"filesAffected"`

	Parent     string   `json:"parentId"`
	Supersedes []string `json:"supersedes"`
	Related    []string `json:"relatedIds"`
	Sessions   []string `json:"sessionIds"`
	From       []string `json:"sourceSessionIds"`
	Memories   []string `json:"sourceMemoryIds"`
}

func agentFiles(t *tree) (out []File) {
	for _, f := range t.named("*.json") {
		head := strings.TrimLeft(string(f.head()), "\ufeff \t\r\n")
		export := fieldsOf(f, "exportedAt") && fieldsOf(f, "sessions") && (fieldsOf(f, "observations") || fieldsOf(f, "memories") || strings.Contains(head, `"startedAt"`))
		if export || fieldsOf(f, "mem:memories") {
			out = append(out, f)
		}
	}
	return out
}

// agentMemory reads an export of agentmemory: a page for each memory and for each session, which
// gets the observations of a later export.
func agentMemory(ctx context.Context, t *tree, r *onePass) error {
	for _, f := range agentFiles(t) {
		err := each(ctx, f, func(_ context.Context, x agentExport) error { return r.agentMemory(x) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *onePass) agentMemory(x agentExport) error {
	for _, id := range sortedKeys(x.Alone) {
		m := x.Alone[id]
		m.ID = cmp.Or(m.ID, id)
		x.Memories = append(x.Memories, m)
	}
	for _, of := range []struct {
		kind  string
		items []agentItem
	}{{"memory", x.Memories}, {"fact", x.Semantic}, {"procedure", x.Procedural}, {"lesson", x.Lessons}, {"insight", x.Insights}, {"summary", x.Crystals}} {
		for _, m := range of.items {
			if err := r.agentItem(of.kind, m); err != nil {
				return err
			}
		}
	}
	known := map[string]bool{}
	for _, s := range x.Sessions {
		known[s.ID] = true
	}
	summaries := map[string]agentItem{}
	for _, s := range x.Summaries {
		summaries[s.Session] = s
		if !known[s.Session] {
			known[s.Session] = true
			x.Sessions = append(x.Sessions, agentSession{ID: s.Session, Project: s.Project, Started: s.Created})
		}
	}
	for _, id := range sortedKeys(x.Observations) {
		if !known[id] {
			x.Sessions = append(x.Sessions, agentSession{ID: id})
		}
	}
	for _, s := range x.Sessions {
		if err := r.agentSession(s, summaries[s.ID], x.Observations[s.ID]); err != nil {
			return err
		}
	}
	for _, other := range []struct {
		kind  string
		items []json.RawMessage
	}{
		{"graph node", x.Nodes}, {"graph edge", x.Edges}, {"action", x.Actions}, {"action edge", x.ActionEdges}, {"routine", x.Routines}, {"signal", x.Signals},
		{"checkpoint", x.Checkpoints}, {"sentinel", x.Sentinels}, {"sketch", x.Sketches}, {"facet", x.Facets}, {"profile", x.Profiles},
	} {
		for _, raw := range other.items {
			var named struct {
				ID string `json:"id"`
			}
			_ = json.Unmarshal(raw, &named) // which has no id, is named by its kind
			r.leave("other items", strings.TrimSpace(other.kind+" "+named.ID), "it is derived, or steers the agents of agentmemory")
		}
	}
	return nil
}

// agentItem adds a memory or another piece as a page.
func (r *onePass) agentItem(kind string, m agentItem) error {
	text := strings.TrimSpace(cmp.Or(m.Content, m.Fact, m.Narrative))
	title := cmp.Or(kb.InLine(m.Title), kb.InLine(m.Name), firstLine(text))
	switch {
	case m.Deleted:
		r.leave("notes", cmp.Or(title, m.ID), "it is deleted")
		return nil
	case text == "" && len(m.Steps) == 0 && title == "":
		r.leave("notes", m.ID, noText)
		return nil
	}
	if short := []rune(title); len(short) > 80 {
		title = string(short[:80])
	}
	out := note{
		id: r.idOr(m.ID, "agentmemory", kind, title, text), title: title, kind: cmp.Or(kb.InLine(m.Type), kind), folder: projectFolder(m.Project),
		created: when(m.Created), updated: when(m.Updated), tags: append(m.Tags, m.Concepts...), metadata: metadata("author", m.Agent, "project", m.Project, "forget-after", m.Forget),
	}
	if m.Latest != nil && !*m.Latest {
		out.metadata = append(out.metadata, metadata("superseded", "true")...)
	}
	if m.Image != "" {
		r.lose(title, "1 image left out")
	}
	out.body = func(to links) string {
		return text + "\n\n" + m.rest() + m.relations(to)
	}
	return r.add(out)
}

// rest is what a piece says besides its text.
func (m agentItem) rest() string {
	var out strings.Builder
	if m.Context != "" {
		fmt.Fprintf(&out, "%s\n\n", strings.TrimSpace(m.Context))
	}
	if m.When != "" {
		fmt.Fprintf(&out, "When: %s\n\n", kb.InLine(m.When))
	}
	for i, step := range m.Steps {
		fmt.Fprintf(&out, "%d. %s\n", i+1, kb.InLine(step))
	}
	if len(m.Steps) > 0 {
		out.WriteString("\n")
	}
	if m.Outcome != "" {
		fmt.Fprintf(&out, "Outcome: %s\n\n", kb.InLine(m.Outcome))
	}
	for _, list := range []struct {
		category string
		items    []string
	}{{"fact", m.Facts}, {"decision", m.Decisions}, {"outcome", m.Outcomes}, {"lesson", m.Lessons}} {
		for _, item := range list.items {
			if item = kb.InLine(item); item != "" {
				fmt.Fprintf(&out, "- [%s] %s\n", list.category, item)
			}
		}
	}
	for _, files := range [][]string{m.Files, m.Modified, m.Affected} {
		for _, file := range files {
			if file = kb.InLine(file); file != "" {
				fmt.Fprintf(&out, "- [file] %s\n", code(file))
			}
		}
	}
	return out.String()
}

// relations are the links of a piece to others of the export.
func (m agentItem) relations(to links) string {
	var out strings.Builder
	for _, of := range []struct {
		kind string
		ids  []string
	}{{"supersedes", m.Supersedes}, {"follows", []string{m.Parent}}, {"related_to", m.Related}, {"learned_in", append(m.Sessions, m.From...)}, {"derived_from", m.Memories}} {
		for _, id := range of.ids {
			if l := to.linked(id, ""); id != "" && l != "" {
				fmt.Fprintf(&out, "- %s %s\n", of.kind, l)
			}
		}
	}
	return out.String()
}

func projectFolder(project string) []string {
	if project = path.Base(strings.ReplaceAll(project, `\`, "/")); project == "." || project == "/" {
		return nil
	}
	return []string{project}
}

// agentSession adds a session as a page, with its summary and its observations.
func (r *onePass) agentSession(s agentSession, summary agentItem, observations []agentItem) error {
	title := cmp.Or(kb.InLine(summary.Title), firstLine(s.Summary), firstLine(s.Prompt), "Session "+s.ID)
	if short := []rune(title); len(short) > 80 {
		title = string(short[:80])
	}
	out := note{
		id: r.idOr(s.ID, "agentmemory", "session", title), title: title, kind: "session", folder: append(projectFolder(s.Project), "sessions"),
		created: when(s.Started), updated: when(s.Ended), tags: append(s.Tags, summary.Concepts...),
		metadata: metadata("author", s.Agent, "project", s.Project, "model", s.Model, "commits", strings.Join(s.Commits, ", ")),
	}
	out.body = func(links) string {
		text := strings.TrimSpace(cmp.Or(summary.Narrative, s.Summary))
		if s.Prompt != "" {
			text = "> " + kb.InLine(s.Prompt) + "\n\n" + text
		}
		return text + "\n\n" + summary.rest()
	}
	for _, o := range observations {
		text := kb.InLine(o.Narrative)
		if head := kb.InLine(o.Title); head != "" && head != text {
			text = strings.TrimSuffix(head+": "+text, ": ")
		}
		if text == "" && len(o.Facts) == 0 {
			r.leave("observations", o.ID, noText)
			continue
		}
		if o.Image != "" {
			r.lose(title, "1 image left out")
		}
		line := "- [" + cmp.Or(unbracketed(o.Type), "note") + "] " + text
		for _, c := range o.Concepts {
			if c = strings.Join(strings.Fields(kb.InLine(c)), "-"); c != "" {
				line += " #" + c
			}
		}
		if at := when(o.Time); !at.IsZero() {
			line += " (" + at.UTC().Format("2006-01-02 15:04") + ")"
		}
		line += "\n"
		for _, fact := range o.Facts {
			line += "  - " + kb.InLine(fact) + "\n"
		}
		for _, file := range o.Files {
			line += "  - " + code(kb.InLine(file)) + "\n"
		}
		out.parts = append(out.parts, part{text: line, section: "Observations", of: "observations"})
	}
	return r.add(out)
}
