package command

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Flags are the flags of edit that change something, in command-line order,
// which is the order in which they apply.
type Flags struct {
	steps    []step
	sections []string
	replaces []string // values of --replace-with and --expect, by the --find they belong to
	expects  []string
}

// step is one flag with its value, and the section that was named before it.
type step struct{ flag, value, section string }

// textFlags lists the edit flags, those with text values first.
var textFlags = []struct{ name, help string }{
	{"append", "add `TEXT` at the end of the page's truth, or of the section"},
	{"prepend", "add `TEXT` at the start of the page's truth, or of the section"},
	{"replace-section", "replace the content of the section with `TEXT`"},
	{"insert-before", "add `TEXT` before the section's heading"},
	{"insert-after", "add `TEXT` after the section"},
	{"truth", "put `TEXT` in place of all between the metadata and the line"},
}

// AddFlags adds the flags to those of a command.
func (e *Flags) AddFlags(f *pflag.FlagSet) {
	for _, t := range textFlags {
		f.Var(&stepFlag{e: e, name: t.name}, t.name, t.help)
	}
	f.Var((*listFlag)(&e.sections), "section", "act in the section under this `heading`, or in the block ^ID")
	for _, t := range []struct{ name, help string }{
		{"find", "replace each occurrence of this `text` in the page, or in the section"},
		{"set", "set a property, as `KEY=VALUE`"},
		{"set-list", "set a property to a list, as `KEY=A,B` or KEY=A,\"B, C\""},
		{"unset", "remove the property of this `key`"},
		{"title", "set the `title`"},
		{"add-observation", "add an `observation`, as [category] text #tag (context)"},
		{"remove-observation", "remove the `observation`, as [category] text"},
	} {
		f.Var(&stepFlag{e: e, name: t.name}, t.name, t.help)
	}
	f.Var((*listFlag)(&e.replaces), "replace-with", "replace the text of --find with this `text`")
	f.Var((*listFlag)(&e.expects), "expect", "fail unless --find finds this `number` of occurrences (default: 1)")
}

// Empty reports whether none was given.
func (e *Flags) Empty() bool {
	return len(e.steps)+len(e.sections)+len(e.replaces)+len(e.expects) == 0
}

// stepFlag is a flag that appends a step each time it is given.
type stepFlag struct {
	e    *Flags
	name string
}

func (s *stepFlag) String() string { return "" }
func (s *stepFlag) Type() string   { return "string" }

func (s *stepFlag) Set(value string) error {
	section := ""
	if n := len(s.e.sections); n > 0 {
		section = s.e.sections[n-1]
	}
	s.e.steps = append(s.e.steps, step{s.name, value, section})
	return nil
}

// listFlag collects values as they are, commas included.
type listFlag []string

func (l *listFlag) String() string { return "" }
func (l *listFlag) Type() string   { return "string" }

func (l *listFlag) Set(value string) error {
	*l = append(*l, value)
	return nil
}

// Usage makes the error for flags that say nothing to do.
type Usage func(format string, args ...any) error

