package operation_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A tag is renamed everywhere by one call, in metadata and in texts, with those below it, and
// one undo takes that back.
func TestRenameTag(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"a","text":"Text.","tags":["evergreen","other"]}`)
	b.must("write", `{"ref":"b","text":"Text with #evergreen, and #evergreen/young in a line."}`)
	b.must("write", `{"ref":"c","text":"---\ntags: [evergreen, plant]\n---\nNot evergreen, nor #evergreens.\n"}`)
	m := b.must("edit", `{"edits":{"do":"rename_tag","find":"evergreen","text":"plant"}}`)
	if n := len(operationtest.At(t, m, "pages").([]any)); n != 3 {
		t.Errorf("%d pages were changed: %v", n, m)
	}
	for ref, want := range map[string]string{
		"a": "- plant", "b": "Text with #plant, and #plant/young in a line.", "c": "tags: [plant]\n---\nNot evergreen, nor #evergreens.",
	} {
		if text := operationtest.At(t, b.must("read", `{"ref":"`+ref+`"}`), "text").(string); !strings.Contains(text, want) {
			t.Errorf("%s reads %q", ref, text)
		}
	}
	b.must("undo", `{}`)
	if got := b.refs(`{"tags":"evergreen"}`); got != "memory:a memory:b memory:c" {
		t.Errorf("after undo the tag is on %s", got)
	}
	for input, code := range map[string]kb.Code{
		`{"edits":{"do":"rename_tag","find":"nowhere","text":"plant"}}`:            kb.NotFound,
		`{"edits":{"do":"rename_tag","find":"evergreen"}}`:                         kb.Usage,
		`{"ref":"a","edits":{"do":"rename_tag","find":"young","text":"x"}}`:        kb.NotFound,
		`{"edits":{"do":"rename_tag","find":"evergreen","text":"two words here"}}`: kb.Invalid,
	} {
		if _, err := b.call("edit", input); kb.CodeOf(err) != code {
			t.Errorf("%s answers %v, want %s", input, err, code)
		}
	}
}

// Names of arguments that callers guess: each call does what it would with the names of the schema.
func TestEditTakesGuessedNames(t *testing.T) {
	t.Parallel()
	for edit, want := range map[string]string{
		`{"do":"rename_tag","tag":"x","to":"q"}`:                          "A line. #q",
		`{"do":"rename_tag","from":"x","tag":"q"}`:                        "A line. #q",
		`{"do":"replace","old_string":"A line.","new_string":"Another."}`: "Another. #x",
		`{"do":"replace","find":"A line.","with":"Another."}`:             "Another. #x",
		`{"do":"replace","old":"A line.","replacement":"Another."}`:       "Another. #x",
		`{"op":"append","content":"Another."}`:                            "A line. #x\n\nAnother.",
		`{"action":"set","property":"phase","value":"two"}`:               "phase: two",
		`{"operation":"tag","tags":["z"]}`:                                "- z",
		`{"do":"title","title":"Other"}`:                                  "title: Other",
		`{"do":"relate","predicate":"uses","object":"a"}`:                 "- uses [[a]]",
	} {
		// One edit in its list, or next to the ref.
		for _, input := range []string{`{"ref":"a","edits":` + edit + `}`, `{"ref":"a",` + edit[1:]} {
			b := newTools(t)
			b.must("write", `{"ref":"a","text":"A line. #x"}`)
			b.must("edit", input)
			if text := operationtest.At(t, b.must("read", `{"ref":"a"}`), "text").(string); !strings.Contains(text, want) {
				t.Errorf("after %s the page reads %q", input, text)
			}
		}
	}
	b := newTools(t)
	b.must("write", `{"ref":"a","text":"A line."}`)
	for _, input := range []string{
		`{"ref":"a","do":"append","text":"x","edits":[{"do":"append","text":"y"}]}`, // both
		`{"ref":"a","do":"append","txt":"x"}`,
	} {
		if _, err := b.call("edit", input); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s answers %v", input, err)
		}
	}
}

// Where a guess is not taken, the error names what was meant.
func TestGuessesAreCorrectedByName(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"a","text":"A line."}`)
	for input, says := range map[string]string{
		`edit {"ref":"a","old_string":"A","new_string":"B"}`: "edits[0].do is one of append",
		`edit {"ref":"a","do":"add_tag","tag":"x"}`:          "Did you mean tag?",
		`edit {"ref":"a","do":"set_property","key":"x"}`:     "Did you mean set?",
		`browse {"what":"directories"}`:                      "Did you mean tree?",
		`browse {"what":"tasks","status":"open"}`:            "Did you mean open?",
		`read {"title":"A"}`:                                 "Did you mean ref?",
		`undo {"id":1}`:                                      "Did you mean write?",
		`remember {"content":"A line."}`:                     "Did you mean text?",
	} {
		tool, args, _ := strings.Cut(input, " ")
		_, err := b.call(tool, args)
		if e := kb.AsError(err); e == nil || e.Code != kb.Usage || !strings.Contains(e.Hint, says) {
			t.Errorf("%s answers %v, want the hint %q", input, err, says)
		}
	}
	b.must("read", `{"ref":"a","workspace":null}`) // an argument that is left out
	for input, says := range map[string]string{
		`{"do":"delete","heading":"Log"}`:               "the whole page of ref",
		`{"do":"delete","path":"b"}`:                    "the whole page of ref",
		`{"do":"move","heading":"Log","path":"there/"}`: "the whole page of ref",
		`{"do":"tag","tags":"lamp, watt"}`:              "one tag as text",
	} {
		if _, err := b.call("edit", `{"ref":"a","edits":[`+input+`]}`); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s answers %v, want %q", input, err, says)
		}
	}
	_, err := b.call("edit", `{"ref":"a","do":"relate","type":"uses"}`)
	if err == nil || !strings.Contains(err.Error(), "the page that the relation leads to") {
		t.Errorf("relate without a page answers %v", err)
	}
}

