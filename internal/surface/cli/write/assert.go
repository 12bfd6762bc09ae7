package write

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

type assertOptions struct {
	command.Writing
	api.AssertRequest
	confidence float64
}

func newAssert(p *command.Program) *cobra.Command {
	var o assertOptions
	cmd := &cobra.Command{
		Use:   "assert SUBJECT PREDICATE OBJECT",
		Short: "Record an assertion with its time and source",
		Long: `Store an assertion about a page, in its sidecar .raw/NAME.json. SUBJECT and
OBJECT are pages, by any of their names, or text. Without --on, the subject's
page keeps it. An existing assertion stays.

--supersedes ends another assertion in the same write, when this one begins.

--evidence is a quote from the page: when it is not in the page any more, the
evidence is lost, and assertions reports it.`,
		Example: `  cairn assert people/ada is_ceo_of companies/brex --since 2017-01
  cairn assert "Pedro Franceschi" lives_in "São Paulo" --on people/pedro --source "User, call, 2026-03-01"
  cairn assert people/ada is_ceo_of companies/acme --since 2020-05 --supersedes 4611686018427387
  cairn assert people/ada role CTO --on companies/brex --evidence "Ada joined as CTO" --confidence 0.8`,
		Args:              command.Need("SUBJECT", "PREDICATE", "OBJECT"),
		ValidArgsFunction: ends(p),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Subject, o.Predicate, o.Object = args[0], args[1], args[2]
			if cmd.Flags().Changed("confidence") {
				o.Confidence = &o.confidence
			}
			return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				o.WriteOptions = w
				return assertion.Add(cmd.Context(), a, o.AssertRequest)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.On, "on", "", "`ref` of the page that keeps it (default: the subject's)")
	f.StringVar(&o.Since, "since", "", "it holds since this `date`")
	f.StringVar(&o.Until, "until", "", "it held until this `date`")
	f.StringVar(&o.Source, "source", "", "`where` it is known from")
	f.StringVar(&o.Evidence, "evidence", "", "`words` of the page as evidence")
	f.Int64Var(&o.Supersedes, "supersedes", 0, "`id` of the assertion that it replaces, which ends")
	f.Float64Var(&o.confidence, "confidence", 1, "how sure it is, from 0 to 1")
	o.AddFlags(cmd)
	return cmd
}

type assertCloseOptions struct {
	command.Writing
	api.AssertCloseRequest
}

func newAssertClose(p *command.Program) *cobra.Command {
	var o assertCloseOptions
	cmd := &cobra.Command{
		Use:   "assert-close ID",
		Short: "End an assertion that held until now",
		Long: `Write until when the assertion with an ID of cairn assertions held. It stays, as
knowledge of the past, and keeps its ID.`,
		Example: `  cairn assert-close 4611686018427387 --until 2026-03-01
  cairn assert-close 4611686018427387`,
		Args: command.Need("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.ID = number(args[0]); o.ID <= 0 {
				return command.UsageError(cmd, "%q is not the id of an assertion", args[0])
			}
			return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				o.WriteOptions = w
				return assertion.Close(cmd.Context(), a, o.AssertCloseRequest)
			})
		},
	}
	cmd.Flags().StringVar(&o.Until, "until", "", "it held until this `date` (default: today)")
	o.AddFlags(cmd)
	return cmd
}