// List returns the flags as edits of the page that a ref names, which may name the
// section, too. text reads the value "-" of a text.
func (e *Flags) List(ref string, usage Usage, text func(string) (string, error)) ([]doc.Edit, error) {
	if len(e.steps) == 0 {
		return nil, usage("no flag for a change")
	}
	finds := 0
	var list []doc.Edit
	for _, s := range e.steps {
		if s.section == "" && len(e.sections) == 1 {
			s.section = e.sections[0]
		}
		var err error
		if isText(s.flag) {
			if s.value, err = text(s.value); err != nil {
				return nil, err
			}
		}
		var one doc.Edit
		if s.flag == "find" {
			one, err = e.replace(usage, s, finds)
			finds++
		} else {
			one, err = s.edit(usage, strings.Contains(ref, "#"))
		}
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	switch {
	case finds != len(e.replaces):
		return nil, usage("each --find needs a --replace-with, and each --replace-with a --find")
	case len(e.expects) > finds:
		return nil, usage("--expect is the number that a --find finds, and there is none")
	}
	return list, e.checkSections(usage)
}

func isText(flag string) bool {
	for _, t := range textFlags {
		if t.name == flag {
			return true
		}
	}
	return false
}

// checkSections refuses a section that no flag uses.
func (e *Flags) checkSections(usage Usage) error {
	if len(e.sections) == 0 {
		return nil
	}
	for _, s := range e.steps {
		switch s.flag {
		case "append", "prepend", "replace-section", "insert-before", "insert-after", "find":
			return nil
		}
	}
	return usage("--section says where, but no flag adds or replaces text there")
}

// edit returns the edit of every flag but --find. In a part of a page it needs no
// --section.
func (s step) edit(usage Usage, part bool) (doc.Edit, error) {
	switch s.flag {
	case "append":
		return doc.Append{Section: s.section, Text: s.value}, nil
	case "prepend":
		return doc.Prepend{Section: s.section, Text: s.value}, nil
	case "truth":
		return doc.SetTruth{Text: s.value}, nil
	case "title":
		return doc.SetTitle{Title: s.value}, nil
	case "unset":
		return doc.RemoveProperty{Key: s.value}, nil
	case "set", "set-list":
		return s.property(usage)
	case "add-observation", "remove-observation":
		return s.observation()
	}
	if s.section == "" && !part {
		return nil, usage("--%s needs --section", s.flag)
	}
	switch s.flag {
	case "replace-section":
		return doc.ReplaceSection{Section: s.section, Text: s.value}, nil
	case "insert-before":
		return doc.InsertBefore{Section: s.section, Text: s.value}, nil
	}
	return doc.InsertAfter{Section: s.section, Text: s.value}, nil
}

func (s step) property(usage Usage) (doc.Edit, error) {
	key, value, ok := strings.Cut(s.value, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return nil, usage("--%s %s is not KEY=VALUE", s.flag, s.value)
	}
	if list := []string(nil); s.flag == "set" && json.Unmarshal([]byte(value), &list) == nil && list != nil {
		return doc.SetList{Key: key, Values: list}, nil // an array of JSON, as programs write lists
	}
	if s.flag == "set" {
		return doc.SetProperty{Key: key, Value: value, Typed: true}, nil
	}
	values, err := listItems(value)
	if err != nil {
		return nil, usage("--%s %s: %v", s.flag, s.value, err)
	}
	return doc.SetList{Key: key, Values: values}, nil
}

// listItems splits a list at its commas; an item in quotation marks may have commas.
func listItems(list string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(list))
	r.LazyQuotes, r.TrimLeadingSpace, r.FieldsPerRecord = true, true, -1
	items := []string{}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return items, nil
		}
		if err != nil {
			return nil, err
		}
		for _, item := range record {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
	}
}

func (s step) observation() (doc.Edit, error) {
	o, ok := doc.ParseObservation(strings.TrimPrefix(strings.TrimSpace(s.value), "- "))
	if !ok {
		return nil, kb.Errorf(kb.Usage, "--%s %q is not an observation", s.flag, s.value).
			WithHint(`Write one like "[decision] use SQLite #storage (2026-03)".`)
	}
	if s.flag == "remove-observation" {
		return doc.RemoveObservation{Category: o.Category, Text: o.Text}, nil
	}
	return doc.AddObservation{Category: o.Category, Text: o.Text, Tags: o.Tags, Context: o.Context}, nil
}

// replace returns the edit of the n-th --find.
func (e *Flags) replace(usage Usage, s step, n int) (doc.Edit, error) {
	if s.value == "" {
		return nil, usage("--find has no text")
	}
	r := doc.Replace{Section: s.section, Old: s.value, Expect: 1}
	if n < len(e.replaces) {
		r.New = e.replaces[n]
	}
	if n < len(e.expects) {
		expect, err := strconv.Atoi(e.expects[n])
		if err != nil || expect < 1 {
			return nil, usage("--expect %s is not a number above 0", e.expects[n])
		}
		r.Expect = expect
	}
	return r, nil
}