// Tags in one text are several.
func TestTagsAsText(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("remember", `{"title":"a","text":"Cables are grey.","tags":"cable, colour,"}`)
	b.must("write", `{"ref":"b","text":"Poles are green.","tags":"colour"}`)
	if got := b.refs(`{"tags":"colour, cable"}`); got != "memory:a" {
		t.Errorf("both tags are on %s", got)
	}
	if got := b.refs(`{"tags":["colour"]}`); got != "memory:a memory:b" {
		t.Errorf("the tag colour is on %s", got)
	}
}

// A step renames what the one before has left, everywhere and in one page.
func TestRenameTagTwice(t *testing.T) {
	t.Parallel()
	const twice = `"edits":[{"do":"rename_tag","find":"x","text":"q"},{"do":"rename_tag","find":"q","text":"r"}]}`
	for _, ref := range []string{"", `"ref":"a",`} {
		b := newTools(t)
		b.must("write", `{"ref":"a","text":"Text with #x/young.","tags":["x"]}`)
		b.must("edit", `{`+ref+twice)
		if text := operationtest.At(t, b.must("read", `{"ref":"a"}`), "text").(string); !strings.Contains(text, "- r\n") || !strings.Contains(text, "#r/young") {
			t.Errorf("with %q the page reads %q", ref, text)
		}
		gone := `"edits":[{"do":"rename_tag","find":"r","text":"s"},{"do":"rename_tag","find":"r","text":"t"}]}`
		if _, err := b.call("edit", `{`+ref+gone); kb.CodeOf(err) != kb.NotFound {
			t.Errorf("with %q a tag that is gone answers %v", ref, err)
		}
	}
	b := newTools(t)
	b.must("write", `{"ref":"a","text":"Text.","tags":["x"]}`)
	b.must("write", `{"ref":"b","text":"Text.","tags":["q"]}`)
	b.must("edit", `{`+twice)
	if got := b.refs(`{"tags":"r"}`); got != "memory:a memory:b" {
		t.Errorf("the last name is on %s", got)
	}
}

