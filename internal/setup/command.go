package setup

import (
	"cmp"
	"encoding/json"
	"strings"
)

// bareName is the command that finds cairn on the PATH.
const bareName = "cairn"

// program is what a part runs.
type program struct {
	path  string // "" is the bare name
	asked bool   // a part of ours that runs another program gets this one
}

func (p program) name() string { return cmp.Or(p.path, bareName) }

// known reports whether a command is one that setup writes: a cairn, wherever
// it is, or the program of this run, whatever its name.
func (p program) known(command string) bool { return command == p.name() || isCairn(command) }

// isCairn reports whether a command is the bare name, or a path that ends in it.
func isCairn(command string) bool {
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	return base == bareName || base == bareName+".exe"
}

// command returns what a client is to run: what was asked for; else, for the
// programs with windows of a person, which are often started with a bare PATH,
// where cairn is; else the bare name, which also serves the others who work in
// a project.
func (p Place) command(c client, req Request) string {
	switch {
	case req.Command != "":
		return req.Command
	case c.windows && req.Scope == User && p.Binary != "":
		return p.Binary
	}
	return bareName
}

// running returns a part that runs a program.
func running(x part, prog program) part {
	switch x := x.(type) {
	case member:
		x.program = prog
		return x
	case table:
		return table{prog}
	case hook:
		x.program = prog
		return x
	}
	return x
}

// quoted returns a text as JSON has it, which TOML reads alike.
func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // text always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// shellWord returns a path so that shells take it as one word: in double
// quotes, which those of Windows know, too, if it has other than plain
// characters.
func shellWord(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:\\", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 && !strings.Contains(path, "\\") {
		return path
	}
	return `"` + strings.NewReplacer(`"`, `\"`, "$", `\$`, "`", "\\`").Replace(path) + `"`
}

// fromShell returns the path of which shellWord makes a word; ok is false when
// it makes the word of none.
func fromShell(word string) (path string, ok bool) {
	path = word
	if inner, quoted := strings.CutPrefix(word, `"`); quoted {
		path = strings.NewReplacer(`\"`, `"`, `\$`, "$", "\\`", "`").Replace(strings.TrimSuffix(inner, `"`))
	}
	return path, shellWord(path) == word
}
