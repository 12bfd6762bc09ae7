package policy

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/cairn-kb/cairn/internal/kb"
)

// settings are the keys that Set changes, with functions that format their
// values. A key with a dot is in a table.
var settings = map[string]func(key, value string) ([]byte, error){
	"days": quote, "description": quote, "folder": quote, "format": quote, "names": quote, "syntax": quote, "time_zone": quote, "type": quote,
	"gap_threshold": number, "gap_hash_only": truth,

	"brief.elsewhere": truth, "brief.limit": whole,
	"capture.auto_link": number, "capture.auto_tags": truth, "capture.on_similar": quote, "capture.record": truth, "capture.similar": number,
	"compact.every": whole, "compact.max_pages": whole, "compact.min_cluster": whole, "compact.similarity": number,
	"lifecycle.stale_after": whole, "lifecycle.unlinked_after": whole,
	"search.mode":      quote,
	"sessions.clients": quotes, "sessions.days": whole, "sessions.directories": quotes, "sessions.except": quotes,
}

// quotes formats a list of texts separated by commas.
func quotes(key, value string) ([]byte, error) {
	var out []string
	for _, v := range strings.Split(value, ",") {
		if v = strings.TrimSpace(v); v == "" {
			continue
		}
		q, err := quote(key, v)
		if err != nil {
			return nil, err
		}
		out = append(out, string(q))
	}
	return []byte("[" + strings.Join(out, ", ") + "]"), nil
}

// Keys lists the keys that Set changes, in the order of the documentation.
func Keys() []string {
	return slices.SortedFunc(maps.Keys(settings), func(x, y string) int {
		return cmp.Or(cmp.Compare(strings.Count(x, "."), strings.Count(y, ".")), cmp.Compare(x, y))
	})
}

// Set returns the text of a policy with one of Keys set to a value. All other bytes
// are kept: comments, order, line ends. An unknown key is kb.Usage; an invalid
// value, or an invalid policy, is kb.Invalid.
func Set(text []byte, key, value string) ([]byte, error) {
	out, err := splice(text, key, &value)
	if err != nil {
		return nil, err
	}
	_, err = Parse(out)
	return out, err
}

// Unset returns the text of a policy without one of Keys, which then has its
// default. Errors are those of Set.
func Unset(text []byte, key string) ([]byte, error) { return splice(text, key, nil) }

// splice replaces, adds or, without a value, removes the line of a key.
func splice(text []byte, key string, value *string) ([]byte, error) {
	write, known := settings[key]
	if !known {
		return nil, kb.Errorf(kb.Usage, "unknown setting %q of a space", key).
			WithHint("Settings are %s.", strings.Join(Keys(), ", "))
	}
	if _, err := Parse(text); err != nil {
		return nil, err
	}
	at, err := find(text, key)
	if err != nil {
		return nil, err
	}
	eol := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		eol = "\r\n"
	}
	switch {
	case value == nil && !at.there:
		return text, nil
	case value == nil:
		return slices.Concat(text[:at.start], text[lineEnd(text, at.end):]), nil
	}
	written, err := write(key, *value)
	if err != nil {
		return nil, err
	}
	if at.there {
		return slices.Concat(text[:at.value], written, text[at.end:]), nil
	}
	table, name := inTable(key)
	line := name + " = " + string(written) + eol
	if at.table {
		line = "[" + table + "]" + eol + line
		if at.end > 0 {
			line = eol + line
		}
	}
	if at.end > 0 && text[at.end-1] != '\n' {
		line = eol + line
	}
	return slices.Concat(text[:at.end], []byte(line), text[at.end:]), nil
}

// inTable splits a key into its table, "" for the top level, and its name
// there.
func inTable(key string) (table, name string) {
	if table, name, ok := strings.Cut(key, "."); ok {
		return table, name
	}
	return "", key
}

func number(key, value string) ([]byte, error) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, kb.Errorf(kb.Invalid, "%s is a number from 0 to 1, not %q", key, value)
	}
	return strconv.AppendFloat(nil, n, 'f', -1, 64), nil
}

func whole(key, value string) ([]byte, error) {
	n, err := strconv.Atoi(value)
	if err != nil {
		return nil, kb.Errorf(kb.Invalid, "%s is a whole number, not %q", key, value)
	}
	return strconv.AppendInt(nil, int64(n), 10), nil
}

func truth(key, value string) ([]byte, error) {
	if value != "true" && value != "false" {
		return nil, kb.Errorf(kb.Invalid, "%s is true or false, not %q", key, value)
	}
	return []byte(value), nil
}

// quote writes a string as TOML.
func quote(_, s string) ([]byte, error) {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == '"' || r == '\\' || unicode.IsControl(r) }) {
		return []byte(`"` + s + `"`), nil
	}
	quoted, err := toml.Marshal(map[string]string{"x": s})
	if err != nil {
		return nil, kb.Errorf(kb.Internal, "cannot write the space's policy: %w", err)
	}
	return bytes.TrimSpace(bytes.TrimPrefix(quoted, []byte("x = "))), nil
}

// place is the position of a key of a policy, or the position for adding it.
type place struct {
	there bool
	table bool // the key's table is missing as well
	start int  // of the line, if the key exists
	value int  // start of the value, if the key exists
	end   int  // end of the value; for a missing key, the position for its line
}

// find searches for a key in its table, or at the top level. The text is valid
// TOML.
func find(text []byte, key string) (place, error) {
	var p unstable.Parser
	p.Reset(text)
	wanted, _ := inTable(key)
	in, free := "", -1
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.KeyValue:
			start, end := int(e.Raw.Offset), int(e.Raw.Offset+e.Raw.Length)
			if strings.TrimPrefix(in+"."+dotted(e.Key()), ".") == key {
				value := int(e.Value().Raw.Offset)
				if e.Value().Kind == unstable.Array { // the parser does not report its position
					value = start + bytes.IndexByte(text[start:end], '[')
					return place{there: true, start: start, value: value, end: end}, nil
				}
				return place{there: true, start: start, value: value, end: value + int(e.Value().Raw.Length)}, nil
			}
			if in == wanted {
				free = lineEnd(text, end)
			}
		case unstable.Table, unstable.ArrayTable:
			header := int(e.Child().Raw.Offset)
			if free < 0 && in == wanted {
				free = lineStart(text, header)
			}
			in = dotted(e.Key())
			if e.Kind == unstable.ArrayTable {
				in += "[]"
			}
			if in == wanted {
				free = lineEnd(text, header)
			}
		}
	}
	if err := p.Error(); err != nil {
		return place{}, invalid(err)
	}
	if free < 0 {
		return place{end: len(text), table: wanted != ""}, nil
	}
	return place{end: free}, nil
}

// dotted returns the dotted form of a key.
func dotted(names unstable.Iterator) string {
	var parts []string
	for names.Next() {
		parts = append(parts, string(names.Node().Data))
	}
	return strings.Join(parts, ".")
}

// lineEnd returns the end of the line with the byte at, including its line end.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// lineStart returns the start of the line with the byte at.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }
