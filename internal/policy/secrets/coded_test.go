package secrets

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// A token is found in data that is text in base64 or hexadecimal digits, and all of the
// data is hidden.
func TestCodedText(t *testing.T) {
	t.Parallel()
	g := newGenerator(61)
	token := "gh" + "p_" + g.of(alphaNum, 36)
	std, url := base64.StdEncoding.EncodeToString, base64.RawURLEncoding.EncodeToString
	long := std([]byte(strings.Repeat("Words before it. ", 9) + token + "\nwords after it"))
	wrapped := strings.TrimRight(long, "=")
	for i := len(wrapped) / 64 * 64; i > 0; i -= 64 {
		wrapped = wrapped[:i] + "\n  " + wrapped[i:]
	}
	for name, code := range map[string]string{
		"alone":               strings.TrimRight(std([]byte(token)), "="),
		"at another place":    strings.TrimRight(std([]byte("u:"+token)), "="),
		"in JSON, for a URL":  url([]byte(`{"é":"ü?>","token":"` + token + `"}`)),
		"in lines":            wrapped,
		"before binary data":  url([]byte(token + "\x00\xff\xfe\x01")),
		"hexadecimal":         fmt.Sprintf("%x", token),
		"hexadecimal, upper":  fmt.Sprintf("%X", token),
		"escaped in its text": url([]byte(strings.Replace(token, "_", "&#95;", 1))),
	} {
		before := "kind: Secret\ndata:\n  token: "
		text := []byte(before + code + "\n\nMore text.\n")
		if !covers(Scan(text, Options{}), [2]int{len(before), len(before) + len(code)}) {
			t.Errorf("%s: %s is not found: %v", name, code, Scan(text, Options{}))
		}
	}
	for _, text := range []string{
		std([]byte("An innocent text about the password dialog and its tokens.")), "docs/architecture/search/lexical/postings/blocks.go", g.base64(400),
		fmt.Sprintf("%x", "a text of words that means no harm"), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", strings.Repeat("20", 40),
	} {
		if found := Scan([]byte(text), Options{}); len(found) > 0 {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

// Data in lines ends before a key, a sentence and a paragraph, and its indentation is kept.
func TestMaskOfCodedText(t *testing.T) {
	t.Parallel()
	token := "gh" + "p_" + newGenerator(71).of(alphaNum, 36)
	line := base64.StdEncoding.EncodeToString([]byte(token + " and words"))[:60]
	for before, after := range map[string]string{
		"data: ":                          "\r\ntags: [a]\n",
		"a\n":                             "\nTAGS=a\n",
		"b\n":                             "\nNext words.\n",
		"c\n":                             "\n\nMore\n",
		"d ":                              " More\n",
		"cert: |\n  " + line + "\n\t ":    "\nmore: b\n",
		"cert: |\r\n  " + line + "\r\n  ": "=\r\nmore: b\r\n",
	} {
		text := []byte(before + line + after)
		hidden := strings.Repeat("x", len(line))
		if got, want := string(Mask(text, Scan(text, Options{}))), strings.ReplaceAll(string(text), line, hidden); got != want {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

// A token with a distinct beginning is found within other text, and emphasis, colours of a
// terminal and comments do not hide any.
func TestGluedTokens(t *testing.T) {
	t.Parallel()
	g := newGenerator(67)
	hub, lab, sk := "gh"+"p_"+g.of(alphaNum, 36), "glp"+"at-"+g.of(alphaNum, 20), "s"+"k-"+g.of(alphaNum, 48)
	for _, test := range []struct {
		before, token, after string
		found                bool
	}{
		{"x", hub, "", true}, {"my_", lab, "", true}, {hub, hub, "", true}, {"TOKEN", hub, " x", true},
		{"_", hub, "_", true}, {"__", sk, "__", true}, {"_", lab, "_ and", true}, {"\x1b[31m", hub, "\x1b[0m", true}, {"^[[1;38m", sk, "", true},
		{"<!--", hub, "-->", true}, {"<!--", lab, "-->", true}, {"é", sk, "", true},
		{"de", sk, "", false}, {"ta", "sk-proj-migration-of-old-servers-to-new-hosts-in-berlin-2024q3", "", false}, {"mon", "key-" + g.of(hexChars, 32), "", false}, {strings.Repeat("aB3x", 80), hub, "", false}, {"a", "gh" + "p_" + g.of(alphaNum, 9), "", false},
	} {
		text := []byte(test.before + test.token + test.after)
		found := Scan(text, Options{})
		if test.found != covers(found, [2]int{len(test.before), len(test.before) + len(test.token)}) || !test.found && len(found) > 0 {
			t.Errorf("%q: found %+v", text, found)
		}
	}
}
