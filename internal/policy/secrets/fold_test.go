package secrets

import (
	"bytes"
	"strings"
	"testing"
)

// Metadata is read as YAML reads it, with values that go on in the next line.
func TestFoldedMetadata(t *testing.T) {
	t.Parallel()
	token := "gh" + "p_" + newGenerator(53).of(alphaNum, 36)
	const password = "Tr0ub4dor&3xK9z"
	for name, c := range map[string]struct{ head, value string }{
		"folded":             {"title: >-\n  The password\n  of the printer is\n  @\nkind: x\n", password},
		"folded, kept end":   {"a: b\ntitle: >+\n  The password\n\n  is @\n", password},
		"plain":              {"title: the password\n  of the wifi is\n  @\n", password},
		"in quotes":          {"title: \"the password\n  of the wifi is\n  @\"\n", password},
		"Windows":            {"title: >-\r\n  The password\r\n  is @\r\n", password},
		"in a list":          {"aliases:\n  - x\n  - >-\n    the password\n    is @\n", password},
		"in a list's record": {"- name: >\n    the password\n    is @\n  kind: x\n", password},
		"a token in two":     {"title: >-\n  @\n", token[:12] + "\n  " + token[12:]},
		"a token in three":   {"title: \"@\"\n", token[:12] + "\n  " + token[12:20] + "\n  " + token[20:]},
		"at the end":         {"title: >-\n  the password\n  is @", password},
	} {
		before, after, _ := strings.Cut("---\n"+c.head, "@")
		text := []byte(before + c.value + after)
		if !strings.HasSuffix(name, "end") {
			text = append(text, "---\ntext\n"...)
		}
		if !covers(Scan(text, Options{}), [2]int{len(before), len(before) + len(c.value)}) {
			t.Errorf("%s: not found in %q", name, text)
		}
		if hidden := Hide(text); bytes.Contains(hidden, []byte(c.value[len(c.value)-8:])) || bytes.Count(hidden, []byte("\n")) != bytes.Count(text, []byte("\n")) {
			t.Errorf("%s: hidden is %q", name, hidden)
		}
	}
	for _, text := range []string{
		"---\npassword:\n  file: abc12345\n---\n", "---\nkeys:\n  - name: password\n    of: kettle99iron\n---\n", "---\na: |\n  the password\n  is what?\n---\n",
		"---\ntitle: >-", "---\ntitle: >-\n", "---\n- - >\n", "---\n\n\n", "---", "---\n: \n  \n", "---\ntitle: >-\n  \n",
	} {
		if found := Scan([]byte(text), Options{}); len(found) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
	}
}
