package setup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cairn-kb/cairn/internal/kb"
)

// member is a value of ours in a JSON object: {keys[0]: {keys[1]: value}}.
// Comments and trailing commas are read and kept.
type member struct {
	keys    []string
	value   string // compact JSON, with the bare name
	command string // in its place; "" for the bare name
}

func (m member) add(text []byte) ([]byte, error) {
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		at := root
		for i, key := range m.keys {
			in, err := objectOf(at, m.keys[:i])
			if err != nil {
				return nil, err
			}
			n := in.find(key)
			if n < 0 {
				return in.put(text, quote(key)+":"+nest(m.keys[i+1:], m.written())), nil
			}
			at = in.items[n].value
		}
		return text, nil
	})
}

func (m member) drop(text []byte) ([]byte, error) {
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		in, n, err := m.entry(root)
		if err != nil || n < 0 {
			return text, err
		}
		if _, ok := runsMCP(in.items[n].value); !ok {
			return text, nil
		}
		return prune(in.take(text, n), m.keys[:len(m.keys)-1])
	})
}

func (m member) find(text []byte) (as part, whose owner, err error) {
	as = m
	_, err = onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		in, n, err := m.entry(root)
		if err != nil || n < 0 {
			return text, err
		}
		whose = theirs
		if command, ok := runsMCP(in.items[n].value); ok {
			as, whose = withCommand(m, command), ours
		}
		return text, nil
	})
	return as, whose, err
}

// entry returns the object that our member is in, and which it is; -1 when it
// is not there.
func (m member) entry(root hujson.Value) (in container, n int, err error) {
	last := len(m.keys) - 1
	found, err := walk(root, m.keys[:last])
	if err != nil || found == nil {
		return container{}, -1, err
	}
	in = found[last]
	return in, in.find(m.keys[last]), nil
}

// written is the value with its command. Of every form that is the first text
// that is the name.
func (m member) written() string {
	return strings.Replace(m.value, quoted(bareName), quoted(cmp.Or(m.command, bareName)), 1)
}

// runsMCP reports whether an entry runs cairn mcp by whatever command, as any
// cairn wrote it. More arguments and keys may have been added since.
func runsMCP(v hujson.Value) (command string, ok bool) {
	v = v.Clone()
	v.Standardize()
	var entry struct {
		Command any   `json:"command"`
		Args    []any `json:"args"`
	}
	if json.Unmarshal(v.Pack(), &entry) != nil {
		return "", false
	}
	return startsMCP(entry.Command, entry.Args)
}

// startsMCP returns the program of a command line whose first argument is mcp.
// OpenCode has all of it in command.
func startsMCP(command any, args []any) (program string, ok bool) {
	if list, isList := command.([]any); isList && len(list) > 0 {
		command, args = list[0], list[1:]
	}
	program, _ = command.(string)
	return program, program != "" && len(args) > 0 && args[0] == "mcp"
}

func (m member) blank(text []byte) bool { return blankJSON(text) }

// walk returns the objects from the root to the one that keys lead to, or nil
// when there is none.
func walk(root hujson.Value, keys []string) ([]container, error) {
	in, err := objectOf(root, nil)
	if err != nil {
		return nil, err
	}
	found := []container{in}
	for i, key := range keys {
		n := in.find(key)
		if n < 0 {
			return nil, nil
		}
		if in, err = objectOf(in.items[n].value, keys[:i+1]); err != nil {
			return nil, err
		}
		found = append(found, in)
	}
	return found, nil
}

// prune removes the containers that keys lead to, the innermost first, as long
// as they are empty.
func prune(text []byte, keys []string) ([]byte, error) {
	for ; len(keys) > 0; keys = keys[:len(keys)-1] {
		root, err := hujson.Parse(text)
		if err != nil {
			return nil, err
		}
		found, err := walk(root, keys[:len(keys)-1])
		if err != nil || found == nil {
			return text, err
		}
		in := found[len(found)-1]
		n := in.find(keys[len(keys)-1])
		if n < 0 || !empty(text, in.items[n].value) {
			return text, nil
		}
		text = in.take(text, n)
	}
	return text, nil
}

// empty reports whether a container holds nothing, not even a comment.
func empty(text []byte, v hujson.Value) bool {
	k := v.Value.Kind()
	return (k == '{' || k == '[') && len(bytes.TrimSpace(text[v.StartOffset+1:v.EndOffset-1])) == 0
}

// onJSON runs edit on the text without its byte order mark. Blank text counts
// as an empty object.
func onJSON(text []byte, edit func(hujson.Value, []byte) ([]byte, error)) ([]byte, error) {
	body, marked := bytes.CutPrefix(text, bom)
	blank := len(bytes.TrimSpace(body)) == 0
	if blank {
		body = []byte("{}" + lineEnd(body))
	}
	root, err := hujson.Parse(body)
	if err != nil {
		return nil, kb.Errorf(kb.Invalid, "not valid JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	out, err := edit(root, body)
	if err != nil || blank && bytes.Equal(out, body) {
		return text, err
	}
	if marked {
		out = append(bytes.Clone(bom), out...)
	}
	// The splices are ours: text that they broke must not reach a file.
	if _, err := hujson.Parse(bytes.TrimPrefix(out, bom)); err != nil {
		return nil, errors.New("the edit would break the file")
	}
	return out, nil
}

func blankJSON(text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, bom))
	inner, object := bytes.CutPrefix(text, []byte("{"))
	inner, closed := bytes.CutSuffix(inner, []byte("}"))
	return len(text) == 0 || object && closed && len(bytes.TrimSpace(inner)) == 0
}

// nest puts a value below keys.
func nest(keys []string, value string) string {
	for i := len(keys) - 1; i >= 0; i-- {
		value = "{" + quote(keys[i]) + ":" + value + "}"
	}
	return value
}

// quote writes a key of ours, in which nothing needs an escape.
func quote(key string) string { return `"` + key + `"` }

// indented writes compact JSON over lines, all but the first behind prefix.
func indented(compact, prefix, unit string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(compact), prefix, unit); err != nil {
		return compact
	}
	return b.String()
}
