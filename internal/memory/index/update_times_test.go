package index

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

func derived(codec doc.Codec, f kb.Filing, path, text string, mod time.Time) *Derived {
	return Derive(codec, Source{Space: kb.Space{Filing: f}, Path: path, Bytes: []byte(text), ModTime: mod, Now: mod}, nil)
}

func on(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	t, ok := doc.ParseDate(text)
	if !ok {
		panic(text)
	}
	return t
}

// A document that is indexed for the first time is of the dates in its text, and else
// of its file's time.
func TestHalvesOfANewDocument(t *testing.T) {
	t.Parallel()
	const mod = "2026-06-01"
	for name, tc := range map[string]struct{ text, truth, timeline string }{
		"nothing said":           {"# Ada\n\nFounded in 1843-01-01.\n", mod, ""},
		"as of":                  {"**As of 2026-03-01:** at Brex.\n", "2026-03-01", ""},
		"the newest":             {"As of 2025-01, then as of 2026-02-03. Was of 2026-05-05.\n", "2026-02-03", ""},
		"a source":               {"At Brex. [Source: User, direct message, 2026-04-07]\n", "2026-04-07", ""},
		"no date of a source":    {"At Brex. [Source: email of Ada]\n[Source: not closed 2026-01-01\n", mod, ""},
		"of the day of its file": {"As of 2026-06-02.\n", "2026-06-02", ""},
		"later than its file":    {"As of 2027-01-01.\n\n---\n\n- **2030-01-01** | plan — Moves\n", mod, mod},
		"the metadata":           {"---\nupdated: 2026-02-02\n---\n\nAt Brex.\n", "2026-02-02", ""},
		"both in the text":       {"---\nupdated: 2026-05-02\n---\n\nAs of 2026-03-01.\n\n---\n\n- **2026-01-02** | a — b\n- **2026-04** | c — d\n", "2026-03-01", "2026-04"},
		"no entries":             {"At Brex.\n\n---\n\n## Timeline\n\nsome words\n", mod, mod},
		"an empty timeline":      {"At Brex.\n\n---\n\n", mod, ""},
		"only its heading":       {"**As of 2026-03-01:** at Brex.\n\n---\n\n## Timeline\n\n", "2026-03-01", ""},
	} {
		p := derived(markdown.Codec{}, "", "people/ada.md", tc.text, on(mod)).Record.Pages[0].Page
		if !p.TruthUpdated.Equal(on(tc.truth)) || !p.TimelineUpdated.Equal(on(tc.timeline)) {
			t.Errorf("%s: truth %s, timeline %s; want %s, %s", name, p.TruthUpdated, p.TimelineUpdated, tc.truth, tc.timeline)
		}
	}
	p := derived(org.Codec{}, "", "people/ada.org", "#+title: Ada\n\nAs of 2026-03-01.\n\n* Timeline\n\n- *2026-04-01* | a — b\n", on(mod)).Record.Pages[0].Page
	if !p.TruthUpdated.Equal(on("2026-03-01")) || !p.TimelineUpdated.Equal(on("2026-04-01")) {
		t.Errorf("Org: truth %s, timeline %s", p.TruthUpdated, p.TimelineUpdated)
	}
}

// The sums tell of a change in their own half and of none elsewhere.
func TestSumsOfHalves(t *testing.T) {
	t.Parallel()
	sums := func(text string) (int64, int64) {
		p := derived(markdown.Codec{}, "", "a.md", text, on("2026-06-01")).Record.Pages[0]
		return p.TruthSum, p.TimelineSum
	}
	truth, timeline := sums("---\ntype: person\n---\n\nAt Brex.\n\n---\n\n- **2026-01-01** | a — b\n")
	for name, tc := range map[string]struct {
		text                string
		sameTruth, sameTime bool
	}{
		"metadata":  {"---\ntype: person\nx: y\n---\nAt Brex.\n\n\n---\n- **2026-01-01** | a — b", true, true},
		"the truth": {"At Stripe.\n\n---\n\n- **2026-01-01** | a — b\n", false, true},
		"an entry":  {"At Brex.\n\n---\n\n- **2026-01-01** | a — c\n", true, false},
		"no entry":  {"At Brex.\n", true, false},
	} {
		a, b := sums(tc.text)
		if (a == truth) != tc.sameTruth || (b == timeline) != tc.sameTime {
			t.Errorf("%s: same truth %v, same timeline %v", name, a == truth, b == timeline)
		}
	}
	if _, b := sums("At Brex.\n"); b != 0 || timeline == 0 {
		t.Error("no timeline has a sum, or one has none")
	}
}

