package operation

import (
	"cmp"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
)

type memoryCheck struct {
	Slug    string `json:"slug,omitempty"`
	Type    string `json:"type,omitempty"`
	Resolve string `json:"resolve,omitempty" jsonschema:"id to settle"`
	Keep    string `json:"keep,omitempty" jsonschema:"page that holds; else it is dismissed"`
	Space   string `json:"space,omitempty"`
}

// memoryContradiction is a contradiction, by the names of its columns.
type memoryContradiction struct {
	ID          string     `json:"id"`
	Page        string     `json:"page_slug"`
	Other       string     `json:"other_page_slug"`
	Type        string     `json:"type"`
	Subject     string     `json:"subject"`
	Description string     `json:"description"`
	Certain     bool       `json:"certain"`
	Sides       []api.Side `json:"sides"` // a and b
}

type memorySettled struct {
	ID         string  `json:"contradiction_id"`
	Kept       *string `json:"kept_slug"`
	Superseded *string `json:"superseded_slug"`
}

type memoryGap struct {
	Query      string   `json:"query_text" jsonschema:"kept on this machine alone"`
	Context    string   `json:"context,omitempty" jsonschema:"is kept"`
	Confidence *float64 `json:"confidence_score,omitempty"`
	Slug       string   `json:"slug,omitempty"`
	Space      string   `json:"space,omitempty"`
}

// memoryGapRow is a gap, by the names of its columns.
type memoryGapRow struct {
	ID          int64          `json:"id"`
	PageID      *string        `json:"page_id"`
	Hash        string         `json:"query_hash"`
	Text        *string        `json:"query_text"`
	Words       string         `json:"words,omitempty" jsonschema:"of the question, for this machine alone: nothing was approved"`
	Context     string         `json:"context"`
	Confidence  *float64       `json:"confidence_score"`
	Sensitivity kb.Sensitivity `json:"sensitivity"`
	ApprovedBy  *string        `json:"approved_by"`
	ApprovedAt  *time.Time     `json:"approved_at"`
	Redacted    *string        `json:"redacted_query"`
	ResolvedAt  *time.Time     `json:"resolved_at"`
	ResolvedBy  *string        `json:"resolved_by_slug"`
	DetectedAt  string         `json:"detected_at"`
}

func gapRow(g api.Gap) memoryGapRow {
	out := memoryGapRow{
		ID: g.ID, Hash: g.Hash, Text: orNull(g.Question), Words: g.Words, Context: g.Context, Confidence: g.Confidence, Sensitivity: g.Sensitivity,
		ApprovedBy: orNull(g.Approver), ApprovedAt: g.ApprovedAt, Redacted: orNull(g.Redacted), ResolvedAt: g.ResolvedAt,
		DetectedAt: g.First.UTC().Format(timeLayout),
	}
	if out.Confidence == nil {
		out.Confidence = g.Score
	}
	if g.ResolvedAt != nil {
		out.ResolvedBy = orNull(g.Page)
	}
	return out
}

type memoryGapApprove struct {
	ID          int64  `json:"gap_id"`
	Sensitivity string `json:"sensitivity"`
	Approver    string `json:"approver" jsonschema:"person who allowed it"`
	Query       string `json:"query_text,omitempty" jsonschema:"for external"`
	Redacted    string `json:"redacted_query,omitempty"`
}

type memoryGaps struct {
	Limit    int    `json:"limit,omitempty" jsonschema:"default 20"`
	Resolved bool   `json:"include_resolved,omitempty"`
	Space    string `json:"space,omitempty"`
}

type memoryStats struct{}

type memoryCounts struct {
	Pages          int         `json:"page_count"`
	Links          int         `json:"link_count"`
	Assertions     int         `json:"assertion_count"`
	Contradictions int         `json:"contradiction_count"`
	Gaps           int         `json:"gap_count"`
	Entries        int         `json:"timeline_entry_count"`
	Model          string      `json:"active_model"`
	Embedded       int         `json:"embedding_count"`
	Bytes          int64       `json:"db_size_bytes"`
	Types          []api.Count `json:"types"`
	Problems       []string    `json:"problems"`
}

