package care

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep"
)

func newConfig(p *command.Program) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "config",
		Short: "Read and change settings",
		Long: `Settings come from the configuration file, over which CAIRN_* variables win,
over which flags win. The file may have defaults of spaces, too. See: cairn help
environment`,
	}, newConfigGet(p), newConfigSet(p), newConfigUnset(p), command.Lists[api.ConfigSetting](p, newConfigList(p)), newConfigPath(p))
}

func newConfigGet(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "get KEY",
		Short: "Print a setting",
		Long: `Print the value of a setting, wherever it is set. One that is not set prints its
default. embedding_model and embedding_dimensions are of the memory's active
embedding model, which cairn model use changes.`,
		Example:           "  cairn config get format",
		Args:              command.Need("KEY"),
		ValidArgsFunction: keys(p),
		RunE: func(cmd *cobra.Command, args []string) error {
			value, source, err := setting(cmd.Context(), p, args[0])
			if err != nil {
				return err
			}
			return p.Content(value+"\n", struct {
				Key    string `json:"key"`
				Value  string `json:"value"`
				Source string `json:"source"`
			}{args[0], value, source}, command.PlainText)
		},
	}
}

// setting returns a setting with where it is from: what says which embedding model is
// active is in the memory.
func setting(ctx context.Context, p *command.Program, key string) (value, source string, err error) {
	if !space.Derived(key) {
		cfg, err := p.Config()
		if err != nil {
			return "", "", err
		}
		return cfg.Get(key)
	}
	err = p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		all, err := embedding.ListModels(ctx, a)
		for _, m := range all {
			switch {
			case !m.Active:
			case key == space.EmbeddingModel:
				value = m.Name
			default:
				value = strconv.Itoa(m.Dims)
			}
		}
		return err
	})
	return value, "memory", err
}

func newConfigSet(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Change a setting in the configuration file",
		Long: `Write a setting to the configuration file. An empty VALUE removes
it, as cairn config unset does. Other lines stay as they are.`,
		Example:           "  cairn config set format brief\n  cairn config set actor agent:claude-code",
		Args:              command.Need("KEY", "VALUE"),
		ValidArgsFunction: keys(p),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runConfigSet(cmd.Context(), p, "config set "+args[0]+" VALUE", args[0], args[1])
		},
	}
}

func newConfigUnset(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:               "unset KEY",
		Short:             "Take a setting out of the configuration file",
		Long:              `Take a setting out of the configuration file, so that its default holds again. Other lines stay as they are.`,
		Example:           "  cairn config unset format",
		Args:              command.Need("KEY"),
		ValidArgsFunction: keys(p),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runConfigSet(cmd.Context(), p, "config unset "+args[0], args[0], "")
		},
	}
}

func runConfigSet(ctx context.Context, p *command.Program, by, key, value string) error {
	if err := p.PersonOnly(by, "change a setting"); err != nil {
		return err
	}
	cfg, err := p.Config()
	if err != nil {
		return err
	}
	if err := tried(ctx, p, key, value); err != nil {
		return err
	}
	if err := cfg.Set(ctx, key, value); err != nil {
		return err
	}
	if now, source, err := cfg.Get(key); err == nil && now != value && value != "" {
		p.Note("note: %s is set too and wins", source)
	}
	return nil
}

// tried fails where a setting names a memory that cannot be one, a space that
// the memory does not have, or a model that cannot run. A memory may come later, and its server
// may be down.
func tried(ctx context.Context, p *command.Program, key, value string) error {
	if key == "rerank" && space.Check(key, value) == nil {
		return retrieve.TryReranker(ctx, p.Place(), value)
	}
	if key != "db" && key != "space" || value == "" {
		return nil
	}
	opts := memory.Options{Hooks: upkeep.Hooks(), Place: p.Place(), Now: p.Env.Now, Hint: command.HintOf, Actor: kb.Actor{Kind: kb.Human}}
	if key == "db" {
		opts.Place.DB = value
	}
	a, err := memory.Open(ctx, opts, false)
	if err != nil {
		if why := kb.AsError(err).Reason; why == kb.NoDatabase || why == kb.DatabaseDown {
			return nil
		}
		return err
	}
	if key == "space" {
		_, err = a.Spaces.Show(ctx, value)
	}
	return errors.Join(err, a.Close())
}

func newConfigList(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List all settings",
		Long: `List all settings with their values, where each comes from, and its meaning. The
defaults for spaces in the file follow.`,
		Example: "  cairn config list\n  cairn config list --json",
		Args:    command.Need(),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := p.Config()
			if err != nil {
				return err
			}
			all := cfg.List()
			return p.Record(command.Whole(all), func(o *terminal.Page) {
				for _, s := range all {
					o.Linef("%s = %s  %s", o.Style.Title(s.Key), s.Value, o.Style.Aside(s.Source))
					o.Textf(4, "%s", o.Style.Aside(s.Help))
				}
			}, func(o *terminal.Page) {
				for _, s := range all {
					o.Linef("%s\t%s\t%s", s.Key, s.Value, s.Source)
				}
			})
		},
	}
}

func newConfigPath(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "Print the path of the configuration file",
		Long:    `Print the path of the configuration file, whether or not it exists.`,
		Example: "  cairn config path",
		Args:    command.Need(),
		RunE: func(*cobra.Command, []string) error {
			path := space.Path(p.Place())
			if path == "" {
				return space.NoFile()
			}
			return p.Content(path+"\n", struct {
				Path string `json:"path"`
			}{path}, command.PlainText)
		},
	}
}

// keys completes the first argument as a setting.
func keys(p *command.Program) command.Completer {
	return func(_ *cobra.Command, args []string, _ string) (found []string, _ cobra.ShellCompDirective) {
		cfg, err := p.Config()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, s := range cfg.List() {
			found = append(found, s.Key)
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}
