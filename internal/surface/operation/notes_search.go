package operation

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
)

type searchNotesInput struct {
	Query          string         `json:"query,omitempty" jsonschema:"words; \"phrase\", OR, -not, tag:x"`
	Type           string         `json:"search_type,omitempty" jsonschema:"default hybrid"`
	Project        string         `json:"project,omitempty" jsonschema:"* for all"`
	All            bool           `json:"search_all_projects,omitempty"`
	Types          []string       `json:"note_types,omitempty"`
	Tags           []string       `json:"tags,omitempty"`
	Status         string         `json:"status,omitempty"`
	After          string         `json:"after_date,omitempty"`
	Metadata       map[string]any `json:"metadata_filters,omitempty" jsonschema:"key: value, null, list of all, {$in, $gt, $gte, $lt, $lte, $between}"`
	Categories     []string       `json:"categories,omitempty" jsonschema:"of observations"`
	Items          []string       `json:"entity_types,omitempty" jsonschema:"kind of results: entity (default), observation, relation"`
	Permalink      string         `json:"permalink,omitempty"`
	PermalinkMatch string         `json:"permalink_match,omitempty" jsonschema:"prefix, or pattern with *"`
	Title          string         `json:"title,omitempty"`
	MinSimilarity  *float64       `json:"min_similarity,omitempty" jsonschema:"default .55"`
	Page           int            `json:"page,omitempty"`
	PageSize       int            `json:"page_size,omitempty" jsonschema:"default 10"`
	Offset         int            `json:"offset,omitempty" jsonschema:"in place of page: a multiple of page_size"`
	Format         format         `json:"output_format,omitempty" jsonschema:"default text"`
}

// searchText is how many tokens of text a search answers.
const searchText = 2000

// minSimilarity is the default similarity threshold of these tools.
const minSimilarity = 0.55

func (in searchNotesInput) find() (findInput, error) {
	out := findInput{
		Query: in.Query, Mode: in.Type, Space: in.Project, Type: in.Types, Tags: splitTags(in.Tags), Status: some(in.Status), After: in.After,
		Metadata: in.Metadata, Category: in.Categories, Items: in.Items, Permalink: some(in.Permalink), Title: in.Title, MinSimilarity: in.MinSimilarity,
		Part: api.Part{Page: in.Page, PageSize: in.PageSize}, Budget: searchText,
	}
	if in.Offset > 0 {
		size := cmp.Or(in.PageSize, 10)
		if in.Page > 0 || in.Offset%size != 0 {
			return out, misuse{"offset", errors.New("give page, or an offset that is a multiple of page_size")}
		}
		out.Page = in.Offset/size + 1
	}
	if in.All {
		out.Space = "*"
	}
	if out.MinSimilarity == nil {
		least := minSimilarity
		out.MinSimilarity = &least
	}
	if match := in.PermalinkMatch; match != "" {
		if !strings.ContainsAny(match, "*?") {
			match += "*"
		}
		out.Permalink = append(out.Permalink, match)
	}
	return out, nil
}

type searchResult struct {
	Type      string  `json:"type"` // entity, observation, relation
	Title     string  `json:"title"`
	Permalink string  `json:"permalink"`
	Ref       string  `json:"ref"`
	NoteType  string  `json:"note_type,omitempty"`
	Score     float64 `json:"score"`
	Content   string  `json:"content,omitempty"`
	Lines     [2]int  `json:"lines"`
	LeftOut   int     `json:"left_out_tokens,omitempty"`

	Category string `json:"category,omitempty"`      // of an observation
	Relation string `json:"relation_type,omitempty"` // of a relation
	ToName   string `json:"to_name,omitempty"`
	To       string `json:"to_permalink,omitempty"`
	From     string `json:"from_entity,omitempty"` // permalink of the note that has the line

	Contested    bool   `json:"contested,omitempty"`
	SupersededBy string `json:"superseded_by,omitempty"` // ref of the page that holds now
}

