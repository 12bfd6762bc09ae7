package command_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func usage(format string, args ...any) error { return fmt.Errorf(format, args...) }

func TestEditsComeInTheirOrder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args string
		want []doc.Edit
	}{
		{"--append|a|--prepend|b", []doc.Edit{doc.Append{Text: "a"}, doc.Prepend{Text: "b"}}},
		{"--append|a|--section|S", []doc.Edit{doc.Append{Section: "S", Text: "a"}}},
		{"--append|a|--section|S|--append|b|--section|T|--replace-section|c",
			[]doc.Edit{doc.Append{Text: "a"}, doc.Append{Section: "S", Text: "b"}, doc.ReplaceSection{Section: "T", Text: "c"}}},
		{"--find|a|--replace-with|b|--title|T|--find|c|--replace-with||--expect|2|--expect|3",
			[]doc.Edit{doc.Replace{Old: "a", New: "b", Expect: 2}, doc.SetTitle{Title: "T"}, doc.Replace{Old: "c", Expect: 3}}},
		{"--set|a=b=c|--set-list|k=x, y,|--unset|z|--truth|t",
			[]doc.Edit{doc.SetProperty{Key: "a", Value: "b=c", Typed: true}, doc.SetList{Key: "k", Values: []string{"x", "y"}},
				doc.RemoveProperty{Key: "z"}, doc.SetTruth{Text: "t"}}},
		{`--set|k=["one, two", "b"]|--set|e=[]`, []doc.Edit{doc.SetList{Key: "k", Values: []string{"one, two", "b"}}, doc.SetList{Key: "e", Values: []string{}}}},
		{`--set|k=[one]|--set|n=null`, []doc.Edit{doc.SetProperty{Key: "k", Value: "[one]", Typed: true}, doc.SetProperty{Key: "n", Value: "null", Typed: true}}},
		{`--set-list|k="one, two", y "z", 5"`, []doc.Edit{doc.SetList{Key: "k", Values: []string{"one, two", `y "z"`, `5"`}}}},
		{"--add-observation|- [fact] it rains #weather (today)|--remove-observation|[fact] it rains",
			[]doc.Edit{doc.AddObservation{Category: "fact", Text: "it rains", Tags: []string{"weather"}, Context: "today"},
				doc.RemoveObservation{Category: "fact", Text: "it rains"}}},
		{"--section|S|--insert-before|a|--insert-after|b",
			[]doc.Edit{doc.InsertBefore{Section: "S", Text: "a"}, doc.InsertAfter{Section: "S", Text: "b"}}},
		{"--append|a,b", []doc.Edit{doc.Append{Text: "a,b"}}},
	} {
		var e command.Flags
		flags := pflag.NewFlagSet("edit", pflag.ContinueOnError)
		e.AddFlags(flags)
		if err := flags.Parse(strings.Split(tc.args, "|")); err != nil {
			t.Errorf("%s: %v", tc.args, err)
			continue
		}
		got, err := e.List("p", usage, func(s string) (string, error) { return s, nil })
		if err != nil {
			t.Errorf("%s: %v", tc.args, err)
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", tc.args, d)
		}
	}
}
