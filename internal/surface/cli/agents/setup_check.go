package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/setup"

	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// checkedEntry is what setup --check prints of one entry.
type checkedEntry struct {
	setup.Result
	Remedy string `json:"remedy,omitempty"`
}

// runSetupCheck starts the entries of clients: of those that are named, else of
// all; of one scope, or of both when none is given.
func runSetupCheck(ctx context.Context, p *command.Program, req setup.Request) error {
	place := p.SetupPlace()
	all := slices.DeleteFunc(place.Entries(ctx, req.Clients...), func(e setup.Entry) bool { return req.Scope != "" && e.Scope != req.Scope })
	checked := []checkedEntry{}
	for _, name := range req.Clients {
		if !slices.ContainsFunc(all, func(e setup.Entry) bool { return e.Client == name }) {
			none := setup.Result{Entry: setup.Entry{Client: name, Scope: req.Scope, Args: []string{}}, Tools: []string{}, Error: "it is not set up"}
			checked = append(checked, checkedEntry{none, "cairn setup " + name})
		}
	}
	for _, e := range all {
		c := checkedEntry{Result: setup.Check(ctx, e, p.Env.Dir)}
		switch {
		case c.OK:
		case e.Fault != "":
			c.Error, c.Remedy = command.FaultWords(e)
		case e.Off:
			c.Remedy = "Switch it on in the client, or in " + e.Path + "."
		default:
			c.Remedy = "See the entry named cairn in " + e.Path + "."
		}
		checked = append(checked, c)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := p.Record(command.Whole(checked), func(o *terminal.Page) { showChecked(o, checked) }, func(o *terminal.Page) {
		for _, c := range checked {
			o.Linef("%s\t%s\t%t\t%s\t%s", c.Client, string(c.Scope), c.OK, strings.Join(c.Tools, ","), c.Error)
		}
	})
	if err == nil && slices.ContainsFunc(checked, func(c checkedEntry) bool { return !c.OK }) {
		return command.ErrProblems
	}
	return err
}

func showChecked(o *terminal.Page, checked []checkedEntry) {
	if len(checked) == 0 {
		o.Linef("no client is set up; cairn setup lists those that it knows")
	}
	for _, c := range checked {
		head := fmt.Sprintf("%s (%s)", c.Client, c.Scope)
		if c.Scope == "" {
			head = c.Client
		}
		if !c.OK {
			o.Linef("%s %s: %s", o.Style.Bad("fails"), o.Style.Title(head), c.Error)
			o.Linef("    %s", o.Style.Aside(c.Remedy))
			continue
		}
		o.Linef("%s %s: %s: %s", o.Style.Good("works"), o.Style.Title(head), terminal.Count(len(c.Tools), "tool"), strings.Join(c.Tools, ", "))
	}
}
