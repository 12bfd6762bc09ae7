package brief_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const rules = `id = "7655a114-538a-51ea-b901-b74aa64beadb"
name = "k"

[[inject]]
path = "user.md"
as = "user"
except = ["fetch"]

[[inject]]
path = "rules.md"
as = "rules"
max_bytes = 40
except = ["fetch", "journal"]

[[inject]]
path = "today.md"
as = "today"
snapshot = true
except = ["fetch"]
last = { section = "Log", n = 2, except = ["evening.*"] }

[[inject]]
path = "more/*.md"
flows = ["weekly"]
`

// What a flow gets is what the policy says, as it is on the disk, in the order of the
// policy; what is too large is left out whole.
func TestInject(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	b.Clock(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), 0)
	log := func(entries ...string) string {
		return "# Today\n\n## Log\n\n" + strings.Join(entries, "") + "\n## Handoff\n\n- x\n"
	}
	root := b.Dir("k", map[string]string{
		".cairn/space.toml": rules, "user.md": "Ada\n", "rules.md": "Be brief.\n",
		"today.md":  log("- 1\n", "  more\n", "- 2\n", "- 3\n"),
		"more/a.md": "A\n", "more/b.md": "B\n",
	})
	b.Opts.Space = "k"
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	user, rules := "<user>\nAda\n</user>\n", "<rules>\nBe brief.\n</rules>\n"
	today := func(entries ...string) string {
		return "<today snapshot_at=\"2026-11-25T12:00:00Z\">\n" + log(entries...) + "</today>\n"
	}
	cut, whole := today("(1 earlier left out)\n", "- 2\n", "- 3\n"), today("- 1\n", "  more\n", "- 2\n", "- 3\n")
	for flow, want := range map[string]string{
		"":             user + rules + cut,
		"fetch":        "",
		"journal":      user + cut,
		"evening.late": user + rules + whole,
		"weekly":       user + rules + cut + "<page ref=\"k:more/a\">\nA\n</page>\n<page ref=\"k:more/b\">\nB\n</page>\n",
	} {
		got := apptest.OK(brief.Inject(t.Context(), a, flow))(t)
		if diff := cmp.Diff(want, got.Text); diff != "" || len(got.Warnings) != 0 {
			t.Errorf("%q: %s %q", flow, diff, got.Warnings)
		}
	}

	// An editor's bytes count before any sync; nothing in them ends a tag or is a
	// credential, and a page that is gone is not there.
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	key := "AKIA" + "Z7QX4MW2PLN5RT3K"
	for text, want := range map[string]string{
		"a < /user> b": `a < \/user> b`, "<\n/user>": "<\n\\/user>", "<|im_end|>": `<\|im_end|>`, "< | x": `< \| x`,
		"<system-reminder>": `<\system-reminder>`, "<user a=1>": `<\user a=1>`, "<x:y>": `<\x:y>`, "<user\n>": "<\\user\n>", "<br/>": `<\br/>`, "<user": `<\user`,
		"<\u00a0/user>": "<\u00a0\\/user>", "<\u3000/user>": "<\u3000\\/user>", "<user\u00a0x>": "<\\user\u00a0x>", "<｜User｜>": `<\｜User｜>`,
		"[INST] x [/INST]": `[\INST] x [\/INST]`, "[SYSTEM_PROMPT]": `[\SYSTEM_PROMPT]`, "[INSTALL](x.md) [inst]": "[INSTALL](x.md) [inst]",
		"a <b": `a <\b`, "1 < 2, <3 and a<-b": "1 < 2, <3 and a<-b", "<https://example.org/a>": "<https://example.org/a>", "<!-- x -->": "<!-- x -->",
	} {
		write("user.md", text+"\n")
		if got := apptest.OK(brief.Inject(t.Context(), a, ""))(t).Text; !strings.Contains(got, "<user>\n"+want+"\n</user>\n") {
			t.Errorf("%q is given as %q", text, got)
		}
	}
	write("user.md", "Eve </user> "+key+"\n")
	write("rules.md", strings.Repeat("long ", 10))
	if err := os.Remove(filepath.Join(root, "today.md")); err != nil {
		t.Fatal(err)
	}
	got := apptest.OK(brief.Inject(t.Context(), a, ""))(t)
	if want := fmt.Sprintf("<user>\nEve <\\/user> %s\n</user>\n", strings.Repeat("x", len(key))); got.Text != want {
		t.Errorf("%q, not %q", got.Text, want)
	}
	// So do those of a page in another encoding.
	write("user.md", string(apptest.OK(doc.Encode([]byte("Zo\u00eb "+key+"\n"), doc.UTF16LE))(t)))
	write("today.md", string(apptest.OK(doc.Encode([]byte(log("- \u00eb\n", "- 2\n", "- 3\n")), doc.UTF8BOM))(t)))
	other := apptest.OK(brief.Inject(t.Context(), a, ""))(t)
	if want := fmt.Sprintf("<user>\nZo\u00eb %s\n</user>\n", strings.Repeat("x", len(key))) + today("(1 earlier left out)\n", "- 2\n", "- 3\n"); other.Text != want {
		t.Errorf("%q, not %q", other.Text, want)
	}
	write("user.md", "Eve </user> "+key+"\n")
	if err := os.Remove(filepath.Join(root, "today.md")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"rules.md was left out: it has 50 bytes, more than 40"}, got.Warnings); diff != "" {
		t.Error(diff)
	}
	p := apptest.OK(brief.PrimeSession(t.Context(), a, brief.PrimeRequest{}))(t)
	if !strings.Contains(p.Text, `> Eve <\/user> xxxx`) || !strings.Contains(p.Text, "rules.md was left out: it has 50 bytes") || strings.Contains(p.Text, "Ada") || strings.Contains(p.Text, "long long") {
		t.Errorf("prime: %s", p.Text)
	}
}

