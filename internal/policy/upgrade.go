package policy

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Upgrade returns the text of a policy with the keys of a preset that the policy
// does not set, at the ends of their tables; missing tables are added at the end.
// All other bytes are kept. An invalid policy is kb.Invalid.
func Upgrade(text, preset []byte) ([]byte, error) {
	if _, err := Parse(text); err != nil {
		return nil, err
	}
	var has map[string]any
	if err := toml.Unmarshal(text, &has); err != nil {
		return nil, invalid(err)
	}
	mine, _, err := outline(text)
	if err != nil {
		return nil, err
	}
	_, news, err := outline(preset)
	if err != nil {
		return nil, err
	}
	eol := []byte("\n")
	if bytes.Contains(text, []byte("\r\n")) {
		eol = []byte("\r\n")
	}
	lines := func(of line) []byte {
		return append(bytes.ReplaceAll(bytes.TrimRight(preset[of.start:of.end], "\r\n"), []byte("\n"), eol), eol...)
	}
	type insert struct {
		at   int
		text []byte
	}
	var inserts []insert
	begun := map[string]bool{}
	for _, n := range news {
		table := has
		if n.table != "" {
			table, _ = has[n.table].(map[string]any)
		}
		if _, there := table[n.key]; there {
			continue
		}
		at, there := mine[n.table]
		_, other := has[n.table]
		switch {
		case there:
			inserts = append(inserts, insert{at, lines(n)})
		case other: // as an inline table, or with dotted keys
			return nil, kb.Errorf(kb.Invalid, "%s of the space's policy is not a separate table", n.table).
				WithHint("Write it as [%s], with a line for each key.", n.table)
		default:
			out := lines(n)
			if !begun[n.table] {
				begun[n.table] = true
				out = slices.Concat(eol, []byte("["+n.table+"]"), eol, out)
			}
			inserts = append(inserts, insert{len(text), out})
		}
	}
	slices.SortStableFunc(inserts, func(a, b insert) int { return a.at - b.at })
	var out []byte
	done := 0
	for _, in := range inserts {
		out = append(out, text[done:in.at]...)
		if n := len(out); n > 0 && out[n-1] != '\n' {
			out = append(out, eol...)
		}
		out, done = append(out, in.text...), in.at
	}
	out = append(out, text[done:]...)
	if len(inserts) > 0 {
		_, err = Parse(out)
	}
	return out, err
}

// line is a key of a table with its lines.
type line struct {
	table, key string
	start, end int
}

// outline returns the position in a valid policy at which a key may be added to
// each table with a header, with "" for the position before all tables, and the
// existing keys.
func outline(text []byte) (ends map[string]int, keys []line, err error) {
	var p unstable.Parser
	p.Reset(text)
	ends, table := map[string]int{}, ""
	for p.NextExpression() {
		e := p.Expression()
		names := e.Key()
		names.Next()
		first := names.Node()
		switch e.Kind {
		case unstable.KeyValue:
			l := line{table, string(first.Data), lineStart(text, int(e.Raw.Offset)), lineEnd(text, int(e.Raw.Offset+e.Raw.Length))}
			keys = append(keys, l)
			ends[table] = l.end
		case unstable.Table, unstable.ArrayTable:
			if _, free := ends[""]; !free {
				ends[""] = lineStart(text, int(e.Child().Raw.Offset))
			}
			table = string(first.Data)
			if names.Next() || e.Kind == unstable.ArrayTable {
				table += "." // keys are not added to nested tables, and not to one of several
			}
			ends[table] = lineEnd(text, int(first.Raw.Offset))
		}
	}
	if err := p.Error(); err != nil {
		return nil, nil, invalid(err)
	}
	if _, free := ends[""]; !free {
		ends[""] = len(text)
	}
	return ends, keys, nil
}
