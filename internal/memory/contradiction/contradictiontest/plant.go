package contradictiontest

import (
	"fmt"
	"math/rand"
	"strings"
)

// scene is the text of a page, and its certain fault: a type of contradiction,
// or nothing. In its text, and in the assertions of its sidecar, ONE and TWO
// are two firms, NAME the page itself.
type scene struct{ wrong, text, assertions string }

var scenes = []scene{
	{"cross_page", "- works_at [[ONE]] @2017..\n- works_at [[TWO]] @2020-05..", ""},
	{"cross_page", "- works_at [[ONE]]\n- Works At [[Firm TWO]]", ""},
	{"cross_page", "---\nemployer: \"[[ONE]]\"\n---\n- works_at [[TWO]] @2020..2099", ""},
	{"cross_page", "- lives_in [[Atlantis]]\n- lives_in [[ONE]]", ""},
	{"temporal", "NAME left [[ONE]] in 2025.\n\n- works_at [[Firm ONE]] @2017..", ""},
	{"temporal", "> Former engineer at [[ONE]].\n\n- works_at [[ONE]] @2017..", ""},
	{"temporal", "Worked at Firm ONE until May 2024.\n\n- works_at [[Firm ONE]] @2017..", ""},
	{"temporal", "NAME resigned from [[companies/ONE]] on 2025-02-03.\n\n- member_of [[ONE]]", ""},
	{"temporal", "> CTO of Firm ONE.\n\n## State\n\n**As of 2026-03-01:** NAME has left Firm ONE.\n\n- works_at [[ONE]] @2017..", ""},
	{"temporal", "## State\n\n**As of 2026-03-01:** Former CTO of [[Firm ONE]].\n\n- works_at [[ONE]] @2017..", ""},
	{"temporal", "Moved from [[ONE]] to [[TWO]] in May 2024.\n\n- lives_in [[ONE]] @2017..", ""},
	{"temporal", "- works_at [[ONE]] @2017.. (left in 2024)", ""},
	{"temporal", "---\nemployer: Firm ONE\n---\nNo longer at Firm ONE.", ""},
	{"temporal", "Writes.\n\n- works_at [[ONE]] @2017..\n\n---\n\n- **2025-03-01** | email — NAME left [[ONE]]", ""},
	{"assertion", "---\nemployer: Firm ONE\n---\n- works_at [[ONE]] @2017..2020", ""},
	{"overlap", "- knows [[ONE]] @2010..2015\n- knows [[Firm ONE]] @2012..2018", ""},
	{"assertion", "- works_at [[ONE]] @2017..2020", `{"subject": "NAME", "predicate": "Works At", "object": "Firm ONE"}`},
	{"cross_page", "- works_at [[ONE]] @2017..", `{"subject": "[[NAME]]", "predicate": "works_at", "object": "[[TWO]]", "valid_from": "2020"}`},
	{"cross_page", "Writes.", `{"subject": "NAME", "predicate": "works_at", "object": "ONE"}, {"subject": "NAME", "predicate": "works_at", "object": "TWO"}`},
	{"evidence", "Writes.", `{"subject": "NAME", "predicate": "works_at", "object": "ONE", "evidence_text": "works at ONE"}`},
	{"stale", "**As of 2024-01-01:** writes.\n\n---\n\n- **2024-02-15** | letter — Stopped", ""},

	{"", "- works_at [[ONE]] @2017..2020\n- works_at [[TWO]] @2020..", ""},
	{"", "- works_at [[ONE]] @2017..\n- works_at [[TWO]] @2098..", ""},
	{"", "---\nemployer: Firm ONE\n---\n- works_at [[ONE]] @2017..", ""},
	{"", "- works_at [[ONE]]\n- works_at [[Firm ONE]]\n- works_at [[companies/ONE]]", ""},
	{"", "- founded [[ONE]] @2017\n- founded [[TWO]] @2019\n- mentors [[ONE]]\n- mentors [[TWO]]", ""},
	{"", "- works_at [[ONE]] @2017..\n- works_at [[ONE Labs]] @2018..", ""},
	{"", "NAME left [[ONE]] in 2025.\n\n- founded [[ONE]] @2017\n- advises [[ONE]] @2017..", ""},
	{"", "NAME left [[ONE]] in 2020.\n\n- works_at [[ONE]] @2022..", ""},
	{"", "NAME left [[ONE]] in 2020 and returned in 2021.\n\n- works_at [[ONE]] @2017..", ""},
	{"", "NAME left [[TWO]] in 2025.\n\n- works_at [[ONE]] @2017..\n- works_at [[TWO]] @2010..2017", ""},
	{"", "Her brother left [[ONE]] in 2025. She never left [[ONE]] in 2024.\n\n- works_at [[ONE]] @2017..", ""},
	{"", "NAME plans to leave; would have left [[ONE]] in 2025.\n\n- works_at [[ONE]] @2017..", ""},
	{"", "- works_at [[ONE]] @2017..\n\n---\n\n- **2098-01-01** | plan — Left [[ONE]] in 2098", ""},
	{"", "Left [[ONE]] in 2098.\n\n- works_at [[ONE]] @2017..", ""},
	{"", "Former CTO of [[ONE]], now its CEO, and at the desk of [[TWO]] until 2024.\n\n- works_at [[ONE]] @2017..", ""},
	{"", "The former office of [[ONE]] is left of [[TWO]] until 2024.\n\n- works_at [[ONE]] @2017..", ""},
	{"", "**As of 2026-03-01:** CTO of [[ONE]].\n\n- works_at [[ONE]] @2017..\n\n---\n\n- **2025-03-01** | email — NAME left [[ONE]]", ""},
	{"", "Writes.\n\n- works_at [[ONE]] @2017..\n\n---\n\n- **2025-06-01** | email — Rejoined [[ONE]]\n- **2025-03-01** | email — Left [[ONE]]", ""},
	{"", "```\n- works_at [[TWO]]\nNAME left [[ONE]] in 2025.\n```\n\n- works_at [[ONE]] @2017..", ""},
	{"", "- knows [[ONE]] @2010..2015\n- knows [[ONE]] @2015..2018", ""},
	{"", "**As of 2024-01-01:** writes.\n\n---\n\n- **2024-01-20** | letter — Goes on", ""},

	{"", "- works_at [[ONE]] @2017..2020", `{"subject": "NAME", "predicate": "works_at", "object": "ONE", "valid_from": "2020"}`},
	{"", "- works_at [[ONE]] @2017..", `{"subject": "NAME", "predicate": "works_at", "object": "companies/ONE", "valid_from": "2017"}`},
	{"", "- works_at [[ONE]] @2020..", `{"subject": "NAME", "predicate": "works_at", "object": "TWO", "valid_until": "2020"}`},
	{"", "Writes.", `{"subject": "NAME", "predicate": "founded", "object": "ONE"}, {"subject": "NAME", "predicate": "founded", "object": "TWO"}`},
	{"", "Works\nat ONE.", `{"subject": "NAME", "predicate": "works_at", "object": "ONE", "evidence_text": "Works at ONE."}`},
	{"", "Writes.", `{"subject": "NAME", "predicate": "works_at", "object": "ONE", "valid_until": "2020", "evidence_text": "gone"}`},
}

