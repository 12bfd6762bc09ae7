package setup

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Entry is the server named cairn in a client's own file, written by anyone.
type Entry struct {
	Client  string            `json:"client"`
	Scope   Scope             `json:"scope"`
	Path    string            `json:"path"`    // of the file
	Command string            `json:"command"` // "" for one that the client does not start itself
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"` // in addition to the client's own
	Dir     string            `json:"cwd,omitempty"` // "" is that of the client
	Off     bool              `json:"off,omitempty"` // disabled in the client
	Fault   Fault             `json:"fault,omitempty"`

	runsCairn bool
}

// Fault is why an entry cannot start.
type Fault string

// The faults. An entry without one may still fail when it is started.
const (
	NotOnPath     Fault = "not_on_path"    // the PATH does not lead to its program
	Gone          Fault = "gone"           // there is no file where its program should be
	NotExecutable Fault = "not_executable" // the file is not executable
	Passing       Fault = "passing"        // go run built its program, which does not last
	NoCommand     Fault = "no_command"     // it names no program
	Unreadable    Fault = "unreadable"     // the file is not what it should be
)

// Entries returns the entries of the clients that have one, in the order of
// Names; none named means all. A file that cannot be read has an Unreadable one
// if its client is named, and else none.
func (p Place) Entries(ctx context.Context, names ...string) (all []Entry) {
	for _, c := range clients {
		if len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		for _, s := range []Scope{User, Project} {
			e, ok := p.entry(ctx, c, s)
			ok = ok && (e.Fault != Unreadable || len(names) > 0)
			if n := len(all); ok && (n == 0 || all[n-1].Path != e.Path) { // one file, where the home is the project
				all = append(all, e)
			}
		}
	}
	return all
}

// RunsCairn reports whether the entry starts a cairn, and not something else
// that has its name.
func (e Entry) RunsCairn() bool { return e.runsCairn }

func (p Place) entry(ctx context.Context, c client, s Scope) (e Entry, ok bool) {
	pieces := c.in(s)
	if len(pieces) == 0 || s == User && p.Home == "" {
		return e, false
	}
	path := p.chosen(pieces[0])
	e = Entry{Client: c.name, Scope: s, Path: path, Args: []string{}}
	f, err := load(ctx, path)
	if err == nil && !f.there {
		return e, false
	}
	var whose owner
	if err == nil {
		_, whose, err = running(pieces[0].part, program{path: p.Binary}).find(f.text)
	}
	if err != nil {
		e.Fault = Unreadable
		return e, true
	}
	values := entryIn(f.text, pieces[0].part)
	if values == nil {
		e.Fault = NoCommand
		return e, whose != nobody
	}
	e.runsCairn = whose == ours || whose == byHand
	e.Off = values["disabled"] == true || values["enabled"] == false
	var args []any
	e.Command, args = commandLine(values)
	for _, a := range args {
		word, _ := a.(string)
		e.Args = append(e.Args, word)
	}
	if inner, ok := values["transport"].(map[string]any); ok {
		values = inner
	}
	e.Dir, _ = values["cwd"].(string)
	for _, key := range []string{"env", "environment"} { // the latter is OpenCode's
		vars, _ := values[key].(map[string]any)
		for name, value := range vars {
			if e.Env == nil {
				e.Env = map[string]string{}
			}
			e.Env[name], _ = value.(string)
		}
	}
	e.Fault = p.fault(e)
	return e, true
}

// entryIn returns the entry of a part in text that parses, nil when there is
// none.
func entryIn(text []byte, x part) (entry map[string]any) {
	switch x := x.(type) {
	case member:
		_, _ = onJSON(text, func(root hujson.Value, text []byte) ([]byte, error) {
			in, n, err := x.entry(root)
			if err != nil || n < 0 || json.Unmarshal(standard(in.items[n].value), &entry) != nil {
				entry = nil
			}
			return text, err
		})
	case table:
		values, _ := parseTOML(text)
		servers, _ := values["mcp_servers"].(map[string]any)
		entry, _ = servers["cairn"].(map[string]any)
	}
	return entry
}

// fault says why an entry cannot start, as far as looking at it says.
func (p Place) fault(e Entry) Fault {
	switch {
	case e.Command == "":
		return NoCommand
	case strings.Contains(e.Command, "$"):
		return "" // a variable that the client fills in
	case !strings.ContainsAny(e.Command, `/\`):
		if p.look(e.Command) == "" {
			return NotOnPath
		}
		return ""
	case passing(e.Command):
		return Passing
	}
	path := e.Command
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Dir, e.Dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Gone
	case info.IsDir(), p.OS != "windows" && info.Mode().Perm()&0o111 == 0:
		return NotExecutable
	}
	return ""
}
