package sentence_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc/sentence"
)

// "|" marks where a sentence ends.
func TestSplit(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"plain":                         "We use SQLite.|It needs no server.",
		"no full stop":                  "We use SQLite: it needs no server",
		"questions and exclamations":    "Is this it?|Yes!|Good.",
		"a name like Yahoo!":            "We left Yahoo! and went on.|Then we came back.",
		"several marks":                 "What?!|No...|Yes…|So it is.",
		"titles":                        "The budget owner at Client X is Ms. Okafor.|Ask Mr. Ito, Dr. Lee or Prof. Wu at St. Mary.",
		"a title in front of a starter": "It was signed by Dr. No on 3 May.",
		"a company within":              "Payment goes to Mr. Ito at Acme Inc. in Osaka.",
		"a company at the end":          "Payment goes to Acme Inc.|Invoices are due after 45 days.",
		"a German company":              "Miete zahlt die Ito GmbH & Co. KG in Kiel.|Sie zahlt monatlich.",
		"approx.":                       "The workshop takes approx. 3 days and costs 2,000 EUR.|It is in May.",
		"e.g. and i.e.":                 "Some tools, e.g. Emacs, are slow, i.e. Slow ones.|Others are not.",
		"etc. at the end":               "We sell clay, glaze etc.|Prices are in the list.",
		"etc. within":                   "We sell clay, glaze etc. in bags.",
		"p.m. at the end":               "The shop opens at 5 p.m.|The door is green.",
		"p.m. with a zone":              "Alerts end at 10 p.m. CET on weekdays.",
		"U.S.":                          "The U.S. Army pays in the U.S.|It pays late.",
		"initials":                      "J. R. Smith and K. Ito met.|They agreed.",
		"an initial at the end":         "We go with plan B.|The other one is dead.",
		"decimals":                      "It converted 30.5 percent worse.|The disk grows by 2.5 GB a week.",
		"a decimal at the end":          "The rate is 30.5.|That is low.",
		"a year at the end":             "He left in 2025.|The firm went on.",
		"versions":                      "Version 1.26 is out.|Upgrade to v2.0.1.|Done.",
		"files and addresses":           "See main.go and https://example.com/a.b?c=d. for it.|Then read app.py.|Done.",
		"English ordinals":              "Certificates are renewed on the 1st.|No. 5 is alive, as in Fig. 3.|Good.",
		"no as a word":                  "The answer is no.|We stay.",
		"German ordinals":               "Wir sehen uns am 3. Mai in Kiel.|Der 1. Preis ging an Ada.|Das 2. Quartal war gut.",
		"German abbreviations":          "Das gilt z.B. für Kiel, d.h. Sylt nicht, ca. 5 km.|Siehe Nr. 7 bzw. Nr. 8.",
		"months":                        "She left in Dec. 2024.|He stayed.",
		"list numbers":                  "1. First step.|2. Second step.",
		"quotes":                        "He said \"stop.\"|Then he left.|“Never.”|She stayed.",
		"a lower-case word goes on":     "Use iOS. macOS is next.",
		"footnotes":                     "It is so.[1]|It was so.[^a]|Done.",
		"Japanese":                      "織機は遅い。|とても。|「行く。」と言った。|次！",
		"Chinese":                       "他来了。|真的吗？|是的。",
		"full-width decimals":           "値は３．５です。|次。",
		"Hindi":                         "यह एक है।|यह दो है।",
		"Arabic":                        "هل هذا؟|نعم.",
		"bold is whole":                 "**As of 2026-01-01:** Ada leads it.|**Two. Three.**|Next.",
		"the end of bold":               "**Do not deploy on Friday.**|It breaks.",
		"code":                          "Run `a. B` first.|Then `c`.",
		"wikilinks":                     "See [[Dr. Ito. Notes|the notes. All]] first.|Then go.",
		"links":                         "See [the plan. Part 2](a. B.md) first.|Then go.",
		"Org links":                     "See [[file:a. B.org][the plan. All]] first.|Then go.",
		"two lines":                     "Cart mails go out after\n4 hours.|Others\ngo now.",
		"blank":                         "",
		"only marks":                    "...",
	} {
		text := strings.ReplaceAll(want, "|", " ")
		for _, cjk := range []string{"。", "！", "？"} {
			text = strings.ReplaceAll(text, cjk+" ", cjk)
		}
		var parts []string
		if want != "" {
			parts = strings.Split(want, "|")
		}
		if strings.Contains(name, "wikilinks") { // they have a bar of their own
			text, parts = "See [[Dr. Ito. Notes|the notes. All]] first. Then go.", []string{"See [[Dr. Ito. Notes|the notes. All]] first.", "Then go."}
		}
		if diff := cmp.Diff(parts, sentence.Split(text)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"See [[Sprint pricing|the pricing rule]] and [[Sprint price]].": "See the pricing rule and Sprint price.",
		"[[id:1][One]] and [text](a.md) and ![[x]] and <https://a.b>.":  "One and text and !x and https://a.b.",
		"**Bold _and_ italic** with `code [[x]]` and ~~old~~.":          "Bold and italic with code [[x]] and old.",
		"2 * 3 * 4, snake_case_name, a/b/c, /tmp/ and C++.":             "2 * 3 * 4, snake_case_name, a/b/c, /tmp/ and C++.",
		"Org: *bold*, /it is italic/, =code= and ~verbatim~.":           "Org: bold, it is italic, =code= and verbatim.",
		`\*not\* bold`: "*not* bold",
		"a [1] b":      "a [1] b",
		"**太字**です":     "太字です",
	} {
		if got := sentence.Plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text  string
		limit int
		want  string
	}{
		{"It fits.", 8, "It fits."},
		{"It does not fit here.", 12, "It does not…"},
		{"See [[Sprint pricing|the pricing rule]] and [[Sprint pricing|Sprint price is]] more.", 40, "See the pricing rule and Sprint price…"},
		{"The **whole of it is bold and long** here.", 20, "The whole of it is…"},
		{"A `code span` is plain.", 22, "A code span is plain."},
		{"Donaudampfschifffahrtsgesellschaft", 10, "Donaudamp…"},
		{"One, two, three", 10, "One, two…"},
		{"織機は遅いのでとても困っている", 8, "織機は遅いので…"},
	} {
		if got := sentence.Shorten(tc.text, tc.limit); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.text, got, tc.want)
		}
	}
}

// Nothing but blanks between sentences is lost, and a text that is cut says so.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"One. Two.", "**a. b** [[c. d]] `e. f`", "「行く。」と", "[[[[((``", "\xff. A", "…\u3000。"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, s := range sentence.Spans([]byte(text)) {
			if s.Start < at || s.End <= s.Start || strings.Trim(text[at:s.Start], " \t\r\n\u3000") != "" {
				t.Fatalf("%q: %v after %d", text, s, at)
			}
			at = s.End
		}
		if strings.Trim(text[at:], " \t\r\n\u3000") != "" {
			t.Fatalf("%q: nothing after %d", text, at)
		}
		if got := sentence.Shorten(text, 20); utf8.RuneCountInString(got) > 20 {
			t.Fatalf("%q: %q is longer", text, got)
		}
	})
}
