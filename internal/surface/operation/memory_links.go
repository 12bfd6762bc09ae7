package operation

import (
	"cmp"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
)

type memoryLink struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Type    string `json:"relationship,omitempty" jsonschema:"such as works_at (default relates_to)"`
	Context string `json:"context,omitempty"`
	Since   string `json:"valid_from,omitempty"`
	Until   string `json:"valid_until,omitempty"`
	Version *int   `json:"page_version,omitempty" jsonschema:"of from"`
	Space   string `json:"space,omitempty"`
}

type memoryLinkClose struct {
	ID      int64  `json:"link_id"`
	Until   string `json:"valid_until"`
	Version *int   `json:"page_version,omitempty"`
}

type memoryUnlink struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Type    string `json:"relationship,omitempty" jsonschema:"default all"`
	Version int    `json:"page_version"`
	Space   string `json:"space,omitempty"`
}

type memoryLinksOf struct {
	Slug     string       `json:"slug"`
	Temporal api.Temporal `json:"temporal,omitempty"`
	Limit    int          `json:"limit,omitempty"`
	Space    string       `json:"space,omitempty"`
}

// memoryLinked is a link, by the names of its columns.
type memoryLinked struct {
	ID      int64   `json:"id"`
	From    string  `json:"from_slug"`
	To      string  `json:"to_slug,omitempty"`
	Type    string  `json:"relationship"`
	Since   *string `json:"valid_from"`
	Until   *string `json:"valid_until"`
	Context string  `json:"context,omitempty"`
	Line    int     `json:"line"`
}

// linksTool lists the links of a page, one way.
func linksTool(tool Tool, way api.Direction) *Tool {
	return adapt(tool, listLinks,
		func(in memoryLinksOf) (api.LinksRequest, error) {
			return api.LinksRequest{Ref: slugIn(in.Space, in.Slug), Way: way, Temporal: temporal(in.Temporal), Limit: cmp.Or(in.Limit, 100)}, nil
		},
		func(in memoryLinksOf, l linksAnswer) (textResult, error) {
			out := []memoryLinked{}
			for _, x := range l.Items {
				one := memoryLinked{x.ID, x.From, x.Target, x.Type, orNull(x.ValidFrom), orNull(x.ValidUntil), x.Context, x.Line}
				switch {
				case way == api.In:
					one.To = ""
				case x.Page != nil:
					one.To = x.Page.Ref
				}
				if way == api.In && x.Page != nil {
					one.From = x.Page.Ref
				}
				out = append(out, one)
			}
			return textResult{data: out}, nil
		}, temporals, Between("limit", 1, 1000))
}

func memoryLinks() []*Tool {
	return []*Tool{
		adapt(memoryTool("link", "Link two pages", "Add a relation with the time that it holds. Answers its id.", ofEnds), linkPages,
			func(in memoryLink) (linkInput, error) {
				return linkInput{LinkRequest: api.LinkRequest{
					From: slugIn(in.Space, in.From), To: slugIn(in.Space, in.To), Type: in.Type, Since: in.Since, Until: in.Until, Context: in.Context,
					WriteOptions: api.WriteOptions{Expected: in.Version},
				}}, nil
			},
			func(in memoryLink, w relationWritten) (textResult, error) {
				text := fmt.Sprintf("Linked %s → %s (%s), link id %d", in.From, in.To, cmp.Or(in.Type, "relates_to"), w.ID)
				return textResult{words: text + "\n" + wroteSlug(w.written)}, nil
			}, AtLeast("page_version", 0)),
		linksTool(memoryTool("links", "Links of a page", "Links from a page, with their ids.", ofMemory), api.Out),
		adapt(memoryTool("link_close", "End a link", "End a link: it held until a date.", nil), linkClose,
			func(in memoryLinkClose) (linkCloseInput, error) {
				return linkCloseInput{ID: in.ID, Until: in.Until, writeOptions: writeOptions{WriteOptions: api.WriteOptions{Expected: in.Version}}}, nil
			},
			func(in memoryLinkClose, w written) (textResult, error) {
				return textResult{words: fmt.Sprintf("Closed link %d valid_until=%s\n%s", in.ID, in.Until, wroteSlug(w))}, nil
			}, AtLeast("link_id", 1), AtLeast("page_version", 0)),
		adapt(memoryTool("unlink", "Remove a link", "Remove the relations from one page to another.", ofEnds), linkPages,
			func(in memoryUnlink) (linkInput, error) {
				return linkInput{Do: removeLink, LinkRequest: api.LinkRequest{
					From: slugIn(in.Space, in.From), To: slugIn(in.Space, in.To), Type: cmp.Or(in.Type, "*"), WriteOptions: api.WriteOptions{Expected: &in.Version},
				}}, nil
			},
			func(in memoryUnlink, w relationWritten) (textResult, error) {
				return textResult{data: writtenOf(w.written)}, nil
			}, AtLeast("page_version", 0)),
		linksTool(memoryTool("backlinks", "Links to a page", "Links to a page, with their ids; default current.", ofMemory), api.In),
	}
}
