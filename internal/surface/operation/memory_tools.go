package operation

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/links"
)

// The other names that arguments of these tools have had.
var (
	ofMemory     = map[string]string{"collection": "space", "namespace": "space"}
	ofSearch     = with(ofMemory, "page_type", "type", "include_superseded", "", "max_chunks_per_doc", "") // every page is listed once
	ofQuestion   = with(ofSearch, "query", "question", "hops", "")
	ofEnds       = with(ofMemory, "from_slug", "from", "to_slug", "to")
	ofGap        = with(ofMemory, "query", "query_text")
	ofListOfGaps = with(ofMemory, "resolved", "include_resolved")
)

// with is names with more of them, each before what it means.
func with(names map[string]string, more ...string) map[string]string {
	out := map[string]string{}
	for name, meant := range names {
		out[name] = meant
	}
	for pair := range slices.Chunk(more, 2) {
		out[pair[0]] = pair[1]
	}
	return out
}

func memoryTools() []*Tool {
	return slices.Concat(memoryReaders(), memoryWriters(), memoryLinks(), memoryEvidence(), memoryQuestions())
}

// memoryTool is what all tools of the set have in common.
func memoryTool(name, title, description string, synonyms map[string]string) Tool {
	return Tool{Name: "memory_" + name, Title: title, Description: description, Sets: []Set{Memories}, Synonyms: synonyms}
}

// slugIn is the ref of a page by its slug, which may name its space itself, as
// quaid does it, too.
func slugIn(space, slug string) string {
	if before, after, ok := strings.Cut(slug, "::"); ok {
		return before + ":" + after
	}
	if strings.Contains(slug, ":") || slug == "" {
		return slug
	}
	return inProject(space, slug)
}

// orNull is a text, or null for none, as a column of a table has it.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// wingIs is the condition that a page belongs to a wing.
func wingIs(wing string) []string {
	if wing == "" {
		return nil
	}
	return []string{"wing:" + quoteWord(wing)}
}

// quoteWord writes a word so that a condition takes it whole.
func quoteWord(word string) string {
	if strings.ContainsAny(word, " \"") {
		return `"` + strings.ReplaceAll(word, `"`, "") + `"`
	}
	return word
}

type memorySearch struct {
	Query string   `json:"query"`
	Type  string   `json:"type,omitempty"`
	Wing  string   `json:"wing,omitempty"`
	Limit int      `json:"limit,omitempty" jsonschema:"default 10"`
	Floor *float64 `json:"relevance_floor,omitempty"`
	Space string   `json:"space,omitempty"`
}

type memoryQuery struct {
	Question string    `json:"question"`
	Depth    api.Depth `json:"depth,omitempty" jsonschema:"default auto"`
	Budget   int       `json:"token_budget,omitempty" jsonschema:"default 4000"`
	Type     string    `json:"type,omitempty"`
	Wing     string    `json:"wing,omitempty"`
	Limit    int       `json:"limit,omitempty" jsonschema:"default 10"`
	Floor    *float64  `json:"relevance_floor,omitempty"`
	Space    string    `json:"space,omitempty"`
}

// memoryHit is a page that was found.
type memoryHit struct {
	Slug    string    `json:"slug"`
	Ref     string    `json:"ref"`
	Title   string    `json:"title"`
	Type    string    `json:"type,omitempty"`
	Wing    string    `json:"wing,omitempty"`
	Depth   api.Depth `json:"depth,omitempty"`
	Summary string    `json:"summary"`
	Content string    `json:"content,omitempty"`
	Score   float64   `json:"score"`
	Tokens  int       `json:"tokens_used,omitempty"`

	Contested bool `json:"contested,omitempty"`
	Stale     bool `json:"stale,omitempty"`

	SupersededBy string `json:"superseded_by,omitempty" jsonschema:"ref of the page that holds now"`
}

