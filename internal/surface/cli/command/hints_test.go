package command

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

func TestEveryReasonHasWords(t *testing.T) {
	t.Parallel()
	declared := operationtest.Reasons(t)
	for r, words := range hints {
		if _, ok := declared[string(r)]; !ok {
			t.Errorf("there are words for %q, and no such reason", r)
		}
		operationtest.Words(t, string(r), declared[string(r)].Facts, words(nil))
	}
	for r := range declared {
		if own, user := hints[kb.Reason(r)] != nil, operation.IsForUser(kb.Reason(r)); own == user {
			t.Errorf("%q: words here %v, for the user in operation %v: it has to be one of them", r, own, user)
		}
	}
}

func TestHintOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  *kb.Error
		want string
	}{
		{kb.Errorf(kb.NotFound, "x").WithHint("Do it."), "Do it."},
		{kb.Errorf(kb.NotFound, "x").WithReason(kb.NoRelation).WithFact("ref", "n:a").WithFact("slug", "a"), "List its links: cairn links a"},
		{kb.Errorf(kb.NotFound, "x").WithReason(kb.NoRelation).WithFact("ref", "n:a;id").WithFact("slug", "a;id"), "List its links: cairn links 'a;id'"},
		{kb.Errorf(kb.NotFound, "x").WithReason(kb.NoToken).WithFact("agent", ""), "cairn serve --http makes it."},
		{kb.Errorf(kb.NotFound, "x").WithReason(kb.NoToken).WithFact("agent", "bot"), "cairn serve token --agent bot makes it."},
		{kb.Errorf(kb.Invalid, "x").WithReason(kb.TokenUnfit).WithFact("agent", "bot"), "Make a new one with: cairn serve token --agent bot --rotate"},
		{kb.Errorf(kb.Conflict, "x").WithHint("Nothing was changed.").WithReason(kb.PageExists),
			"Nothing was changed. Read it and put with --expected-version, or edit it (cairn edit), or replace it (cairn put --overwrite)."},
		{kb.Errorf(kb.Secret, "x").WithReason(kb.SecretFound).WithFact("rules", []string{"jwt", "pem"}).WithFact("mark", "cairn:allow"),
			"take the value out and note where it is stored instead; if it is not a secret, pass --allow-secret jwt --allow-secret pem for this write, or put cairn:allow on the line"},
	} {
		if got := HintOf(tc.err); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.err.Reason, got, tc.want)
		}
	}
}
