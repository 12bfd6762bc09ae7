package lifecycle_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

var linked = regexp.MustCompile(`\[\[([^\]]+)\]\]`)

// prose reads a text whose links are in brackets; each is the link that it is in order,
// and the page has a relation to Brex besides, link 9.
func prose(text string) lifecycle.Prose {
	p := lifecycle.Prose{Title: "Ada Lovelace", Text: []byte(text), Names: []lifecycle.Name{{Text: "Brex", Link: 9}}}
	for i, at := range linked.FindAllStringSubmatchIndex(text, -1) {
		p.Mentions = append(p.Mentions, lifecycle.Mention{Start: at[0], End: at[1], Link: i})
	}
	return p
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"She left [[Brex]] in 2025.":                                       "0 2025",
		"Ada left [[Brex]] in March 2025 to found a firm.":                 "0 2025-03",
		"Ada Lovelace resigned from [[Brex]] on 3 March 2025.":             "0 2025-03-03",
		"- Left [[Brex]] on 2025-03-01":                                    "0 2025-03-01",
		"In 2025, Ada left [[Brex]] after a long time.":                    "0 2025",
		"In 2025 she quit [[Brex]].":                                       "0 2025",
		"Ada wrote programs. She stepped down from [[Brex]] in Dec. 2024.": "0 2024-12",
		"Left Brex in 2025.":                                               "9 2025",
		"She worked at [[Brex]] until May 2025.":                           "0 2025-05",
		"At Brex until 2025.":                                              "9 2025",
		"> Former engineer at [[Brex]].":                                   "0 ",
		"Ada is a former employee of [[Brex]], and writes.":                "0 ",
		"Formerly at Brex.":                                                "9 ",
		"Ada no longer works at [[Brex]].":                                 "0 ",
		"Ada left [[Acme]] in 2020. She left\n[[Brex]] in 2025.":           "0 2020, 1 2025",
		"# State\n\nLeft [[Brex]] on March 3, 2025, and founded [[Acme]].": "0 2025-03-03",
		"She left [[Brex]].":                                               "", // in charge? for lunch?
		"Her brother left [[Brex]] in 2025.":                               "",
		"Charles left [[Brex]] in 2025.":                                   "",
		"Ada met Charles Babbage. He left [[Brex]] in 2025.":               "",
		"Charles works with Ada. He left [[Brex]] in 2025.":                "",
		"Ada never left [[Brex]] in 2025.":                                 "",
		"Ada didn't leave; she left [[Brex]] in 2025?":                     "",
		"If she left [[Brex]] in 2025, all would change.":                  "",
		"She might have left [[Brex]] in 2025.":                            "",
		"She said: \"I left [[Brex]] in 2025.\"":                           "",
		"She left [[Brex]] in 2025 and returned in 2026.":                  "",
		"She left [[Brex]] in 2025.\n\nShe came back to Brex.":             "",
		"She left a letter at [[Brex]] in 2025.":                           "",
		"She left [[Brex]] in charge in 2025.":                             "",
		"She left Brex Labs in 2025.":                                      "",
		"She left Old Brex in 2025.":                                       "",
		"She left Brexit in 2025.":                                         "",
		"Was CTO of [[Brex]] until 2023.":                                  "", // chairs it since
		"Former CTO of [[Brex]].":                                          "",
		"Former engineer at [[Brex]], now its CEO.":                        "",
		"Former engineer at Brex.\n\nAda works at Brex on the card.":       "",
		"```\nShe left [[Brex]] in 2025.\n```":                             "",
		"> Ada writes.\n\nText.\n\n> She left [[Brex]] in 2025.":           "",
		"- Charles\n  - Left [[Brex]] in 2025":                             "",
		"<!-- She left [[Brex]] in 2025. -->":                              "",
		"<!--\nShe left [[Brex]] in 2025.\n-->":                            "",
		"#+begin_example\nShe left [[Brex]] in 2025.\n#+end_example":       "",
		"| She left [[Brex]] in 2025. |":                                   "",
		"## Left [[Brex]] in 2025":                                         "",
		"~~She left [[Brex]] in 2025.~~":                                   "",
		"She left [[Brex]] in March 31 2025 Jan 2020.":                     "",
		"She left [[Brex]] on 2025-02-31.":                                 "",
		"The project was at [[Brex]] until 2025.":                          "",
		"She works at [[Brex]] until 2025.":                                "",
		"Ada took maternity leave at [[Brex]] until 2025.":                 "",
		"The sign at the door says left of [[Brex]] in 2025.":              "",
	} {
		t.Run(text, func(t *testing.T) {
			var got []string
			p := prose(text)
			for _, e := range lifecycle.Endings(p) {
				got = append(got, fmt.Sprint(e.Link, " ", e.Until))
				if !strings.HasPrefix(strings.Join(strings.Fields(text[e.At:]), " "), strings.TrimSuffix(e.Quote, "…")) {
					t.Errorf("the quote %q is not at %d", e.Quote, e.At)
				}
			}
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("ended %q, want %q", got, want)
			}
		})
	}
}
