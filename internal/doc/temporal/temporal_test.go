package temporal_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/doc/temporal"
)

var linked = regexp.MustCompile(`\[\[([^\]]+)\]\]`)

// prose reads a text as a page about Ada Lovelace. Links in brackets have their
// numbers, except those to days; Brex is also known by name, as link 90.
func prose(codec doc.Codec, path, text string) temporal.Prose {
	d := codec.Parse(path, []byte(text))
	d.Nodes[0].Title = "Ada Lovelace"
	p := temporal.Prose{Cues: temporal.Find(d, 0), Names: []temporal.Name{{Text: "Brex", Link: 90}}}
	for i, at := range linked.FindAllStringSubmatchIndex(text, -1) {
		p.Mentions = append(p.Mentions, temporal.Mention{Span: doc.Span{Start: at[0], End: at[1]}, Link: i})
	}
	return p
}

// endings are the endings of a page as "subject object until @date of the statement".
func endings(p temporal.Prose) string {
	var out []string
	for _, e := range temporal.Endings(p) {
		line := fmt.Sprint(e.Object)
		if e.Name != "" {
			line = e.Name
		}
		if e.Subject != temporal.Self {
			line = fmt.Sprint(e.Subject, " ", line)
		}
		if e.Until != "" {
			line += " " + e.Until
		}
		if e.On != "" && e.On != e.Until {
			line += " @" + e.On
		}
		out = append(out, line)
	}
	return strings.Join(out, ", ")
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// Who left, and when.
		"She left [[Brex]] in 2025.":                                       "0 2025",
		"Ada left [[Brex]] in March 2025 to found a firm.":                 "0 2025-03",
		"Ada Lovelace resigned from [[Brex]] on 3 March 2025.":             "0 2025-03-03",
		"- Left [[Brex]] on 2025-03-01":                                    "0 2025-03-01",
		"1. Left [[Brex]] on 2025-03-01":                                   "0 2025-03-01",
		"In 2025, Ada left [[Brex]] after a long time.":                    "0 2025",
		"In 2025 she quit [[Brex]].":                                       "0 2025",
		"Ada wrote programs. She stepped down from [[Brex]] in Dec. 2024.": "0 2024-12",
		"Left Brex in 2025.":                                               "90 2025",
		"Ada Lovelace has left [[Brex]].":                                  "0",
		"**Ada** has left [[Brex]].":                                       "0",
		"Ada left [[Brex]] last week.":                                     "0",
		"Ada was fired from [[Brex]].":                                     "0",
		"Ada was let go by [[Brex]] in Q1 2025.":                           "0 2025-03",
		"Ada resigned as CFO of [[Brex]].":                                 "0",
		"Ada stepped down as CEO of Brex in early 2025.":                   "90 2025",
		"Ada stopped working for [[Brex]] in 2025.":                        "0 2025",
		"Ada parted ways with [[Brex]].":                                   "0",
		"Ada left [[Brex]] for [[Acme]] in 2025.":                          "0 2025",
		"Ada left [[Brex]] to join [[Acme]] in 2025.":                      "0 2025",
		"Ada left [[Brex]] in 2025 and now works at [[Acme]].":             "0 2025",
		"Ada left [[Acme]] in 2020. She left\n[[Brex]] in 2025.":           "0 2020, 1 2025",
		"Ada left [[Brex]] in 2025; she runs [[Acme]].":                    "0 2025",
		"After leaving [[Brex]] in 2025, Ada founded a firm.":              "0 2025",
		"# State\n\nLeft [[Brex]] on March 3, 2025, and founded [[Acme]].": "0 2025-03-03",
		"Left [[Brex]] on March 3rd, 2025.":                                "0 2025-03-03",
		"Left [[Brex]] on the 3rd of March 2025.":                          "0 2025-03-03",
		"Left [[Brex]] on [[2025-03-03]].":                                 "0 2025-03-03",
		"Left [[Brex]] on 03.03.2025.":                                     "0 2025-03-03",
		"Left [[Brex]] on 2025/03/03.":                                     "0 2025-03-03",
		"Left [[Brex]] at the end of March 2025.":                          "0 2025-03",
		"Left [[Brex]] (March 2025).":                                      "0 2025-03",

		"Ada handed in her notice and left Brex at the end of October 2025.": "90 2025-10",
		"Ada quit her job at Brex last month.":                               "90",
		"Ada left her position as CFO at [[Brex]] in May 2025.":              "0 2025-05",
		"Ada was made redundant by [[Brex]] in May 2025.":                    "0 2025-05",
		"Ada handed over as CEO of Brex to [[Mira]] in 2025.":                "90 2025",
		"Ada was succeeded as CEO of [[Brex]] by [[Mira]].":                  "0",

		// What was until when.
		"Was at Brex from 2019 to March 2026, now freelance.":     "90 2026-03",
		"She worked at [[Brex]] until May 2025.":                  "0 2025-05",
		"At Brex until 2025.":                                     "90 2025",
		"Worked at [[Brex]] from 2019 to 2025 until it was sold.": "", // until something else
		"Ada worked at [[Brex]] from 2019 until 2025.":            "0 2025",
		"CTO at [[Brex]] (2019–2025).":                            "0 2025",
		"Worked at [[Brex]] 2019–2025.":                           "0 2025",
		"CEO of Brex until March 2025.":                           "90 2025-03",
		"Ada was CTO of [[Brex]] until 2023.":                     "0 2023",
		"Ada's last day at [[Brex]] was 2025-03-01.":              "0 2025-03-01",
		"Her last day at Brex was 2025-03-01.":                    "90 2025-03-01",
		"Last day at [[Brex]]: 1 March 2025":                      "0 2025-03-01",
		"Ada's contract with [[Brex]] ended in June 2025.":        "0 2025-06",
		"Her time at [[Brex]] ended.":                             "0",

		// What was.
		"> Former engineer at [[Brex]].":                    "0",
		"Former CEO of [[Brex]].":                           "0",
		"Ada is the former head of design at [[Brex]].":     "0",
		"Ada is a former employee of [[Brex]], and writes.": "0",
		"Ada, former CEO of Brex, writes.":                  "90",
		"Formerly at Brex.":                                 "90",
		"Previously at [[Brex]].":                           "0",
		"Ex-[[Brex]] engineer.":                             "0",
		"ex-CTO of [[Brex]], now at [[Acme]]":               "0",
		"Former [[Brex]] engineer, now CEO of [[Acme]].":    "0",
		"Ada used to work at [[Brex]].":                     "0",
		"Ada no longer works at [[Brex]].":                  "0",
		"Ada is no longer CEO of [[Brex]].":                 "0",
		"No longer at [[Brex]].":                            "0",
		"Ada does not work at [[Brex]] any more.":           "0",
		"She moved from [[Rome]] to [[Oslo]] in May 2025.":  "0 2025-05",
		"Ada moved in May 2025 from [[Rome]] to [[Oslo]].":  "", // the date is elsewhere
		"In May 2025 Ada moved from [[Rome]] to [[Oslo]].":  "0 2025-05",
		"Ada moved to [[Oslo]] from [[Rome]] in 2025.":      "1 2025",
		"Moved its headquarters from [[Rome]] to [[Oslo]].": "0",
		"- works_at [[Brex]] @2017.. (left in March 2025)":  "0 2025-03",
		"- works_at [[Brex]] @2017.. (until 2025)":          "0 2025",

		"- left [[Brex]] @2025-03..": "0 2025-03",
		"- resigned_from [[Brex]]":   "0",
		"- knows [[Brex]] @2025-03":  "",

		// Names that the page has no link to.
		"She left Brex Labs in 2025.":          "Brex Labs 2025",
		"She left Old Brex in 2025.":           "Old Brex 2025",
		"She left Brexit in 2025.":             "Brexit 2025",
		"Former CEO of Bank of Oslo.":          "Bank of Oslo",
		"Former Head of Design at Acme Labs.":  "Acme Labs",
		"Ada left Monday.":                     "",
		"Ada moved from Rome to Oslo in 2025.": "Rome 2025",

		// As of when it is said.
		"**As of 2026-11-27:** Ada left Brex in March 2026.":                               "90 2026-03 @2026-11-27",
		"**As of 2026-11-27:** Ada left [[Brex]] in March.":                                "0 2026-03 @2026-11-27",
		"**As of 2026-02-27:** Ada left [[Brex]] in November.":                             "0 2025-11 @2026-02-27",
		"**As of 2026-11-27:** left [[Brex]].":                                             "0 @2026-11-27",
		"**As of 27 November 2026:** former CEO of [[Brex]].":                              "0 @2026-11-27",
		"As of March 2026, Ada has left [[Brex]].":                                         "0 @2026-03",
		"## State\n\n**As of 2026-11-27:**\n\n- Has left [[Brex]]":                         "0 @2026-11-27",
		"**As of 2026-11-27:** <!-- role, place -->\n\nFormer CTO of Brex.":                "90 @2026-11-27",
		"**2026-03-01:** Ada left [[Brex]].":                                               "0 @2026-03-01",
		"**Role:** former CEO of [[Brex]]":                                                 "0",
		"- [fact] Ada left [[Brex]] in 2025 #work":                                         "0 2025",
		"Ada left [[Brex]] in 2025. [Source: email, 2025-04-01]":                           "0 2025 @2025-04-01",
		"Ada has left [[Brex]] [Source: email, 2025-04-01].":                               "0 @2025-04-01",
		"---\nrole: former CEO of [[Brex]]\n---\n\nWrites.":                                "0",
		"Writes.\n\n---\n\n- **2025-03-01** | email — Ada left Brex":                       "90 2025-03-01",
		"Writes.\n\n---\n\n- **2025-03-01** | email — Leaves [[Brex]]":                     "0 2025-03-01",
		"Writes.\n\n---\n\n- **2025-03-01** | email — Left [[Brex]] in 2024":               "0 2024 @2025-03-01",
		"CEO of Brex.\n\n---\n\n- **2025-03-01** | email — Resigned from Brex":             "90 2025-03-01",
		"Works at Brex as of 2025-05.\n\n---\n\n- **2025-03-01** — Left Brex":              "",
		"Writes.\n\n---\n\n- **2025-05-01** — Rejoined Brex\n- **2025-03-01** — Left Brex": "",
		"Writes.\n\n---\n\n- **2025-03-01** — Left Brex\n- **2024-05-01** — Joined Brex":   "90 2025-03-01",

		// Of others: by links only.
		"[[Mira]] left [[Brex]] in March 2025.":       "0 1 2025-03",
		"[[Mira]]'s last day at [[Brex]] was 2025-03": "0 1 2025-03",
		"[[Mira]] has left Ada Lovelace.":             "0 -1",
	} {
		t.Run(text, func(t *testing.T) {
			p := prose(markdown.Codec{}, "people/ada.md", text)
			if got := endings(p); got != want {
				t.Errorf("ended %q, want %q", got, want)
			}
			for _, e := range temporal.Endings(p) {
				if got := strings.Join(strings.Fields(text[e.At:]), " "); !strings.HasPrefix(strings.ReplaceAll(got, "> ", ""), strings.TrimSuffix(e.Quote, "…")) {
					t.Errorf("the quote %q is not at %d", e.Quote, e.At)
				}
			}
		})
	}
}

