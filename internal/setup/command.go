package setup

import (
	"encoding/json"
	"strings"
)

// bareName is the command that finds cairn on the PATH.
const bareName = "cairn"

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

// withCommand returns a part that runs another command than the bare name.
func withCommand(x part, command string) part {
	if command == bareName {
		return x
	}
	switch x := x.(type) {
	case member:
		x.command = command
		return x
	case table:
		return table{command}
	case hook:
		return hook{shellWord(command) + strings.TrimPrefix(x.command, bareName)}
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
