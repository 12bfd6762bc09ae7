package query

import (
	"strings"
	"testing"
)

func TestParseWhere(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]string{
		"stage=design":    {"stage", "=", "design"},
		" stage = in use": {"stage", "=", "in use"},
		"stage!=done":     {"stage", "!=", "done"},
		"priority>2":      {"priority", ">", "2"},
		"priority>=2":     {"priority", ">=", "2"},
		"a.b<=2":          {"a.b", "<=", "2"},
		"due<2026-11-22":  {"due", "<", "2026-11-22"},
		"stage":           {"stage", "", ""},
		"a=b=c":           {"a", "=", "b=c"},

		"stage $in a, in use": {"stage", "$in", "a, in use"},
		"n $between 1, 2.5":   {"n", "$between", "1, 2.5"},
		"a b $in x=y":         {"a b", "$in", "x=y"},
		"stage=a $in b":       {"stage", "=", "a $in b"},
		`stage $in a\, b`:     {"stage", "$in", `a\, b`},
	} {
		if key, sign, value, ok := ParseWhere(text); !ok || [3]string{key, sign, value} != want {
			t.Errorf("%q: %q %q %q %v", text, key, sign, value, ok)
		}
	}
	for _, text := range []string{"", "=x", "stage=", "stage!x", " < 2", " $in a", "a $in ", "a $in ,", "a $between 1", "a $between 1, 2, 3"} {
		if key, sign, value, ok := ParseWhere(text); ok {
			t.Errorf("%q: %q %q %q", text, key, sign, value)
		}
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"stage=design":                       "where:stage=design",
		"stage = in use ":                    `where:"stage = in use"`,
		"priority":                           "where:priority",
		`stage="in use"`:                     `where:"stage=in use"`,
		`up="[[Rivers]]"`:                    "where:up=[[Rivers]]",
		"due<2026-11-22T10:00":               "where:due<2026-11-22T10:00",
		"path:inbox tag:idea":                "path:inbox tag:idea",
		"path:inbox stage=design":            "path:inbox where:stage=design",
		"priority>2 -tag:done [stage:x]":     "where:priority>2 -tag:done where:stage=x",
		"path:\"06 - Inbox\" AND type:note":  `path:"06 - Inbox" type:note`,
		"NOT where:stage=design status:done": "-where:stage=design status:done",
		"after:2026-01 before:2026-02":       "after:2026-01 before:2026-02",
		"path:inbox words":                   "",
		"path:inbox priority":                "",
		"tag:x OR tag:y":                     "",
		"-(tag:x tag:y)":                     "",
		"space:x":                            "",
		"title:x":                            "",
		"name:x tag:y":                       "",
		"-after:2026":                        "",
		"after:never tag:x":                  "",
		"where:=x":                           "",
		"=x":                                 "",
		"":                                   "",
		"tag:x \"phrase\"":                   "",
		"stage $in a, b c":                   `where:"stage $in a, b c"`,
		`-where:"n $between 1, 3" tag:x`:     `-where:"n $between 1, 3" tag:x`,
		`path:x where:"n $between 1"`:        "",
	} {
		filters, ok := Conditions(text, testNow)
		var got []string
		for _, f := range filters {
			got = append(got, f.String())
		}
		if ok != (want != "") || ok && strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}

func FuzzConditions(f *testing.F) {
	for _, seed := range []string{"path:a stage=b", "-tag:x [k:v]", "a=b c", "(tag:x", "where:=", "path:a OR b=c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filters, ok := Conditions(text, testNow)
		if ok && len(filters) == 0 {
			t.Errorf("%q is met by all", text)
		}
	})
}

func TestBrackets(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"[stage:design]":       "stage=design",
		`["stage":design]`:     "stage=design",
		`["my key":"in use"]`:  "my key=in use",
		"[priority:>=2]":       "priority>=2",
		"[duration:<5] x":      "duration<5",
		`["up":"[[Rivers]]"]`:  "up=[[Rivers]]",
		`[up:"a]b"] words`:     "up=a]b",
		`where:up="[[R]]"`:     "up=[[R]]",
		`where:n!="a b" c`:     "n!=a b",
		`(where:n="a b")`:      "n=a b",
		`where:n="a b"c`:       `n="a`,
		"([stage:design])":     "stage=design",
		"-[stage:design]":      "stage=design",
		`where:"stage=in use"`: "stage=in use",
		"[12:30]":              "",
		"[note: so it is]":     "",
		"[a](b:c)":             "",
		"[a:b](c)":             "",
		"[stage]":              "",
		"[[a:b]]":              "",
		"[stage:]":             "",
		"[stage:design":        "",
		"[x]":                  "",
	} {
		q := Parse(input, testNow)
		got := ""
		for _, f := range q.Filters {
			if f.Key == Where {
				got = f.Value
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", input, got, want)
		}
	}
}
