package policy

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	for kind, values := range map[string][2]string{
		"date":            {"2024-02-29", "2026-02-29 2026-3-1 yesterday 2026-03-01T09:00:00Z"},
		"month":           {"2026-12", "2026-13 2026-1 2026"},
		"week":            {"2026-W53 2020-W53 2026-W01", "2025-W53 2026-W00 2026-W9 2026W09"},
		"time":            {"2026-03-01T09:00:00Z 2026-03-01T09:00:00+05:45 2026-03-01T09:00", "2026-03-01 09:00 2026-03-01T25:00"},
		"integer":         {"0 -3 12", "1.5 a 0x1 1,000"},
		"name":            {"2026-03-01", "2026-03-02 2026-03-01.md"},
		"directory":       {"daily", "journal journal/daily"},
		"weekday of date": {"Sunday sunday Sun", "Monday Blursday"},
		"cron":            {"@daily", "@sometimes"},
	} {
		p, err := Parse([]byte("schema = [{ kinds = { k = \"" + kind + "\" } }]"))
		if err != nil {
			t.Fatal(err)
		}
		for i, list := range values {
			for _, v := range strings.Fields(list) {
				c := Content{Path: "journal/daily/2026-03-01.md", Metadata: map[string][]string{"k": {v}, "date": {"2026-03-01"}}}
				if broken := p.Violations(c); (len(broken) > 0) != (i == 1) {
					t.Errorf("%q as %s: %v", v, kind, broken)
				}
			}
		}
		if broken := p.Violations(Content{Path: "a.md", Metadata: map[string][]string{"k": {"1", "2"}}}); len(broken) != 1 {
			t.Errorf("two values as %s: %v", kind, broken)
		}
		if broken := p.Violations(Content{Path: "a.md"}); len(broken) > 0 {
			t.Errorf("no value as %s: %v", kind, broken)
		}
	}
}

func TestOrderNameAndMode(t *testing.T) {
	t.Parallel()
	p, err := Parse([]byte(`schema = [{ paths = ["w/*.md"], except = ["w/_*.md"], name = "{week}", ordered = true, sections = ["A", "B", "C"], mode = "advisory" }]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, headings string
		broken         int
	}{
		{"w/2026-W09.md", "A B C", 0},
		{"w/2026-W09.md", "X A Y B C Z", 0},
		{"w/2026-W09.md", "B A C", 1},
		{"w/2026-W09.md", "C A B", 1},
		{"w/2026-W09.md", "A C", 1},
		{"w/week.md", "A B C", 1},
		{"w/2026-W53.md", "A B C", 0},
		{"w/2025-W53.md", "A B C", 1},
		{"w/2026-W00.md", "A B C", 1},
		{"w/_index.md", "", 0},
		{"x/a.md", "", 0},
	} {
		got := p.Violations(Content{Path: c.path, Headings: strings.Fields(c.headings)})
		if len(got) != c.broken {
			t.Errorf("%s with %s: %v", c.path, c.headings, got)
		}
		for _, v := range got {
			if !v.Advice {
				t.Errorf("%v stops a write", v)
			}
		}
	}
	for _, bad := range []string{`kinds = { a = "moon" }`, `mode = "loose"`, `name = "{year}"`, `name = "a"`, `kinds = { a = "weekday of " }`} {
		if _, err := Parse([]byte("schema = [{ " + bad + " }]")); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestNamesOfTheCalendar(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]string{
		"{date}":           "2024-02-29 !2026-02-29 !2026-13-01 !2026-04-31 !2026-04-3",
		"{month}":          "2026-12 !2026-13 !2026-00",
		"log {date}":       "log_2026-04-30 !log_2026-04-31",
		"{week} to {week}": "2026-W52_to_2026-W53 !2026-W52_to_2026-W54",
	} {
		p, err := Parse([]byte(`schema = [{ name = "` + name + `" }]`))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range strings.Fields(files) {
			at, broken := strings.CutPrefix(strings.ReplaceAll(file, "_", " "), "!")
			if got := p.Violations(Content{Path: "a/" + at + ".md"}); len(got) > 0 != broken {
				t.Errorf("%s named %s: %v", at, name, got)
			}
		}
	}
}

func TestOwnership(t *testing.T) {
	t.Parallel()
	p, err := Parse([]byte("[ownership]\nuser = [\"user\"]\npaths = [\"identity/**\"]\nasked = \"user asked\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	agent, human := kb.Actor{Kind: kb.Agent, Name: "x"}, kb.Actor{Kind: kb.Human}
	mine := map[string][]string{"owner": {"user"}}
	for _, c := range []struct {
		actor    kb.Actor
		path     string
		metadata map[string][]string
		message  string
		forbids  bool
	}{
		{agent, "a.md", mine, "", true}, {agent, "a.md", mine, "The User asked for it", false}, {human, "a.md", mine, "", false},
		{agent, "a.md", map[string][]string{"owner": {"agent"}}, "", false}, {agent, "a.md", nil, "", false},
		{agent, "identity/a.md", nil, "", true}, {human, "identity/a.md", nil, "", false},
	} {
		if got := p.Ownership.Forbids(c.actor, c.path, c.metadata, c.message); got != c.forbids {
			t.Errorf("%v %v %q: %v", c.actor, c.metadata, c.message, got)
		}
	}
}
