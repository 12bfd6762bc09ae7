package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/terminal"
)

func newConfig(p *program) *cobra.Command {
	return group(&cobra.Command{
		Use:   "config",
		Short: "Read and change settings",
		Long: `Settings come from the configuration file, over which CAIRN_* variables win,
over which flags win. See: cairn help environment`,
	}, newConfigGet(p), newConfigSet(p), lists[config.Setting](p, newConfigList(p)), newConfigPath(p))
}

// config reads the configuration.
func (p *program) config() (*config.Config, error) {
	return config.Load(p.place())
}

// place is what the paths of the configuration and the memory depend on.
func (p *program) place() config.Place {
	return config.Place{Env: p.env.Getenv, Dir: p.env.Dir, Home: p.env.Home, DB: p.flags.db}
}

func newConfigGet(p *program) *cobra.Command {
	return &cobra.Command{
		Use:               "get KEY",
		Short:             "Print a setting",
		Long:              `Print the value of a setting, wherever it is set. One that is not set prints its default.`,
		Example:           "  cairn config get format",
		Args:              need("KEY"),
		ValidArgsFunction: p.keys,
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			value, source, err := cfg.Get(args[0])
			if err != nil {
				return err
			}
			return p.content([]byte(value+"\n"), struct {
				Key    string `json:"key"`
				Value  string `json:"value"`
				Source string `json:"source"`
			}{args[0], value, source}, plainText)
		},
	}
}

func newConfigSet(p *program) *cobra.Command {
	return &cobra.Command{
		Use:               "set KEY VALUE",
		Short:             "Change a setting in the configuration file",
		Long:              `Write a setting to the configuration file. An empty VALUE removes it. Other lines stay as they are.`,
		Example:           "  cairn config set format brief\n  cairn config set actor agent:claude-code\n  cairn config set format ''",
		Args:              need("KEY", "VALUE"),
		ValidArgsFunction: p.keys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runConfigSet(cmd.Context(), p, args[0], args[1])
		},
	}
}

func runConfigSet(ctx context.Context, p *program, key, value string) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if err := p.tried(ctx, key, value); err != nil {
		return err
	}
	if err := cfg.Set(ctx, key, value); err != nil {
		return err
	}
	if now, source, err := cfg.Get(key); err == nil && now != value && value != "" {
		p.note("note: %s is set too and wins", source)
	}
	return nil
}

// tried fails where a setting names a memory that cannot be one, or a space that
// the memory does not have. A memory may come later.
func (p *program) tried(ctx context.Context, key, value string) error {
	if key != "db" && key != "space" || value == "" {
		return nil
	}
	opts := app.Options{Place: p.place(), Now: p.env.Now, Hint: hintOf, Actor: kb.Actor{Kind: kb.Human}}
	if key == "db" {
		opts.Place.DB = value
	}
	a, err := app.Open(ctx, opts, false)
	if err != nil {
		if kb.AsError(err).Reason == kb.NoDatabase {
			return nil
		}
		return err
	}
	if key == "space" {
		_, err = a.Spaces().Show(ctx, value)
	}
	return errors.Join(err, a.Close())
}

func newConfigList(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List all settings",
		Long:    `List all settings with their values, where each comes from, and what it means.`,
		Example: "  cairn config list\n  cairn config list --json",
		Args:    need(),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			all := cfg.List()
			return p.record(whole(all), func(o *terminal.Page) {
				t := terminal.NewTable("SETTING", "VALUE", "FROM", "MEANING")
				for _, s := range all {
					t.Row(o.Style.Title(s.Key), s.Value, s.Source, s.Help)
				}
				t.Print(o)
			}, func(o *terminal.Page) {
				for _, s := range all {
					o.Linef("%s\t%s\t%s", s.Key, s.Value, s.Source)
				}
			})
		},
	}
}

func newConfigPath(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "Print the path of the configuration file",
		Long:    `Print the path of the configuration file, whether or not it exists.`,
		Example: "  cairn config path",
		Args:    need(),
		RunE: func(*cobra.Command, []string) error {
			path := config.Path(p.place())
			if path == "" {
				return config.NoFile()
			}
			return p.content([]byte(path+"\n"), struct {
				Path string `json:"path"`
			}{path}, plainText)
		},
	}
}

// keys completes the first argument as a setting.
func (p *program) keys(_ *cobra.Command, args []string, _ string) (found []string, _ cobra.ShellCompDirective) {
	cfg, err := p.config()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, s := range cfg.List() {
		found = append(found, s.Key)
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
