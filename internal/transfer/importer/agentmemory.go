package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// agentKinds are the lists of an export of agentmemory that become pages, with the types of
// these. In the file of its MCP server without an engine, the first of them is an object.
var agentKinds = map[string]string{
	"memories": "memory", "semanticMemories": "fact", "proceduralMemories": "procedure", "lessons": "lesson", "insights": "insight", "crystals": "summary",
}

// agentOthers are the lists that are left out.
var agentOthers = map[string]string{
	"graphNodes": "graph node", "graphEdges": "graph edge", "actions": "action", "actionEdges": "action edge", "routines": "routine", "signals": "signal",
	"checkpoints": "checkpoint", "sentinels": "sentinel", "sketches": "sketch", "facets": "facet", "profiles": "profile",
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

// agentItem is a memory, a lesson, an observation or another piece. Each kind uses some of
// the fields.
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

// agentSummary and agentSeen return the keys of the spilled data that session pages
// need.
func agentSummary(f File, session string) string { return "summary\x00" + f.name + "\x00" + session }
func agentSeen(f File, session string) string    { return "observations\x00" + f.name + "\x00" + session }

// agentAhead spills the summaries and the observations of sessions.
func agentAhead(ctx context.Context, t *tree, into *fsys.Dir) (err error) {
	if t.spill, err = newSpill(into); err != nil {
		return err
	}
	for _, f := range agentFiles(t) {
		err := agentSessions(ctx, f, func(x agentItem, raw json.RawMessage) error {
			return t.spill.add(agentSummary(f, x.Session), raw)
		}, func(session string, raw json.RawMessage) error {
			return t.spill.add(agentSeen(f, session), raw)
		})
		if err != nil {
			return err
		}
	}
	return t.spill.seal()
}

// agentSessions calls summary with the summaries of sessions, and seen with their observations.
func agentSessions(ctx context.Context, f File, summary func(agentItem, json.RawMessage) error, seen func(session string, raw json.RawMessage) error) error {
	return walked(ctx, f, func(w *walk) error {
		return w.object(func(key string) error {
			switch key {
			case "summaries":
				return w.list(func() error {
					return value(w, func(raw json.RawMessage) error {
						var x agentItem
						if err := json.Unmarshal(raw, &x); err != nil {
							return err
						}
						return summary(x, raw)
					})
				})
			case "observations":
				return w.object(func(session string) error {
					return value(w, func(raw json.RawMessage) error { return seen(session, raw) })
				})
			}
			return w.skip()
		})
	})
}

// agentMemory reads an export of agentmemory: a page for each memory and for each session, which
// gets the observations of a later export.
func agentMemory(ctx context.Context, t *tree, r *onePass) error {
	for _, f := range agentFiles(t) {
		known := newSeen()
		session := func(s agentSession) error {
			known.again(s.ID)
			return r.agentSession(t, f, s)
		}
		err := walked(ctx, f, func(w *walk) error {
			return w.object(func(key string) error {
				kind, other := agentKinds[key], agentOthers[key]
				switch {
				case kind != "":
					return w.list(func() error { return value(w, func(m agentItem) error { return r.agentItem(kind, m) }) })
				case key == "mem:memories":
					return w.object(func(id string) error {
						return value(w, func(m agentItem) error {
							m.ID = cmp.Or(m.ID, id)
							return r.agentItem("memory", m)
						})
					})
				case key == "sessions":
					return w.list(func() error { return value(w, session) })
				case other != "":
					return w.list(func() error {
						return value(w, func(raw json.RawMessage) error {
							var named struct {
								ID string `json:"id"`
							}
							_ = json.Unmarshal(raw, &named) // without an id the kind names it
							r.leave("other items", strings.TrimSpace(other+" "+named.ID), "it is derived, or steers the agents of agentmemory")
							return nil
						})
					})
				}
				return w.skip()
			})
		})
		if err != nil {
			return err
		}
		// Add the sessions that are not in the list of sessions.
		err = agentSessions(ctx, f, func(x agentItem, _ json.RawMessage) error {
			if known.has(x.Session) {
				return nil
			}
			return session(agentSession{ID: x.Session, Project: x.Project, Started: x.Created})
		}, func(id string, _ json.RawMessage) error {
			if known.has(id) {
				return nil
			}
			return session(agentSession{ID: id})
		})
		if err != nil {
			return err
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

// rest returns the data of a piece except its text.
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

// relations returns the links of a piece to other pieces of the export.
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
func (r *onePass) agentSession(t *tree, f File, s agentSession) error {
	var (
		summary      agentItem
		observations []agentItem
	)
	if t.spill != nil {
		if raw := t.spill.newest(agentSummary(f, s.ID)); raw != nil {
			if err := json.Unmarshal(raw, &summary); err != nil {
				return err
			}
		}
		if raw := t.spill.newest(agentSeen(f, s.ID)); raw != nil && r.texts {
			if err := json.Unmarshal(raw, &observations); err != nil {
				return kb.Errorf(kb.Invalid, "%s, session %s: %w", f.name, s.ID, err)
			}
		}
	}
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