func memoryQuestions() []*Tool {
	list := through(checkPages,
		func(in memoryCheck) (checkInput, error) {
			out := checkInput{Type: some(in.Type), Space: in.Space, Limit: 100}
			if in.Slug != "" {
				out.Ref = slugIn(in.Space, in.Slug)
			}
			return out, nil
		},
		func(in memoryCheck, c checkAnswer) (textResult, error) {
			out := []memoryContradiction{}
			for _, x := range c.Items {
				out = append(out, memoryContradiction{
					ID: x.ID, Page: x.A.Ref, Other: x.B.Ref, Type: x.Type, Subject: cmp.Or(x.SubjectRef, x.Subject), Description: x.Text, Certain: x.Certain,
					Sides: []api.Side{x.A, x.B},
				})
			}
			return textResult{data: out}, nil
		})
	keep := through(resolve,
		func(in memoryCheck) (resolveInput, error) {
			out := resolveInput{ID: in.Resolve, Keep: in.Keep}
			if in.Keep != "a" && in.Keep != "b" {
				out.Keep = slugIn(in.Space, in.Keep)
			}
			return out, nil
		},
		func(in memoryCheck, w written) (textResult, error) {
			out := memorySettled{ID: in.Resolve, Kept: &in.Keep}
			if len(w.Pages) > 0 {
				out.Superseded = &w.Pages[0].Ref
			}
			return textResult{data: out}, nil
		})
	drop := through(dismiss,
		func(in memoryCheck) (dismissInput, error) {
			return dismissInput{ID: in.Resolve, Note: "resolved with memory_check"}, nil
		},
		func(in memoryCheck, x api.Contradiction) (textResult, error) {
			return textResult{data: memorySettled{ID: x.ID}}, nil
		})
	return []*Tool{
		choose(memoryTool("check", "Find contradictions", "List statements that cannot both hold, or settle one.", ofMemory), &resolve.Operation,
			func(in memoryCheck) asking {
				switch {
				case in.Resolve == "":
					return list
				case in.Keep == "":
					return drop
				}
				return keep
			}, OneOf("type", "temporal", "cross_page", "stale")),
		adapt(memoryTool("gap", "Log a gap", "Note a question that the memory did not answer.", ofGap), gapLog,
			func(in memoryGap) (gapLogInput, error) {
				about := in.Context
				if in.Slug != "" {
					about = strings.TrimPrefix(about+"; of "+in.Slug, "; ")
				}
				return gapLogInput{Question: in.Query, Context: about, Score: in.Confidence, Space: in.Space}, nil
			},
			func(in memoryGap, g api.Gap) (textResult, error) { return textResult{data: gapRow(g)}, nil }),
		adapt(memoryTool("gap_approve", "Approve a gap", "Record that a person allowed a gap to be asked outside the memory.", nil), gapApprove,
			func(in memoryGapApprove) (gapApproveInput, error) {
				return gapApproveInput{ID: in.ID, Sensitivity: in.Sensitivity, Approver: in.Approver, Question: in.Query, Redacted: in.Redacted}, nil
			},
			func(in memoryGapApprove, g api.Gap) (textResult, error) { return textResult{data: gapRow(g)}, nil },
			AtLeast("gap_id", 1), OneOf("sensitivity", kb.GapRedacted, kb.GapExternal)),
		adapt(memoryTool("gaps", "List gaps", "Questions that the memory could not answer.", ofListOfGaps), listGaps,
			func(in memoryGaps) (gapsInput, error) {
				return gapsInput{Resolved: in.Resolved, Space: in.Space, Limit: in.Limit}, nil
			},
			func(in memoryGaps, l api.List[api.Gap]) (textResult, error) {
				out := []memoryGapRow{}
				for _, g := range l.Items {
					out = append(out, gapRow(g))
				}
				return textResult{data: out}, nil
			}, Between("limit", 1, 1000)),
		adapt(memoryTool("stats", "Count the memory", "Counts of pages, links, assertions, contradictions and gaps.", nil), status,
			func(memoryStats) (statusInput, error) { return statusInput{Detail: true}, nil },
			func(_ memoryStats, s statusAnswer) (textResult, error) {
				out := memoryCounts{
					Pages: s.Pages, Links: s.Links, Assertions: s.asserted, Contradictions: s.Disputes, Gaps: s.Gaps, Model: s.model, Embedded: s.Embedded,
					Types: []api.Count{}, Problems: s.Problems,
				}
				if s.Stats != nil {
					out.Entries, out.Bytes, out.Types = s.Stats.Entries, s.Stats.Database, append(out.Types, s.Stats.Types...)
				}
				return textResult{data: out}, nil
			}),
	}
}