type memoryHits struct {
	Results []memoryHit `json:"results"`
	Total   *int        `json:"total_tokens,omitempty"`
	Left    *int        `json:"budget_remaining,omitempty"`
	Match   string      `json:"match,omitempty"`
	Pending int         `json:"pending_embedding_jobs"`
	Notes   []string    `json:"notes,omitempty"`
}

// add adds a hit, unless it scores less than the floor.
func (h *memoryHits) add(r recalled, floor *float64) {
	if floor != nil && r.Score < *floor {
		return
	}
	out := memoryHit{
		Slug: r.page.Slug, Ref: r.Ref, Title: r.page.Title, Type: r.Type, Wing: r.page.Wing, Depth: r.Depth,
		Summary: r.page.Summary, Score: r.Score, Tokens: r.spent, Contested: r.Contested, Stale: r.Stale, SupersededBy: r.SupersededBy,
	}
	if r.Depth == api.DepthSummary {
		out.Summary = r.Text
	} else {
		out.Content = r.Text
	}
	h.Results = append(h.Results, out)
}

type memoryGet struct {
	Slug  string `json:"slug"`
	Space string `json:"space,omitempty"`
}

type memoryPage struct {
	Slug            string         `json:"slug"`
	Ref             string         `json:"ref"`
	UUID            kb.ID          `json:"uuid"`
	Title           string         `json:"title"`
	Type            string         `json:"type"`
	Version         int            `json:"version"`
	Summary         string         `json:"summary"`
	Truth           string         `json:"compiled_truth"`
	Timeline        string         `json:"timeline"`
	Frontmatter     map[string]any `json:"frontmatter"`
	Wing            string         `json:"wing"`
	Room            string         `json:"room"`
	CreatedAt       string         `json:"created_at,omitempty"`
	UpdatedAt       string         `json:"updated_at"`
	TruthUpdated    string         `json:"truth_updated_at,omitempty"`
	TimelineUpdated string         `json:"timeline_updated_at,omitempty"`
}

type memoryList struct {
	Type  string `json:"type,omitempty"`
	Tag   string `json:"tag,omitempty"`
	Wing  string `json:"wing,omitempty"`
	Sort  string `json:"sort,omitempty" jsonschema:"default updated"`
	Limit int    `json:"limit,omitempty" jsonschema:"default 50"`
	Space string `json:"space,omitempty"`
}

type memoryListed struct {
	Slug      string `json:"slug"`
	Ref       string `json:"ref"`
	Type      string `json:"type"`
	Title     string `json:"title"`
	Summary   string `json:"summary"`
	Version   int    `json:"version"`
	UpdatedAt string `json:"updated_at"`
}

type memoryGraph struct {
	Slug     string       `json:"slug"`
	Depth    int          `json:"depth,omitempty" jsonschema:"default 2"`
	Temporal api.Temporal `json:"temporal,omitempty"`
	Limit    int          `json:"limit,omitempty" jsonschema:"pages (default 50)"`
	Space    string       `json:"space,omitempty"`
}

type memoryNode struct {
	Slug  string `json:"slug"`
	Type  string `json:"type"`
	Title string `json:"title"`
}

type memoryEdge struct {
	ID    int64   `json:"id"`
	From  string  `json:"from"`
	To    string  `json:"to"`
	Type  string  `json:"relationship"`
	Since *string `json:"valid_from"`
	Until *string `json:"valid_until"`
}

type memoryAround struct {
	Nodes   []memoryNode `json:"nodes"`
	Edges   []memoryEdge `json:"edges"`
	LeftOut int          `json:"left_out,omitempty"`
	Notes   []string     `json:"notes,omitempty"`
}

// active is what quaid calls current.
const active api.Temporal = "active"

// temporal says when links are to hold.
func temporal(t api.Temporal) api.Temporal {
	if t == active {
		return api.Current
	}
	return t
}

var temporals = OneOf("temporal", api.Current, api.Historical, api.AllTimes, active)

func memoryReaders() []*Tool {
	return []*Tool{
		adapt(memoryTool("search", "Search by words", "Find pages by words.", ofSearch), find,
			func(in memorySearch) (findInput, error) {
				return findInput{
					Query: in.Query, Mode: string(api.ModeWords), Space: in.Space, Type: some(in.Type), Where: wingIs(in.Wing), Part: api.Part{Limit: cmp.Or(in.Limit, 10)}, Budget: 1,
				}, nil
			},
			func(in memorySearch, r findAnswer) (textResult, error) {
				out := memoryHits{Results: []memoryHit{}, Pending: r.Unembedded, Notes: r.Notes}
				for _, h := range r.Items {
					h.Depth, h.Text, h.spent = "", "", 0
					out.add(h.recalled, in.Floor)
				}
				return textResult{data: out}, nil
			}, Between("limit", 1, 100), Between("relevance_floor", 0, 1)),
		adapt(memoryTool("query", "Ask the memory", "Find pages by words and meaning, with text that fits the budget. match none: the memory hardly knows; log a gap.", ofQuestion), recall,
			func(in memoryQuery) (recallInput, error) {
				return recallInput{
					Query: in.Question, Space: in.Space, Type: some(in.Type), Where: wingIs(in.Wing), Limit: cmp.Or(in.Limit, 10),
					Budget: in.Budget, usual: defaultBudget, Depth: string(in.Depth),
				}, nil
			},
			func(in memoryQuery, r recallAnswer) (textResult, error) {
				left := max(0, r.budget-r.Spent)
				out := memoryHits{Results: []memoryHit{}, Total: &r.Spent, Left: &left, Match: r.Match, Pending: r.Unembedded, Notes: r.Notes}
				for _, h := range r.Items {
					out.add(h, in.Floor)
				}
				return textResult{data: out}, nil
			}, Between("limit", 1, 100), Between("token_budget", 1, maxBudget), Between("relevance_floor", 0, 1),
			OneOf("depth", api.DepthSummary, api.DepthSection, api.DepthFull, api.DepthAuto)),
		adapt(memoryTool("get", "Read a page", "Read a page. Its version is what writing expects.", ofMemory), readNote,
			func(in memoryGet) (noteInput, error) { return noteInput{Ref: slugIn(in.Space, in.Slug)}, nil },
			func(in memoryGet, n noteAnswer) (textResult, error) {
				p := n.Parts
				return textResult{data: memoryPage{
					Slug: slugOf(n.Ref), Ref: n.Ref, UUID: n.ID, Title: n.Title, Type: n.Type, Version: n.Version,
					Summary: p.Summary, Truth: p.Truth, Timeline: p.Timeline, Frontmatter: n.Frontmatter, Wing: p.Wing, Room: p.Room,
					CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, TruthUpdated: p.TruthUpdatedAt, TimelineUpdated: p.TimelineUpdatedAt,
				}}, nil
			}),
		adapt(memoryTool("list", "List pages", "Pages, the newest first.", with(ofMemory, "page_type", "type")), browse,
			func(in memoryList) (browseInput, error) {
				return browseInput{
					What: viewPages, Type: some(in.Type), Tags: some(in.Tag), Where: wingIs(in.Wing),
					Sort: cmp.Or(in.Sort, "updated"), Space: in.Space, Limit: cmp.Or(in.Limit, 50),
				}, nil
			},
			func(in memoryList, b browseAnswer) (textResult, error) {
				out := []memoryListed{}
				for _, p := range b.Items {
					out = append(out, memoryListed{
						p.page.Slug, p.Ref, p.Type, p.Title, p.page.Summary, p.page.Version, p.page.UpdatedAt.UTC().Format(timeLayout),
					})
				}
				return textResult{data: out}, nil
			}, Between("limit", 1, 1000), sorts),
		adapt(memoryTool("graph", "Pages around a page", "Pages that links lead to, nearest first, and the links between them.", ofMemory), graphAround,
			func(in memoryGraph) (api.GraphRequest, error) {
				return api.GraphRequest{Ref: slugIn(in.Space, in.Slug), Depth: in.Depth, Limit: in.Limit, Temporal: temporal(in.Temporal)}, nil
			},
			func(in memoryGraph, g graphAnswer) (textResult, error) {
				out := memoryAround{Nodes: []memoryNode{}, Edges: []memoryEdge{}, LeftOut: g.LeftOut, Notes: g.Notes}
				for _, n := range g.Nodes {
					out.Nodes = append(out.Nodes, memoryNode{n.Ref, n.Type, n.Title})
				}
				for _, l := range g.Links {
					out.Edges = append(out.Edges, memoryEdge{l.ID, l.From, l.To, l.Type, orNull(l.ValidFrom), orNull(l.ValidUntil)})
				}
				return textResult{data: out}, nil
			}, temporals, Between("depth", 1, links.MaxDepth), Between("limit", 1, links.MaxNodes)),
	}
}

type memoryPut struct {
	Slug        string          `json:"slug"`
	Content     *string         `json:"content,omitempty" jsonschema:"the whole page, or give parts:"`
	Truth       *string         `json:"compiled_truth,omitempty" jsonschema:"above the line"`
	Append      string          `json:"timeline_append,omitempty" jsonschema:"- **date** | source | text"`
	Frontmatter json.RawMessage `json:"frontmatter,omitempty"`
	Expected    *int            `json:"expected_version,omitempty" jsonschema:"from memory_get; 0 or none: new"`
	Assertions  []kb.Statement  `json:"assertions,omitempty"`
	Space       string          `json:"space,omitempty"`
}

type memoryIngest struct {
	Content string            `json:"content"`
	Type    string            `json:"source_type"`
	Ref     string            `json:"source_ref"`
	Force   bool              `json:"force,omitempty" jsonschema:"write truths that say nothing new, too"`
	Pages   []api.PlannedPage `json:"pages,omitempty"`
	Space   string            `json:"space,omitempty"`
}

// wroteSlug reports a written page in a line, in quaid's form, with its notes.
func wroteSlug(w written) string {
	var text strings.Builder
	for _, p := range w.Pages {
		did := "Updated"
		switch p.Change {
		case kb.Created:
			did = "Created"
		case "":
			did = "Unchanged"
		}
		fmt.Fprintf(&text, "%s %s (version %d)\n", did, p.Ref, p.Version)
		for _, warning := range p.Warnings {
			text.WriteString("warning: " + warning.Text + "\n")
		}
		for _, n := range p.Notes {
			text.WriteString("note: " + n + "\n")
		}
	}
	for id, what := range w.Opened {
		fmt.Fprintf(&text, "contradiction %s: %s\n", id, what)
	}
	for _, n := range w.Notes {
		text.WriteString("note: " + n + "\n")
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func memoryWriters() []*Tool {
	return []*Tool{
		adapt(memoryTool("put", "Write a page", "Write a page, or parts of it. An existing one needs expected_version; on a conflict read, merge, retry.", ofMemory), ingestSource,
			func(in memoryPut) (ingestInput, error) {
				return ingestInput{Force: true, Pages: []api.PlannedPage{{
					Slug: slugIn(in.Space, in.Slug), Content: in.Content, Truth: in.Truth, Append: in.Append,
					Frontmatter: in.Frontmatter, Expected: in.Expected, Assertions: in.Assertions,
				}}}, nil
			},
			func(in memoryPut, w ingested) (textResult, error) {
				return textResult{words: wroteSlug(w.written)}, nil
			},
			AtLeast("expected_version", 0), object("frontmatter")),
		adapt(memoryTool("ingest", "Ingest a source", "Keep a source and write the pages you made of it: all or none. Without pages: which known pages it mentions.", ofMemory), ingestSource,
			func(in memoryIngest) (ingestInput, error) {
				for i := range in.Pages {
					in.Pages[i].Slug = slugIn(in.Space, in.Pages[i].Slug)
				}
				return ingestInput{Content: in.Content, Type: in.Type, Ref: in.Ref, Force: in.Force, Pages: in.Pages, Space: in.Space}, nil
			},
			func(in memoryIngest, w ingested) (textResult, error) { return textResult{data: w}, nil },
			OneOf("source_type", ingest.Types()...), Within("pages", AtLeast("expected_version", 0), object("frontmatter"))),
	}
}

type memoryTags struct {
	Slug    string   `json:"slug"`
	Add     []string `json:"add,omitempty"`
	Remove  []string `json:"remove,omitempty"`
	Version *int     `json:"page_version,omitempty"`
	Space   string   `json:"space,omitempty"`
}

type memoryTag struct {
	Slug    string `json:"slug"`
	Tag     string `json:"tag"`
	Remove  bool   `json:"remove,omitempty"`
	Version int    `json:"page_version"`
	Space   string `json:"space,omitempty"`
}

// memoryWritten is the answer of what changes one page.
type memoryWritten struct {
	ID       int64         `json:"id,omitempty"`
	Slug     string        `json:"slug"`
	Version  int           `json:"version"`
	Write    int64         `json:"write,omitempty" jsonschema:"for undo"`
	Tags     []string      `json:"tags,omitempty"`
	Warnings []api.Warning `json:"warnings,omitempty"`
	Notes    []string      `json:"notes,omitempty"`
}

func writtenOf(w written) memoryWritten {
	out := memoryWritten{Write: w.Write, Notes: w.Notes}
	for _, p := range w.Pages {
		out.Slug, out.Version, out.Tags = p.Ref, p.Version, p.Tags
		out.Warnings = append(out.Warnings, p.Warnings...)
	}
	return out
}

type memoryRaw struct {
	Slug      string `json:"slug"`
	Source    string `json:"source,omitempty"`
	Data      []byte `json:"data,omitempty" jsonschema:"object to keep; absent: read"`
	Overwrite bool   `json:"overwrite,omitempty"`
	Version   *int   `json:"page_version,omitempty"`
	Space     string `json:"space,omitempty"`
}

type memoryTimeline struct {
	Slug  string `json:"slug"`
	Limit int    `json:"limit,omitempty" jsonschema:"default 20"`
	Space string `json:"space,omitempty"`
}

type memoryEntry struct {
	Date    string `json:"date"`
	Source  string `json:"source"`
	Summary string `json:"summary"`
	Detail  string `json:"detail"`
	Line    int    `json:"line"`
}

type memoryEntries struct {
	Slug    string        `json:"slug"`
	Entries []memoryEntry `json:"entries"`
	Total   int           `json:"total"`
}

type memoryTimelineAdd struct {
	Slug    string `json:"slug"`
	Date    string `json:"date"`
	Summary string `json:"summary"`
	Source  string `json:"source,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Version int    `json:"page_version"`
	Space   string `json:"space,omitempty"`
}

func memoryEvidence() []*Tool {
	readTags := through(readPage,
		func(in memoryTags) (readInput, error) {
			return readInput{Ref: slugIn(in.Space, in.Slug), Budget: 1}, nil
		},
		func(in memoryTags, p readAnswer) (textResult, error) { return textResult{data: sorted(p.Tags)}, nil })
	writeTags := through(tagPage,
		func(in memoryTags) (tagInput, error) {
			return tagInput{Ref: slugIn(in.Space, in.Slug), Add: in.Add, Remove: in.Remove, writeOptions: writeOptions{WriteOptions: api.WriteOptions{Expected: in.Version}}}, nil
		},
		func(in memoryTags, w written) (textResult, error) {
			return textResult{data: sorted(writtenOf(w).Tags)}, nil
		})
	readRaw := through(rawData,
		func(in memoryRaw) (rawInput, error) {
			return rawInput{Ref: slugIn(in.Space, in.Slug), Source: in.Source}, nil
		},
		func(in memoryRaw, r rawAnswer) (textResult, error) { return textResult{data: r}, nil })
	writeRaw := through(rawStore,
		func(in memoryRaw) (rawStoreInput, error) {
			if _, err := objectOf("data", in.Data); err != nil {
				return rawStoreInput{}, err
			}
			if in.Source == "" {
				return rawStoreInput{}, misuse{"source", errors.New("source is missing")}
			}
			return rawStoreInput{
				Ref: slugIn(in.Space, in.Slug), Source: in.Source, Data: in.Data, Overwrite: in.Overwrite, writeOptions: writeOptions{WriteOptions: api.WriteOptions{Expected: in.Version}},
			}, nil
		},
		func(in memoryRaw, w written) (textResult, error) {
			out := writtenOf(w)
			out.ID = w.Write
			return textResult{data: out}, nil
		})
	return []*Tool{
		choose(memoryTool("tags", "Tags of a page", "List the tags of a page, after adding and removing some.", ofMemory), &tagPage.Operation,
			func(in memoryTags) asking {
				if len(in.Add)+len(in.Remove) > 0 {
					return writeTags
				}
				return readTags
			}, AtLeast("page_version", 0)),
		adapt(memoryTool("tag", "Tag a page", "Add or remove a tag.", ofMemory), tagPage,
			func(in memoryTag) (tagInput, error) {
				out := tagInput{Ref: slugIn(in.Space, in.Slug), Add: []string{in.Tag}, writeOptions: writeOptions{WriteOptions: api.WriteOptions{Expected: &in.Version}}}
				if in.Remove {
					out.Add, out.Remove = nil, out.Add
				}
				return out, nil
			},
			func(in memoryTag, w written) (textResult, error) { return textResult{data: writtenOf(w)}, nil }, AtLeast("page_version", 0)),
		adapt(memoryTool("timeline", "Read a timeline", "The entries of a page's timeline, newest first.", ofMemory), timeline,
			func(in memoryTimeline) (timelineInput, error) {
				return timelineInput{Ref: slugIn(in.Space, in.Slug), Limit: in.Limit}, nil
			},
			func(in memoryTimeline, l listAnswer[api.Entry]) (textResult, error) {
				out := memoryEntries{Slug: in.Slug, Entries: []memoryEntry{}, Total: l.Total}
				for _, e := range l.Items {
					out.Slug = e.Page
					out.Entries = append(out.Entries, memoryEntry{e.Date, e.Source, e.Text, e.Detail, e.Line})
				}
				return textResult{data: out}, nil
			}, Between("limit", 1, 1000)),
		adapt(memoryTool("timeline_add", "Add to a timeline", "Add a dated entry to a page's timeline.", ofMemory), timelineAdd,
			func(in memoryTimelineAdd) (timelineAddInput, error) {
				return timelineAddInput{
					Ref: slugIn(in.Space, in.Slug), Text: in.Summary, Date: in.Date, Source: in.Source, Detail: in.Detail, writeOptions: writeOptions{WriteOptions: api.WriteOptions{Expected: &in.Version}},
				}, nil
			},
			func(in memoryTimelineAdd, w written) (textResult, error) { return textResult{data: writtenOf(w)}, nil }, AtLeast("page_version", 0)),
		choose(memoryTool("raw", "Data of a page", "Read JSON that another program gave for a page, or keep it under its source.", ofMemory), &rawStore.Operation,
			func(in memoryRaw) asking {
				if in.Data != nil {
					return writeRaw
				}
				return readRaw
			}, anyValue("data"), AtLeast("page_version", 0)),
	}
}

// sorted are the tags of a page, as a list that is never null.
func sorted(tags []string) []string {
	out := append([]string{}, tags...)
	slices.Sort(out)
	return out
}

// slugOf is the slug of a page by its ref.
func slugOf(ref string) string {
	_, slug, _ := strings.Cut(ref, ":")
	return slug
}
