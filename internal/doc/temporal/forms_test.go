package temporal_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/markdown"
)

// More ways in which people write that somebody left.
func TestFormsOfLeaving(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"> Former CFO of Brex, now a board member of two charities.":  "90",
		"Ada, formerly the CFO of [[Brex]], sits on two boards.":      "0",
		"Former CFO of Brex, now advising startups.":                  "90",
		"Former CFO of Brex and now an author.":                       "90",
		"Ada was with [[Brex]] between 2015 and 2024.":                "0 2024",
		"CFO, [[Brex]], 2015–2024":                                    "0 2024",
		"Ada took a package and left [[Brex]] in March 2026.":         "0 2026-03",
		"Ada has moved on from [[Brex]].":                             "0",
		"Ada moved on from [[Brex]] in April 2026.":                   "0 2026-04",
		"Ada retired in 2025 after 20 years at [[Brex]].":             "0 2025",
		"Ada resigned from her position at [[Brex]] on 4 May 2026.":   "0 2026-05-04",
		"Ada left [[Brex]] to become CEO of [[Acme]].":                "0",
		"Ada left [[Brex]] to start her own studio.":                  "0",
		"Until June 2026 Ada worked at [[Brex]].":                     "0 2026-06",
		"Until June 2026, Ada was CFO of [[Brex]].":                   "0 2026-06",
		"Until June 2026 Ada was with Brex, then she went freelance.": "90 2026-06",
		"Since June 2026 Ada no longer works at [[Brex]].":            "0 2026-06",
		"Bob Stone succeeded Ada as CFO of [[Brex]].":                 "0",
		"Ada finished at [[Brex]] in June 2026.":                      "0 2026-06",
		"Seit Juni 2026 ist Ada nicht mehr bei [[Brex]].":             "0 2026-06",
		"Bis Juni 2026 war Ada bei [[Brex]] tätig.":                   "0 2026-06",
		"Ancienne directrice financière de [[Brex]].":                 "0",
		"Depuis juin 2026, Ada n'est plus chez [[Brex]].":             "0 2026-06",
		"Jusqu'en juin 2026, Ada travaillait chez [[Brex]].":          "0 2026-06",
		"Hasta junio de 2026 Ada trabajó en [[Brex]].":                "0 2026-06",
		"Tot juni 2026 werkte Ada bij [[Brex]].":                      "0 2026-06",
		"Ada已经不在[[Brex]]工作了。":                                         "0",
		"Ada 已不再在 Brex 工作。":                                           "90",
		"Ada 已于 2026 年 6 月从 [[Brex]] 离职。":                             "0 2026-06",
		"自2026年6月起，Ada不再在[[Brex]]工作。":                                 "0 2026-06",
	} {
		if got := endings(prose(markdown.Codec{}, "people/ada.md", text)); got != want {
			t.Errorf("%q ends %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"Ada left [[Brex]]'s office at 6 pm.",
		"Ada left [[Brex]] early today to catch a train.",
		"Ada left the [[Brex]] meeting in June 2026.",
		"Ada will leave [[Brex]] in June 2027.",
		"Ada is leaving [[Brex]] next summer.",
		"Ada has not left [[Brex]].",
		"Ada never worked for [[Brex]] until 2025.",
		"Bob left [[Brex]] in June 2026.",
		"Ada's sister left [[Brex]] in June 2026.",
		"People say Ada left [[Brex]].",
		"If Ada left [[Brex]], who would run finance?",
		"Has Ada left [[Brex]]?",
		"Ada left [[Brex]] in 2019 but returned in 2021.",
		"Ada left [[Brex]] for a sabbatical in June 2026.",
		"Ada left a note for [[Brex]] in June 2026.",
		"Ada left [[Brex]] a message.",
		"Ada's former assistant works at [[Brex]].",
		"Ada replaced the former CFO of [[Brex]].",
		"Ada met the former CEO of [[Brex]].",
		"The contract with [[Brex]] runs until June 2027.",
		"Ada moved from the [[Brex]] office in Leeds to the one in York.",
		"Ada works at [[Brex]]; Bob left in May 2026.",
		"Ada hat [[Brex]] nicht verlassen.",
		"Ada will [[Brex]] im Juni verlassen.",
		"Ada arbeitet noch bis Juni 2027 bei [[Brex]].",
		"Adas Bruder hat [[Brex]] verlassen.",
		"Ada n'a pas quitté [[Brex]].",
		"Ada quittera [[Brex]] en juin 2027.",
		"Le frère d'Ada a quitté [[Brex]].",
		"Ada没有离开[[Brex]]。",
		"Ada计划2027年离开[[Brex]]。",
		"据说Ada离开了[[Brex]]。",
		"Ada的弟弟已离开[[Brex]]。",
		"Ada已不再加班，仍在[[Brex]]工作。",
		"Ada不再负责Brex的销售，改管财务。",
		"Ada离开[[Brex]]的办公室去吃饭。",
		"Ada former [[Brex]] customers list.",
		"Former CFO of Brex, now its CEO.",
		"Former CFO of Brex, now CEO there.",
		"Former CFO of Brex, now CEO.",
		"Former intern at Brex, now runs its finance team.",
		"Ada was CFO of Brex until 2024, now CEO.",
		"Until June 2026 Ada had no office at [[Brex]].",
		"Until June 2026 Bob worked at [[Brex]].",
		"Since June 2026 Ada works at [[Brex]].",
		"Since 2020, Ada has been CFO of [[Brex]].",
		"Seit Juni 2026 arbeitet Ada bei [[Brex]].",
		"Ada joined [[Brex]] from [[Acme]] in 2025 and is still at Acme's board.",
		"Ada joined the call from [[Brex]].",
		"Ada joined [[Bob]] from the [[Brex]] office.",
		"Ada joined us from [[Brex]] for lunch.",
		"Ada, formerly CFO of Brex, is its CEO.",
		"Ada, formerly CFO of Brex, is CEO.",
		"Ada, formerly CFO of Brex, became its chair.",
		"Ada, former CFO of Brex, is now president.",
		"Ada moved on from [[Brex]] to the next item.",
		"从2020年起，Ada在[[Brex]]工作。",
		"自2026年6月起，Ada在[[Brex]]担任顾问。",
		"Bob was replaced by Ada as CFO of [[Brex]].",
		"Bob succeeded Ada Moore as CFO of [[Brex]].",
		"Ada moved on from [[Brex]] pricing in June 2026.",
		"Ada left [[Brex]] to run errands.",
		"Ada left [[Brex]] to start dinner.",
		"Ada left [[Brex]] to join a call.",
		"Ada left [[Brex]] to lead a tour.",
		"Ada finished at [[Brex]] at 6 pm.",
		"Ada succeeded Bob as CFO of [[Brex]].",
		"Ada replaced Bob Stone as CFO of [[Brex]].",
		"Ada is with [[Brex]] between 2026 and 2028.",
		"Ada was at [[Brex]] between 9 and 10 May 2026.",
		"Invoice, [[Brex]], 2015–2024",
		"Until Monday Ada is at [[Brex]].",
		"Ada 在 Brex 工作，不再加班。",
		"Ada 不再负责 Brex 的销售。",
		"Ada 已不再对 Brex 满意。",
	} {
		if got := endings(prose(markdown.Codec{}, "people/ada.md", text)); got != "" {
			t.Errorf("%q ends %q", text, got)
		}
	}
}

// In scripts without blanks a firm without a page is found by the words around its name,
// and adverbs are no part of it.
func TestNamesInUnspacedScripts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"吴岚已不再在海望科技工作。":      "海望科技",
		"吴岚已经不在海望科技工作了。":     "海望科技",
		"吴岚已经从海望科技离职。":       "海望科技",
		"吴岚于2026年9月离开海望科技。":  "海望科技 2026-09",
		"吴岚曾在海望科技工作。":        "海望科技",
		"吴岚已不再担任海望科技的首席执行官。": "海望科技",
		"2026年9月，吴岚从海望科技辞职。": "海望科技 2026-09",
		"吴岚现在已不再任职于海望科技。":    "海望科技",
		"吴岚已被海望科技解雇。":        "海望科技",
		"吴岚はもう海望テックで働いていない。": "海望テック",
		"元海望テックのCTO。":        "海望テック",
		"吴岚已不再全职工作。":         "",
		"吴岚已不再工作。":           "",
		"吴岚计划2027年离开海望科技。":   "",
		"吴岚仍在海望科技工作。":        "",
	} {
		p := prose(markdown.Codec{}, "people/wu-lan.md", text)
		p.Names, p.Document.Nodes[0].Title = nil, "吴岚"
		if got := endings(p); got != want {
			t.Errorf("%q ends %q, want %q", text, got, want)
		}
	}
}