// Sentences with the same words that report no end.
func TestInnocentSentences(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"She left the door open until 2026.",
		"She left the door of [[Brex]] open until 2026.",
		"The former approach at [[Brex]] was slow.",
		"The former approach of [[Brex]].",
		"The former office of [[Brex]].",
		"A former version of [[Brex]].",
		"The former CEO of [[Brex]] joined her for lunch.",
		"Former CEO of [[Brex]], Charles Babbage visited.",
		"She left [[Brex]].", // in charge? for lunch?
		"She left [[Brex]] early on 2025-03-01.",
		"She left [[Brex]] out of the list in 2025.",
		"She left [[Brex]]'s office in 2025.",
		"She has left [[Brex]] a message.",
		"She has left [[Brex]] in charge.",
		"She has left [[Brex]] with a list of questions.",
		"Her brother left [[Brex]] in 2025.",
		"Charles left [[Brex]] in 2025.",
		"Charles has left [[Brex]].",
		"Ada met Charles Babbage. He left [[Brex]] in 2025.",
		"Charles works with Ada. He left [[Brex]] in 2025.",
		"Ada never left [[Brex]] in 2025.",
		"Ada has not left [[Brex]].",
		"Ada hasn't left [[Brex]].",
		"Ada didn't leave; she left [[Brex]] in 2025?",
		"If she left [[Brex]] in 2025, all would change.",
		"She might have left [[Brex]] in 2025.",
		"Ada plans to leave. She may have left [[Brex]].",
		"Ada will leave [[Brex]] in 2025.",
		"Ada leaves [[Brex]] in 2025.", // a plan, outside of the timeline
		"Ada is leaving [[Brex]] in 2025.",
		"Ada reportedly left [[Brex]] in 2025.",
		"She said: \"I left [[Brex]] in 2025.\"",
		"“Ada left [[Brex]] in 2025.”",
		"She left [[Brex]] in 2025 and returned in 2026.",
		"She left [[Brex]] in 2025.\n\nShe came back to Brex.",
		"She left [[Brex]] in 2025. Ada rejoined [[Brex]] in 2026.",
		"She left a letter at [[Brex]] in 2025.",
		"She left [[Brex]] in charge in 2025.",
		"Former engineer at [[Brex]], now its CEO.",
		"Former engineer at [[Brex]], promoted to CEO.",
		"Former engineer at Brex.\n\nAda works at Brex on the card.",
		"CTO of [[Brex]] until 2023, its CEO since.",
		"CTO of [[Brex]] until 2023, now CEO.",
		"```\nShe left [[Brex]] in 2025.\n```",
		"~~~\nShe left [[Brex]] in 2025.\n~~~",
		"`She left [[Brex]] in 2025.`",
		"> Ada writes.\n\nText.\n\n> She left [[Brex]] in 2025.",
		"- Charles\n  - Left [[Brex]] in 2025",
		"- Charles\n  - With her,\n    left [[Brex]] in 2025",
		"- [ ] Left [[Brex]] in 2025",
		"- [idea] Left [[Brex]] in 2025",
		"- [plan] Left [[Brex]] in 2025",
		"<!-- She left [[Brex]] in 2025. -->",
		"<!--\nShe left [[Brex]] in 2025.\n-->",
		"%% She left [[Brex]] in 2025. %%",
		"%%\nShe left [[Brex]] in 2025.\n%%",
		"| She left [[Brex]] in 2025. |",
		"## Left [[Brex]] in 2025",
		"She left [[Brex]] in 2025\n=====",
		"~~She left [[Brex]] in 2025.~~",
		"She left [[Brex]] in March 31 2025 Jan 2020.",
		"She left [[Brex]] on 2025-02-31.",
		"The project was at [[Brex]] until 2025.",
		"The meeting moved from [[Brex]] to [[Acme]].",
		"The talk was moved from [[Rome]] to [[Oslo]].",
		"She works at [[Brex]] until 2025.",
		"Ada took maternity leave at [[Brex]] until 2025.",
		"She was on parental leave from [[Brex]] until 2025.",
		"The sign at the door says left of [[Brex]] in 2025.",
		"Turn left at [[Brex]].",
		"Left of [[Brex]] is the station.",
		"Her last day of holidays was 2025-03-01, at [[Brex]].",
		"Ada's last talk at [[Brex]] was in 2025.",
		"Ada quit smoking at [[Brex]] in 2025.",
		"Ada retired the card of [[Brex]] in 2025.",
		"Ada fired the agency of [[Brex]].",
		"Ada moved the meeting from [[Brex]] to [[Acme]].",
		"Ada ended the call with [[Brex]].",
		"Ada finished the proposal for [[Brex]] in 2025.",
		"Ada used to like [[Brex]].",
		"Ada knows former colleagues of [[Brex]].",
		"- works_at [[Brex]] @2017.. (left the card team in 2025)",
		"Writes.\n\n---\n\n- **2025-03-01** | meeting — Left [[Brex]] early",
		"Writes.\n\n---\n\n- **2025-03-01** | meeting — Left [[Brex]] after lunch",
		"Writes.\n\n---\n\n- **2025-03-01** | meeting — Charles left [[Brex]]",
		"Writes.\n\n---\n\n- **2025-03-01** | meeting — Talked about leaving Brex\n  - Left [[Brex]] out",
		"Mira left [[Brex]] in March 2025.",
		"Ada went from [[Brex]] to the airport.",
		"Ada moved from [[Brex]] to the airport in 2025.",
		"Ada went from [[Oslo]] to [[Rome]] for a meeting.",
		"Ada joined [[Acme]] from [[Oslo]].",
		"With [[Brex]] – 2025-03-01",
		"At [[Brex]] - 2025-03-01",
		"Ada was in [[Oslo]] until yesterday.",
		"It is no longer at [[Brex]].",
		"It moved from [[Rome]] to [[Oslo]].",
		"I left [[Brex]] in 2025.",
		"We moved from [[Rome]] to [[Oslo]] in 2025.",
		"My last day at [[Brex]] was 2025-03-01.",
		"Ada let go of [[Brex]].",
		"Ada removed from [[Brex]] what was old.",
		"Finished work at [[Brex]].",
		"Moved on from [[Brex]] to the next topic.",
		"Writes.\n\n---\n\n- **2025-03-01** | trip — Left [[Brex]]",
		"Before she left [[Brex]], Ada wrote to [[Mira]].",
		"When Ada left [[Brex]] in 2025, it rained.",
		"Ada left her bag at [[Brex]] in 2025.",
		"Ada quit her job as a hobby; [[Brex]] was glad.",
	} {
		t.Run(text, func(t *testing.T) {
			if got := endings(prose(markdown.Codec{}, "people/ada.md", text)); got != "" {
				t.Errorf("ended %q", got)
			}
		})
	}
}

