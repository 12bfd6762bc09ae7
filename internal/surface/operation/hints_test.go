package operation

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

func TestEveryReasonHasWords(t *testing.T) {
	t.Parallel()
	declared := operationtest.Reasons(t)
	check := func(r kb.Reason, words string) {
		if _, ok := declared[string(r)]; !ok {
			t.Errorf("there are words for %q, and no such reason", r)
		}
		operationtest.Words(t, string(r), declared[string(r)].Facts, words)
	}
	for r, words := range userHints {
		check(r, words(nil))
	}
	for r, words := range toolHints {
		check(r, words.words(nil))
	}
	for r := range declared {
		if tool, user := toolHints[kb.Reason(r)] != nil, IsForUser(kb.Reason(r)); tool == user {
			t.Errorf("%q: words for tools %v, for the user %v: it has to be one of them", r, tool, user)
		}
	}
}

func TestHintHasFacts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  *kb.Error
		want string
	}{
		{kb.Errorf(kb.NotFound, "x").WithHint("Do it."), "Do it."},
		{kb.Errorf(kb.NotFound, "x"), ""},
		{kb.Errorf(kb.NotFound, "x").WithReason(kb.NoRelation).WithFact("ref", "n:{slug}").WithFact("slug", "a"),
			"browse with what set to links and ref n:{slug} lists its links."},
		{kb.Errorf(kb.NotFound, "x").WithReason(kb.PageNotFound), "Search for it with recall."},
		{kb.Errorf(kb.Refused, "x").WithHint("Nothing was changed.").WithReason(kb.MassDeletion),
			"Nothing was changed. Ask the user whether the files were deleted on purpose."},
		{kb.Errorf(kb.Refused, "x").WithReason(kb.MassDeletion).WithHint("Something else."), "Something else."},
		{kb.Errorf(kb.Internal, "y").WithHintOf(kb.Errorf(kb.Invalid, "x").WithReason(kb.PolicyMissing).WithFact("root", "/n")),
			"Put the file back, or add the space again: cairn space add /n"},
		{modelChanged(false, "", ""), "remove it with its vectors, and add it again: cairn model rm m && cairn model add m"},
		{modelChanged(true, "http://h", "KEY"), "remove it with its vectors, and add it again: cairn model use b && " +
			"cairn model rm m && cairn model add m --url http://h --key-env KEY && cairn model use m && cairn embed --all"},
	} {
		if got := ForTool(tc.err, nil); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.err.Reason, got, tc.want)
		}
	}
}

// A hint names only tools that the client has: those of its sets.
func TestHintsNameToolsOfTheClient(t *testing.T) {
	t.Parallel()
	for r, a := range toolHints {
		for _, s := range a {
			for _, form := range s {
				for _, m := range marked().FindAllString(form, -1) {
					for _, name := range strings.Split(strings.Trim(m, "<>"), "|") {
						if _, err := FindTool(name); err != nil {
							t.Errorf("%s: %v", r, err)
						}
					}
				}
				if plain := marked().ReplaceAllString(form, ""); strings.Contains(plain, "memory_") || strings.Contains(plain, "_note") {
					t.Errorf("%s: the name of a tool is not marked in %q", r, form)
				}
			}
		}
	}
	for _, tc := range []struct {
		set    Set
		reason kb.Reason
		want   string
	}{
		{Core, kb.PageNotFound, "Search for it with recall."},
		{Memories, kb.PageNotFound, "Search for it with memory_query."},
		{Notes, kb.PageNotFound, "Search for it with search_notes."},
		{Context, kb.PageNotFound, ""},
		{Core, kb.NoSuchVersion, ""},
		{More, kb.NoSuchVersion, "history lists them."},
		{Memories, kb.NoRelation, "memory_links lists the links of {ref}."},
		{Core, kb.GitInTheWay, "Inform the user."},
		{Memories, kb.PageExists, "Read it with memory_get, and write with its version as expected_version."},
		{Notes, kb.WrittenUnread, "recent_activity shows the latest writes."},
	} {
		has := func(name string) bool {
			tool, err := FindTool(name)
			return err == nil && tool.Offered([]Set{tc.set}, false)
		}
		if got := ForTool(kb.Errorf(kb.NotFound, "x").WithReason(tc.reason), has); got != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.set, tc.reason, got, tc.want)
		}
	}
}

func modelChanged(active bool, url, key string) *kb.Error {
	return kb.Errorf(kb.Conflict, "x").WithReason(kb.ModelChanged).
		WithFact("model", "m").WithFact("url", url).WithFact("key_env", key).WithFact("active", active).WithFact("other", "b")
}

// A tool that a caller does not have is answered with the one of the default set that does
// the same.
func TestInsteadOfHiddenTools(t *testing.T) {
	t.Parallel()
	core := map[string]bool{}
	for _, tool := range Tools() {
		if Share(tool.Sets, []Set{Core}) {
			core[tool.Name] = true
		}
	}
	has := func(tool string) bool { return core[tool] }
	for _, tool := range Tools() {
		words, known := instead[tool.Name]
		if known == core[tool.Name] {
			t.Errorf("%s: in the default set %v, with words for its absence %v", tool.Name, core[tool.Name], known)
		}
		if _, ok := withTools(words, has); !ok {
			t.Errorf("%s: %q names a tool that is not in the default set", tool.Name, words)
		}
	}
	if len(instead)+len(core) != len(Tools()) {
		t.Errorf("words for %d tools, and there are %d", len(instead), len(Tools())-len(core))
	}
	e := kb.Errorf(kb.Refused, "x").WithReason(kb.ToolNotOffered).WithFact("tool", "delete").WithFact("set", More)
	if got := ForTool(e, has); !strings.HasPrefix(got, "edit with do delete does it. The user can add the set") {
		t.Errorf("the hint is %q", got)
	}
}
