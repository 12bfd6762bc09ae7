package operation

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

func TestEveryReasonHasWords(t *testing.T) {
	t.Parallel()
	declared := operationtest.Reasons(t)
	for _, table := range []map[kb.Reason]kb.Wording{toolHints, userHints} {
		for r, words := range table {
			if _, ok := declared[string(r)]; !ok {
				t.Errorf("there are words for %q, and no such reason", r)
			}
			operationtest.Words(t, string(r), declared[string(r)].Facts, words(nil))
		}
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
		{kb.Errorf(kb.Refused, "x").WithHint("Nothing was changed.").WithReason(kb.MassDeletion),
			"Nothing was changed. Ask the user whether the files were deleted on purpose."},
		{kb.Errorf(kb.Refused, "x").WithReason(kb.MassDeletion).WithHint("Something else."), "Something else."},
		{kb.Errorf(kb.Internal, "y").WithHintOf(kb.Errorf(kb.Invalid, "x").WithReason(kb.PolicyMissing).WithFact("root", "/n")),
			"Put the file back, or add the space again: cairn space add /n"},
		{modelChanged(false, "", ""), "remove it with its vectors, and add it again: cairn model rm m && cairn model add m"},
		{modelChanged(true, "http://h", "KEY"), "remove it with its vectors, and add it again: cairn model use b && " +
			"cairn model rm m && cairn model add m --url http://h --key-env KEY && cairn model use m && cairn embed --all"},
	} {
		if got := ForTool(tc.err); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.err.Reason, got, tc.want)
		}
	}
}

func modelChanged(active bool, url, key string) *kb.Error {
	return kb.Errorf(kb.Conflict, "x").WithReason(kb.ModelChanged).
		WithFact("model", "m").WithFact("url", url).WithFact("key_env", key).WithFact("active", active).WithFact("other", "b")
}
