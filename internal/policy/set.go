package policy

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Keys are the keys that Set changes, in the order in which people are told of
// them.
func Keys() []string {
	return []string{"days", "description", "folder", "format", gapKey, "names", "syntax", "type"}
}

// gapKey is the one of Keys whose value is a number.
const gapKey = "gap_threshold"

// Set returns the text of a policy with one of Keys set to a value. All other
// bytes stay as they are: comments, order, line ends. A key that there is not
// is kb.Usage, and a value that means nothing, or a policy that cannot be read,
// kb.Invalid.
func Set(text []byte, key, value string) ([]byte, error) {
	out, err := splice(text, key, &value)
	if err != nil {
		return nil, err
	}
	_, err = Parse(out)
	return out, err
}

// Unset returns the text of a policy without one of Keys, which then has its
// default. Errors are as those of Set.
func Unset(text []byte, key string) ([]byte, error) { return splice(text, key, nil) }

// splice replaces, adds or, without a value, removes the line of a key.
func splice(text []byte, key string, value *string) ([]byte, error) {
	if !slices.Contains(Keys(), key) {
		return nil, kb.Errorf(kb.Usage, "there is no setting %q of a space that can be set", key).
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
	quoted, err := written(key, *value)
	if err != nil {
		return nil, err
	}
	if at.there {
		return slices.Concat(text[:at.value], quoted, text[at.end:]), nil
	}
	line := key + " = " + string(quoted) + eol
	if at.end > 0 && text[at.end-1] != '\n' {
		line = eol + line
	}
	return slices.Concat(text[:at.end], []byte(line), text[at.end:]), nil
}

// written is the value of a key as TOML.
func written(key, value string) ([]byte, error) {
	if key != gapKey {
		return quote(value)
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, kb.Errorf(kb.Invalid, "%s is a number from 0 to 1, not %q", key, value)
	}
	return strconv.AppendFloat(nil, n, 'f', -1, 64), nil
}

// quote writes a string as TOML.
func quote(s string) ([]byte, error) {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == '"' || r == '\\' || unicode.IsControl(r) }) {
		return []byte(`"` + s + `"`), nil
	}
	quoted, err := toml.Marshal(map[string]string{"x": s})
	if err != nil {
		return nil, kb.Errorf(kb.Internal, "cannot write the space's policy: %w", err)
	}
	return bytes.TrimSpace(bytes.TrimPrefix(quoted, []byte("x = "))), nil
}

// place is where a key of a policy stands, or would.
type place struct {
	there bool
	start int // of the line, where the key is there
	value int // start of the value, where the key is there
	end   int // of the value; where the key is not there, the place for its line
}

// find looks for a key among those that stand before the first table. The text
// is valid TOML.
func find(text []byte, key string) (place, error) {
	var p unstable.Parser
	p.Reset(text)
	free := -1
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.KeyValue:
			names := e.Key()
			names.Next()
			start, end := int(e.Raw.Offset), int(e.Raw.Offset+e.Raw.Length)
			if string(names.Node().Data) == key {
				value := int(e.Value().Raw.Offset)
				return place{there: true, start: start, value: value, end: value + int(e.Value().Raw.Length)}, nil
			}
			free = lineEnd(text, end)
			continue
		case unstable.Table, unstable.ArrayTable:
			if free < 0 {
				free = lineStart(text, int(e.Child().Raw.Offset))
			}
			return place{end: free}, nil
		}
	}
	if err := p.Error(); err != nil {
		return place{}, invalid(err)
	}
	if free < 0 {
		free = len(text)
	}
	return place{end: free}, nil
}

// lineEnd returns where the line that holds the byte at ends, its line end
// included.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// lineStart returns where the line that holds the byte at begins.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }
