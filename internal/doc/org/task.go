package org

import (
	"bytes"

	"github.com/cairn-kb/cairn/internal/doc"
)

// headlineTask returns the task of a headline with a keyword, with the dates of its planning
// lines.
func (r *reader) headlineTask(h heading) doc.Task {
	t := doc.Task{Done: h.done, State: h.todo, Text: h.text, Span: h.line}
	for line := range bytes.Lines(r.text[h.head.Start:h.head.End]) {
		if !isPlanning(line) {
			break
		}
		t.Plan(string(line))
	}
	return t
}

// itemTask returns the task of a list item with a checkbox. Org's [-] means partly done.
func itemTask(it item, span doc.Span) doc.Task {
	t := doc.Task{State: "todo", Span: span}
	switch it.checked {
	case 'x':
		t.State, t.Done = "done", true
	case '-':
		t.State = "doing"
	}
	t.Describe(it.text)
	return t
}
