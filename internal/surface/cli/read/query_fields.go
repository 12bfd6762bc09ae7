package read

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

// How answers are ranked, and the flags that go with ranking by fields.
const (
	rankFields = "fields"
	rankOther  = "relevance"
)

var ranks = []string{rankOther, rankFields}

var fieldFlags = []string{"rank", "limit", "offset", "page", "all", "type", "tag", "status", "path", "where", "after", "before", "no-sync"}

// askFields answers a question by the fields of pages.
func askFields(ctx context.Context, p *command.Program, o queryOptions, a *memory.Session) error {
	req := retrieve.FieldsRequest{
		Query: o.words, Limit: o.Show, Offset: o.Skip,
		Within: retrieve.Within{Types: o.types, Tags: o.tags, Statuses: o.statuses, Paths: o.paths, Where: o.where, After: o.after, Before: o.before, All: o.all},
	}
	if !o.limited {
		req.Limit = 0
	}
	if !o.noSync {
		if err := p.Freshen(ctx, a, read.FreshenRequest{All: o.all}); err != nil {
			return err
		}
	}
	r, err := retrieve.Fields(ctx, a, req)
	if err != nil {
		return err
	}
	return printFields(p, r)
}

func printFields(p *command.Program, r api.FieldHits) error {
	if len(r.Items) == 0 && len(r.Failed) == 0 {
		f, err := p.Format()
		if err != nil {
			return err
		}
		if f == command.FormatJSON {
			if err := p.JSON(r); err != nil {
				return err
			}
			return command.ErrNoMatch
		}
		return kb.Errorf(kb.NotFound, "no page in %s has these words", strings.Join(r.Spaces, ", ")).
			WithHint("By meaning: cairn query --rank relevance QUESTION")
	}
	err := p.Record(r, func(out *terminal.Page) {
		for _, h := range r.Items {
			out.Linef("%s  %s  %s", out.Style.Title(h.Title), h.Summary, out.Style.Aside(h.Ref+"  "+h.Status+"  "+h.Updated+"  "+strings.Join(h.Match, "+")))
		}
		for _, f := range r.Failed {
			out.Linef("%s", out.Style.Warn("could not be read: "+f))
		}
	}, func(out *terminal.Page) {
		for _, h := range r.Items {
			out.Linef("%s\t%s\t%s\t%s", h.Ref, h.Title, h.Summary, strings.Join(h.Match, "+"))
		}
	})
	if err == nil && len(r.Failed) > 0 {
		return command.ErrFaults
	}
	return err
}
