package transfer

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
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
}

// memoryJSON imports the file of MCP's memory server: each entity as the page of its
// name, with its observations, and relations by their types. A page of that name that
// is there gets what it lacks.
func (e *Engine) memoryJSON(ctx context.Context, req ExportRequest) (Receipt, error) {
	b := e.batch(req)
	entities, observations, relations := Tally{Kind: "entities"}, Tally{Kind: "observations"}, Tally{Kind: "relations"}
	var (
		index  = map[string]int{}             // of the page, by key
		has    = map[string]map[string]bool{} // lines, by key
		edges  []memoryLine
		broken = 0
	)
	put := func(key string, x part) bool {
		if has[key][x.text+x.to] {
			x.there()
			return false
		}
		has[key][x.text+x.to] = true
		return true
	}
	err := readAll(ctx, req.File, func(ctx context.Context, l memoryLine) error {
		switch l.Type {
		case "relation":
			edges = append(edges, l)
			return nil
		case "entity":
		default:
			return kb.Errorf(kb.Invalid, "%q is neither an entity nor a relation", l.Type)
		}
		name := inLine(l.Name)
		if name == "" {
			b.out.leave(&entities, 1, "an entity", "it has no name")
			b.out.leave(&observations, len(l.Observations), api.Plural(len(l.Observations), "observation"), "of an entity without a name")
			return nil
		}
		p := page{key: name, title: name, kind: inLine(l.EntityType), source: "memory-json", named: true}
		has[name] = map[string]bool{}
		for _, text := range l.Observations {
			line := inLine(text)
			if line != text {
				broken++
			}
			x := part{text: "- [note] " + line + "\n", section: "Observations", count: &observations}
			if put(name, x) {
				p.parts = append(p.parts, x)
			} else {
				x.total()
			}
		}
		index[name] = len(b.pages)
		return b.add(ctx, &entities, p)
	}, "memory.json", "memory.jsonl")
	if err != nil {
		return Receipt{}, err
	}
	for _, l := range edges {
		from, to := inLine(l.From), inLine(l.To)
		i, ok := index[from]
		what := "relation " + from + " " + inLine(l.RelationType) + " " + to
		switch {
		case !ok:
			b.out.leave(&relations, 1, what, "there is no entity "+from)
			continue
		case unbracketed(to) == "":
			b.out.leave(&relations, 1, what, "it leads nowhere")
			continue
		}
		kind := unbracketed(l.RelationType)
		if kind == "" {
			kind = kb.PlainLink
			b.out.lose(what, "it has no type: "+kind)
		}
		x := part{text: "- " + kind + " ", to: to, section: "Relations", count: &relations}
		x.total()
		if put(from, x) {
			b.pages[i].parts = append(b.pages[i].parts, x)
		}
	}
	if broken > 0 {
		b.out.lose(api.Plural(broken, "observation"), "line breaks and invisible characters became spaces")
	}
	if err := b.apply(ctx); err != nil {
		return Receipt{}, err
	}
	b.out.Counts = append(b.out.Counts, entities, observations, relations)
	return *b.out, nil
}
