package retrieve

import (
	"cmp"
	"context"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/rank"
	"github.com/cairn-kb/cairn/internal/store"
)

// FieldsRequest asks for the pages that have, in their fields, the words of a question.
type FieldsRequest struct {
	Query string
	Within
	Limit, Offset int // Limit 0 is 10
}

// maxWords is how many words of a question are looked for.
const maxWords = 32

// Fields finds pages by their fields alone; see rank.ByFields. Pages with all words are found
// or, where there are none, those with any. Of equal scores the page that was updated later
// comes first.
func Fields(ctx context.Context, sess *memory.Session, req FieldsRequest) (api.FieldHits, error) {
	out := api.FieldHits{List: api.List[api.FieldHit]{Items: []api.FieldHit{}}, Spaces: []string{}}
	q := query.Parse(req.Query, sess.Now())
	words := slices.Compact(query.Content(q.Root))
	switch {
	case len(q.Filters) > 0:
		return out, kb.Errorf(kb.Usage, "pages are ranked by their fields for words alone, without filters in the question")
	case len(words) == 0:
		return out, kb.Errorf(kb.Usage, "there is no word to look for")
	}
	words = words[:min(len(words), maxWords)]
	filter, err := readFilter(ctx, sess, req.Within)
	if err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if filter.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
			return err
		}
		spaces, err := fieldSpaces(ctx, sess, tx, filter.Spaces, &out)
		if err != nil {
			return err
		}
		rows, err := tx.Pages().Rows(ctx, filter)
		if err != nil {
			return err
		}
		f, err := matched(ctx, sess, tx, spaces, rows, words)
		if err != nil {
			return err
		}
		limit := cmp.Or(req.Limit, defaultHits)
		hits, total, err := f.hits(ctx, tx, req.Offset, limit)
		if err != nil {
			return err
		}
		out.Total, out.Next = total, api.Next(req.Offset, min(limit, max(0, total-req.Offset)), total)
		for _, h := range hits {
			shown, err := h.shown(ctx, tx)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, shown)
		}
		return nil
	})
	return out, err
}

