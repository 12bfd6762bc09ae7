package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Two tabs of one browser edit a page: each shows that there is the other, and when it saves. What is
// typed in one stays when the other is saved, and is offered when its tab was closed.
func TestTwoTabs(t *testing.T) {
	p := begin(t)
	p.run("put", "demo:tabs", "# Tabs\n\nThe first line.\n\nThe last line.\n")
	one := p.tab(look{1280, false, true})
	two, leave := chromedp.NewContext(one)
	t.Cleanup(leave)
	const edits = `document.querySelector(".cm-content[role=textbox]")`
	p.do(one, chromedp.Navigate(p.address+"/edit/demo:tabs"))
	p.wait(one, edits)
	p.do(two, chromedp.EmulateViewport(390, 900), chromedp.Navigate(p.address+"/edit/demo:tabs"))
	p.wait(two, edits)
	p.wait(one, `document.querySelector(".others")`)
	p.wait(two, `document.querySelector(".others")`)

	eval[bool](p, two, `(document.querySelector(".cm-content").focus(), true)`)
	p.do(two, chromedp.KeyEvent("of two "))
	p.wait(two, `Object.values(localStorage).some(v => v.includes("of two "))`)
	eval[bool](p, one, `(document.querySelector(".cm-content").focus(), true)`)
	p.do(one, chromedp.KeyEvent("of one "))
	p.wait(one, `Object.values(localStorage).some(v => v.includes("of one ")) && Object.values(localStorage).some(v => v.includes("of two "))`)
	eval[bool](p, one, `(document.querySelector("form.edit button.primary").click(), true)`)
	p.wait(one, `location.pathname == "/page/demo:tabs"`)
	p.wait(two, `document.querySelector(".meanwhile")?.textContent.includes("version 2")`)
	p.shot(two, "edit-meanwhile")
	if text := eval[string](p, two, `document.querySelector(".cm-content").innerText`); !strings.Contains(text, "of two") {
		t.Errorf("the text of the other tab is %q", text)
	}
	leave()

	p.do(one, chromedp.Navigate(p.address+"/edit/demo:tabs"))
	p.wait(one, edits+` && document.querySelectorAll(".draft").length == 1`)
	p.do(one, chromedp.Click(".draft button"))
	p.wait(one, `document.querySelector(".cm-content").innerText.includes("of two")`)
	eval[bool](p, one, `(document.querySelector("form.edit button.primary").click(), true)`)
	p.wait(one, `document.querySelectorAll(".conflict .panes > div").length == 3`)
	if text := p.run("get", "demo:tabs"); !strings.Contains(text, "of one") || strings.Contains(text, "of two") {
		t.Errorf("the page is %s", text)
	}
}
