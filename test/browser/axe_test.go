package browser

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe-core finds nothing on any screen, in both themes. CAIRN_AXE names its axe.min.js,
// which CI fetches.
func TestAxe(t *testing.T) {
	name := os.Getenv("CAIRN_AXE")
	if name == "" {
		t.Skip("there is no axe-core: CAIRN_AXE=$(.ci/axe)")
	}
	script, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p := begin(t)
	for _, l := range []look{{1280, false, true}, {1280, true, true}, {390, false, true}, {390, true, true}} {
		t.Run(l.String(), func(t *testing.T) {
			q := *p
			q.T = t
			ctx := q.tab(l)
			look := func(name string) {
				t.Helper()
				eval[bool](&q, ctx, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
				eval[bool](&q, ctx, string(script)+"; true")
				// It is not in the frames of diagrams, whose sandbox refuses its messages.
				eval[bool](&q, ctx, `axe.run({ iframes: false }).then(r => { window.found = r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 160) + " " + (n.any[0]?.message ?? ""))) }), true`)
				q.wait(ctx, "window.found")
				if found := eval[[]string](&q, ctx, "window.found"); len(found) > 0 {
					t.Errorf("%s:\n%s", name, strings.Join(found, "\n"))
				}
			}
			for _, s := range screens {
				q.do(ctx, chromedp.Navigate(q.address+s.path))
				q.wait(ctx, `document.readyState == "complete"`)
				look(s.name)
			}
			// What scripts add: drawn formulas and diagrams, the editor with its search, the preview.
			q.do(ctx, chromedp.Navigate(q.address+"/page/demo:drawn"))
			q.wait(ctx, `document.querySelector(".doc math") && parseInt(document.querySelector("figure.diagram iframe")?.style.height) > 0`)
			look("drawn, with scripts")
			q.do(ctx, chromedp.Navigate(q.address+"/edit/demo:drawn"))
			q.wait(ctx, `document.querySelector(".cm-content[role=textbox]")`)
			eval[bool](&q, ctx, `(document.querySelector("[formaction]").click(), document.querySelector(".cm-content").focus(), document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "f", keyCode: 70, ctrlKey: true, bubbles: true, cancelable: true })) || true)`)
			q.wait(ctx, `document.querySelector(".cm-search") && document.querySelector(".preview math")`)
			q.shot(ctx, "editor-all-"+l.String())
			look("editor, search and preview")
			q.do(ctx, chromedp.Navigate(q.address+"/page/demo:people/ada"))
			q.wait(ctx, `document.readyState == "complete"`)
			eval[bool](&q, ctx, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true })) || true`)
			q.wait(ctx, `document.querySelector("dialog[open] input")`)
			look("palette")
		})
	}
}