// What the page of a firm says of people, without naming the firm. M is Mira, to whom it has
// a relation.
func TestEndingsHere(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Mira left in March 2026.":                                           "0 -1 2026-03",
		"[[people/mira]] left in March 2026.":                                "1 -1 2026-03",
		"Mira has left.":                                                     "0 -1",
		"Mira has left us.":                                                  "0 -1",
		"Mira left the company at the end of May 2026.":                      "0 -1 2026-05",
		"Mira left in March 2026 to join [[Acme]].":                          "0 -1 2026-03",
		"Mira left for [[Acme]] in March 2026.":                              "0 -1 2026-03",
		"In March 2026 Mira left the company.":                               "0 -1 2026-03",
		"Mira resigned in March 2026.":                                       "0 -1 2026-03",
		"Mira resigned as CFO in March 2026.":                                "0 -1 2026-03",
		"Mira stepped down as CEO in May 2026.":                              "0 -1 2026-05",
		"Mira stepped down as CEO.":                                          "0 -1",
		"Mira stepped down from the board in May 2026.":                      "0 -1 2026-05",
		"Mira was let go last week.":                                         "0 -1",
		"Mira was removed as head of sales in 2025.":                         "0 -1 2025",
		"Mira handed over as CEO to [[Bo]] in June 2026.":                    "0 -1 2026-06",
		"Mira was succeeded as CEO by Bo Lind in June 2026.":                 "0 -1 2026-06",
		"Mira was replaced by Bo Lind as CEO in June 2026.":                  "0 -1 2026-06",
		"[[Bo]] succeeded [[Mira]] as CEO in June 2026.":                     "2 -1 2026-06",
		"Bo Lind succeeded Mira as CEO.":                                     "0 -1",
		"[[Bo]] took over from Mira as CEO in June 2026.":                    "0 -1 2026-06",
		"Mira no longer works here.":                                         "0 -1",
		"Mira is no longer with us.":                                         "0 -1",
		"Mira is no longer CEO.":                                             "0 -1",
		"Mira was CEO until May 2026.":                                       "0 -1 2026-05",
		"Mira worked here from 2019 to May 2026.":                            "0 -1 2026-05",
		"[[Mira]]'s last day was 2026-03-31.":                                "1 -1 2026-03-31",
		"---\n\n- **2026-03-01** | mail — Mira left":                         "0 -1 2026-03-01",
		"---\n\n- **2026-03-01** | mail — Mira stepped down as CEO":          "0 -1 2026-03-01",
		"Mira left her laptop in March 2026.":                                "",
		"Mira left early on 2026-03-01, sick.":                               "",
		"Mira left.":                                                         "",
		"Mira left for Bergen on 2026-03-01.":                                "",
		"Mira left for the day on 2026-03-01.":                               "",
		"Mira may leave in 2027, she said she left nothing unsaid.":          "",
		"Mira has not left.":                                                 "",
		"Mira left the room in March 2026.":                                  "",
		"Mira left the board meeting in March 2026.":                         "",
		"Mira resigned from [[Acme]] in March 2026.":                         "0 1 2026-03",
		"Mira was succeeded by a bot.":                                       "",
		"Tidal replaced Mira as a supplier.":                                 "",
		"Bo Lind replaced Mira as CEO in the play.":                          "",
		"Mira retired the old server in March 2026.":                         "",
		"Mira was removed from the list in March 2026.":                      "",
		"Mira left the company in 2020. She returned in 2022.":               "",
		"Mira left in 2020 and came back in 2022.":                           "",
		"She left in March 2026.":                                            "",
		"Mira stepped down as CEO of [[Acme]] in May 2026.":                  "0 1 2026-05",
		"Mira was CEO of Acme until May 2026.":                               "0 Acme 2026-05",
		"Mira no longer works at [[Acme]].":                                  "0 1",
		"Mira no longer works on the billing system.":                        "",
		"Mira left the team of Bo in March 2026.":                            "",
		"Mira left 2,000 EUR in March 2026.":                                 "",
		"Mira resigned herself to the delay in March 2026.":                  "",
		"The manager who hired Mira left in March 2026.":                     "",
		"Mira was CFO until May 2026 and then CEO.":                          "",
		"Mira was CFO until May 2026 and then CEO of [[Acme]].":              "0 -1 2026-05",
		"Mira stepped down as CTO in May 2026 to become CEO.":                "",
		"Mira stepped down as CTO to become CEO in May 2026.":                "",
		"Mira resigned as CFO in May 2026 but stays as an advisor.":          "",
		"Mira worked as an intern until May 2026, and is an engineer since.": "",
		"Mira was removed as reviewer in March 2026.":                        "",
		"Mira was dismissed as a suspect in 2025.":                           "",
		"Mira was succeeded as CEO by Bo and is chair now.":                  "",
		"Mira is no longer team lead.":                                       "0 -1",
		"Mira has left the board.":                                           "0 -1",
	} {
		t.Run(text, func(t *testing.T) {
			p := prose(markdown.Codec{}, "companies/tidal.md", "See [[Mira]].\n\n"+text)
			p.Document.Nodes[0].Title = "Tidal"
			p.Names = []temporal.Name{{Text: "Mira", Link: 0}}
			if got := endings(p); got != want {
				t.Errorf("ended %q, want %q", got, want)
			}
		})
	}
}

