package retrieve

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/rank"
	"github.com/cairn-kb/cairn/internal/store"
)

// FieldsRequest asks for the pages whose fields have the words of a question.
type FieldsRequest struct {
	Query string
	Within
	Limit, Offset int // Limit 0 is 10
}

// mostWords is how many words of a question are looked for.
const mostWords = 32

// Fields finds pages by their fields alone; see rank.ByFields. Pages with all words are found
// or, where there are none, those with any. Of equal scores the page that was updated later
// comes first.
func (e *Engine) Fields(ctx context.Context, req FieldsRequest) (api.FieldHits, error) {
	out := api.FieldHits{List: api.List[api.FieldHit]{Items: []api.FieldHit{}}, Spaces: []string{}}
	q := query.Parse(req.Query, e.Now())
	words := slices.Compact(query.Content(q.Root))
	switch {
	case len(q.Filters) > 0:
		return out, kb.Errorf(kb.Usage, "pages are ranked by their fields for words alone, without filters in the question")
	case len(words) == 0:
		return out, kb.Errorf(kb.Usage, "there is no word to look for")
	}
	words = words[:min(len(words), mostWords)]
	filter, err := e.filter(req.Within)
	if err != nil {
		return out, err
	}
	err = e.DB.View(ctx, func(tx store.Tx) error {
		if filter.Spaces, err = e.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
			return err
		}
		spaces, err := e.fieldSpaces(ctx, tx, filter.Spaces, &out)
		if err != nil {
			return err
		}
		rows, err := tx.Pages().Rows(ctx, filter)
		if err != nil {
			return err
		}
		f, err := e.matched(ctx, tx, spaces, rows, words)
		if err != nil {
			return err
		}
		pages, err := tx.Pages().Get(ctx, f.rows())
		if err != nil {
			return err
		}
		hits := f.hits(pages)
		out.Total, out.Next = len(hits), api.Next(req.Offset, min(cmp.Or(req.Limit, defaultHits), max(0, len(hits)-req.Offset)), len(hits))
		hits = hits[min(req.Offset, len(hits)):]
		out.Items = append(out.Items, hits[:min(cmp.Or(req.Limit, defaultHits), len(hits))]...)
		return nil
	})
	return out, err
}

// fieldSpaces names the spaces that are searched, and their files that could not be read. It
// returns their rows.
func (e *Engine) fieldSpaces(ctx context.Context, tx store.Tx, rows []int64, out *api.FieldHits) (searched []int64, err error) {
	all, err := tx.Spaces().All(ctx)
	for _, s := range all {
		if err != nil {
			return nil, err
		}
		if rows != nil && !slices.Contains(rows, s.Row) {
			continue
		}
		out.Spaces, searched = append(out.Spaces, s.Name), append(searched, s.Row)
		failed, ferr := tx.Failures().All(ctx, s.Row)
		for _, f := range failed {
			out.Failed = append(out.Failed, s.Name+":"+f.Path)
		}
		err = ferr
	}
	return searched, err
}

// fields are what matches of pages.
type fields struct {
	properties map[int64][]kb.Property
	matched    map[int64]map[string]bool // fields, by the row of a page
	words      map[int64]int             // that were found
	most       int
}

// fieldKeys are the properties that are looked into and shown.
var fieldKeys = []string{"projects", "source", "status"}

