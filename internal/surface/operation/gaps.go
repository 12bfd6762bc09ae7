package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory"
)

type gapsInput struct {
	Resolved bool   `json:"resolved,omitempty" jsonschema:"also those that are resolved"`
	Space    string `json:"space,omitempty" jsonschema:"* for all"`
	Limit    int    `json:"limit,omitempty" jsonschema:"default 20"`
	Offset   int    `json:"offset,omitempty"`
}

var listGaps = define(Operation{
	Name: "gaps", Title: "List the gaps", Group: more, Route: Route{"GET", "/gaps"},
	Description: "Questions that the memory could not answer, oldest first. internal: look in memory only. redacted: only redacted_question may go elsewhere. external: question may.",
	ReadOnly:    true, Idempotent: true,
	nothing: api.List[api.Gap]{Items: []api.Gap{}},
}, func(ctx context.Context, a *memory.Session, in gapsInput) (api.List[api.Gap], error) {
	req := gap.ListRequest{Resolved: in.Resolved, All: in.Space == "*", Limit: in.Limit, Offset: in.Offset}
	if req.Limit == 0 {
		req.Limit = 20
	}
	if !req.All {
		a = a.In(in.Space)
	}
	return gap.List(ctx, a, req)
}, Between("limit", 1, 1000), AtLeast("offset", 0))

type gapLogInput struct {
	Question string   `json:"question" jsonschema:"as it was asked; kept on this machine"`
	Context  string   `json:"context,omitempty" jsonschema:"its subject and purpose; stored in clear, so leave out private facts"`
	Score    *float64 `json:"score,omitempty" jsonschema:"of the best page that recall found"`
	Space    string   `json:"space,omitempty"`
}

var gapLog = define(Operation{
	Name: "gap_log", Title: "Note a gap", Group: more, Route: Route{"POST", "/gaps"},
	Description: "Note a question that memory did not answer, or not well. The same question is counted.",
	first:       true,
}, func(ctx context.Context, a *memory.Session, in gapLogInput) (api.Gap, error) {
	return gap.Log(ctx, a.In(in.Space), gap.LogRequest{Question: in.Question, Context: in.Context, Score: in.Score})
})

type gapNoteInput struct {
	ID      int64  `json:"id"`
	Context string `json:"context" jsonschema:"replaces the present context"`
}

var gapNote = define(Operation{
	Name: "gap_note", Title: "Write about a gap", Group: more, Route: Route{"POST", "/gaps/note"},
	Description: "Record findings about a gap that stays open, such as sources searched in vain.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in gapNoteInput) (api.Gap, error) {
	return gap.Note(ctx, a, gap.NoteRequest{ID: in.ID, Context: in.Context})
}, AtLeast("id", 1))

type gapApproveInput struct {
	ID          int64  `json:"id"`
	Sensitivity string `json:"sensitivity"`
	Approver    string `json:"approver" jsonschema:"the person who allowed it"`
	Question    string `json:"question,omitempty" jsonschema:"as it was asked; needed for external"`
	Redacted    string `json:"redacted_question,omitempty" jsonschema:"without names and numbers that must stay here; needed for redacted"`
}

var gapApprove = define(Operation{
	Name: "gap_approve", Title: "Approve a gap", Group: more, Route: Route{"POST", "/gaps/approve"},
	Description: "Record that a person allowed a gap's question to be kept and asked outside the memory. Only after the user said so.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in gapApproveInput) (api.Gap, error) {
	return gap.Approve(ctx, a, gap.ApproveRequest{
		ID: in.ID, Sensitivity: kb.Sensitivity(in.Sensitivity), Approver: in.Approver, Question: in.Question, Redacted: in.Redacted,
	})
}, AtLeast("id", 1), OneOf("sensitivity", kb.GapRedacted, kb.GapExternal))

type gapResolveInput struct {
	ID  int64  `json:"id"`
	Ref string `json:"ref" jsonschema:"page that answers it now"`
}

var gapResolve = define(Operation{
	Name: "gap_resolve", Title: "Resolve a gap", Group: more, Route: Route{"POST", "/gaps/resolve"},
	Description: "Say which page answers a gap's question now.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in gapResolveInput) (api.Gap, error) {
	return gap.ResolveWith(ctx, a, in.ID, in.Ref)
}, AtLeast("id", 1))

type gapRemoveInput struct {
	ID int64 `json:"id"`
}

var gapRemove = define(Operation{
	Name: "gap_remove", Title: "Remove a gap", Group: more, Route: Route{"DELETE", "/gaps"},
	Description: "Remove a gap with all that is kept of it; nothing brings it back. For what should not have been noted.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in gapRemoveInput) (api.Gap, error) {
	return gap.Remove(ctx, a, in.ID)
}, AtLeast("id", 1))
