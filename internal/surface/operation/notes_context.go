package operation

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/note"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type buildContextInput struct {
	api.ContextRequest
	Budget int `json:"budget,omitempty" jsonschema:"tokens of content, about (default 4000)"`
}

type contextAnswer struct {
	note.Context
	Notes []string `json:"notes,omitempty"`
}

var buildContext = define(Operation{
	Name: "build_context", Title: "Build context", Group: notebook, Route: Route{"GET", "/build-context/{uri...}"},
	Description: "A page, or those that a pattern names, with what they say and the pages around them: the nearest first, then the newest.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in buildContextInput) (out contextAnswer, err error) {
	a = a.In(in.Space)
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: true}); err != nil {
		return out, err
	}
	out.Context, err = note.BuildContext(ctx, a, in.ContextRequest)
	left := cmp.Or(in.Budget, defaultBudget) * bytesPerToken
	for i := range out.Results {
		p := &out.Results[i].Primary
		text, _ := cut(p.Content, left)
		p.Left = len(text) < len(p.Content)
		p.Content = text
		left -= len(text)
	}
	return out, err
}, Between("depth", 1, note.MaxContextDepth), Between("limit", 1, 100), AtLeast("offset", 0), AtLeast("page", 1), Between("page_size", 1, 100),
	Between("max_related", 1, 100), Between("budget", 1, maxBudget))

type buildContextTool struct {
	Path       string `json:"path" jsonschema:"memory:// URL or permalink; * and ** for several"`
	Project    string `json:"project,omitempty"`
	Depth      int    `json:"depth,omitempty" jsonschema:"1 to 5"`
	Timeframe  string `json:"timeframe,omitempty"`
	Page       int    `json:"page,omitempty"`
	PageSize   int    `json:"page_size,omitempty"`
	MaxRelated int    `json:"max_related,omitempty" jsonschema:"default 10"`
	Format     format `json:"output_format,omitempty"`
}

func (c contextAnswer) words() string {
	var text strings.Builder
	for _, r := range c.Results {
		fmt.Fprintf(&text, "# %s\nref: %s\npermalink: %s\n", r.Primary.Title, r.Primary.Ref, r.Primary.Permalink)
		if r.Primary.Line > 0 {
			fmt.Fprintf(&text, "line: %d\n", r.Primary.Line)
		}
		fmt.Fprintf(&text, "\n%s\n", r.Primary.Content)
		if r.Primary.Left {
			text.WriteString("[the content goes on: read_note]\n")
		}
		for i, o := range r.Related {
			if i == 0 {
				text.WriteString("\n## Related\n\n")
			}
			fmt.Fprintf(&text, "- %s %s %s (%s)", o.Way, o.Relation, o.Title, o.Ref)
			if o.Summary != "" {
				text.WriteString(": " + o.Summary)
			}
			text.WriteString("\n")
		}
		text.WriteString("\n")
	}
	if left := c.Metadata.LeftOut; left.Primary+left.Related > 0 {
		fmt.Fprintf(&text, "left out: %d pages, %d related\n", left.Primary, left.Related)
	}
	return text.String() + leftOut(0, 0, c.Notes)
}

func noteContexts() []*Tool {
	return []*Tool{
		adapt(notesTool("build_context", "Build context", "A note, its observations and the notes around it, nearest then newest.", withNames(ofNote, map[string]string{"compact": ""})), buildContext,
			func(in buildContextTool) (buildContextInput, error) {
				return buildContextInput{ContextRequest: api.ContextRequest{
					URI: in.Path, Space: in.Project, Depth: in.Depth, Timeframe: in.Timeframe,
					Part: api.Part{Page: in.Page, PageSize: in.PageSize}, MaxRelated: in.MaxRelated,
				}}, nil
			},
			func(in buildContextTool, c contextAnswer) (textResult, error) {
				return formatted(cmp.Or(in.Format, asJSON), c, c.words), nil
			}, formats, Between("depth", 1, note.MaxContextDepth), AtLeast("page", 1), Between("page_size", 1, 100), Between("max_related", 1, 100)),
	}
}