func TestDated(t *testing.T) {
	t.Parallel()
	said, before, mod, now := on("2020-01-01"), on("2026-01-01"), on("2026-02-01"), on("2026-03-01")
	for name, tc := range map[string]struct {
		old  half
		sum  int64
		same bool
		mod  time.Time
		want time.Time
	}{
		"unchanged half":                {half{3, before}, 3, false, mod, before},
		"changed half":                  {half{3, before}, 5, false, mod, mod},
		"changed by an older file":      {half{3, before}, 5, false, said, now},
		"the same bytes, read anew":     {half{3, before}, 5, true, mod, before},
		"the same bytes, of before":     {half{}, 5, true, mod, said},
		"the first entry":               {half{}, 5, false, mod, mod},
		"the last entry taken out":      {half{3, before}, 0, false, mod, said},
		"the same sum without any time": {half{3, time.Time{}}, 3, false, mod, mod},
	} {
		rec := store.Document{ModTime: tc.mod, Recorded: now}
		if got := dated(said, tc.old, tc.sum, tc.same, &rec); !got.Equal(tc.want) {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// Type, wing and room: what the page says wins, and without a filing nothing else is
// said.
func TestFiled(t *testing.T) {
	t.Parallel()
	filing := kb.Filing("").TypeIn("people", "person").WithWings().WithRooms()
	for name, tc := range map[string]struct {
		codec            doc.Codec
		filing           kb.Filing
		path, text       string
		kind, wing, room string
	}{
		"by its place":       {markdown.Codec{}, filing, "people/ada.md", "# Ada\n\n## State\n\n## Assessment\n", "person", "ada", "State"},
		"elsewhere":          {markdown.Codec{}, filing, "ada.md", "words\n", "", "ada", ""},
		"by itself":          {markdown.Codec{}, filing, "people/ada.md", "---\ntype: author\nwing: Lovelace family\nRoom: engine\n---\n## State\n", "author", "Lovelace family", "engine"},
		"no filing":          {markdown.Codec{}, "", "people/ada.md", "## State\n", "", "", ""},
		"no filing, said":    {markdown.Codec{}, "", "people/ada.md", "---\nwing: w\n---\n## State\n", "", "w", ""},
		"only a deep one":    {markdown.Codec{}, filing, "people/ada.md", "# Ada\n\n### Deep\n", "person", "ada", ""},
		"below the line":     {markdown.Codec{}, filing, "people/ada.md", "words\n\n---\n\n## Timeline\n", "person", "ada", ""},
		"Org":                {org.Codec{}, filing, "people/ada.org", "#+title: Ada\n\n* State\n** Now\n", "person", "ada", "State"},
		"Org, by its drawer": {org.Codec{}, filing, "people/ada.org", ":PROPERTIES:\n:WING: w\n:END:\n#+title: Ada\n", "person", "w", ""},
	} {
		p := derived(tc.codec, tc.filing, tc.path, tc.text, on("2026-06-01")).Record.Pages[0].Page
		if p.Type != tc.kind || p.Wing != tc.wing || p.Room != tc.room {
			t.Errorf("%s: type %q, wing %q, room %q", name, p.Type, p.Wing, p.Room)
		}
	}
	nodes := derived(org.Codec{}, filing, "people/ada.org",
		"#+title: Ada\n* Engine\n:PROPERTIES:\n:ID: 7655a114-538a-51ea-b901-b74aa64beada\n:END:\n** Notes\n", on("2026-06-01")).Record.Pages
	if p := nodes[1].Page; p.Type != "" || p.Wing != "ada" || p.Room != "Notes" {
		t.Errorf("a heading with an id: type %q, wing %q, room %q", p.Type, p.Wing, p.Room)
	}
}
