package setup

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// hook is a command that runs when a session starts, in the form that Claude
// Code, Codex and Gemini CLI share.
type hook struct{ command string }

const hookArgs = " prime --format hook --actor "

// sessionStart returns the hook of a client. The actor is the name by which the
// client introduces itself to the MCP server, so that prime knows what was
// written through it for its own.
func sessionStart(actor string) hook {
	return hook{bareName + hookArgs + actor}
}

var hookKeys = []string{"hooks", "SessionStart"}

// group is an element of SessionStart.
type group struct {
	Hooks []struct {
		Command string `json:"command"`
	} `json:"hooks"`
}

// runsPrime reports whether a command is one that add wrote, for whatever actor and
// wherever cairn was.
func runsPrime(command string) bool {
	program, _, found := strings.Cut(command, " prime ")
	return found && (program == bareName || strings.Contains(command, hookArgs))
}

func (h hook) add(text []byte) ([]byte, error) {
	entry := `{"hooks":[{"type":"command","command":` + quoted(h.command) + `}]}`
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		groups, there, err := startGroups(root)
		if err != nil {
			return nil, err
		}
		if !there {
			return member{keys: hookKeys, value: "[" + entry + "]"}.add(text)
		}
		for _, it := range groups.items {
			if mine, _ := owned(it.value); len(mine) > 0 {
				return text, nil
			}
		}
		return groups.put(text, entry), nil
	})
}

func (h hook) drop(text []byte) ([]byte, error) {
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		groups, there, err := startGroups(root)
		if err != nil || !there {
			return text, err
		}
		for i, it := range groups.items {
			mine, all := owned(it.value)
			if len(mine) == 0 {
				continue
			}
			if all {
				return prune(groups.take(text, i), hookKeys)
			}
			return dropCommand(text, it.value)
		}
		return text, nil
	})
}

func (h hook) find(text []byte) (as part, whose owner, err error) {
	as = h
	_, err = onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		groups, _, err := startGroups(root)
		for _, it := range groups.items {
			if mine, _ := owned(it.value); len(mine) > 0 && whose == nobody {
				as, whose = hook{mine[0]}, ours
			}
		}
		return text, err
	})
	return as, whose, err
}

func (h hook) blank(text []byte) bool { return blankJSON(text) }

// dropCommand takes our command out of a group that has others, too.
func dropCommand(text []byte, v hujson.Value) ([]byte, error) {
	in, err := objectOf(v, hookKeys)
	if err != nil {
		return nil, err
	}
	list, err := arrayOf(in.items[in.find("hooks")].value, hookKeys)
	if err != nil {
		return nil, err
	}
	for i, it := range list.items {
		cmd, err := objectOf(it.value, hookKeys)
		if err != nil {
			return nil, err
		}
		if n := cmd.find("command"); n >= 0 {
			if lit, ok := cmd.items[n].value.Value.(hujson.Literal); ok && runsPrime(lit.String()) {
				return list.take(text, i), nil
			}
		}
	}
	return text, nil
}

// startGroups returns the array of what runs when a session starts.
func startGroups(root hujson.Value) (groups container, there bool, err error) {
	found, err := walk(root, hookKeys[:1])
	if err != nil || found == nil {
		return container{}, false, err
	}
	in := found[1]
	n := in.find(hookKeys[1])
	if n < 0 {
		return container{}, false, nil
	}
	groups, err = arrayOf(in.items[n].value, hookKeys)
	return groups, true, err
}

// owned returns the commands of a group that are ours, and whether all are. An
// element that is no such group is somebody else's.
func owned(v hujson.Value) (mine []string, all bool) {
	v = v.Clone()
	v.Standardize()
	var g group
	if json.Unmarshal(v.Pack(), &g) != nil {
		return nil, false
	}
	for _, h := range g.Hooks {
		if runsPrime(h.Command) {
			mine = append(mine, h.Command)
		}
	}
	return mine, len(mine) > 0 && len(mine) == len(g.Hooks)
}
