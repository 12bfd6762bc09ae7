package lsp

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

type symbolParams struct {
	Query string `json:"query"`
}

// maxSymbols is how many pages a search in the editor lists.
const maxSymbols = 50

// workspaceSymbols searches as recall does, by words and by meaning. Without a query it lists
// the pages that changed last.
func workspaceSymbols(ctx context.Context, t *turn, p symbolParams) (any, error) {
	out := []symbolInformation{}
	add := func(page api.Page, line int) {
		if page.File == "" {
			return
		}
		at := position{Line: max(0, line-1)}
		out = append(out, symbolInformation{
			Name: page.Title, Kind: symbolFile, Location: location{uriOf(filepath.Clean(page.File)), span{at, at}}, Container: page.Slug,
		})
	}
	var err error
	if strings.TrimSpace(p.Query) == "" {
		var list api.List[api.Page]
		list, err = retrieve.Pages(ctx, t.reader.Session, retrieve.ListRequest{Sort: "updated", Limit: maxSymbols})
		for _, page := range list.Items {
			add(page, 1)
		}
	} else {
		var found api.QueryResult
		found, err = read.Query(ctx, t.reader.Session, retrieve.QueryRequest{
			SearchRequest: retrieve.SearchRequest{Query: p.Query, Limit: maxSymbols, Sync: true}, Listed: true,
		})
		for _, hit := range found.Items {
			add(hit.Page, cmp.Or(hit.Lines[0], 1))
		}
	}
	if space.NothingYet(err) || kb.CodeOf(err) == kb.NotFound {
		return out, nil
	}
	return out, err
}
