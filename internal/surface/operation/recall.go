package operation

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

type recallInput struct {
	Query  string   `json:"query" jsonschema:"question or words; \"phrase\", -not, OR, tag:x, type:x, path:x work"`
	Space  string   `json:"space,omitempty" jsonschema:"default: the current one; * for all"`
	Type   []string `json:"type,omitempty"`
	Tags   []string `json:"tags,omitempty" jsonschema:"all of these"`
	Where  []string `json:"where,omitempty" jsonschema:"conditions: stage=design, n>2, path:dir, -tag:x"`
	After  string   `json:"after,omitempty" jsonschema:"of this day or later: last week"`
	Before string   `json:"before,omitempty"`
	AsOf   string   `json:"as_of,omitempty" jsonschema:"search the state at this date or time"`
	Mode   string   `json:"mode,omitempty" jsonschema:"default hybrid; exact: titles only"`
	Limit  int      `json:"limit,omitempty" jsonschema:"default 10"`
	Offset int      `json:"offset,omitempty"`
	Budget int      `json:"budget,omitempty" jsonschema:"tokens (default 1500)"`
	Depth  string   `json:"depth,omitempty"`
	Detail bool     `json:"detail,omitempty" jsonschema:"why each was found"`

	Every bool `json:"exhaustive,omitempty" jsonschema:"all pages that bear on it"`

	all   bool
	usual int // tokens, where neither Budget nor the setting says; 0 is recallBudget
}

// recalled is a page that was found, with the text that was served of it.
type recalled struct {
	briefPage
	Date  string    `json:"date,omitempty" jsonschema:"day the page is of"`
	Score float64   `json:"score,omitempty"`
	Lines [2]int    `json:"lines,omitzero" jsonschema:"where it matched; absent: in text"`
	Depth api.Depth `json:"depth,omitempty"`
	Text  string    `json:"text,omitempty"`
	api.TextLines
	LeftOut int      `json:"left_out_tokens,omitempty" jsonschema:"of the page, not in text: use read"`
	Why     *api.Why `json:"why,omitempty"`

	Contested bool  `json:"contested,omitempty" jsonschema:"a contradiction concerns it: check"`
	Stale     bool  `json:"stale,omitempty" jsonschema:"its truth is older than its timeline"`
	Ended     []int `json:"ended_lines,omitempty" jsonschema:"of relations that do not hold any more"`

	SupersededBy string `json:"superseded_by,omitempty" jsonschema:"ref of the page that holds now"`

	page  api.Page // that it is, for tools that say more of it
	spent int      // tokens of Text
}

type recallAnswer struct {
	Items      []recalled `json:"items"`
	Total      int        `json:"total"`
	AtLeast    bool       `json:"total_at_least,omitempty"`
	Unserved   int        `json:"unserved,omitempty" jsonschema:"pages before next without room for text: ask with more budget"`
	Next       string     `json:"next,omitempty" jsonschema:"offset of the next ones"`
	Spaces     []string   `json:"spaces,omitempty" jsonschema:"that were searched"`
	Match      string     `json:"match,omitempty" jsonschema:"strong, weak, or none: then the memory hardly knows"`
	Confidence *float64   `json:"confidence,omitempty"`
	Relaxed    bool       `json:"relaxed,omitempty" jsonschema:"few or no pages have all words"`
	Mode       api.Mode   `json:"search_mode,omitempty" jsonschema:"when not the mode asked for: no vectors"`
	AsOf       *time.Time `json:"as_of,omitempty"`
	Unembedded int        `json:"unembedded,omitempty" jsonschema:"pages not embedded yet"`
	Unsynced   int        `json:"unsynced,omitempty" jsonschema:"files that could not be read"`
	Spent      int        `json:"spent_tokens,omitempty"`
	Notes      []string   `json:"notes,omitempty" jsonschema:"gaps in the answer, and remedies"`

	Complete string `json:"completeness,omitempty"`

	budget int // tokens that Spent is of
}

