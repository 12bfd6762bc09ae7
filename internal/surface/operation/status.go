package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"

	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

type statusInput struct {
	Detail bool `json:"detail,omitempty" jsonschema:"counts by type and status, problems in full"`
}

type spaceState struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Root   string `json:"root,omitempty"`
	Pages  *int   `json:"pages,omitempty"`
	Synced string `json:"synced_at,omitempty"`
	Watch  string `json:"watch,omitempty" jsonschema:"how changes by other programs are noticed"`
	About  string `json:"description,omitempty"`

	Activity any `json:"activity,omitempty" jsonschema:"in detail: file changes that were read"`
}

type statusAnswer struct {
	Current  string       `json:"current,omitempty" jsonschema:"space that is used when none is named"`
	Spaces   []spaceState `json:"spaces"`
	Pages    int          `json:"pages"`
	Links    int          `json:"links"`
	Gaps     int          `json:"open_gaps,omitempty" jsonschema:"questions that memory could not answer"`
	Disputes int          `json:"contradictions,omitempty" jsonschema:"that count: check"`
	Problems []string     `json:"problems"`
	Stats    *api.Stats   `json:"stats,omitempty"`
	Checks   []api.Check  `json:"checks,omitempty"`
	Notes    []string     `json:"notes,omitempty"`

	Embedded int `json:"embedded,omitempty"` // in detail: pages that the model has embedded

	// In detail, for tools that say more: current assertions, and the model.
	asserted int
	model    string
}

var status = define(Operation{
	Name: "status", Title: "State of the memory", Group: core, Route: Route{"GET", "/status"},
	Description: "Which spaces there are, which is current, what they hold, and what needs attention.",
	ReadOnly:    true, Idempotent: true,
	nothing: statusAnswer{Spaces: []spaceState{}, Problems: []string{}, Notes: []string{nothingYet}},
}, func(ctx context.Context, a *memory.Session, in statusInput) (statusAnswer, error) {
	out := statusAnswer{Spaces: []spaceState{}, Problems: []string{}}
	current, err := a.Spaces.DescribeCurrent(ctx)
	if err != nil && kb.CodeOf(err) != kb.Ambiguous {
		return out, err
	}
	st, err := state.Describe(ctx, a)
	if err != nil {
		return out, err
	}
	out.Current, out.Pages, out.Links, out.Gaps, out.Disputes = current.Name, st.Stats.Pages, st.Stats.Links, st.Stats.Gaps, st.Stats.Disputes
	for _, s := range st.Spaces {
		x := spaceState{Name: s.Name, Kind: string(s.Kind), Root: s.Root, Pages: s.Pages, About: s.Description}
		if s.SyncedAt != nil {
			x.Synced = s.SyncedAt.UTC().Format(timeLayout)
		}
		if in.Detail && s.Watch != nil && s.Watch.Activity != nil {
			x.Activity = s.Watch.Activity
		}
		switch {
		case s.Watch == nil, !s.Watch.Watched && s.Watch.Reason == "":
		case s.Watch.Watched:
			x.Watch = "watched"
		default:
			x.Watch = "listed before each answer: " + s.Watch.Reason
		}
		out.Spaces = append(out.Spaces, x)
	}
	for _, g := range st.Git {
		out.Notes = append(out.Notes, "git "+g.Space+": "+g.Summary())
	}
	for _, c := range st.Curation {
		out.Notes = append(out.Notes, "curation "+c.Space+": "+c.Summary())
	}
	for _, c := range st.Problems {
		out.Problems = append(out.Problems, c.Reason)
	}
	if in.Detail {
		out.Stats, out.Checks = &st.Stats, st.Problems
		said, err := assertion.List(ctx, a, api.AssertionsRequest{Space: "*", Limit: 1})
		if err != nil {
			return out, err
		}
		out.asserted = said.Total
		models, err := embedding.ListModels(ctx, a)
		if err != nil {
			return out, err
		}
		for _, m := range models {
			if m.Active {
				out.model, out.Embedded = m.Name, m.Pages
			}
		}
	}
	return out, nil
})
