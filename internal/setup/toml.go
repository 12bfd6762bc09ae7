package setup

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/cairn-kb/cairn/internal/kb"
)

// table is the entry of the MCP server in Codex's TOML. The command is
// Command's; "" is the bare name.
type table struct{ command string }

func (t table) add(text []byte) ([]byte, error) {
	values, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	if there(values) {
		return text, nil
	}
	block := "[mcp_servers.cairn]\ncommand = " + quoted(cmp.Or(t.command, bareName)) + "\nargs = [\"mcp\"]\n"
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

func (table) drop(text []byte) ([]byte, error) {
	values, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	if _, ok := tableMCP(values); !ok {
		return text, nil
	}
	out := text
	for _, span := range slices.Backward(ownTables(text)) {
		out = cutBlock(out, span[0], span[0]+lastEntry(text[span[0]:span[1]]))
	}
	if !sameOthers(values, out) {
		return text, nil // in a form that cairn does not write, such as an inline table
	}
	return out, nil
}

// ownTables returns where our table, with those below it that follow, starts,
// and where the next one does. There are several when others stand between.
func ownTables(text []byte) (spans [][2]int) {
	body := bytes.TrimPrefix(text, bom)
	var p unstable.Parser
	p.Reset(body)
	open := false
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		var keys []string
		start := 0
		for it := e.Key(); it.Next(); {
			if len(keys) == 0 {
				start = bytes.LastIndexByte(body[:it.Node().Raw.Offset], '\n') + 1 + len(text) - len(body)
			}
			keys = append(keys, string(it.Node().Data))
		}
		own := len(keys) > 1 && keys[0] == "mcp_servers" && keys[1] == "cairn"
		switch {
		case own && !open:
			spans = append(spans, [2]int{start, len(text)})
		case !own && open:
			spans[len(spans)-1][1] = start
		}
		open = own
	}
	return spans
}

func (t table) find(text []byte) (part, owner, error) {
	values, err := parseTOML(text)
	if err != nil || !there(values) {
		return t, nobody, err
	}
	if command, ok := tableMCP(values); ok {
		return table{command}, ours, nil
	}
	return t, theirs, nil
}

// tableMCP is runsMCP for the table in values.
func tableMCP(values map[string]any) (command string, ok bool) {
	servers, _ := values["mcp_servers"].(map[string]any)
	entry, _ := servers["cairn"].(map[string]any)
	args, _ := entry["args"].([]any)
	return startsMCP(entry["command"], args)
}

func (table) blank(text []byte) bool { return len(bytes.TrimSpace(bytes.TrimPrefix(text, bom))) == 0 }

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

// sameOthers reports whether text says what values do, but for our table. It
// guards the search for tables, which knows nothing of inline ones.
func sameOthers(values map[string]any, text []byte) bool {
	after, err := parseTOML(text)
	if err != nil {
		return false
	}
	servers, _ := values["mcp_servers"].(map[string]any)
	delete(servers, "cairn")
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
