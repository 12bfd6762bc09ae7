package spaces

import (
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/setup"
)

func runService(cmd *cobra.Command, p *command.Program, o serveOptions) error {
	if err := checkHTTP(p, o); err != nil {
		return err
	}
	s, err := serviceOf(cmd, p, o)
	if err != nil {
		return err
	}
	return command.PutService(cmd.Context(), p, []setup.Service{s}, o.install, o.dryRun)
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
func serviceOf(cmd *cobra.Command, p *command.Program, o serveOptions) (setup.Service, error) {
	var args []string
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
	spec, err := command.ServiceSpec(p, "serve", args...)
	if err != nil {
		return setup.Service{}, err
	}
	spec.OS, spec.Grace = runtime.GOOS, o.grace
	return setup.New(spec)
}