// One page becomes a section of another, links follow, and one undo takes that back.
func TestMergePages(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"deploys","title":"Deploys","text":"Deploys go through staging.","tags":["ops"]}`)
	b.must("write", `{"ref":"releases","title":"Releases","text":"Releases are on Mondays.\n\n## How\n\nBy hand.","tags":["team"]}`)
	b.must("write", `{"ref":"hub","text":"See [[releases]] and [[releases#How]]."}`)
	m := b.must("edit", `{"ref":"releases","edits":{"do":"merge","to":"deploys"}}`)
	if n := len(operationtest.At(t, m, "pages").([]any)); n != 3 {
		t.Errorf("%d pages were changed: %v", n, m)
	}
	text := operationtest.At(t, b.must("read", `{"ref":"deploys"}`), "text").(string)
	for _, want := range []string{"Deploys go through staging.", "## Releases\n\nReleases are on Mondays.", "### How", "team"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q: %s", want, text)
		}
	}
	if text := operationtest.At(t, b.must("read", `{"ref":"hub"}`), "text").(string); !strings.Contains(text, "[[Deploys|releases]]") {
		t.Errorf("the page with links reads %s", text)
	}
	if m := b.must("read", `{"ref":"Releases"}`); m["ref"] != "memory:deploys" {
		t.Errorf("the old title leads to %v", m["ref"])
	}
	b.must("undo", `{}`)
	if got := b.refs(`{}`); got != "memory:deploys memory:hub memory:releases" {
		t.Errorf("after undo there are %s", got)
	}
	if text := operationtest.At(t, b.must("read", `{"ref":"hub"}`), "text").(string); !strings.Contains(text, "[[releases#How]]") {
		t.Errorf("after undo the page with links reads %s", text)
	}
	for input, code := range map[string]kb.Code{
		`{"refs":["hub","releases"],"edits":{"do":"merge","text":"deploys"}}`:             kb.Usage,
		`{"ref":"hub","edits":[{"do":"merge","text":"deploys"},{"do":"tag","text":"x"}]}`: kb.Usage,
		`{"ref":"hub","edits":{"do":"merge"}}`:                                            kb.Usage,
		`{"ref":"hub","edits":{"do":"merge","text":"hub"}}`:                               kb.Usage,
		`{"ref":"hub","edits":{"do":"merge","text":"nowhere"}}`:                           kb.NotFound,
		`{"ref":"hub","edits":{"do":"merge","text":"deploys"},"expected_version":99}`:     kb.Conflict,
	} {
		if _, err := b.call("edit", input); kb.CodeOf(err) != code {
			t.Errorf("%s answers %v, want %s", input, err, code)
		}
	}
}

func TestBrowseTasks(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"plan/one","text":"- [ ] Call the weavers 📅 2026-11-20\n- [x] Buy wool\n- [ ] Later\n"}`)
	b.must("write", `{"ref":"two","text":"- [ ] Elsewhere\n"}`)
	m := b.must("browse", `{"what":"tasks","open":true,"path":"plan"}`)
	if operationtest.At(t, m, "total") != 2.0 || operationtest.At(t, m, "items", 0, "due") != "2026-11-20" || operationtest.At(t, m, "items", 0, "ref") != "memory:plan/one" {
		t.Errorf("open are %v", m)
	}
	if m := b.must("browse", `{"what":"tasks","due":"2026-12-31"}`); operationtest.At(t, m, "total") != 1.0 {
		t.Errorf("due are %v", m)
	}
	if m := b.must("browse", `{"what":"tasks"}`); operationtest.At(t, m, "total") != 4.0 {
		t.Errorf("all are %v", m)
	}
}

