package spaces

import (
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cairn-kb/cairn/internal/cli/command"
	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/service"
	"github.com/cairn-kb/cairn/internal/terminal"
)

// serviceDone is what installing a service prints.
type serviceDone struct {
	Path   string   `json:"path"`
	Action string   `json:"action"` // written, removed, unchanged
	DryRun bool     `json:"dry_run,omitempty"`
	Text   string   `json:"text,omitempty"` // of a dry run
	Next   []string `json:"next"`           // commands to run
}

func runService(cmd *cobra.Command, p *command.Program, o serveOptions) error {
	if err := checkHTTP(p, o); err != nil {
		return err
	}
	s, err := serviceOf(cmd, p, o)
	if err != nil {
		return err
	}
	done := serviceDone{Path: s.Path, Action: "unchanged", DryRun: o.dryRun, Next: []string{}}
	var changed bool
	switch {
	case o.dryRun && o.install:
		done.Action, done.Text, done.Next = "written", s.Text, s.Start
		return p.Content([]byte(s.Text), done, func(out *terminal.Page, text string) { out.WriteString(text) })
	case o.dryRun:
		done.Action, done.Next = "removed", s.Stop
	case o.install:
		if changed, err = s.Install(cmd.Context()); changed {
			done.Action = "written"
		}
		done.Next = s.Start
	default:
		if changed, err = s.Remove(cmd.Context()); changed {
			done.Action, done.Next = "removed", s.Stop
		}
	}
	if err != nil {
		return err
	}
	return p.Did(done, func(out *terminal.Page) {
		verb := done.Action
		if o.dryRun {
			verb = "would be " + verb
		}
		out.Linef("%s: %s", verb, s.Path)
		if len(done.Next) > 0 {
			out.Linef("%s", map[bool]string{true: "start it with:", false: "stop it with:"}[o.install])
		}
		for _, line := range done.Next {
			out.Linef("  %s", line)
		}
	}, nil)
}

// checkHTTP refuses to install what serve would refuse whenever it starts.
func checkHTTP(p *command.Program, o serveOptions) error {
	if !o.install || !o.http {
		return nil
	}
	if _, err := o.Sets(); err != nil {
		return err
	}
	return p.Env.CheckAddress(o.listen, o.remote)
}

// serviceOf is the one that runs what the command line says, wherever it is
// started from.
func serviceOf(cmd *cobra.Command, p *command.Program, o serveOptions) (service.Service, error) {
	if p.Env.Program == "" || p.Env.Home == "" {
		return service.Service{}, kb.Errorf(kb.Usage, "cannot tell where cairn or your home directory is")
	}
	opts, err := p.Options()
	if err != nil {
		return service.Service{}, err
	}
	db, err := config.DatabasePath(opts.Place)
	if err != nil {
		return service.Service{}, err
	}
	args := []string{p.Env.Program, "serve", "--db=" + db}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"http", "quiet", "log-level", "log-format"}, f.Name) && !slices.Contains(httpFlags, f.Name) {
			return
		}
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		args = append(args, "--"+f.Name+"="+value)
	})
	configHome := p.Env.Getenv("XDG_CONFIG_HOME")
	if configHome != "" {
		configHome = opts.Absolute(configHome)
	}
	return service.New(service.Spec{
		OS: runtime.GOOS, Home: p.Env.Home, Config: configHome, Args: args, Grace: o.grace,
	})
}
