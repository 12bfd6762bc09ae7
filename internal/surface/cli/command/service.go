package command

import (
	"context"
	"runtime"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/setup"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// serviceDone is what installing a service prints.
type serviceDone struct {
	Path   string   `json:"path"`
	Paths  []string `json:"paths,omitempty"` // of more than one
	Action string   `json:"action"`          // written, removed, unchanged
	DryRun bool     `json:"dry_run,omitempty"`
	Text   string   `json:"text,omitempty"` // of a dry run
	Next   []string `json:"next"`           // commands to run
}

// ServiceSpec describes the command of a system service: cairn with these
// arguments and the selected memory, independent of the working directory.
func ServiceSpec(p *Program, verb string, args ...string) (setup.Spec, error) {
	if p.Env.Program == "" || p.Env.Home == "" {
		return setup.Spec{}, kb.Errorf(kb.Usage, "cannot locate cairn or your home directory")
	}
	opts, err := p.Options()
	if err != nil {
		return setup.Spec{}, err
	}
	db, err := space.DatabasePath(opts.Place)
	if err != nil {
		return setup.Spec{}, err
	}
	at := p.Env.Getenv("XDG_CONFIG_HOME")
	if at != "" {
		at = opts.Absolute(at)
	}
	return setup.Spec{Home: p.Env.Home, Config: at, Args: append([]string{p.Env.Program, verb, "--db=" + db}, args...)}, nil
}

// timerEvery is how often the timer runs, as often as guarded spaces are pushed.
const timerEvery = 15 * time.Minute

// Timer is what runs maintain regularly on this system.
func Timer(p *Program) ([]setup.Service, error) {
	spec, err := ServiceSpec(p, "maintain", "--quiet")
	if err != nil {
		return nil, err
	}
	spec.OS = runtime.GOOS
	return setup.NewTimer(spec, timerEvery)
}

// PutService installs or removes services. The last one starts the others.
func PutService(ctx context.Context, p *Program, all []setup.Service, install, dryRun bool) error {
	last := all[len(all)-1]
	done := serviceDone{Path: last.Path, Action: "unchanged", DryRun: dryRun, Next: []string{}}
	for _, s := range all {
		if len(all) > 1 {
			done.Paths = append(done.Paths, s.Path)
		}
		done.Text += s.Text
	}
	if dryRun && install {
		done.Action, done.Next = "written", last.Start
		return p.Content(done.Text, done, func(out *terminal.Page, text string) { out.WriteString(text) })
	}
	done.Text = ""
	for i := range all {
		var changed bool
		var err error
		switch {
		case dryRun:
			done.Action = "removed"
		case install:
			if changed, err = all[i].Install(ctx); changed {
				done.Action = "written"
			}
		default: // what starts the others first
			if changed, err = all[len(all)-1-i].Remove(ctx); changed {
				done.Action = "removed"
			}
		}
		if err != nil {
			return err
		}
	}
	if install {
		done.Next = last.Start
	} else if done.Action == "removed" {
		done.Next = last.Stop
	}
	return p.Did(done, func(out *terminal.Page) {
		verb := done.Action
		if dryRun {
			verb = "would be " + verb
		}
		for _, s := range all {
			out.Linef("%s: %s", verb, s.Path)
		}
		if len(done.Next) > 0 {
			out.Linef("%s", map[bool]string{true: "start it with:", false: "stop it with:"}[install])
		}
		for _, line := range done.Next {
			out.Linef("  %s", line)
		}
	}, nil)
}