// Pages are the pages of the answer, in its order.
func (a recallAnswer) Pages() []api.Page {
	out := make([]api.Page, len(a.Items))
	for i, r := range a.Items {
		out[i] = r.page
	}
	return out
}

var recall = define(Operation{
	Name: "recall", Title: "Search memory", Group: core, Route: Route{"GET", "/recall"},
	Description: "Search memory (keyword and semantic). Returns the best pages with text that fits the budget.",
	ReadOnly:    true, Idempotent: true,
	nothing: recallAnswer{Items: []recalled{}, Spaces: []string{}, Notes: []string{nothingYet}},
}, func(ctx context.Context, a *memory.Session, in recallInput) (recallAnswer, error) {
	if err := checkWhere(in.Where); err != nil {
		return recallAnswer{}, err
	}
	req := retrieve.QueryRequest{
		SearchRequest: retrieve.SearchRequest{
			Query: in.Query, Limit: in.Limit, Offset: in.Offset, Sync: true, Explain: in.Detail,
			AsOf: in.AsOf, Mode: api.Mode(in.Mode),
			Narrow: retrieve.Narrow{Types: in.Type, Tags: in.Tags, Where: in.Where, After: in.After, Before: in.Before},
		},
		Depth: api.Depth(in.Depth), Budget: in.Budget,
	}
	if in.Space == "*" {
		req.All = true
	} else {
		a = a.In(in.Space)
	}
	req.Usual = cmp.Or(in.usual, recallBudget)
	req.PerPage = aroundText
	req.Listed = in.Detail // else texts come in the order of the best passages
	if req.Exhaustive = in.Every; in.Every {
		req.Limit, req.Listed = cmp.Or(in.Limit, exhaustivePages), true
	}
	found, err := read.Query(ctx, a, req)
	if err != nil {
		return recallAnswer{}, err
	}
	out := recallAnswer{
		Items: []recalled{}, Total: found.Total, AtLeast: found.AtLeast, Next: found.Next, Spaces: found.Spaces, Match: found.Match, Confidence: found.Confidence, Relaxed: found.Relaxed,
		Mode: found.SearchMode, AsOf: found.AsOf, Unembedded: found.Left, Unsynced: found.Unsynced, Spent: found.Spent, Notes: found.Notes,
		budget: found.Budget, Complete: strings.Join(found.Completeness.Statement(), "; "),
	}
	for _, h := range found.Items {
		if h.Depth == "" && found.Spent > 0 && !in.all && !in.Every {
			out.Unserved++
			continue
		}
		r := recalledHit(h)
		if in.Detail {
			r.Why = &h.Why
		}
		out.Items = append(out.Items, r)
	}
	if found.Total == 0 && len(found.Notes) == 0 {
		out.Notes = append(out.Notes, noAnswer)
	}
	return out, nil
}, Between("limit", 1, 100), AtLeast("offset", 0), Between("budget", 1, maxBudget),
	OneOf("mode", api.ModeHybrid, api.ModeVector, api.ModeWords, api.ModeExact),
	OneOf("depth", api.DepthAuto, api.DepthSummary, api.DepthSection, api.DepthFull))

// exhaustivePages is the default number of pages in a part of an exhaustive answer.
const exhaustivePages = 20

// aroundText is how many tokens of the budget go to the ref, date and lines of a page: most
// cost 30 to 45 in an answer of a tool.
const aroundText = 36

// recallBudget is the default token budget of an answer.
const recallBudget = 1500

// recalledHit is a hit as it is answered.
func recalledHit(h api.Served) recalled {
	return recalled{
		briefPage: briefly(h.Page), Date: h.Date, Score: short(h.Score), Lines: h.Lines,
		Depth: h.Depth, Text: h.Text, TextLines: h.TextLines, LeftOut: h.LeftOut,
		Contested: h.Contested, Stale: h.Stale, Ended: h.Ended, SupersededBy: h.SupersededBy,
		page: h.Page, spent: h.Tokens,
	}
}

// short rounds a score to three digits: each further digit costs the reader
// part of a token.
func short(score float64) float64 { return math.Round(score*1000) / 1000 }