// On the page of a person with one employer, or one role, a sentence ends it without naming it.
func TestEndingsOfTheOnlyEmployment(t *testing.T) {
	t.Parallel()
	const works, leads = "- works_at [[Brex]] @2019..\n", "- is_ceo_of [[Brex]] @2019..\n"
	for _, tc := range []struct{ text, relations, want string }{
		{"Ada resigned in May 2026.", works, "0 2026-05"},
		{"Ada has resigned.", works, "0"},
		{"In May 2026 she was let go.", works, "0 2026-05"},
		{"Ada left the company in May 2026 to write.", works, "0 2026-05"},
		{"As of 2026-06: Ada quit her job.", works, "0 @2026-06"},
		{"Ada stepped down in May 2026.", leads, "0 2026-05"},
		{"Ada resigned as CEO in May 2026.", leads, "0 2026-05"},
		{"Ada stepped down in May 2026.", works, ""},
		{"Ada stepped down as CTO in May 2026.", leads, ""},
		{"Ada resigned as CEO in May 2026.", works, ""},
		{"Her last day was 2026-05-29.", works, "0 2026-05-29"},
		{"Ada gave notice at Brex; her last day was 29 May 2026.", works, "0 2026-05-29"},
		{"Ada gave notice in April. Her last working day was 29 May 2026, at noon.", works, "0 2026-05-29"},
		{"Ada gave notice; her last day is 29 May 2026.", works + "- works_at [[Acme]]\n", ""},
		{"Ada went to Rome. Her last day was 29 May 2026.", works, ""},
		{"Her last day of the course was 29 May 2026.", works, ""},
		{"Bob gave notice; his last day was 29 May 2026.", works, ""},
		{"Ada resigned in May 2026.", works + "- works_at [[Acme]]\n", ""},
		{"Ada resigned in May 2026.", "- works_at [[Brex]] @2019..2020\n", ""},
		{"Ada resigned in May 2026.", "- knows [[Brex]]\n", ""},
		{"Ada resigned from the board in May 2026.", works, ""},
		{"Ada quit smoking in May 2026.", works, ""},
		{"Ada wants to quit in May 2026.", works, ""},
		{"Bob resigned in May 2026.", works, ""},
		{"Her brother resigned in May 2026.", works, ""},
		{"Ada retired the old server in May 2026.", works, ""},
		{"Ada resigned in May 2026 and is back since June.", works, ""},
	} {
		for _, title := range []string{"Ada Lovelace", "Ada"} {
			p := prose(markdown.Codec{}, "people/ada.md", tc.text+"\n\n"+tc.relations)
			p.Document.Nodes[0].Title = title
			if got := endings(p); got != tc.want {
				t.Errorf("on the page of %s %q with %q ended %q, want %q", title, tc.text, tc.relations, got, tc.want)
			}
		}
	}
	for text, want := range map[string]string{
		"---\ntitle: Tom\ntype: person\n---\n# Tom\n\nTom resigned in March 2026.\n\n- works_at [[Brex]]\n":                "0 2026-03",
		"---\ntitle: Gus Roe\ntype: person\n---\n# Gus Roe\n\nGus Roe stepped down in May 2026.\n\n- is_ceo_of [[Brex]]\n": "0 2026-05",
		"---\ntitle: Gus Roe\ntype: person\n---\n# Gus Roe\n\nTom resigned in May 2026.\n\n- works_at [[Brex]]\n":          "",
	} {
		p := prose(markdown.Codec{}, "notes/1.md", text)
		p.Document.Nodes[0].Title = markdown.Codec{}.Parse("notes/1.md", []byte(text)).Nodes[0].Title
		if got := endings(p); got != want {
			t.Errorf("%q ended %q, want %q", text, got, want)
		}
	}
	text := "Writes.\n\n" + works + "\n---\n\n- **2026-05-02** | email — Resigned.\n"
	if got := endings(prose(markdown.Codec{}, "people/ada.md", text)); got != "0 2026-05-02" {
		t.Errorf("an entry ended %q", got)
	}
	if got := endings(prose(markdown.Codec{}, "companies/ada.md", "Ada resigned in May 2026.\n\n"+works)); got != "" {
		t.Errorf("on the page of a firm it ended %q", got)
	}
}

