package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

type tasksInput struct {
	Open   bool     `json:"open,omitempty" jsonschema:"only open ones"`
	Done   bool     `json:"done,omitempty" jsonschema:"only done or cancelled ones"`
	Due    string   `json:"due,omitempty" jsonschema:"by this date or phrase, overdue ones included"`
	Path   string   `json:"path,omitempty" jsonschema:"of the pages: below it, or a glob"`
	Tags   []string `json:"tags,omitempty" jsonschema:"of the pages"`
	Type   []string `json:"type,omitempty" jsonschema:"of the pages"`
	Where  []string `json:"where,omitempty" jsonschema:"of the pages: stage=design, priority>2, path:projects"`
	After  string   `json:"after,omitempty" jsonschema:"of the pages"`
	Before string   `json:"before,omitempty" jsonschema:"of the pages"`
	Space  string   `json:"space,omitempty" jsonschema:"* for all"`
	AsOf   string   `json:"as_of,omitempty" jsonschema:"date or time: the tasks of that state"`
	Limit  int      `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int      `json:"offset,omitempty"`
}

var listTasks = define(Operation{
	Name: "tasks", Title: "List the tasks", Group: more, Route: Route{"GET", "/tasks"},
	Description: "Tasks in pages: checkboxes, TODO keywords, with their dates. Those due first, then those scheduled.",
	ReadOnly:    true, Idempotent: true,
	nothing: listAnswer[api.Task]{List: api.List[api.Task]{Items: []api.Task{}}},
}, func(ctx context.Context, a *memory.Session, in tasksInput) (listAnswer[api.Task], error) {
	if err := checkWhere(in.Where); err != nil {
		return listAnswer[api.Task]{}, err
	}
	req := retrieve.TasksRequest{
		Within: retrieve.Within{Types: in.Type, Tags: in.Tags, Where: in.Where, After: in.After, Before: in.Before, All: in.Space == "*"},
		Open:   in.Open, Done: in.Done, Due: in.Due, AsOf: in.AsOf, Limit: in.Limit, Offset: in.Offset,
	}
	if in.Path != "" {
		req.Paths = []string{in.Path}
	}
	if req.Limit == 0 {
		req.Limit = 20
	}
	if !req.All {
		a = a.In(in.Space)
	}
	notes, err := read.Freshen(ctx, a, read.FreshenRequest{All: req.All})
	if err != nil {
		return listAnswer[api.Task]{}, err
	}
	list, err := retrieve.Tasks(ctx, a, req)
	return listed(a, list, notes), err
}, Between("limit", 1, 1000), AtLeast("offset", 0))
