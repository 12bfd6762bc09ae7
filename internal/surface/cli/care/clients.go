package care

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/setup"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
)

// checkClients returns doctor's checks of the clients that are set up, for the
// person and for the working directory. It starts none of them.
func checkClients(ctx context.Context, place setup.Place) (all []api.Check) {
	var fine []string
	for _, e := range place.Entries(ctx) {
		switch {
		case !e.RunsCairn():
		case e.Fault != "":
			c := api.Check{Name: "client " + e.Client, State: "warning", Items: []string{e.Path}}
			c.Reason, c.Remedy = command.FaultWords(e)
			all = append(all, c)
		case !slices.Contains(fine, e.Client):
			fine = append(fine, e.Client)
		}
	}
	if len(all) == 0 {
		c := api.Check{Name: "clients", State: "ok", Reason: "none is set up (cairn setup lists those that could be)"}
		if len(fine) > 0 {
			c.Reason = strings.Join(fine, ", ") + " can start cairn (cairn setup --check tries it)"
		}
		all = append(all, c)
	}
	return all
}

// checkGraphviz reports whether dot is installed, without which cairn draws nothing.
func checkGraphviz(context.Context, *doctor.Look) ([]api.Check, error) {
	c := api.Check{Name: "graphviz", State: "ok", Reason: "dot draws what cairn map and graph write"}
	if !terminal.Installed("dot") {
		c.Reason = "dot is not installed, which draws what cairn map and graph write"
	}
	return []api.Check{c}, nil
}

// checkSkills reports copies of skills that are not as they would be installed,
// where a client that is set up reads them.
func checkSkills(ctx context.Context, place setup.Place) []api.Check {
	copies, err := place.InstalledSkills(ctx)
	if err != nil {
		e := kb.AsError(err)
		return []api.Check{{Name: "skills", State: "warning", Reason: e.Message, Remedy: command.HintOf(e)}}
	}
	c := api.Check{Name: "skills", State: "ok", Reason: "every client that is set up has them as they are now"}
	read, stale, remedies := 0, 0, []string{}
	for _, s := range copies {
		if len(s.Clients) == 0 {
			continue
		}
		read++
		switch s.State {
		case setup.Old, setup.Absent:
			stale++
			remedy := "cairn setup " + s.Clients[0]
			if s.Scope == setup.Project {
				remedy += " --scope project"
			}
			if !slices.Contains(remedies, remedy) {
				remedies = append(remedies, remedy)
			}
			c.Items = append(c.Items, string(s.State)+": "+s.Path)
		case setup.Broken:
			c.State = "warning"
			c.Items = append(c.Items, kb.AsError(s.Err).Message)
		}
	}
	switch {
	case read == 0:
		return nil
	case stale > 0:
		c.State, c.Remedy = "warning", strings.Join(remedies, "; ")
		c.Reason = terminal.Count(stale, "skill") + " missing or of an older cairn"
	case c.State == "warning":
		c.Reason, c.Remedy = "a text of your own cannot be used", "cairn skills doctor"
	}
	return []api.Check{c}
}

// withoutMemory is what doctor says where there is no memory yet; err is what
// opening it failed with.
func withoutMemory(err error) []api.Check {
	remedy := command.HintOf(&kb.Error{Reason: kb.NoMemory})
	return []api.Check{{Name: "memory", State: "warning", Reason: kb.AsError(err).Message, Remedy: remedy}}
}
