package setup

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/cairn-kb/cairn/internal/kb"
)

// table is the entry of the MCP server in Codex's TOML. The command is
// Command's; "" is the bare name.
type table struct{ command string }

var (
	ownTable = regexp.MustCompile(`(?m)^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*("cairn"|'cairn'|cairn)[ \t]*(\.[^\]\r\n]*)?\]`)
	anyTable = regexp.MustCompile(`(?m)^[ \t]*\[`)
)

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
	if err != nil || !there(values) {
		return text, err
	}
	out := text
	for {
		at := ownTable.FindIndex(out)
		if at == nil {
			break
		}
		end := len(out)
		if next := anyTable.FindIndex(out[at[1]:]); next != nil {
			end = at[1] + next[0]
		}
		out = cutBlock(out, at[0], at[1]+lastEntry(out[at[1]:end]))
	}
	if same, err := sameOthers(values, out); err != nil || !same {
		return nil, kb.Errorf(kb.Invalid, "mcp_servers.cairn is written in a form that cannot be taken out safely").
			WithHint("Take it out by hand.")
	}
	return out, nil
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
// guards the search for lines, which knows nothing of strings over lines.
func sameOthers(values map[string]any, text []byte) (bool, error) {
	after, err := parseTOML(text)
	if err != nil {
		return false, err
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
		return false, err
	}
	got, err := toml.Marshal(after)
	return bytes.Equal(want, got), err
}
