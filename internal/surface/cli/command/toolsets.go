package command

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// Toolsets are the flags that say which tools an agent is offered.
type Toolsets struct {
	Names    []string
	ReadOnly bool
}

// AddFlags adds them to a command.
func (o *Toolsets) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.Names, "toolsets", []string{"core"}, "offer these `sets` of tools: core, more, capture, context, review, notes, memory, all")
	f.BoolVar(&o.ReadOnly, "read-only", false, "offer only tools that change nothing")
	Complete(cmd, "toolsets", cobra.FixedCompletions([]string{"core", "more", "capture", "context", "notes", "memory", "all"}, cobra.ShellCompDirectiveNoFileComp))
}

// Keep has a memory keep nothing of what it is asked, where only what changes nothing is
// offered.
func (o *Toolsets) Keep(to *memory.Options) { to.ReadOnly = o.ReadOnly }

// Sets returns the sets that were asked for.
func (o *Toolsets) Sets() ([]operation.Set, error) { return operation.ReadSets(o.Names...) }
