package setup

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/cairn-kb/cairn/internal/kb"
)

// table is the entry of the MCP server in Codex's TOML.
type table struct{ program }

func (t table) add(text []byte) ([]byte, error) {
	values, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	if there(values) {
		return t.point(text, values)
	}
	t.serving = t.ask.on(t.serving)
	block := "[mcp_servers.cairn]\ncommand = " + quoted(t.name()) + "\nargs = [" + listed(t.args()) + "]\n"
	if len(bytes.TrimPrefix(text, bom)) > 0 {
		// One line end, whether or not the last line has one: drop takes one.
		block = "\n" + block
	}
	out := append(bytes.Clone(text), strings.ReplaceAll(block, "\n", lineEnd(text))...)
	if after, err := parseTOML(out); err != nil || !there(after) {
		return nil, kb.Errorf(kb.Invalid, "mcp_servers is written in a form that takes no table").
			WithHint("Write mcp_servers as tables, such as [mcp_servers.name].")
	}
	return out, nil
}

// listed writes texts as an array has them.
func listed(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoted(w)
	}
	return strings.Join(out, ", ")
}

// point makes a table of ours run the requested command.
func (t table) point(text []byte, values map[string]any) ([]byte, error) {
	as, whose := t.owned(text, values)
	if !t.changes() || whose != ours {
		return text, nil
	}
	want := t.instead(as)
	var edits []splice
	spans := ownValues(text)
	if as.name() != want.name() {
		at := spans["command"]
		edits = append(edits, splice{at[0], at[1], quoted(want.name())})
	}
	if as.serving != want.serving {
		at := spans["args"]
		edits = append(edits, splice{at[0], at[1], listed(want.args())})
	}
	slices.SortFunc(edits, func(a, b splice) int { return a.start - b.start })
	return spliced(text, edits), nil
}

func (t table) drop(text []byte) ([]byte, error) {
	values, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	if _, whose := t.owned(text, values); whose != ours {
		return text, nil
	}
	return withoutTables(text), nil
}

// withoutTables returns text without our table and those below it.
func withoutTables(text []byte) []byte {
	out := text
	for _, span := range slices.Backward(ownTables(text)) {
		out = cutBlock(out, span[0], span[0]+lastEntry(text[span[0]:span[1]]))
	}
	return out
}

// ownTables returns the start of our table and its subtables, and the start of
// the next one. There are several spans when other tables are between them.
func ownTables(text []byte) (spans [][2]int) {
	open := false
	expressions(text, func(e *unstable.Node, keys []string, at int) {
		if e.Kind == unstable.KeyValue {
			return
		}
		start := max(bytes.LastIndexByte(text[:at], '\n')+1, offset(text))
		own := len(keys) > 1 && keys[0] == "mcp_servers" && keys[1] == "cairn"
		switch {
		case own && !open:
			spans = append(spans, [2]int{start, len(text)})
		case !own && open:
			spans[len(spans)-1][1] = start
		}
		open = own
	})
	return spans
}

// ownValues returns the spans of the values in our table, by key; of an array,
// that of its elements.
func ownValues(text []byte) map[string][2]int {
	own, found := false, map[string][2]int{}
	expressions(text, func(e *unstable.Node, keys []string, _ int) {
		if e.Kind != unstable.KeyValue {
			own = slices.Equal(keys, []string{"mcp_servers", "cairn"})
			return
		}
		if !own || len(keys) != 1 {
			return
		}
		first, last := e.Value(), e.Value()
		if first.Kind == unstable.Array {
			for it := e.Value().Children(); it.Next(); {
				if first.Kind == unstable.Array {
					first = it.Node()
				}
				last = it.Node()
			}
		}
		found[keys[0]] = [2]int{offset(text) + int(first.Raw.Offset), offset(text) + int(last.Raw.Offset+last.Raw.Length)}
	})
	return found
}

// expressions calls do with every table and every key of text that parses,
// with its keys, and where the first of these starts.
func expressions(text []byte, do func(e *unstable.Node, keys []string, at int)) {
	var p unstable.Parser
	p.Reset(text[offset(text):])
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable && e.Kind != unstable.KeyValue {
			continue
		}
		var keys []string
		at := 0
		for it := e.Key(); it.Next(); {
			if len(keys) == 0 {
				at = offset(text) + int(it.Node().Raw.Offset)
			}
			keys = append(keys, string(it.Node().Data))
		}
		do(e, keys, at)
	}
}

// offset is where text starts behind its byte order mark.
func offset(text []byte) int { return len(text) - len(bytes.TrimPrefix(text, bom)) }

func (t table) find(text []byte) (part, owner, error) {
	values, err := parseTOML(text)
	if err != nil || !there(values) {
		return t, nobody, err
	}
	as, whose := t.owned(text, values)
	return table{as}, whose, nil
}

// owned is member.owned for the table of text in values. In a form that cairn
// does not write, such as an inline table, it is never ours.
func (t table) owned(text []byte, values map[string]any) (as program, whose owner) {
	servers, _ := values["mcp_servers"].(map[string]any)
	entry, _ := servers["cairn"].(map[string]any)
	command, args := commandLine(entry)
	var plain bool
	as.path = command
	as.serving, plain = servingOf(args)
	exact := plain && same(withoutEnv(entry), map[string]any{"command": command, "args": args})
	if whose = t.owner(command, args, exact); whose == ours && !sameOthers(values, withoutTables(text)) {
		whose = byHand
	}
	return as, whose
}

// lastEntry returns where the last line of a table ends. Blank lines and
// comments behind it belong to what follows.
func lastEntry(text []byte) int {
	at, end := 0, 0
	for line := range bytes.Lines(text) {
		at += len(line)
		if said := bytes.TrimSpace(line); end == 0 || len(said) > 0 && said[0] != '#' {
			end = at
		}
	}
	return end
}

func parseTOML(text []byte) (map[string]any, error) {
	values := map[string]any{}
	if err := toml.Unmarshal(bytes.TrimPrefix(text, bom), &values); err != nil {
		line := 0
		var d *toml.DecodeError
		if errors.As(err, &d) {
			line, _ = d.Position()
		}
		return nil, kb.Errorf(kb.Invalid, "not valid TOML: line %d: %w", line, err)
	}
	return values, nil
}

func there(values map[string]any) bool {
	servers, _ := values["mcp_servers"].(map[string]any)
	_, found := servers["cairn"]
	return found
}

// sameOthers reports whether text has the same values apart from our table. It
// guards the search for tables, which ignores inline ones.
func sameOthers(values map[string]any, text []byte) bool {
	after, err := parseTOML(text)
	if err != nil {
		return false
	}
	servers, _ := values["mcp_servers"].(map[string]any)
	servers, values = maps.Clone(servers), maps.Clone(values)
	delete(servers, "cairn")
	values["mcp_servers"] = servers
	if len(servers) == 0 {
		delete(values, "mcp_servers")
		if left, ok := after["mcp_servers"].(map[string]any); ok && len(left) == 0 {
			delete(after, "mcp_servers")
		}
	}
	want, err := toml.Marshal(values)
	if err != nil {
		return false
	}
	got, err := toml.Marshal(after)
	return err == nil && bytes.Equal(want, got)
}
