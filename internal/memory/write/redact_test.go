package write_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/policy"
)

// A credential that a text repeats goes where it can without breaking the text, and else
// nothing is written.
func TestRepeatedCredentials(t *testing.T) {
	t.Parallel()
	const (
		pass = "Kitchen" + "1234"
		id   = "0b9c3c38-5a0e-4c61-9d7f-" + "3a1f6f0e8d11"
		said = "The wifi password: " + pass + "\n"
		gone = "The wifi password: [redacted: password]\n"
		bot  = "user: deploy" + "_bot1\npassword: deploy" + "_bot1\n"
	)
	for _, c := range []struct{ path, text, want string }{ // want "" is a refusal
		{"a.md", "---\ntitle: Wifi " + pass + " at home\n---\n\n" + said, "---\ntitle: Wifi redacted at home\n---\n\n" + gone},
		{"a.md", "---\ntitle: " + pass + "\ntags: [" + pass + ", home]\n---\n\n" + said, "---\ntitle: redacted\ntags: [redacted, home]\n---\n\n" + gone},
		{"a.org", "#+title: Wifi " + pass + "\n#+summary: " + pass + "\n\n" + said, "#+title: Wifi redacted\n#+summary: redacted\n\n" + gone},
		{"a.md", "---\n" + pass + ": a\nredacted: b\n---\n\n" + said, ""},
		{"a.md", "---\nid: " + id + "\n---\n\nThe password: " + id + "\n", ""},
		{"a.org", ":PROPERTIES:\n:ID: " + id + "\n:END:\n#+title: A\n\nThe password: " + id + "\n", ""},
		{"a.md", bot + "\nhttps://git.example.org/deploy" + "_bot1/site\n", ""},
		{"a.md", bot + "\n- see [[deploy" + "_bot1]]\n", ""},
		{"a.md", bot + "\nAsk deploy" + "_bot1 or deploy" + "_bot12.\n", "user: [redacted]\npassword: [redacted: password]\n\nAsk [redacted] or deploy" + "_bot12.\n"},
		{"a.md", said + "\nOn [" + pass + "] and `" + pass + "`, 鍵は" + pass + "です。\n", gone + "\nOn [redacted] and `[redacted]`, 鍵は[redacted]です。\n"},
		{"a.md", said + "\nRow " + pass + "5.\n", gone + "\nRow " + pass + "5.\n"},
		{"a.md", "The wifi password: sun" + "shine\n\nThe sunshine was warm.\n", "The wifi password: [redacted: password]\n\nThe sunshine was warm.\n"},
		{"wifi-kitchen" + "1234.md", said, ""},
	} {
		m := writetest.New(t)
		s := m.Space("notes", m.Files(nil))
		s.Policy.Secrets.Action = policy.Redact
		r := request(put(s, c.path, c.text))
		r.Actor = kb.Actor{Kind: kb.Agent, Name: "bot"}
		_, err := m.Writer.Apply(t.Context(), r)
		if c.want == "" {
			if kb.CodeOf(err) != kb.Secret || strings.Contains(err.Error(), pass) {
				t.Errorf("%q gives %v", c.text, err)
			}
			if len(m.Pages(s)) > 0 {
				t.Errorf("%q is written", c.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := m.Bytes(m.Pages(s)[c.path]); got != c.want {
			t.Errorf("%q becomes %q", c.text, got)
		}
	}
	// What the page held before stays, and the message holds none either.
	m := writetest.New(t)
	s := m.Space("notes", m.Files(nil))
	s.Policy.Secrets.Action = policy.Redact
	m.Apply(request(put(s, "a.md", "Row "+pass+".\n")))
	r := request(write.Change{Space: s, Path: "a.md", Action: write.Put{Bytes: []byte("Row " + pass + ".\n\n" + said), Overwrite: true}})
	r.Actor = kb.Actor{Kind: kb.Agent, Name: "bot"}
	m.Apply(r)
	if got := m.Bytes(m.Pages(s)["a.md"]); got != "Row "+pass+".\n\n"+gone {
		t.Errorf("becomes %q", got)
	}
	r = request(put(s, "b.md", said))
	r.Actor, r.Message = kb.Actor{Kind: kb.Agent, Name: "bot"}, "note "+pass
	if _, err := m.Writer.Apply(t.Context(), r); kb.CodeOf(err) != kb.Secret || !strings.Contains(err.Error(), "the message") {
		t.Errorf("with a message: %v", err)
	}
}
