package spaces

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newModel(p *command.Program) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "model",
		Short: "List, add, choose and check embedding models",
		Long: `The model turns pages and questions into vectors. One is built in and needs no
network. multilingual, for a hundred languages, is one file more. Others run in
Ollama, behind an address that speaks OpenAI's protocol, or from a directory
with a sentence encoder. Vectors are kept for each model until it is removed, so
going back to one computes nothing again.`,
	}, command.Lists[api.EmbeddingModel](p, newModelList(p)), newModelAdd(p), newModelUse(p), newModelRemove(p), newModelVerify(p))
}

func newModelList(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the models",
		Long:    `List the models, with how many pages each has embedded. A star marks the active one.`,
		Example: "  cairn model list\n  cairn model list --json",
		Aliases: []string{"ls"},
		Args:    command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				all, err := embedding.ListModels(cmd.Context(), a)
				if err != nil {
					return err
				}
				return p.Record(command.Whole(all), func(o *terminal.Page) {
					t := terminal.NewTable("MODEL", "DIMENSIONS", "PAGES", "LEFT", "WHERE")
					for _, m := range all {
						name, where := m.Name, m.Source
						if m.Active {
							name += " *"
						}
						if m.URL != "" || m.File != "" {
							where = m.URL + m.File
						}
						t.Row(o.Style.Title(name), m.Dims, m.Pages, m.Left, where)
					}
					t.Print(o)
				}, func(o *terminal.Page) {
					for _, m := range all {
						modelBrief(o, m)
					}
				})
			})
		},
	}
}

func modelBrief(o *terminal.Page, m api.EmbeddingModel) {
	o.Linef("%s\t%s\t%d\t%d\t%d", m.Name, m.Source, m.Dims, m.Pages, m.Left)
}

// oneModel gets a model and prints it after a line that reports the change.
func oneModel(ctx context.Context, p *command.Program, need command.Access, done string, ask func(*memory.Session) (api.EmbeddingModel, error)) error {
	return p.WithApp(ctx, need, func(a *memory.Session) error {
		m, err := ask(a)
		if err != nil {
			return err
		}
		return p.Did(m, func(o *terminal.Page) {
			o.Linef("%s %s: %d dimensions, %s embedded", done, o.Style.Title(m.Name), m.Dims, terminal.Count(m.Pages, "page"))
			if m.Active && m.Left > 0 {
				o.Linef("%s must be embedded: cairn embed --all", terminal.Count(m.Left, "page"))
			}
		}, func(o *terminal.Page) { modelBrief(o, m) })
	})
}

func newModelAdd(p *command.Program) *cobra.Command {
	var req embedding.ModelAdd
	cmd := &cobra.Command{
		Use:   "add NAME [FILE|URL]",
		Short: "Add a model, after trying it",
		Long: `Add the model multilingual, ollama/MODEL, openai/MODEL or dir:PATH, after having
it embed one word. Pages are sent to a server once its model is used: see model
use. Adding an existing one replaces its address and key variable. The key is
read from the variable each time, and is not stored.

multilingual is multilingual-e5-small, for questions and pages in a hundred
languages, also where the two differ. Its file is among those of a release. It
is copied to the data directory if its checksum is right, and runs in this
process as the built-in model does. Other files of tools/pack-model need
--sha256.`,
		Example: `  cairn model add multilingual multilingual-e5-small.pack
  cairn model add multilingual https://example.org/multilingual-e5-small.pack
  cairn model add ollama/nomic-embed-text
  cairn model add openai/text-embedding-3-small --key-env OPENAI_API_KEY
  cairn model add openai/bge-m3 --url http://127.0.0.1:8080/v1
  cairn model add dir:/models/all-MiniLM-L6-v2`,
		Args: command.Need("NAME", "[FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Name = args[0]
			if len(args) > 1 {
				req.File = args[1]
			}
			return oneModel(cmd.Context(), p, command.Create, "added", func(a *memory.Session) (api.EmbeddingModel, error) {
				bar := p.Progress()
				defer bar.Stop()
				req.Progress = func(phase string, done, total int) { bar.Report("", phase, done, total) }
				return embedding.AddModel(cmd.Context(), a, req)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&req.SHA256, "sha256", "", "`sum` that the file of a packed model must have")
	f.StringVar(&req.URL, "url", "", "`address` of the server (default: that of Ollama here, or of OpenAI)")
	f.StringVar(&req.KeyEnv, "key-env", "", "environment `variable` that holds the API key")
	return cmd
}

func newModelUse(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "use NAME",
		Short: "Choose the model that queries and embed use",
		Long: `Make a model the active one, and say how many pages must be embedded for it.
Until they are, words find them. The vectors of other models are kept.`,
		Example:           "  cairn model use ollama/nomic-embed-text\n  cairn model use bge-small-en-v1.5",
		Args:              command.Need("NAME"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return oneModel(cmd.Context(), p, command.Existing, "using", func(a *memory.Session) (api.EmbeddingModel, error) {
				return embedding.UseModel(cmd.Context(), a, args[0])
			})
		},
	}
}

func newModelRemove(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME",
		Short: "Forget a model and its vectors",
		Long: `Forget a model and the vectors that it made. The active model is not removed.
The file of a packed model stays: other memories may use it.`,
		Example:           "  cairn model rm ollama/nomic-embed-text",
		Args:              command.Need("NAME"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return oneModel(cmd.Context(), p, command.Existing, "forgot", func(a *memory.Session) (api.EmbeddingModel, error) {
				return embedding.RemoveModel(cmd.Context(), a, args[0])
			})
		},
	}
}

func newModelVerify(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Check that the active model works and its vectors can be read",
		Long: `Have the active model embed one word, and read every vector that it made: each
must have the model's dimensions, and the length one.`,
		Example: "  cairn model verify\n  cairn model verify --json",
		Args:    command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return oneModel(cmd.Context(), p, command.Existing, "verified", func(a *memory.Session) (api.EmbeddingModel, error) {
				return embedding.VerifyModel(cmd.Context(), a)
			})
		},
	}
}