// Arguments that callers guess are accepted, and a mistaken one says what is meant.
func TestGuessedArguments(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"a","text":"Text."}`)
	b.must("write", `{"ref":"b","text":"Text."}`)
	b.must("edit", `{"ref":"a","edits":{"do":"relate","type":"part_of","to":"b"}}`)
	if m := b.must("browse", `{"what":"links","ref":"a"}`); operationtest.At(t, m, "items", 0, "link") != "part_of" {
		t.Errorf("the links are %v", m)
	}
	b.must("edit", `{"ref":"a","edits":{"do":"set","property":"owner","value":"Ada"}}`)
	if got := b.refs(`{"where":"owner=Ada"}`); got != "memory:a" {
		t.Errorf("owned are %s", got)
	}
	if got := b.refs(`{"where":"owner=*"}`); got != "memory:a" {
		t.Errorf("with an owner are %s", got)
	}
	if _, err := b.call("edit", `{"ref":"a","edits":{"do":"set","key":"owner"}}`); kb.CodeOf(err) != kb.Usage {
		t.Errorf("set without a value answers %v", err)
	}
	for _, tool := range []string{"browse", "tasks", "fields", "timeline", "recall", "find", "edit"} {
		input := map[string]string{"recall": `"query":"x",`, "fields": `"query":"x",`, "edit": `"edits":{"do":"delete"},`}[tool]
		_, err := b.call(tool, fmt.Sprintf(`{%s"where":["\"Torstrasse 5\""]}`, input))
		if kb.CodeOf(err) != kb.Usage || !strings.Contains(err.Error(), "stage=design") {
			t.Errorf("%s with words as a condition answers %v", tool, err)
		}
	}
}

// A page that another statement contradicts is read with the contradiction.
func TestReadListsContradictions(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	for _, firm := range []string{"engine", "weaver"} {
		b.must("write", fmt.Sprintf(`{"ref":%q,"text":"A firm."}`, firm))
	}
	b.must("write", `{"ref":"cyd","title":"Cyd","text":"## Relations\n\n- works_at [[engine]]\n- works_at [[weaver]]\n"}`)
	m := b.must("read", `{"ref":"cyd"}`)
	list, _ := m["contradictions"].([]any)
	if len(list) != 1 || !strings.Contains(list[0].(string), "works_at") || !strings.Contains(list[0].(string), "memory:cyd:") {
		t.Errorf("the contradictions are %v", m)
	}
	if m := b.must("read", `{"ref":"engine"}`); m["contradictions"] != nil {
		t.Errorf("a page without has %v", m["contradictions"])
	}
}

// A page of another time is described as it was.
func TestReadDescribesThePageOfThen(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"a","text":"---\ntitle: Mill\ntype: machine\ntags: [brass]\nstatus: stale\n---\nOld.\n"}`)
	b.must("write", `{"ref":"a","text":"---\ntitle: Engine\ntype: project\ntags: [steam]\n---\nNew.\n","expected_version":1}`)
	for input, want := range map[string]string{
		`{"ref":"a","version":1}`: "Mill machine [brass] stale", `{"ref":"a"}`: "Engine project [steam] active",
	} {
		m := b.must("read", input)
		if got := fmt.Sprint(m["title"], " ", m["type"], " ", m["tags"], " ", cmp.Or(m["status"], any("active"))); got != want {
			t.Errorf("%s is %s, want %s", input, got, want)
		}
	}
}

