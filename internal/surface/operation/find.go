package operation

import (
	"context"
	"encoding/json"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

type findInput struct {
	Query         string         `json:"query,omitempty" jsonschema:"words, as in recall; absent: all that the filters let through, by name"`
	Mode          string         `json:"mode,omitempty" jsonschema:"default hybrid; title, permalink: these alone"`
	Space         string         `json:"space,omitempty" jsonschema:"default: the current one; * for all"`
	Permalink     []string       `json:"permalink,omitempty" jsonschema:"any of these; * in one matches any characters"`
	Title         string         `json:"title,omitempty" jsonschema:"a part of the title"`
	Type          []string       `json:"type,omitempty"`
	Tags          []string       `json:"tags,omitempty" jsonschema:"pages must have all"`
	Status        []string       `json:"status,omitempty"`
	Category      []string       `json:"category,omitempty" jsonschema:"of observations"`
	Items         []string       `json:"items,omitempty" jsonschema:"kind of results: entity (pages, the default), observation, relation"`
	Where         []string       `json:"where,omitempty" jsonschema:"conditions, as in recall"`
	Metadata      map[string]any `json:"metadata_filters,omitempty" jsonschema:"property: value, null, list of all, or {$in, $gt, $gte, $lt, $lte, $between}"`
	After         string         `json:"after,omitempty" jsonschema:"of this day or later"`
	Before        string         `json:"before,omitempty"`
	Fusion        string         `json:"fusion,omitempty"`
	MinSimilarity *float64       `json:"min_similarity,omitempty" jsonschema:"drop semantic-only hits below this"`
	api.Part
	Budget int `json:"budget,omitempty" jsonschema:"tokens (default 1500)"`
}

// foundHit is a page that was found, with the permalink by which URIs name it.
type foundHit struct {
	recalled
	Permalink string    `json:"permalink"`
	Item      *api.Item `json:"item,omitempty" jsonschema:"the line that was found, where it is not the page"`
}

type findAnswer struct {
	Items      []foundHit `json:"items"`
	Total      int        `json:"total"`
	AtLeast    bool       `json:"total_at_least,omitempty"`
	Next       string     `json:"next,omitempty" jsonschema:"offset of the next ones"`
	NextPage   int        `json:"next_page,omitempty"`
	Spaces     []string   `json:"spaces" jsonschema:"that were searched"`
	Match      string     `json:"match,omitempty" jsonschema:"strong, weak or none"`
	Confidence *float64   `json:"confidence,omitempty"`
	Relaxed    bool       `json:"relaxed,omitempty"`
	Mode       api.Mode   `json:"search_mode,omitempty" jsonschema:"when not the mode asked for: no vectors"`
	Unembedded int        `json:"unembedded,omitempty" jsonschema:"pages not embedded yet"`
	Unsynced   int        `json:"unsynced,omitempty" jsonschema:"files that could not be read"`
	Spent      int        `json:"spent_tokens"`
	Notes      []string   `json:"notes,omitempty"`
}

// defaultPageSize is the default number of hits of find.
const defaultPageSize = 10

var find = define(Operation{
	Name: "find", Title: "Search with filters", Group: more, Route: Route{"GET", "/search"},
	Description: "Search with every filter there is: by permalink, title, status, metadata, category of observations; with or without words.",
	ReadOnly:    true, Idempotent: true,
	nothing: findAnswer{Items: []foundHit{}, Spaces: []string{}, Notes: []string{nothingYet}},
}, func(ctx context.Context, a *memory.Session, in findInput) (findAnswer, error) {
	if err := checkWhere(in.Where); err != nil {
		return findAnswer{}, err
	}
	size, offset, err := in.Range(defaultPageSize)
	if err != nil {
		return findAnswer{}, err
	}
	where := in.Where
	if len(in.Metadata) > 0 {
		text, err := json.Marshal(in.Metadata)
		if err != nil {
			return findAnswer{}, err
		}
		where = append(where[:len(where):len(where)], string(text))
	}
	req := retrieve.QueryRequest{
		SearchRequest: retrieve.SearchRequest{
			Query: in.Query, Limit: size, Offset: offset, Sync: true,
			Mode: api.Mode(in.Mode), Fusion: retrieve.Fusion(in.Fusion), MinSimilarity: in.MinSimilarity,
			Narrow: retrieve.Narrow{
				Types: in.Type, Tags: in.Tags, Statuses: in.Status, Where: where, After: in.After, Before: in.Before,
				Permalinks: in.Permalink, InTitle: some(in.Title), Categories: in.Category, Items: in.Items,
			},
		},
		Budget: in.Budget, Usual: recallBudget,
	}
	if in.Space == "*" {
		req.All = true
	} else {
		a = a.In(in.Space)
	}
	req.PerPage, req.Listed = aroundText, true
	found, err := read.Query(ctx, a, req)
	if err != nil {
		return findAnswer{}, err
	}
	out := findAnswer{
		Items: []foundHit{}, Total: found.Total, AtLeast: found.AtLeast, Next: found.Next, Spaces: found.Spaces, Match: found.Match, Confidence: found.Confidence, Relaxed: found.Relaxed,
		Mode: found.SearchMode, Unembedded: found.Left, Unsynced: found.Unsynced, Spent: found.Spent, Notes: found.Notes,
	}
	if found.Next != "" && offset%size == 0 {
		out.NextPage = offset/size + 2
	}
	for _, h := range found.Items {
		out.Items = append(out.Items, foundHit{recalledHit(h), h.Permalink, h.Hit.Item})
	}
	return out, nil
}, Between("limit", 1, 100), AtLeast("offset", 0), Between("page_size", 1, 100), AtLeast("page", 1), Between("budget", 1, maxBudget),
	Between("min_similarity", 0, 1), OneOf("fusion", retrieve.Weighted, retrieve.RRF, retrieve.SetUnion, retrieve.Mean),
	OneOf("mode", api.ModeHybrid, api.ModeVector, api.ModeSemantic, api.ModeWords, api.ModeText, api.ModeExact, api.ModeTitle, api.ModePermalink))

func some(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