// matched looks for words in the fields of pages, by their rows, which are in spaces.
func (e *Engine) matched(ctx context.Context, tx store.Tx, spaces, rows []int64, words []string) (*fields, error) {
	f := &fields{properties: map[int64][]kb.Property{}, matched: map[int64]map[string]bool{}, words: map[int64]int{}}
	for _, row := range rows {
		f.matched[row] = map[string]bool{}
	}
	for _, s := range spaces {
		properties, err := tx.Claims().Properties(ctx, store.Claimants{Space: s}, fieldKeys)
		if err != nil {
			return nil, err
		}
		for _, p := range properties {
			f.properties[p.Page] = append(f.properties[p.Page], p)
		}
	}
	for _, word := range words {
		found, err := e.Index.Text().Search(ctx, tx.Lexical(), &query.Word{Text: word}, lexical.Options{Limit: len(rows), Allowed: lexical.NewIDs(rows...)})
		if err != nil {
			return nil, err
		}
		has := map[int64]bool{}
		note := func(row int64, field string) { f.matched[row][field], has[row] = true, true }
		for _, h := range found.Hits {
			for name, in := range map[string][]lexical.Field{
				rank.FieldTitle: {lexical.Title, lexical.Slug, lexical.Aliases}, rank.FieldTag: {lexical.Tags}, rank.FieldSummary: {lexical.Summary},
				rank.FieldBody: {lexical.Headings, lexical.Truth, lexical.Timeline},
			} {
				if slices.ContainsFunc(in, h.Fields.Has) {
					note(h.ID, name)
				}
			}
		}
		terms, known := queryTerms(word), map[string]bool{}
		is := func(value string) bool {
			yes, seen := known[value]
			if !seen {
				yes = within(terms, value)
				known[value] = yes
			}
			return yes
		}
		for _, row := range rows {
			if is(statusOf(f.properties[row])) {
				note(row, rank.FieldStatus)
			}
			if slices.ContainsFunc(valuesOf(f.properties[row], "projects"), is) {
				note(row, rank.FieldProject)
			}
		}
		for row := range has {
			f.words[row]++
			f.most = max(f.most, f.words[row])
		}
	}
	if f.most < len(words) {
		f.most = 1 // no page has all of them
	}
	return f, nil
}

// rows are those of the pages that match.
func (f *fields) rows() (out []int64) {
	for row, n := range f.words {
		if n >= max(f.most, 1) {
			out = append(out, row)
		}
	}
	return out
}

// hits are the pages that match, best first.
func (f *fields) hits(pages []kb.Page) (out []api.FieldHit) {
	slices.SortFunc(pages, func(a, b kb.Page) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.Ref(), b.Ref()))
	})
	for _, p := range pages {
		properties := f.properties[p.Row]
		h := api.FieldHit{
			Title: p.Title, ID: p.ID, Summary: p.Summary, Status: statusOf(properties), Path: p.Path, Ref: p.Ref(),
			Updated: p.Updated.UTC().Format(time.DateOnly), Projects: append([]string{}, valuesOf(properties, "projects")...),
		}
		if h.Score, h.Match = rank.ByFields(f.matched[p.Row]); h.Score == 0 {
			continue
		}
		for _, v := range valuesOf(properties, "source") {
			if !strings.ContainsAny(v, " :") && path.Ext(v) != "" {
				h.Sources = append(h.Sources, v)
			}
		}
		out = append(out, h)
	}
	slices.SortStableFunc(out, func(a, b api.FieldHit) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// statusOf is the status of a page in the words of its metadata: active where it says none.
func statusOf(properties []kb.Property) string {
	if said := valuesOf(properties, "status"); len(said) > 0 {
		return said[0]
	}
	return string(kb.Active)
}

func valuesOf(properties []kb.Property, key string) (out []string) {
	for _, p := range properties {
		if strings.EqualFold(p.Key, key) {
			out = append(out, p.Text)
		}
	}
	return out
}

// queryTerms are the terms that a text must have to contain a word.
func queryTerms(word string) (out []string) {
	var a analysis.Analyzer
	a.Query(word, func(t analysis.Token) { out = append(out, string(t.Term)) })
	return out
}

// within reports whether a text has all of the terms.
func within(terms []string, text string) bool {
	has := map[string]bool{}
	var a analysis.Analyzer
	a.Document(text, func(t analysis.Token) { has[string(t.Term)] = true })
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(t string) bool { return !has[t] })
}