// What others did while a write was prepared is shown without the lines around it.
func TestConflictIsMinimal(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"a","text":"One.\nTwo.\nThree.\nFour.\nFive.\n"}`)
	b.must("edit", `{"ref":"a","edits":{"do":"replace","find":"Three.","text":"Third."}}`)
	_, err := b.call("edit", `{"ref":"a","edits":{"do":"append","text":"Six."},"expected_version":1}`)
	diff, _ := operation.Failure(err, nil).Error.Details["diff"].(string)
	if !strings.Contains(diff, "\n-Three.\n+Third.\n") || strings.Contains(diff, "Two.") || strings.Contains(diff, "Four.") {
		t.Errorf("the difference is %s", diff)
	}
}

// Of the page that becomes a section nothing is lost unsaid: its properties, its sidecar and
// the links to it in both pages.
func TestMergeKeepsMetadata(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	const gone, stays = "0198c5a0-0000-7000-8000-00000000000a", "0198c5a0-0000-7000-8000-00000000000b"
	b.must("write", `{"ref":"gone","text":"---\nid: `+gone+`\ntitle: Gone\nurl: https://example.org/a#b\nowner: Ann\ncreated: 2020-01-02\ncode: \"042\"\nteams:\n  - red\n  - blue\nplan: {a: [1, 2]}\nsame: x\nsummary: Of one page.\n---\nSee [[`+gone+`]] itself.\n"}`)
	b.must("write", `{"ref":"stays","text":"---\nid: `+stays+`\ntitle: Stays\nowner: Bob\nsame: x\n---\nSee [[`+gone+`]] and [more](gone.md).\n\n- supersedes [[`+gone+`]]\n"}`)
	before := operationtest.At(t, b.must("read", `{"ref":"stays"}`), "text").(string)
	m := b.must("edit", `{"ref":"gone","edits":{"do":"merge","to":"stays"}}`)
	var skipped []string
	for _, s := range operationtest.At(t, m, "skipped").([]any) {
		skipped = append(skipped, s.(map[string]any)["path"].(string)+" "+s.(map[string]any)["reason"].(string))
	}
	want := []string{
		"memory:gone owner: Ann is lost: memory:stays has another",
		"memory:gone summary: Of one page. is lost: it is of that page alone",
		"memory:stays the relation supersedes in line 9 still names memory:gone, which is part of memory:stays now",
	}
	if !slices.Equal(skipped, want) {
		t.Errorf("left out is\n%s\nnot\n%s", strings.Join(skipped, "\n"), strings.Join(want, "\n"))
	}
	text := operationtest.At(t, b.must("read", `{"ref":"stays"}`), "text").(string)
	for _, want := range []string{"owner: Bob\n", "url: https://example.org/a#b\n", "2020-01-02\n", "code: \"042\"\n", "red", "blue", "plan: {a: [1, 2]}\n", "(stays.md)", "- supersedes [[" + gone + "]]"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, gone); n != 1 {
		t.Errorf("the page names the one that is gone %d times:\n%s", n, text)
	}
	b.must("undo", `{}`)
	if text := operationtest.At(t, b.must("read", `{"ref":"stays"}`), "text").(string); text != before {
		t.Errorf("after undo the page reads %s", text)
	}
}

// Pages with different data of one source are not merged: those of one would be lost.
func TestMergeKeepsSources(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	for i, ref := range []string{"gone", "stays"} {
		b.must("write", `{"ref":"`+ref+`","text":"Text."}`)
		b.must("raw_store", fmt.Sprintf(`{"ref":%q,"source":"s","data":{"n":%d}}`, ref, i))
	}
	const merge = `{"ref":"gone","edits":{"do":"merge","to":"stays"}}`
	if _, err := b.call("edit", merge); kb.CodeOf(err) != kb.Conflict || !strings.Contains(err.Error(), "different s in their sidecars") {
		t.Fatalf("different data answer %v", err)
	}
	if m := b.must("raw", `{"ref":"gone","source":"s"}`); fmt.Sprint(operationtest.At(t, m, "items", 0, "data")) != "map[n:0]" {
		t.Errorf("the page that was refused has %v", m)
	}
	b.must("raw_store", `{"ref":"stays","source":"s","data":{"n":0},"overwrite":true}`)
	b.must("raw_store", `{"ref":"gone","source":"more","data":2}`)
	b.must("edit", merge)
	if m := b.must("raw", `{"ref":"stays","source":"more"}`); fmt.Sprint(operationtest.At(t, m, "items", 0, "data")) != "2" {
		t.Errorf("the data of the page came as %v", m)
	}
}

// An Org page gets the properties of the one that becomes its section.
func TestMergeOrg(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"gone.org","text":":PROPERTIES:\n:OWNER: Ann\n:URL: https://example.org\n:END:\n#+title: Gone\n\nText.\n"}`)
	b.must("write", `{"ref":"stays.org","text":":PROPERTIES:\n:OWNER: Bob\n:END:\n#+title: Stays\n\nText.\n"}`)
	m := b.must("edit", `{"ref":"gone","edits":{"do":"merge","to":"stays"}}`)
	if s := fmt.Sprint(operationtest.At(t, m, "skipped")); !strings.Contains(s, ":OWNER: Ann is lost: memory:stays has another") || strings.Contains(s, "URL") || strings.Contains(s, "title") {
		t.Errorf("left out is %s", s)
	}
	if text := operationtest.At(t, b.must("read", `{"ref":"stays"}`), "text").(string); !strings.Contains(text, ":OWNER: Bob\n") || !strings.Contains(text, ":URL: https://example.org\n") {
		t.Errorf("the page reads %s", text)
	}
}

