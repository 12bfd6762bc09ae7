package setup

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// hook is a command that runs when a session starts, in the form that Claude
// Code, Codex and Gemini CLI share.
type hook struct {
	program
	actor string
}

const (
	hookArgs  = " prime --format hook --actor "
	hookSpace = " --space "
)

// sessionStart returns the hook of a client. The actor is the name by which the
// client introduces itself to the MCP server, so that prime recognizes the
// client's own writes.
func sessionStart(actor string) hook { return hook{actor: actor} }

func (h hook) command() string {
	command := ShellWord(h.name()) + hookArgs + h.actor
	if h.space != "" {
		command += hookSpace + ShellWord(h.space)
	}
	return command
}

// instead is program.instead for the hook's program.
func (h hook) instead(as hook) hook {
	as.program = h.program.instead(as.program)
	as.serving = serving{space: as.space}
	return as
}

// written is the group that add writes.
func (h hook) written() string {
	return `{"hooks":[{"type":"command","command":` + quoted(h.command()) + `}]}`
}

var hookKeys = []string{"hooks", "SessionStart"}

// group is an element of SessionStart.
type group struct {
	Hooks []struct {
		Command string `json:"command"`
	} `json:"hooks"`
}

// runsPrime reports whether a command runs cairn prime.
func runsPrime(command string) bool {
	words := strings.Fields(command)
	for i, word := range words[:max(len(words)-1, 0)] {
		if isCairn(strings.Trim(word, `"'`)) && words[i+1] == "prime" {
			return true
		}
	}
	return strings.Contains(command, hookArgs) // of a cairn with another name
}

func (h hook) add(text []byte) ([]byte, error) {
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		groups, there, err := startGroups(root)
		if err != nil {
			return nil, err
		}
		fresh := h.instead(h)
		if !there {
			return member{keys: hookKeys, value: "[" + fresh.written() + "]"}.add(text)
		}
		n, as, whose := h.among(groups)
		if whose == nobody {
			return groups.put(text, fresh.written()), nil
		}
		if want := h.instead(as); whose == ours && want.command() != as.command() {
			return want.point(text, groups.items[n].value)
		}
		return text, nil
	})
}

// point makes a group of ours run this hook.
func (h hook) point(text []byte, group hujson.Value) ([]byte, error) {
	in, err := objectOf(group, hookKeys)
	if err != nil {
		return nil, err
	}
	list, err := arrayOf(in.items[in.find("hooks")].value, hookKeys)
	if err != nil {
		return nil, err
	}
	if in, err = objectOf(list.items[0].value, hookKeys); err != nil {
		return nil, err
	}
	at := in.items[in.find("command")].value
	return insert(cut(text, at.StartOffset, at.EndOffset), at.StartOffset, quoted(h.command())), nil
}

func (h hook) drop(text []byte) ([]byte, error) {
	return onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		groups, there, err := startGroups(root)
		if err != nil || !there {
			return text, err
		}
		n, _, whose := h.among(groups)
		if whose != ours {
			return text, nil
		}
		return prune(groups.take(text, n), hookKeys)
	})
}

func (h hook) find(text []byte) (as part, whose owner, err error) {
	as = h
	_, err = onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
		groups, _, err := startGroups(root)
		_, as, whose = h.among(groups)
		return text, err
	})
	return as, whose, err
}

// among returns which of the groups is ours, and the hook in it. When none is,
// it says whether another runs cairn prime.
func (h hook) among(groups container) (n int, as hook, whose owner) {
	as = h
	for i, it := range groups.items {
		text := standard(it.value)
		var g group
		if json.Unmarshal(text, &g) != nil {
			continue // no such group: somebody else's
		}
		for _, each := range g.Hooks {
			read, ok := h.read(each.Command)
			exact := ok && sameJSON(text, read.written())
			if exact && h.known(read.path) {
				return i, read, ours
			}
			if exact {
				as = read
			}
			if runsPrime(each.Command) {
				whose = byHand
			}
		}
	}
	return -1, as, whose
}

// actors are the names of clients after --actor, of this and earlier versions.
var actors = lazyregexp.New(`^[a-z-]+$`)

// read returns the hook that a command is of, if it is one by its form.
func (hook) read(command string) (as hook, ok bool) {
	word, rest, found := strings.Cut(command, hookArgs)
	actor, in, spaced := strings.Cut(rest, hookSpace)
	path, whole := fromShell(word)
	space, one := fromShell(in)
	as = hook{program{path: path, serving: serving{space: space}}, actor}
	return as, found && whole && one && spaced == (space != "") && actors().MatchString(actor)
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