// fieldSpaces names the spaces that are searched, and their files that could not be read, a
// policy among them. It returns their rows.
func fieldSpaces(ctx context.Context, sess *memory.Session, tx store.Tx, rows []int64, out *api.FieldHits) (searched []int64, err error) {
	all, err := tx.Spaces().All(ctx)
	for _, s := range all {
		if err != nil {
			return nil, err
		}
		if rows != nil && !slices.Contains(rows, s.Row) {
			continue
		}
		out.Spaces, searched = append(out.Spaces, s.Name), append(searched, s.Row)
		if broken := space.BrokenPolicy(ctx, sess.Spaces, s); broken != "" {
			out.Failed = append(out.Failed, s.Name+":"+broken)
		}
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
	matched map[int64]rank.Fields // by the row of a page
	words   map[int64]int         // that were found
	most    int
}

// Properties that are looked into, and one that is shown as well.
const (
	keyProjects = "projects"
	keyStatus   = "status"
	keySource   = "source"
)

// textFields are the fields with the words of the full text.
var textFields = []struct {
	field rank.Fields
	in    []lexical.Field
}{
	{rank.FieldTitle, []lexical.Field{lexical.Title, lexical.Slug, lexical.Aliases}},
	{rank.FieldTag, []lexical.Field{lexical.Tags}},
	{rank.FieldSummary, []lexical.Field{lexical.Summary}},
	{rank.FieldBody, []lexical.Field{lexical.Headings, lexical.Truth, lexical.Timeline}},
}

// matched looks for words in the fields of pages, by their rows, which are in spaces.
func matched(ctx context.Context, sess *memory.Session, tx store.Tx, spaces, rows []int64, words []string) (*fields, error) {
	f := &fields{matched: map[int64]rank.Fields{}, words: map[int64]int{}}
	var statuses, projects map[string][]int64
	found, err := inValues(ctx, tx, words)
	if err == nil && found {
		statuses, projects, err = holders(ctx, tx, spaces, rows)
	}
	if err != nil {
		return nil, err
	}
	for _, word := range words {
		found, err := sess.Index.Text().Search(ctx, tx.Lexical(), &query.Word{Text: word}, lexical.Options{Limit: len(rows), Allowed: lexical.NewIDs(rows...)})
		if err != nil {
			return nil, err
		}
		has := make(map[int64]rank.Fields, len(found.Hits))
		for _, h := range found.Hits {
			for _, text := range textFields {
				if slices.ContainsFunc(text.in, h.Fields.Has) {
					has[h.ID] |= text.field
				}
			}
		}
		terms := queryTerms(word)
		for field, values := range map[rank.Fields]map[string][]int64{rank.FieldStatus: statuses, rank.FieldProject: projects} {
			for value, pages := range values {
				if !within(terms, value) {
					continue
				}
				for _, row := range pages {
					has[row] |= field
				}
			}
		}
		for row, in := range has {
			if in == 0 {
				continue
			}
			f.matched[row] |= in
			f.words[row]++
			f.most = max(f.most, f.words[row])
		}
	}
	if f.most < len(words) {
		f.most = 1 // no page has all of them
	}
	return f, nil
}

// inValues reports whether a word is in a status or in the slug of a project.
func inValues(ctx context.Context, tx store.Tx, words []string) (bool, error) {
	texts := []string{string(kb.Active)}
	for _, key := range []string{keyStatus, keyProjects} {
		more, err := tx.Claims().Texts(ctx, key)
		if err != nil {
			return false, err
		}
		texts = append(texts, more...)
	}
	return slices.ContainsFunc(words, func(word string) bool {
		terms := queryTerms(word)
		return slices.ContainsFunc(texts, func(text string) bool { return within(terms, text) })
	}), nil
}

// holders are those of pages, by their rows, which are in spaces, that have each status and
// project.
func holders(ctx context.Context, tx store.Tx, spaces, rows []int64) (statuses, projects map[string][]int64, err error) {
	type said struct {
		text     string
		position int
	}
	status := make(map[int64]said, len(rows))
	for _, row := range rows {
		status[row] = said{text: string(kb.Active), position: math.MaxInt}
	}
	statuses, projects = map[string][]int64{}, map[string][]int64{}
	for _, s := range spaces {
		values, err := tx.Claims().Values(ctx, s, []string{keyProjects, keyStatus})
		if err != nil {
			return nil, nil, err
		}
		for _, v := range values {
			for _, at := range v.At {
				first, ok := status[at.Page]
				switch {
				case !ok:
				case v.Key == keyProjects:
					projects[v.Text] = append(projects[v.Text], at.Page)
				case at.Position < first.position:
					status[at.Page] = said{text: v.Text, position: at.Position}
				}
			}
		}
	}
	for row, s := range status {
		statuses[s.text] = append(statuses[s.text], row)
	}
	return statuses, projects, nil
}

// fieldHit is a page that matches, before its shown fields are read.
type fieldHit struct {
	kb.Page
	score int
	match []string
}

// hits are the pages that match, best first, up to limit of them from offset, and how many
// there are in all. Only those are read.
func (f *fields) hits(ctx context.Context, tx store.Tx, offset, limit int) (out []fieldHit, total int, err error) {
	rows := map[int][]int64{} // by score
	for row, n := range f.words {
		if score := rank.ByFields(f.matched[row]); n >= max(f.most, 1) && score > 0 {
			rows[score], total = append(rows[score], row), total+1
		}
	}
	for _, score := range slices.Backward(slices.Sorted(maps.Keys(rows))) {
		if offset >= len(rows[score]) {
			offset -= len(rows[score])
			continue
		}
		pages, err := tx.Pages().Newest(ctx, rows[score], offset+limit-len(out))
		if err != nil {
			return nil, 0, err
		}
		for _, p := range pages[min(offset, len(pages)):] {
			out = append(out, fieldHit{p, score, f.matched[p.Row].Names()})
		}
		if offset = 0; len(out) == limit {
			break
		}
	}
	return out, total, nil
}

// shown is the part of a page that is in the answer.
func (h *fieldHit) shown(ctx context.Context, tx store.Tx) (api.FieldHit, error) {
	out := api.FieldHit{
		Title: h.Title, ID: h.ID, Summary: h.Summary, Path: h.Path, Ref: h.Ref(), Status: string(kb.Active),
		Updated: h.Updated.UTC().Format(time.DateOnly), Projects: []string{}, Score: h.score, Match: h.match,
	}
	properties, err := tx.Pages().Properties(ctx, h.Row)
	if said := valuesOf(properties, keyStatus); len(said) > 0 {
		out.Status = said[0]
	}
	out.Projects = append(out.Projects, valuesOf(properties, keyProjects)...)
	for _, v := range valuesOf(properties, keySource) {
		if !strings.ContainsAny(v, " :") && path.Ext(v) != "" {
			out.Sources = append(out.Sources, v)
		}
	}
	return out, err
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