// With several spaces and no default, the argument space says in which one a tag is renamed,
// and which pages where means.
func TestEditInSpace(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	a := apptest.OK(b.memory.Session(t.Context(), true))(t)
	for _, name := range []string{"one", "two"} {
		apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: name, Preset: "memory", Database: true}))(t)
	}
	for _, ref := range []string{"one:a", "two:a"} {
		b.must("write", `{"ref":"`+ref+`","text":"---\nkind: k\n---\nText with #x."}`)
	}
	const rename = `"edits":{"do":"rename_tag","find":"x","text":"y"}}`
	if _, err := b.call("edit", `{`+rename); kb.AsError(err).Reason != kb.SpaceUndecided {
		t.Errorf("without a space the answer is %v", err)
	}
	b.must("edit", `{"space":"two",`+rename)
	b.must("edit", `{"space":"two","where":"kind=k","edits":{"do":"append","text":"More."}}`)
	for ref, want := range map[string]string{"one:a": "Text with #x.\n", "two:a": "Text with #y.\n\nMore.\n"} {
		if text := operationtest.At(t, b.must("read", `{"ref":"`+ref+`"}`), "text").(string); !strings.HasSuffix(text, want) {
			t.Errorf("%s reads %q", ref, text)
		}
	}
}

// A relation of a page to the one that becomes a part of it goes, as it would relate the page
// to itself; other links follow.
func TestMergeRelatesNoPageToItself(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	b.must("write", `{"ref":"other","text":"Text."}`)
	b.must("write", `{"ref":"gone","text":"# Gone\n\nMade of brass.\n\n- near [[other]]\n- part_of [[stays]]\n"}`)
	b.must("write", `{"ref":"stays","text":"# Stays\n\nSee [[gone]].\n\n- near [[gone]] @2020..\n- near [[other]]\n- like [[gone]] (by eye)\n"}`)
	m := b.must("edit", `{"ref":"gone","edits":{"do":"merge","to":"stays"}}`)
	if skipped := fmt.Sprint(operationtest.At(t, m, "skipped")); !strings.Contains(skipped, "the relation near in line 5 goes") || !strings.Contains(skipped, "the relation like in line 7 goes") {
		t.Errorf("left out is %s", skipped)
	}
	text := operationtest.At(t, b.must("read", `{"ref":"stays"}`), "text").(string)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "- ") && line != "- near [[other]]\n" {
			t.Errorf("the page has the relation %s", line)
		}
	}
	if !strings.Contains(text, "See [[stays|gone]].") || strings.Count(text, "- near [[other]]\n") != 2 {
		t.Errorf("the page is %s", text)
	}
	links := b.must("browse", `{"what":"links","ref":"stays"}`)
	for _, l := range operationtest.At(t, links, "items").([]any) {
		if l := l.(map[string]any); l["link"] != "links_to" && l["ref"] == "memory:stays" {
			t.Errorf("the page is related to itself: %v", l)
		}
	}
}
