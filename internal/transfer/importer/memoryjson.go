package importer

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
)

// memoryLine is a line of the file of MCP's memory server: an entity or a relation.
type memoryLine struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	RelationType string   `json:"relationType"`

	// The whole graph as one object, in the format of the tool read_graph.
	Entities  []memoryLine `json:"entities"`
	Relations []memoryLine `json:"relations"`
}

// lines calls do with each entity and relation: those on separate lines, and those of a
// whole graph. A truncated last line is left out; cut reports it.
func (m *fromMemoryJSON) lines(ctx context.Context, do func(memoryLine) error) (cut, err error) {
	err = Read(ctx, m.req.File, func(_ context.Context, l memoryLine) error {
		if l.Type != "" || l.Entities == nil && l.Relations == nil {
			return do(l)
		}
		for _, e := range l.Entities {
			e.Type = "entity"
			if err := do(e); err != nil {
				return err
			}
		}
		for _, r := range l.Relations {
			r.Type = "relation"
			if err := do(r); err != nil {
				return err
			}
		}
		return nil
	}, memoryFiles...)
	if errors.Is(err, errHalf) {
		return err, nil
	}
	return nil, err
}

// fromMemoryJSON is an import of the file of MCP's memory server. The file is read twice:
// once for names and relations, since a page contains its relations with the paths of other
// pages, and once for the texts, a few at a time to bound memory.
type fromMemoryJSON struct {
	*batch
	names []string            // of the entities, in order
	more  map[string][]string // observations of later entities of the same name
	edges []edge              // sorted by source entity

	entities, observations, relations Tally
}

// edge is a relation between entities.
type edge struct{ from, kind, to string }

// memoryFiles are the usual names of the file.
var memoryFiles = []string{"memory.json", "memory.jsonl"}

// memoryJSON imports the file of MCP's memory server: each entity becomes the page of its
// name, with its observations, and relations keep their types. Missing parts are added to an
// existing page of that name.
func memoryJSON(ctx context.Context, sess *memory.Session, req ExportRequest) (Receipt, error) {
	m := &fromMemoryJSON{
		batch:    newBatch(sess, req),
		entities: Tally{Kind: "entities"}, observations: Tally{Kind: "observations"}, relations: Tally{Kind: "relations"},
	}
	return m.run(ctx, &pageReader{batch: m.batch, look: m.look, read: m.texts, report: func() {
		m.out.Counts = append(m.out.Counts, m.entities, m.observations, m.relations)
	}})
}

// look reads the names and the relations, and lists the losses.
func (m *fromMemoryJSON) look(ctx context.Context) error {
	names := map[string]string{} // a name that occurs often is in memory once
	one := func(text string) string {
		text = kb.InLine(text)
		if have, there := names[text]; there {
			return have
		}
		names[text] = text
		return text
	}
	var edges []edge
	broken := 0
	m.more = map[string][]string{}
	cut, err := m.lines(ctx, func(l memoryLine) error {
		switch l.Type {
		case "relation":
			edges = append(edges, edge{one(l.From), one(l.RelationType), one(l.To)})
			return nil
		case "entity":
		default:
			return kb.Errorf(kb.Invalid, "%q is neither an entity nor a relation", l.Type)
		}
		name := one(l.Name)
		if name == "" {
			m.out.leave(&m.entities, 1, "an entity", "it has no name")
			m.out.leave(&m.observations, len(l.Observations), api.Plural(len(l.Observations), "observation"), "of an entity without a name")
			return nil
		}
		for _, text := range l.Observations {
			if kb.InLine(text) != text {
				broken++
			}
		}
		if m.unique(name) != nil { // the server refuses duplicates, but other programs append them
			m.more[name] = append(m.more[name], l.Observations...)
			m.out.lose("entity "+name, "it is in the file more than once: the observations are on one page")
			return nil
		}
		m.names = append(m.names, name)
		return nil
	})
	if err != nil {
		return err
	}
	if cut != nil {
		m.out.lose("the last line of "+m.req.File, kb.AsError(cut).Message)
	}
	m.edges = edges[:0]
	for _, e := range edges {
		what := "relation " + e.from + " " + e.kind + " " + e.to
		switch {
		case !m.at.has(e.from):
			m.out.leave(&m.relations, 1, what, "there is no entity "+e.from)
			continue
		case unbracketed(e.to) == "":
			m.out.leave(&m.relations, 1, what, "it leads nowhere")
			continue
		}
		if kind := unbracketed(e.kind); kind == "" {
			e.kind = kb.PlainLink
			m.out.lose(what, "it has no type: "+e.kind)
		} else if kind != e.kind {
			e.kind = kind
		}
		m.edges = append(m.edges, e)
	}
	slices.SortStableFunc(m.edges, func(x, y edge) int { return strings.Compare(x.from, y.from) })
	if broken > 0 {
		m.out.lose(api.Plural(broken, "observation"), "line breaks and invisible characters became spaces")
	}
	return nil
}

// texts reads the entities again, and adds them as pages.
func (m *fromMemoryJSON) texts(ctx context.Context, add func(page) error) error {
	pages := make([]page, 0, chunkItems)
	for i, name := range m.names {
		pages = append(pages, page{key: name, title: name, named: true})
		if len(pages) < chunkItems && i < len(m.names)-1 {
			continue
		}
		if _, err := m.placed(ctx, pages); err != nil {
			return err
		}
		pages = pages[:0]
	}
	rest := m.names
	changed := func() error {
		return kb.Errorf(kb.Conflict, "%s changed while it was read", m.req.File).
			WithHint("Nothing was written. Run it again when nobody writes there.")
	}
	read := map[string]bool{}
	_, err := m.lines(ctx, func(l memoryLine) error {
		name := kb.InLine(l.Name)
		if l.Type != "entity" || name == "" || read[name] {
			return nil
		}
		if more, twice := m.more[name]; twice {
			read[name] = true
			l.Observations = append(l.Observations, more...)
		}
		if len(rest) == 0 || rest[0] != name {
			return changed()
		}
		rest = rest[1:]
		return add(m.page(name, l).counted(&m.entities))
	})
	if err == nil && len(rest) > 0 {
		err = changed()
	}
	return err
}

// page returns the page of an entity, without duplicate parts.
func (m *fromMemoryJSON) page(name string, l memoryLine) page {
	p := page{key: name, title: name, kind: kb.InLine(l.EntityType), source: "memory-json", named: true}
	has := map[string]bool{}
	put := func(x part) {
		if line := x.text + x.to; !has[line] {
			has[line] = true
			p.parts = append(p.parts, x)
			return
		}
		x.total()
		x.there()
	}
	for _, text := range l.Observations {
		put(part{text: "- [note] " + kb.InLine(text) + "\n", section: "Observations", count: &m.observations})
	}
	at, _ := slices.BinarySearchFunc(m.edges, name, func(e edge, name string) int { return strings.Compare(e.from, name) })
	for _, e := range m.edges[at:] {
		if e.from != name {
			break
		}
		put(part{text: "- " + e.kind + " ", to: e.to, section: "Relations", count: &m.relations})
	}
	return p
}