func TestOfRole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Mira stepped down as CEO in May 2026.":         true,
		"Mira was CEO until May 2026.":                  true,
		"Mira worked as an engineer until May 2026.":    true,
		"Mira is no longer team lead.":                  true,
		"Mira has left the board.":                      true,
		"Mira stepped down from the board in 2025.":     true,
		"Mira was succeeded as CEO by Bo Lind.":         true,
		"Mira was replaced by Bo Lind as CEO.":          true,
		"[[Bo]] took over from [[people/mira]] as CEO.": true,
		"Mira stepped down in May 2026.":                true,
		"Mira stepped down.":                            true,
		"Mira stepped down from Acme in 2025.":          false,
		"Mira left in March 2026.":                      false,
		"Mira left to join [[Acme]] as an engineer.":    false,
		"Mira was fired in 2025.":                       false,
		"Mira no longer works here.":                    false,
		"Mira worked here from 2019 to May 2026.":       false,
		"Mira left the company at the end of May 2026.": false,
		"[[Mira]]'s last day was 2026-03-31.":           false,
	} {
		if got := temporal.OfRole(text); got != want {
			t.Errorf("%q is of a role: %v, want %v", text, got, want)
		}
	}
}

func TestEndingsInOrg(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"* State\n\n*As of 2026-11-27:*\nAda has left [[Brex]].":                                            "0 @2026-11-27",
		"* State\n\n*As of <2026-11-27 Fri>:* left Brex.":                                                   "90 @2026-11-27",
		"* State\n\nAda left [[Brex]] on [2025-03-01 Sat].":                                                 "0 2025-03-01",
		"* State\n\nAda left [[Brex]] on <2025-03-01 Sat 10:00>.":                                           "0 2025-03-01",
		"#+begin_quote\nFormer CEO of [[Brex]].\n#+end_quote\n":                                             "0",
		"* State\n\n- /Ada/ left [[Brex]] in 2025":                                                          "0 2025",
		"* Timeline\n\n- *2025-03-01* | email — Ada left Brex":                                              "90 2025-03-01",
		"Words.\n\n#+begin_quote\nx\n#+end_quote\n\n#+begin_quote\nShe left [[Brex]] in 2025.\n#+end_quote": "",
		"* Left [[Brex]] in 2025":                                                                           "",
		"# Left [[Brex]] in 2025":                                                                           "",
		"#+begin_example\nShe left [[Brex]] in 2025.\n#+end_example":                                        "",
		"#+begin_comment\nShe left [[Brex]] in 2025.\n#+end_comment":                                        "",
		": She left [[Brex]] in 2025.":                                                                      "",
		"=She left [[Brex]] in 2025.=":                                                                      "",
		"+She left [[Brex]] in 2025.+":                                                                      "",
	} {
		t.Run(text, func(t *testing.T) {
			if got := endings(prose(org.Codec{}, "people/ada.org", text)); got != want {
				t.Errorf("ended %q, want %q", got, want)
			}
		})
	}
}

