package read

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type primeOptions struct {
	req       brief.PrimeRequest
	budgetSet bool
	format    string
	verbose   bool
	end       bool
}

func newPrime(p *command.Program) *cobra.Command {
	var o primeOptions
	cmd := &cobra.Command{
		Use:   "prime",
		Short: "Print what an agent needs at the start of a session",
		Long: `Print a description of this memory and its use, the pages that the policy of the
space injects, the pinned pages, and the changes since the same actor's last
session, within a token budget. For the hook that an agent's client runs when a
session starts.

Injected pages are printed whole, without empty sections. Each has a budget of
its own (max_tokens in the policy, else 4,000); what exceeds it is named with
its size. With --budget they share that one.

Where there is no memory, or no space for the working directory but a directory
elsewhere, it prints nothing. After any error of the memory it exits with 0 and
prints nothing, so that it never fails a session; --verbose prints the error on
standard error. Only wrong arguments are an error.

The file that CAIRN_PRIME names is printed instead of all this, and so is
.cairn/PRIME.md in the working directory, once a person accepted it with
cairn space add . --accept.

--format hook prints the JSON that the SessionStart hooks of Claude Code, Codex,
Gemini CLI and Qwen Code expect; --format copilot is for Copilot CLI. Both read
the JSON that the client writes to standard input. After its source resume or
compact the session is the earlier one: the changes since the last session and
the reminder of --end still count from its start. Without a source, a start
within four hours of the earlier one counts as the same session.

--end is for a hook that runs when a session ends: it prints a reminder if
nothing was written since the same actor's session started, and else nothing.`,
		Example: `  cairn prime
  cairn prime --format hook --actor claude-code
  cairn prime --end --format hook --actor claude-code
  cairn prime --budget 300 --since yesterday`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.budgetSet = cmd.Flags().Changed("budget")
			return runPrime(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.req.Budget, "budget", 0, "print at most `N` tokens (default: 800, and the pages that the policy injects)")
	f.StringVar(&o.req.Since, "since", "", "show what changed since this `date` (default: since last time)")
	f.StringVar(&o.format, "format", "text", "print as `text`, json, hook or copilot")
	f.BoolVar(&o.end, "end", false, "remind, at the end of a session, if nothing was written in it")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "say on standard error what went wrong")
	command.Complete(cmd, "format", cobra.FixedCompletions([]string{"text", "json", "hook", "copilot"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runPrime(ctx context.Context, p *command.Program, o primeOptions) error {
	if o.req.Budget < 0 || o.budgetSet && o.req.Budget == 0 {
		return kb.Errorf(kb.Usage, "a budget of %d tokens holds nothing", o.req.Budget)
	}
	if err := o.req.Check(p.Env.Now()); err != nil {
		return err
	}
	if p.Flags.JSON.Asked {
		o.format = "json"
	}
	switch o.format {
	case "text", "json", "hook", "copilot":
	default:
		return kb.Errorf(kb.Usage, "prime cannot print %q", o.format).WithHint("It prints text, json, hook or copilot.")
	}
	if o.end && (o.format == "json" || o.format == "copilot") {
		return kb.Errorf(kb.Usage, "prime --end cannot print %s", o.format).WithHint("It prints text or hook.")
	}
	if !o.verbose {
		p.Flags.Quiet = true
	}
	do := prime
	if o.end {
		do = remind
	}
	if err := do(ctx, p, o); err != nil && o.verbose {
		p.ReportError(ctx, err)
	}
	return nil
}

// prime prints the override, or what the memory says.
func prime(ctx context.Context, p *command.Program, o primeOptions) error {
	answer, found, err := brief.PrimeOverride(ctx, p.Place(), o.req.Budget)
	if err != nil {
		return err
	}
	if found {
		return printPrimed(p, answer, o.format)
	}
	p.Flags.Format = string(command.FormatHuman) // how records print is not the matter, though the setting be wrong
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		answer, found, waits, err := brief.PrimeOfDirectory(ctx, a, o.req.Budget)
		if err != nil {
			return err
		}
		if found {
			return printPrimed(p, answer, o.format)
		}
		o.req.PrimeWaits = waits
		o.req.Brief = o.format == "hook" || o.format == "copilot"
		o.req.HasInstructions = o.req.Brief && p.SetupPlace().HasInstructions(ctx, p.Flags.Actor)
		if o.req.Brief {
			o.req.Source = hookSource(ctx, p)
		}
		answer, err = brief.PrimeSession(ctx, a, o.req)
		if err != nil {
			return err
		}
		if err := printPrimed(p, answer, o.format); err != nil {
			return err
		}
		return brief.Primed(ctx, a, answer)
	})
}

// hookTime bounds how long a session waits for what its client's hook writes, as some write
// nothing and keep the pipe open.
const hookTime = 200 * time.Millisecond

// hookSource returns why a client's hook ran, from the JSON that it writes to standard
// input; "" where it writes none.
func hookSource(ctx context.Context, p *command.Program) string {
	if p.Env.StdinTTY || p.Env.Stdin == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	var hook struct {
		Source string `json:"source"`
	}
	text, err := terminal.ReadAll(ctx, p.Env.Stdin)
	if err != nil || json.Unmarshal(text, &hook) != nil {
		return ""
	}
	return hook.Source
}

// remind prints the reminder at the end of a session.
func remind(ctx context.Context, p *command.Program, o primeOptions) error {
	p.Flags.Format = string(command.FormatHuman)
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		text, err := brief.Reminder(ctx, a)
		if err != nil || text == "" {
			return err
		}
		if o.format != "hook" {
			return p.Write([]byte(text))
		}
		return p.JSON(struct {
			Message string `json:"systemMessage"` // which clients show the person
		}{strings.TrimSpace(text)})
	})
}

// sessionStart is what a SessionStart hook prints.
type sessionStart struct {
	Output struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

func printPrimed(p *command.Program, answer api.Prime, format string) error {
	if answer.Text == "" {
		return nil
	}
	switch format {
	case "json":
		return p.JSON(answer)
	case "hook":
		var s sessionStart
		s.Output.Event, s.Output.Context = "SessionStart", answer.Text
		return p.JSON(s)
	case "copilot":
		return p.JSON(struct {
			Context string `json:"additionalContext"`
		}{answer.Text})
	}
	return p.Write(fmt.Append(nil, answer.Text))
}
