package doc

import "testing"

func TestNameDay(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"2026-11-22":                  "2026-11-22",
		"2026_11_22":                  "2026-11-22",
		"2026.11.22":                  "2026-11-22",
		"daily.journal.2026.11.22":    "2026-11-22",
		"20261122":                    "2026-11-22",
		"20261122103000":              "2026-11-22",
		"202611221030":                "2026-11-22",
		"20261122103000-roam_note":    "2026-11-22",
		"20261122T103000--denote__x":  "2026-11-22",
		"2022-07-16 Roadmap":          "2022-07-16",
		"Meeting 2022-07-16":          "2022-07-16",
		"Meeting (2022-07-16)":        "2022-07-16",
		"scan_20220716_2":             "2022-07-16",
		"note2022-07-16":              "2022-07-16",
		"2022-07-16, then 2023-01-01": "2022-07-16",
		"2022-07-16-standup":          "2022-07-16",
		"2022-02-30 and 2022-03-01":   "2022-03-01",

		"":               "",
		"2026":           "",
		"2026-11":        "",
		"2026-11-2":      "",
		"2026-11_22":     "",
		"2026-13-01":     "",
		"2026-11-223":    "",
		"12026-11-22":    "",
		"20261322":       "",
		"202611221":      "",
		"2026112210":     "",
		"IMG20261122":    "",
		"20261122abc":    "",
		"0001-01-01":     "",
		"RFC 12345678":   "",
		"2026-W47":       "",
		"0003-decisions": "",
	} {
		if got := NameDay(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestDay(t *testing.T) {
	t.Parallel()
	given := func(pairs ...string) *Node {
		n := &Node{}
		for i := 0; i < len(pairs); i += 2 {
			n.Metadata = append(n.Metadata, Property{Key: pairs[i], Values: []string{pairs[i+1]}})
		}
		return n
	}
	for _, c := range []struct {
		name string
		node *Node
		path string
		want string
	}{
		{"date", given("created", "2024-02-02", "date", "2024-01-01"), "2023-05-06.md", "2024-01-01"},
		{"created", given("updated", "2025-01-01", "created", "2024-02-02T23:30:00-05:00"), "2023-05-06.md", "2024-02-02"},
		{"no date in it", given("date", "soon", "created", "2024-02-02"), "x.md", "2024-02-02"},
		{"milliseconds", given("created", "1608518909864"), "x.md", "2020-12-21"},
		{"Org", given("date", "[2024-03-04 Mon 10:20]"), "x.org", "2024-03-04"},
		{"link", given("Date", "[[2024-03-04]]"), "x.md", "2024-03-04"},
		{"month", given("date", "2024-03"), "x.md", "2024-03-01"},
		{"words", given("date", "March 4, 2024"), "x.md", "2024-03-04"},
		{"name", given("updated", "2025-01-01"), "journals/2023_05_06.md", "2023-05-06"},
		{"updated", given("updated", "2025-01-01"), "2023-05-06/x.md", "2025-01-01"},
		{"none", given("title", "2025-01-01"), "x.md", ""},
		{"nested", &Node{Metadata: []Property{{Key: "date", Values: []string{"2024-01-01"}, Opaque: true}}}, "x.md", ""},
	} {
		if got := c.node.Day(c.path, Syntax{}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzNameDay(f *testing.F) {
	for _, name := range []string{"2026-11-22", "20261122103000-x", "a 2026_11_22 b", "2026-1", "ä2026.11.22"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if day := NameDay(name); day != "" && !IsDate(day) {
			t.Errorf("%q: %q", name, day)
		}
	})
}

func TestIsDayName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"2026-11-22": true, "2026_11_22": true, "2026.11.22": true, "20261122": true,
		"2026-11-22a": false, "a 20261122": false, "2026-11_22": false, "2026-13-01": false, "2026-11": false, "10000101": false, "": false,
	} {
		if IsDayName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
		if want && NameDay(name) == "" {
			t.Errorf("%q has no day", name)
		}
	}
}
