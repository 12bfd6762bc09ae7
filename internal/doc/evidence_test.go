package doc_test

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestLostEntries(t *testing.T) {
	t.Parallel()
	entry := func(date, text string) doc.Entry { return doc.Entry{Date: date, Text: text} }
	a, b := entry("2024-03-01", "met"), entry("2023", "born")
	source, detail := a, a
	source.Source, detail.Detail = "mail", "more"
	of := func(entries ...doc.Entry) *doc.Document { return &doc.Document{Nodes: []doc.Node{{Entries: entries}}} }
	for name, tc := range map[string]struct {
		before, after *doc.Document
		want          []doc.Entry
	}{
		"nothing there":        {of(), of(a), nil},
		"one more":             {of(a), of(b, a), nil},
		"another order":        {of(a, b), of(b, a), nil},
		"under another node":   {of(a, b), &doc.Document{Nodes: []doc.Node{{Entries: []doc.Entry{b}}, {Entries: []doc.Entry{a}}}}, nil},
		"dropped":              {of(a, b), of(b), []doc.Entry{a}},
		"all dropped":          {of(a, b), of(), []doc.Entry{a, b}},
		"another date":         {of(a), of(entry("2024-03-02", "met")), []doc.Entry{a}},
		"another text":         {of(a), of(entry("2024-03-01", "met us")), []doc.Entry{a}},
		"another source":       {of(a), of(source), []doc.Entry{a}},
		"more detail":          {of(a), of(detail), []doc.Entry{a}},
		"twice there, once":    {of(a, a), of(a), []doc.Entry{a}},
		"once there, twice":    {of(a), of(a, a), nil},
		"moved where it stood": {of(doc.Entry{Date: "2023", Span: doc.Span{Start: 7, End: 9}}), of(doc.Entry{Date: "2023"}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := doc.Lost(tc.before, tc.after); fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("lost %v, want %v", got, tc.want)
			}
		})
	}
}