// firms are the pages that the others speak of.
const firms = 100

// Plant makes that many pages by path, in an order that follows from the seed:
// firms, and people, each a scene, some with a sidecar. Half of them have a
// timeline, which does not contradict anything. Wrong maps slugs to faults.
func Plant(pages int, seed int64) (files, wrong map[string]string) {
	rng := rand.New(rand.NewSource(seed))
	files, wrong = make(map[string]string, pages), map[string]string{}
	for i := range firms {
		name := fmt.Sprintf("f%02d", i)
		files["companies/"+name+".md"] = "---\naliases: [Firm " + name + "]\n---\n# " + strings.ToUpper(name) + "\n"
	}
	for i := range pages - firms {
		s, name := scenes[rng.Intn(len(scenes))], fmt.Sprintf("Person%d", i)
		some := rng.Perm(firms)
		one, other, third := fmt.Sprintf("f%02d", some[0]), fmt.Sprintf("f%02d", some[1]), fmt.Sprintf("f%02d", some[2])
		names := strings.NewReplacer("ONE", one, "TWO", other, "NAME", name)
		text := names.Replace(s.text)
		if s.assertions != "" {
			files["people/.raw/"+strings.ToLower(name)+".json"] = names.Replace("{\"assertions\": [" + s.assertions + "]}\n")
		}
		head := ""
		if rest, ok := strings.CutPrefix(text, "---\n"); ok {
			head, text, _ = strings.Cut(rest, "---\n")
			head = "---\n" + head + "---\n"
		}
		text = head + "# " + name + "\n\n" + text + "\n"
		if rng.Intn(2) == 0 && !strings.Contains(text, "\n---\n\n") {
			text += "\n---\n\n" + timeline(rng, third)
		}
		files["people/"+strings.ToLower(name)+".md"] = text
		if s.wrong != "" {
			wrong["people/"+strings.ToLower(name)] = s.wrong
		}
	}
	return files, wrong
}

// timeline is what happened with a firm that the page has no relation to, newest first.
func timeline(rng *rand.Rand, firm string) string {
	var b strings.Builder
	for year := 2020; year > 2017-rng.Intn(4); year-- {
		fmt.Fprintf(&b, "- **%d-%02d-%02d** | %s — %s [[%s]]\n", year, 1+rng.Intn(12), 1+rng.Intn(28),
			[]string{"meeting", "email", "letter"}[rng.Intn(3)], []string{"Left", "Works at", "Met somebody of"}[rng.Intn(3)], firm)
	}
	return b.String()
}
