package command

import (
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/setup"
)

// FaultWords says why an entry cannot start, and what to do.
func FaultWords(e setup.Entry) (why, remedy string) {
	remedy = "Install cairn where the PATH finds it, or name it: cairn setup " + e.Client
	if e.Scope == setup.Project {
		remedy += " --scope project"
	}
	remedy += " --command PATH"
	switch e.Fault {
	case setup.NoCommand:
		return "the entry named cairn names no program", "See " + e.Path + "."
	case setup.Unreadable:
		return "its file cannot be read", "Mend " + e.Path + "."
	}
	return fmt.Sprintf("%s runs %s, %s", e.Client, e.Command, faults[e.Fault]), remedy
}

// faults describe problems with the program of an entry.
var faults = map[setup.Fault]string{
	setup.NotOnPath:     "which is not on the PATH",
	setup.Gone:          "which does not exist",
	setup.NotExecutable: "which is not executable",
	setup.Passing:       "a temporary build of go run",
}

// ownConfig is the directory of cairn's own configuration, "" when there is
// none.
func ownConfig(p *Program) string {
	path := space.Path(p.Place())
	if path == "" {
		return ""
	}
	return filepath.Dir(path)
}

// SetupPlace says where clients have their configuration.
func (p *Program) SetupPlace() setup.Place {
	return setup.Place{
		OS: runtime.GOOS, Home: p.Env.Home, Dir: p.Env.Dir, Own: ownConfig(p), Binary: p.Env.Program, Look: setup.OnPath, Env: p.Env.Getenv,
	}
}