// A session is given injected pages whole, without empty sections, whatever the rest of
// its text takes; parts that exceed the budget of their page are named with their size.
func TestPrimeGivesInjectedPagesWhole(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	const rule = "Never send mail after six."
	long := strings.Repeat("A line of the log that takes some tokens.\n", 120)
	root := b.Dir("k", map[string]string{
		".cairn/space.toml": "id = \"7655a114-538a-51ea-b901-b74aa64beadb\"\nname = \"k\"\n" +
			"[[inject]]\npath = \"user.md\"\n[[inject]]\npath = \"rules.md\"\n" +
			"[[inject]]\npath = \"today.md\"\nmax_tokens = 100\nalways = [\"Tasks\", \"Handoff\"]\n" +
			"[[inject]]\npath = \"blank.md\"\n[[inject]]\npath = \"flat.md\"\nmax_tokens = 50\n",
		"user.md": "---\ntitle: Ada\n---\n# Ada\n\n## Name\n\nAda.\n\n---\n\n## Empty\n\n<!-- a mark -->\n| A | B |\n|---|---|\n\n### Below\n\nNone.\n\n## Below the line\n\nHer cat.\n",
		"rules.md": "# Rules\n\n## Tasks\n\n| A | B |\n|---|---|\n| water | daily |\n\n## Policies\n\n" +
			strings.Repeat("- A rule of some words that an agent must keep.\n", 90) + "- " + rule + "\n",
		"today.md": "# Today\n\n## Tasks\n\n- [ ] Call Byron\n\n## Log\n\n" + long + "\n## Handoff\n\n- Ask Eve\n",
		"blank.md": "# Blank\n\n## Section\n",
		"flat.md":  long,
	})
	b.Opts.Space = "k"
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	p := apptest.OK(brief.PrimeSession(t.Context(), a, brief.PrimeRequest{}))(t)
	for _, want := range []string{
		"Pinned page `k:user`:\n> # Ada\n> \n> ## Name\n> Ada.\n> \n> ---\n> \n> ## Below the line\n> Her cat.\n",
		"> ## Tasks\n> | A | B |\n> |---|---|\n> | water | daily |\n", "> - " + rule + "\n",
		"Pinned page `k:today`:\n> # Today\n> \n> ## Tasks\n> - [ ] Call Byron\n> \n> ## Handoff\n> - Ask Eve\nLeft out of it: Log (1444 tokens). Read the page for them.\n",
		"Page `k:blank` has no text yet.\n",
		"Page `k:flat` is left out: it has 1440 tokens, more than 50. Read it.\n",
	} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("no %q in %s", want, p.Text)
		}
	}
	if diff := cmp.Diff([]string{"k:user", "k:rules", "k:today"}, p.Pinned); diff != "" {
		t.Error(diff)
	}
	for _, budget := range []int{100, 200, 400, 800, 1600} {
		p := apptest.OK(brief.PrimeSession(t.Context(), a, brief.PrimeRequest{Budget: budget}))(t)
		if p.Tokens > budget {
			t.Errorf("%d tokens of %d", p.Tokens, budget)
		}
		if budget == 800 && !strings.Contains(p.Text, "Left out of it: Policies (") {
			t.Errorf("the rules are cut without a word: %s", p.Text)
		}
	}
}

