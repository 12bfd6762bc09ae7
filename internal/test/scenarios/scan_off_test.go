package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A directory that was cloned can bring a policy that lets credentials pass: it does so once
// a person accepted it.
func TestPolicyThatSwitchesTheScanOffWaits(t *testing.T) {
	t.Parallel()
	const token = "Token: " + "ghp_" + "x9Kd2LmQ7vRtY4wZ1sBn8cFh3jGpA6eUoXiV"
	b := apptest.New(t)
	for name, rules := range map[string]string{"all": "off = true", "some": "allow = [\"github-token\", \"jwt\"]", "none": ""} {
		b.Dir(name, map[string]string{".cairn/space.toml": "format = \"markdown\"\n[secrets]\n" + rules + "\n"})
	}
	a := b.Open()
	waits := func(s api.Space) bool {
		return slices.ContainsFunc(s.Waiting, func(p kb.PolicyPart) bool { return p.Name == "secrets" })
	}
	for _, name := range []string{"all", "some", "none"} {
		root := b.Dir(name, nil)
		put := func() error {
			_, err := change.Put(t.Context(), a.In(name).As(kb.Actor{Kind: kb.Agent, Name: "x"}), change.PutRequest{Ref: "p", Text: []byte(token), Overwrite: true})
			return err
		}
		if s := apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, DryRun: true}))(t); waits(s) == (name == "none") {
			t.Errorf("%s, planned: %v", name, s.Waiting)
		}
		s := apptest.OK(a.Spaces.Attach(t.Context(), root))(t)
		if said := strings.Contains(strings.Join(s.Warnings, "\n"), "be written into the space"); waits(s) == (name == "none") || said == (name == "none") {
			t.Errorf("%s, attached: %v, %q", name, s.Waiting, s.Warnings)
		}
		if err := put(); err == nil {
			t.Errorf("%s: a credential is written: %v", name, err)
		}
		if s := apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t); len(s.Waiting) > 0 {
			t.Errorf("%s, accepted: %v", name, s.Waiting)
		}
		if err := put(); (err == nil) == (name == "none") {
			t.Errorf("%s, accepted: %v", name, err)
		}
	}
}
