package setup

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// setting is a text of ours in an object of a client's settings. Another text there is the
// person's, and stays.
type setting struct {
	keys  []string
	value string
}

// at returns the value there, and the object that contains it.
func (s setting) at(root hujson.Value) (in container, n int, value string, err error) {
	in, n, err = member{keys: s.keys}.entry(root)
	if err != nil || n < 0 {
		return in, -1, "", err
	}
	return in, n, textOf(in.items[n].value), nil
}

// textOf is a value that is a text, "" for another.
func textOf(v hujson.Value) string {
	text, ok := v.Value.(hujson.Literal)
	if !ok || text.Kind() != '"' {
		return ""
	}
	return text.String()
}

func (s setting) add(text []byte) ([]byte, error) {
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		out, _, err := placed(root, text, s.keys, func() string { return quoted(s.value) })
		return out, err
	})
}

func (s setting) drop(text []byte) ([]byte, error) {
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		in, n, value, err := s.at(root)
		if err != nil || n < 0 || value != s.value {
			return text, err
		}
		return prune(in.take(text, n), s.keys[:len(s.keys)-1])
	})
}

func (s setting) find(text []byte) (as part, whose owner, err error) {
	_, err = onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		_, n, value, err := s.at(root)
		switch {
		case err != nil || n < 0:
		case value == s.value:
			whose = ours
		default:
			whose = theirs
		}
		return text, err
	})
	return s, whose, err
}

// denial keeps Claude Code's own tools from changing files below directories. Other rules
// stay.
type denial struct{ dirs []string }

var denialKeys = []string{"permissions", "deny"}

// rules are the denied paths, as Claude Code writes them: two slashes begin an
// absolute path.
func (d denial) rules() (out []string) {
	for _, dir := range d.dirs {
		dir = strings.TrimPrefix(filepath.ToSlash(dir), "/")
		out = append(out, "Edit(//"+dir+"/**)", "Write(//"+dir+"/**)")
	}
	return out
}

func (d denial) list(root hujson.Value) (list container, there bool, err error) {
	in, n, err := member{keys: denialKeys}.entry(root)
	if err != nil || n < 0 {
		return container{}, false, err
	}
	list, err = arrayOf(in.items[n].value, denialKeys)
	return list, err == nil, err
}

func (d denial) add(text []byte) ([]byte, error) {
	for _, rule := range slices.Backward(d.rules()) {
		var err error
		if text, err = onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
			list, there, err := d.list(root)
			switch {
			case err != nil:
				return nil, err
			case !there:
				out, _, err := placed(root, text, denialKeys, func() string { return "[" + quoted(rule) + "]" })
				return out, err
			case indexOf(list, rule) >= 0:
				return text, nil
			}
			return list.put(text, quoted(rule)), nil
		}); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func indexOf(list container, rule string) int {
	return slices.IndexFunc(list.items, func(i item) bool { return textOf(i.value) == rule })
}

func (d denial) drop(text []byte) ([]byte, error) {
	for _, rule := range d.rules() {
		var err error
		if text, err = onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
			list, there, err := d.list(root)
			if err != nil || !there {
				return text, err
			}
			n := indexOf(list, rule)
			if n < 0 {
				return text, nil
			}
			return prune(list.take(text, n), denialKeys)
		}); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func (d denial) find(text []byte) (as part, whose owner, err error) {
	there := denial{}
	_, err = onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		list, _, err := d.list(root)
		for i, rule := range d.rules() {
			if i%2 == 0 && indexOf(list, rule) >= 0 {
				there.dirs, whose = append(there.dirs, d.dirs[i/2]), ours
			}
		}
		return text, err
	})
	return there, whose, err
}
