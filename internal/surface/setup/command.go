package setup

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// bareName is the command that finds cairn on the PATH.
const bareName = "cairn"

// program is what a part runs.
type program struct {
	path  string // "" is the bare name
	asked bool   // a part of ours that runs another program gets this one
	serving
	ask    Serve    // a part of ours that serves otherwise is changed so
	closed []string // directories with files that only cairn may change
	guide  string   // the instructions
}

func (p program) name() string { return cmp.Or(p.path, bareName) }

// changes reports whether an existing part of ours may be changed.
func (p program) changes() bool { return p.asked || p.ask.asks() }

// instead returns what a part of ours runs once it was changed as asked.
func (p program) instead(of program) program {
	if p.asked {
		of.path = p.path
	}
	of.serving = p.ask.on(of.serving)
	return of
}

// known reports whether setup writes such a command: a cairn at any path, or
// the program of this run, under any name.
func (p program) known(command string) bool { return command == p.name() || isCairn(command) }

// isCairn reports whether a command is the bare name, or a path that ends in it.
func isCairn(command string) bool {
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	return base == bareName || base == bareName+".exe"
}

// command returns the command for a client: the requested one; else, in the
// scope of a person, where cairn is, for desktop apps, which are often started
// with a bare PATH, and wherever the PATH does not lead to it; else the bare
// name, which also serves the others who work in a project.
func (p Place) command(c client, req Request) (string, error) {
	found := p.look(bareName)
	switch {
	case req.Command != "":
		return req.Command, nil
	case req.Scope == Project, p.Binary == "", found != "" && !c.windows:
		return bareName, nil
	case filepath.IsAbs(found) && (passing(p.Binary) || fsys.SameFile(found, p.Binary)):
		return found, nil // may outlive an update where the file itself does not
	case passing(p.Binary):
		return "", kb.Errorf(kb.Usage, "this cairn was built by go run, and its file does not last: %s", p.Binary).WithReason(kb.PassingProgram)
	}
	return p.Binary, nil
}

// look returns where the PATH finds a program, "" when it does not.
func (p Place) look(program string) string {
	if p.Look == nil {
		return ""
	}
	return p.Look(program)
}

// built are the places in which go run puts what it builds: a temporary
// directory, or the build cache.
var built = lazyregexp.New(`/go-build[0-9]+/b[0-9]+/exe/[^/]+$|/[0-9a-f]{2}/[0-9a-f]{64}-d/[^/]+$`)

// passing reports whether a program goes away by itself.
func passing(path string) bool { return built().MatchString(filepath.ToSlash(path)) }

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
	case hookFile:
		x.program = prog
		return x
	case denial:
		return denial{prog.closed}
	case instructions:
		return instructions{prog.guide}
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

// ShellWord returns a path so that shells take it as one word: in double
// quotes, which those of Windows know, too, if it has other than plain
// characters.
func ShellWord(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:\\", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 && !strings.Contains(path, "\\") {
		return path
	}
	return `"` + strings.NewReplacer(`"`, `\"`, "$", `\$`, "`", "\\`").Replace(path) + `"`
}

// fromShell returns the path that ShellWord quotes as word; ok is false if
// there is no such path.
func fromShell(word string) (path string, ok bool) {
	path = word
	if inner, quoted := strings.CutPrefix(word, `"`); quoted {
		path = strings.NewReplacer(`\"`, `"`, `\$`, "$", "\\`", "`").Replace(strings.TrimSuffix(inner, `"`))
	}
	return path, ShellWord(path) == word
}
