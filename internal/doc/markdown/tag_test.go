package markdown_test

import (
	"slices"
	"strings"
	"testing"
)

// TestCJKPunctuationEndsTags: Obsidian reads on where a sentence goes on without a blank.
func TestCJKPunctuationEndsTags(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"#标签。后面 #东京、大阪 #foo，bar #a：b":        "标签 东京 foo a",
		"#한국어！ #a（b） #日本「x」 #终《书》 #問？":       "한국어 a 日本 终 問",
		"#ジョン・スミス #人々、村々 #タグ～今日 #中文／英文":      "ジョン・スミス 人々 タグ 中文",
		"#سؤال؟ #कथा। #ไทย #日本語/東京 #〇〇 #a＋b": "سؤال कथा ไทย 日本語/東京 〇〇 a",
	} {
		if got := strings.Join(parse("x.md", source).Tags, " "); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

// TestInlineTags: each row is a page and the tags that Obsidian 1.13.7 reads
// in it, as its metadata cache says (in part from cyanheads/obsidian-mcp-server,
// issues 127, 138 and 140).
func TestInlineTags(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		// Names.
		"#1984":                      "",
		"#y1984 #1990s #2024-goals":  "y1984 1990s 2024-goals",
		"#3d #café #日本語 #✅done":      "3d café 日本語 ✅done",
		"#a/b/c #under_score #ends-": "a/b/c under_score ends-",
		"#one, #two. (#three":        "one two",
		"#tag—dash #other’s":         "tag other",
		"#tl#tm #tn/#to":             "tl tm tn/ to",
		"#1984#gm ##gn a#gv":         "",
		"#gx# gy":                    "gx",
		"# heading\n#tag":            "tag",
		"# A #tag in a heading #":    "tag",
		"A #tag\n===\n":              "tag",

		// What stands before.
		"(#pa) $#pb$ \"#pc\" .#pd x—#pe":      "",
		"\t- x\n\t#pf":                        "pf",
		"[x #ph]":                             "ph",
		"a\u00a0#qi a\u3000#qj":               "qi qj",
		"a\u200b#bg":                          "",
		"[[x]]#ba `c`#bb a <!-- x -->#bc":     "ba bb bc",
		"x **#ua** y *#ub* ~~#ue~~ ==#uf== z": "ua ub ue uf",
		"a *#wb b":                            "",
		"a ~#wf~ b ==#wh":                     "",
		">#uk\n>#ul":                          "uk ul",
		"x >#yb":                              "",
		"a \\]#ta \\\\#td \\#vb":              "ta td",
		"line<br>#uw <b>#wq</b>":              "uw wq",
		"i <3#wt a &amp;#uz":                  "",

		// Code, comments, HTML.
		"`#a` ``b ` #c`` #d": "d",
		"```markdown\n```typescript\nx #tu\n```\nprose #tv\n```\ncode #tw\n```": "tv",
		"~~~\n#a\n~~~\n#b\n\n    #code\n":                                       "b",
		"para\n    #lazy":                                                       "lazy",
		"a <!-- #qa --> b":                                                      "",
		"<!--\n#qb\n-->\n#qc":                                                   "qc",
		"z #qe <!-- #qf\nstill #qg -->\nafter #qh":                              "qe qh",
		"<!-- a --> #rd":                                                        "",
		"%% #rf %%":                                                             "rf",
		"<div>\nhello #tp\n</div>\n\n<p>x #tr</p>":                              "",
		"<span>x #ts</span>":                                                    "ts",
		"<a href=\"u #ea\">y</a> <b see #ta> <a href=u#eb>y":                    "ta",

		// Formulas.
		"m $a #ra b$ n":               "",
		"x $$ #rb $$ y #rc":           "rc",
		"$$\n#qd\n$$\n#after":         "after",
		"$$\na\n\n#tf\n$$\nafter #tg": "tg",
		"> $$\n> a\n\nafter #zn":      "zn",
		"m $ #qc $ n":                 "qc",
		"cost $5 and #rc for $10":     "rc",
		"a \\$b #me c$ d":             "me",
		"a $b$c #ti d$ e":             "ti",
		"$$a$$ #tn":                   "tn",
		"a 5$, #dm and 6$.":           "dm",
		"a $5, #dn and 6$.":           "dn",
		"$$ a\n#do $$\n#dp":           "dp",

		// Links.
		"[Discord #tf](https://x.y/#frag)": "tf",
		"[a #tg][ref]\n\n[ref]: u#x":       "tg",
		"[x](<a #tb.md>) [x](u \"t #tc\")": "",
		"[x][#td]\n\n[#td]: u":             "",
		"![a #te](x.png)":                  "",
		"[[#Overview]] [[N#H|see #ti]]":    "",
		"![[N#^b]] https://x.y/#frag":      "",
		"[x](u)#tf x ![a](u)#bn":           "tf bn",
		"[#ta] x a[#yl] [a [#yn] b]":       "ta yl yn",
		"x [#ba":                           "",
		"x []#yo [^#bp]":                   "",
		"x [#zd [b] c]":                    "",
		"[^1]: a #bq":                      "bq",

		// Underscores.
		"x _#uc_ y, snake_case_#wc": "uc wc",
		"x __#uj__ y":               "uj",
		"x _a #um_ y":               "um",
		"x _#qa_name_ y":            "qa_name",
		"#tag_ x #qb_name_":         "tag_ qb_name_",
		"a_#wd_b":                   "",
		"snake_#ub":                 "",
		"x _#uf_b y":                "",
		"a_ _#uu":                   "",
		"x _a `c_` _#qn":            "",

		// Tables.
		"|a|b|\n|-|-|\n|#uo|x|":           "uo",
		"a|b\n-|-\nx|#tb":                 "tb",
		"| a | b |\n|---|---|\n| #up |x|": "up",
		"|not a table #wx and |#wp":       "wx",
		"|a|b|\n|-|-|\nx #tf|#tg":         "tf",
		"a|b|#uq|c":                       "",

		// Lists, tasks, below the line.
		"- [ ] call #urgent/now\n- [fact] x #ml\n- y\n  #z": "urgent/now ml z",
		"a\n\n---\n\n- 2024-01-01: met #work":               "work",
		"---\ntags: [one]\n---\n#two #one":                  "one two",
		"---\ntitle: x #no\n---\n":                          "",
	} {
		if got := strings.Join(parse("x.md", source).Tags, " "); got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

// TestInlineTagSpans: a tag's span holds it with its sign.
func TestInlineTagSpans(t *testing.T) {
	t.Parallel()
	source := "a #one\n\n- b #two/three #one\n"
	var got []string
	for _, tag := range parse("x.md", source).InlineTags {
		got = append(got, source[tag.Span.Start:tag.Span.End])
	}
	if want := []string{"#one", "#two/three", "#one"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
