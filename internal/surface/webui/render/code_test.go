package render

import (
	"fmt"
	"strings"
	"testing"
)

// Code that was coloured is shown again as it was, in its language and in any other, and the bytes
// kept are bounded.
func TestColouredCodeIsKept(t *testing.T) {
	t.Parallel()
	text := func(fences ...string) string {
		var b strings.Builder
		for _, language := range fences {
			fmt.Fprintf(&b, "```%s\nif x: # return <i>\n```\n\n", language)
		}
		return b.String()
	}
	var kept Wholes
	shown := func(w *Wholes, text string) string {
		return Document(t.Context(), Source{Page: Page{Path: "a.md", Text: []byte(text)}, Wholes: w}).HTML
	}
	for range 2 {
		for _, text := range []string{text("python"), text("go"), text("python", "go", "bash", "python"), text("")} {
			if got, want := shown(&kept, text), shown(nil, text); got != want {
				t.Errorf("%s is %s, want %s", text, got, want)
			}
		}
	}
	of := code{"python", "if x: # return <i>\n"}
	if html, ok := kept.colours(of); !ok || !strings.Contains(html, `<span class="c1"># return &lt;i&gt;</span>`) {
		t.Errorf("kept is %q", html)
	}
	large := strings.Repeat("x", maxColoured/10)
	for i := range 100 {
		kept.keep(code{"python", fmt.Sprint(i)}, large)
		if _, ok := kept.colours(of); !ok {
			t.Fatalf("what is shown again was dropped after %d others", i)
		}
		bytes := 0
		for _, all := range []map[code]string{kept.recent, kept.before} {
			for of, html := range all {
				bytes += len(of.text) + len(html)
			}
		}
		if bytes > maxColoured+2*len(large) {
			t.Fatalf("%d bytes are kept", bytes)
		}
	}
	if _, ok := kept.colours(code{"python", "0"}); ok {
		t.Error("the first is kept still")
	}
}