type searchResults struct {
	Results  []searchResult `json:"results"`
	Page     int            `json:"current_page"`
	PageSize int            `json:"page_size"`
	Total    int            `json:"total"`
	AtLeast  bool           `json:"total_at_least,omitempty"`
	Left     int            `json:"left_out"`
	Next     int            `json:"next_page,omitempty"`
	Notes    []string       `json:"notes,omitempty"`
}

func resultsOf(in searchNotesInput, r findAnswer) searchResults {
	out := searchResults{Results: []searchResult{}, Page: max(in.Page, 1+in.Offset/cmp.Or(in.PageSize, 10)), PageSize: cmp.Or(in.PageSize, 10), Total: r.Total, AtLeast: r.AtLeast, Notes: r.Notes}
	for _, p := range r.Items {
		hit := searchResult{
			Type: "entity", Title: p.Title, Permalink: p.Permalink, Ref: p.Ref, NoteType: p.Type,
			Score: p.Score, Content: p.Text, Lines: p.Lines, LeftOut: p.LeftOut, Contested: p.Contested, SupersededBy: p.SupersededBy,
		}
		if it := p.Item; it != nil {
			hit.Type, hit.Category, hit.Relation, hit.To, hit.From = it.Kind, it.Category, it.Relation, it.ToPermalink, it.Of
			if it.Relation != "" {
				hit.ToName = it.Content
			}
		}
		out.Results = append(out.Results, hit)
	}
	out.Left, out.Next = paged(out.Page, out.PageSize, len(out.Results), out.Total)
	return out
}

func (r searchResults) words() string {
	var text strings.Builder
	for _, p := range r.Results {
		fmt.Fprintf(&text, "### %s\n- ref: %s\n- score: %v\n", p.Title, p.Ref, p.Score)
		if p.Type != "entity" {
			fmt.Fprintf(&text, "- %s: %s, line %d\n", p.Type, p.Permalink, p.Lines[0])
		}
		if p.SupersededBy != "" {
			fmt.Fprintf(&text, "- superseded by: %s\n", p.SupersededBy)
		}
		if p.Contested {
			text.WriteString("- contested: pages contradict each other\n")
		}
		if p.Content != "" {
			text.WriteString("\n" + strings.TrimSpace(p.Content) + "\n")
		}
		text.WriteString("\n")
	}
	fmt.Fprintf(&text, "%d of %d results\n", len(r.Results), r.Total)
	return text.String() + leftOut(r.Left, r.Next, r.Notes)
}

type searchInput struct {
	Query string `json:"query"`
}

type searchHit struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

type searchHits struct {
	Results []searchHit `json:"results"`
}

func noteSearches() []*Tool {
	return []*Tool{
		adapt(notesTool("search_notes", "Search notes", "Search notes by words and meaning.", ofItems), find,
			searchNotesInput.find,
			func(in searchNotesInput, r findAnswer) (textResult, error) {
				out := resultsOf(in, r)
				return formatted(cmp.Or(in.Format, asText), out, out.words), nil
			}, formats, AtLeast("page", 1), AtLeast("offset", 0), Between("page_size", 1, 100), Between("min_similarity", 0, 1),
			OneOf("search_type", "fts", "text", "title", "permalink", "vector", "semantic", "hybrid")),
		adapt(notesTool("search", "Search documents", "Find documents; fetch reads one.", nil), recall,
			func(in searchInput) (recallInput, error) {
				return recallInput{Query: in.Query, Limit: 10, Budget: searchText, all: true}, nil
			},
			func(in searchInput, r recallAnswer) (textResult, error) {
				out := searchHits{Results: []searchHit{}}
				for _, p := range r.Items {
					out.Results = append(out.Results, searchHit{p.Ref, p.Title, noteURL(p.Ref)})
				}
				return textResult{data: out}, nil
			}),
	}
}
