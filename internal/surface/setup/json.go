package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cairn-kb/cairn/internal/kb"
)

// member is a value of ours in a JSON object: {keys[0]: {keys[1]: value}}.
// Comments and trailing commas are read and kept.
type member struct {
	keys  []string
	value string // compact JSON, with the bare name
	program
}

func (m member) add(text []byte) ([]byte, error) {
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		out, there, err := placed(root, text, m.keys, func() string {
			m.serving = m.ask.on(m.serving)
			return m.written()
		})
		if there == nil || err != nil {
			return out, err
		}
		return m.point(text, *there)
	})
}

// placed puts a value at the path of keys, creating the objects around it,
// unless one exists: then it returns that one.
func placed(root hujson.Value, text []byte, keys []string, value func() string) (out []byte, there *hujson.Value, err error) {
	at := root
	for i, key := range keys {
		in, err := objectOf(at, keys[:i])
		if err != nil {
			return nil, nil, err
		}
		n := in.find(key)
		if n < 0 {
			return in.put(text, quote(key)+":"+nest(keys[i+1:], value())), nil, nil
		}
		at = in.items[n].value
	}
	return text, &at, nil
}

// point makes an entry of ours run the requested command.
func (m member) point(text []byte, entry hujson.Value) ([]byte, error) {
	as, whose := m.owned(entry)
	if whose != ours || !m.changes() {
		return text, nil
	}
	in, err := objectOf(entry, m.keys)
	if err != nil {
		return nil, err
	}
	if n := in.find("transport"); n >= 0 { // Cline
		if in, err = objectOf(in.items[n].value, m.keys); err != nil {
			return nil, err
		}
	}
	command, want := in.items[in.find("command")].value, m.instead(as)
	line, err := arrayOf(command, m.keys)
	if err == nil {
		command = line.items[0].value // OpenCode has the arguments in it, too
		line.items = line.items[1:]
	} else if line, err = arrayOf(in.items[in.find("args")].value, m.keys); err != nil {
		return nil, err
	}
	edits := []splice{}
	if as.name() != want.name() {
		edits = append(edits, splice{command.StartOffset, command.EndOffset, quoted(want.name())})
	}
	if as.serving != want.serving {
		edits = append(edits, line.rewrite(text, want.args()))
	}
	return spliced(text, edits), nil
}

func (m member) drop(text []byte) ([]byte, error) {
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		in, n, err := m.entry(root)
		if err != nil || n < 0 {
			return text, err
		}
		if _, whose := m.owned(in.items[n].value); whose != ours {
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
		prog, w := m.owned(in.items[n].value)
		as, whose = running(m, prog), w
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

// written is the value with its program and arguments. Of every form that is
// the first text that is the name of each.
func (m member) written() string {
	args := make([]string, 0, 6)
	for _, a := range m.args() {
		args = append(args, quoted(a))
	}
	value := strings.Replace(m.value, quoted("mcp"), strings.Join(args, ","), 1)
	return strings.Replace(value, quoted(bareName), quoted(m.name()), 1)
}

// owned returns the owner of an entry, and the program it runs. White space,
// the order of keys, comments and an empty env do not count.
func (m member) owned(v hujson.Value) (runs program, whose owner) {
	var entry, written map[string]any
	if json.Unmarshal(standard(v), &entry) != nil {
		return program{}, theirs
	}
	command, args := commandLine(entry)
	known := m.program
	var plain bool
	runs.path = command
	runs.serving, plain = servingOf(args)
	m.program = runs
	exact := plain && json.Unmarshal([]byte(m.written()), &written) == nil && same(withoutEnv(entry), withoutEnv(written))
	return runs, known.owner(command, args, exact)
}

// standard returns a value without comments and trailing commas.
func standard(v hujson.Value) []byte {
	v = v.Clone()
	v.Standardize()
	return v.Pack()
}

// sameJSON reports whether two texts are the same value of JSON.
func sameJSON(a []byte, b string) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal([]byte(b), &y) == nil && same(x, y)
}

// same reports whether two values are one as JSON, in which keys are sorted.
func same(x, y any) bool {
	a, err := json.Marshal(x)
	if err != nil {
		return false
	}
	b, err := json.Marshal(y)
	return err == nil && bytes.Equal(a, b)
}

// commandLine returns the program and the arguments of an entry. OpenCode has
// all of them in command, and Cline in transport.
func commandLine(entry map[string]any) (string, []any) {
	if inner, ok := entry["transport"].(map[string]any); ok {
		entry = inner
	}
	command, args := entry["command"], entry["args"]
	if line, ok := command.([]any); ok && len(line) > 0 {
		command, args = line[0], line[1:]
	}
	name, _ := command.(string)
	list, _ := args.([]any)
	return name, list
}

// owner returns the owner of an entry with a command line; exact means that
// except for the program it is as cairn writes it. An exact one with another
// program may come from a setup with --command, so it counts as a cairn, but
// not as ours.
func (p program) owner(command string, args []any, exact bool) owner {
	switch {
	case command == "":
		return theirs
	case exact && p.known(command):
		return ours
	case exact, isCairn(command) && slices.Contains(args, any("mcp")):
		return byHand
	}
	return theirs
}

// withoutEnv drops an env without variables.
func withoutEnv(entry map[string]any) map[string]any {
	if env, ok := entry["env"].(map[string]any); ok && len(env) == 0 {
		delete(entry, "env")
	}
	return entry
}

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

// onJSON runs edit on the text without its byte order mark. Text that has no
// value counts as an empty object, behind its comments.
func onJSON(text []byte, edit func(hujson.Value, []byte) ([]byte, error)) ([]byte, error) {
	body, marked := bytes.CutPrefix(text, bom)
	valueless := noValue(body)
	if valueless {
		body = withObject(body)
	}
	root, ended, err := parseJSON(body)
	if err != nil {
		return nil, kb.Errorf(kb.Invalid, "not valid JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	out, err := edit(root, ended)
	if err != nil || valueless && bytes.Equal(out, ended) {
		return text, err
	}
	// The splices are ours: text that they broke must not reach a file.
	if _, err := hujson.Parse(out); err != nil {
		return nil, errors.New("the edit would break the file")
	}
	out = out[:len(out)-(len(ended)-len(body))]
	if marked {
		out = append(bytes.Clone(bom), out...)
	}
	return out, nil
}

// parseJSON parses text, and returns it as it was parsed: the parser wants a
// line end behind a comment of a line, also behind the last.
func parseJSON(text []byte) (root hujson.Value, parsed []byte, err error) {
	if root, err = hujson.Parse(text); err == nil {
		return root, text, nil
	}
	ended := insert(text, len(text), "\n")
	if root, endedErr := hujson.Parse(ended); endedErr == nil {
		return root, ended, nil
	}
	return root, nil, err
}

// noValue reports whether text holds nothing but white space and comments.
func noValue(text []byte) bool {
	// Inside an array any comments and white space around a value are valid; it
	// is empty without one.
	root, err := hujson.Parse(append(append([]byte("["), text...), "\n]"...))
	if err != nil {
		return false
	}
	list, ok := root.Value.(*hujson.Array)
	return ok && len(list.Elements) == 0
}

// withObject puts an empty object behind the comments of text without a value,
// on lines of its own.
func withObject(text []byte) []byte {
	eol := lineEnd(text)
	if len(bytes.TrimSpace(text)) == 0 {
		return []byte("{}" + eol)
	}
	if endOf(text) == "" {
		text = insert(text, len(text), eol)
	}
	return insert(text, len(text), "{}"+eol)
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
