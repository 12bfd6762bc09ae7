package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cairn-kb/cairn/internal/kb"
)

// member is a value of ours in a JSON object: {keys[0]: {keys[1]: value}}.
// Comments and trailing commas are read and kept.
type member struct {
	keys  []string
	value string // compact JSON
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
				return in.put(text, quote(key)+":"+nest(m.keys[i+1:], m.value)), nil
			}
			at = in.items[n].value
		}
		return text, nil
	})
}

func (m member) drop(text []byte) ([]byte, error) {
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		found, err := walk(root, m.keys[:len(m.keys)-1])
		if err != nil || found == nil {
			return text, err
		}
		in := found[len(found)-1]
		n := in.find(m.keys[len(m.keys)-1])
		if n < 0 {
			return text, nil
		}
		return prune(in.take(text, n), m.keys[:len(m.keys)-1])
	})
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