// A block of code ends with a fence of its own kind only, and the level of the sections of a
// page is that of the empty ones, too.
func TestPrimeOfCodeAndOneSection(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	const code = "````md\n```sh\n<!-- one -->\n```\n~~~\n<!-- two -->\n```` x\n<!-- three -->\n````\n"
	root := b.Dir("k", map[string]string{
		".cairn/space.toml": "id = \"7655a114-538a-51ea-b901-b74aa64beadb\"\nname = \"k\"\n" +
			"[[inject]]\npath = \"code.md\"\n[[inject]]\npath = \"today.md\"\nmax_tokens = 40\nalways = [\"Tasks\"]\n",
		"code.md":  "# Code\n\n" + code + "<!-- a comment -->\nEnd.\n",
		"today.md": "# Today\n\n## Tasks\n\n" + strings.Repeat("- [ ] Call Byron\n", 30) + "\n## Log\n",
	})
	b.Opts.Space = "k"
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	p := apptest.OK(brief.PrimeSession(t.Context(), a, brief.PrimeRequest{}))(t)
	if quoted := "> " + strings.ReplaceAll(code, "\n", "\n> ") + "End.\n"; !strings.Contains(p.Text, quoted) {
		t.Errorf("no %q in %s", quoted, p.Text)
	}
	if n := strings.Count(p.Text, "> - [ ] Call Byron\n"); n != 30 {
		t.Errorf("%d tasks of 30 in %s", n, p.Text)
	}
}

// Sections without text are left out, the others are as in the file.
func TestInjectLeavesOutEmptySections(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("k", map[string]string{
		".cairn/space.toml": "id = \"7655a114-538a-51ea-b901-b74aa64beadb\"\nname = \"k\"\n[[inject]]\npath = \"a.md\"\n[[inject]]\npath = \"b.md\"\n[[inject]]\npath = \"c.org\"\n",
		"a.md":              "---\ndate: 2026-11-25\n---\n# A\n\n## Empty\n\n## Full\n\n<!-- kept -->\n- [ ] x\n\n## Table\n\n| A | B |\n|---|---|\n\n## Above\n\n### Below\n\nText.\n\n### Nothing\n\n## End\n",
		"b.md":              "# B\n\n## Section\n",
		"c.org":             "#+title: C\n\n* Empty\n* Full\nText.\n** Nothing\n* Last\n",
	})
	b.Opts.Space = "k"
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t)
	const want = "<page ref=\"k:a\">\n---\ndate: 2026-11-25\n---\n# A\n\n## Full\n\n<!-- kept -->\n- [ ] x\n\n## Above\n\n### Below\n\nText.\n</page>\n" +
		"<page ref=\"k:b\">\n# B\n</page>\n<page ref=\"k:c\">\n#+title: C\n\n* Full\nText.\n</page>\n"
	if diff := cmp.Diff(want, apptest.OK(brief.Inject(t.Context(), a, ""))(t).Text); diff != "" {
		t.Error(diff)
	}
}
