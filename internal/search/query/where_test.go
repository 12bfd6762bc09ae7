package query

import "testing"

func TestParseWhere(t *testing.T) {
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
	} {
		if key, sign, value, ok := ParseWhere(text); !ok || [3]string{key, sign, value} != want {
			t.Errorf("%q: %q %q %q %v", text, key, sign, value, ok)
		}
	}
	for _, text := range []string{"", "=x", "stage=", "stage!x", " < 2"} {
		if key, sign, value, ok := ParseWhere(text); ok {
			t.Errorf("%q: %q %q %q", text, key, sign, value)
		}
	}
}

func TestBrackets(t *testing.T) {
	for input, want := range map[string]string{
		"[stage:design]":       "stage=design",
		`["stage":design]`:     "stage=design",
		`["my key":"in use"]`:  "my key=in use",
		"[priority:>=2]":       "priority>=2",
		"[duration:<5] x":      "duration<5",
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