// A page of thousands of statements is read like any other: each is compared with the others
// by what their links are called.
func TestManyStatements(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	const n = 2000
	for i := range n {
		fmt.Fprintf(&text, "- Left [[A%d]] in 2024.\n", i)
	}
	for i := range n {
		fmt.Fprintf(&text, "- Works at [[B%d]] now.\n", i)
	}
	fmt.Fprintf(&text, "\n%s", strings.Repeat("Ada left [[C]] in 2023. ", n))
	if got := len(temporal.Endings(prose(markdown.Codec{}, "people/ada.md", text.String()))); got != 2*n {
		t.Errorf("%d endings, want %d", got, 2*n)
	}
}

func TestAsOf(t *testing.T) {
	t.Parallel()
	latest := time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string][2]string{
		"Founded in 1843-01-01.":                                     {},
		"**As of 2026-03-01:** at Brex.":                             {"2026-03-01", ""},
		"As of 2025-01, then as of 2026-02-03. Was of 2026-05-05.":   {"2026-02-03", ""},
		"As of March 2026, at Brex.":                                 {"2026-03", ""},
		"As of 1 March 2026 at Brex.":                                {"2026-03-01", ""},
		"*As of <2026-03-01 Sun>:* at Brex.":                         {"2026-03-01", ""},
		"## State (as of 2026-03-01)\n\nAt Brex.":                    {"2026-03-01", ""},
		"- As of\n  2026-03-01, at Brex.":                            {"2026-03-01", ""},
		"```\nAs of 2026-03-01: at Brex.\n```":                       {},
		"<!-- As of 2026-03-01: at Brex. -->":                        {},
		"As of [[2026-03-01]]: at Brex.":                             {"2026-03-01", ""},
		"As of 2027-01-01.":                                          {},
		"As of 2026-02-31.":                                          {},
		"Areas of 2026.":                                             {},
		"As of version 2026-alpha.":                                  {},
		"At Brex. [Source: User, direct message, 2026-04-07]":        {"", "2026-04-07"},
		"At Brex. [Source: email of Ada, March 3, 2026]":             {"", "2026-03-03"},
		"At Brex. [Source: email]\n[Source: not closed 2026-01-01\n": {},
	} {
		said, cited := temporal.Find(markdown.Codec{}.Parse("a.md", []byte(text)), 0).AsOf(latest)
		if said != want[0] || cited != want[1] {
			t.Errorf("%s: %q, %q; want %q", text, said, cited, want)
		}
	}
}

// A text that ends with a cue has it, whatever follows.
func TestMayEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                         false,
		"left":                     true,
		"She has left":             true,
		"She\nleft\nBrex":          true,
		"the left-hand side":       false,
		"cleft":                    true, // the patterns decide
		"ex":                       true,
		"e":                        false,
		"until":                    false,
		"at Brex until":            false,
		"at Brex until 2024":       true,
		"at Brex until last week":  true,
		"at Brex until March":      true,
		"up to 20 of them":         false,
		"2019–2023":                true,
		"between 10 and 20 - 1 is": false,
	} {
		if got := temporal.MayEnd(text); got != want {
			t.Errorf("MayEnd(%q) = %v", text, got)
		}
		if got := temporal.Find(markdown.Codec{}.Parse("a.md", []byte(text)), 0).MayEnd(); got != want {
			t.Errorf("MayEnd of the cues of %q = %v", text, got)
		}
	}
}
