package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A person edits a paragraph that an agent changes meanwhile: both and a merge are shown, and
// the merge is saved.
func TestConflict(t *testing.T) {
	p := begin(t)
	for _, l := range []look{{1280, false, true}, {390, true, false}} {
		t.Run(l.String(), func(t *testing.T) {
			q := *p
			q.T = t
			ref := "demo:conflict-" + l.String()
			q.run("put", ref, "# Conflict\n\nThe first paragraph.\n\nThe second paragraph.\n\nThe third paragraph.\n")
			ctx := q.tab(look{l.width, l.dark, true})
			q.set(ctx, l)
			q.do(ctx, chromedp.Navigate(q.address+"/edit/"+ref))
			q.wait(ctx, `document.querySelector("#text")?.value.includes("second")`)
			q.run("edit", ref, "--find", "The second paragraph.", "--replace-with", "The second one, by an agent.", "--actor", "agent:claude-code")
			q.run("edit", ref, "--find", "The third paragraph.", "--replace-with", "The third one, by an agent.", "--actor", "agent:claude-code")
			eval[bool](&q, ctx, `(document.querySelector("#text").value = document.querySelector("#text").value.replace("The second paragraph.", "The second one, by Ada."), true)`)
			q.do(ctx, chromedp.Click(`form.edit button.primary`))
			q.wait(ctx, `document.readyState == "complete" && document.querySelectorAll(".conflict .panes > div").length == 3`)
			q.shot(ctx, "conflict-"+l.String())
			if wide := eval[float64](&q, ctx, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				t.Errorf("the conflict is %v px too wide", wide)
			}
			if merged := eval[string](&q, ctx, `document.querySelector("#text").value`); !strings.Contains(merged, "by Ada") || !strings.Contains(merged, "The third one, by an agent.") || strings.Contains(merged, "second one, by an agent") {
				t.Errorf("the merge is %s", merged)
			}
			if text := q.run("get", ref); strings.Contains(text, "Ada") {
				t.Errorf("it was saved: %s", text)
			}
			q.do(ctx, chromedp.Click(`form.edit button.primary`))
			q.wait(ctx, `location.pathname.startsWith("/page/")`)
			if text := q.run("get", ref); !strings.Contains(text, "by Ada") || !strings.Contains(text, "third one, by an agent") {
				t.Errorf("the page is %s", text)
			}
		})
	}
}

// Names are completed while they are typed, and pages like a note are shown before it is kept.
func TestCompletion(t *testing.T) {
	p := begin(t)
	ctx := p.tab(look{1280, false, true})
	eval[bool](p, ctx, `(localStorage.setItem("plain-field", "1"), true)`)
	p.do(ctx, chromedp.Navigate(p.address+"/edit/demo:projects/engine"))
	p.wait(ctx, `document.querySelector("#text")?.getAttribute("aria-autocomplete") == "list"`)
	typed := func(text, option, want string) {
		t.Helper()
		eval[bool](p, ctx, `(() => { const a = document.querySelector("#text"); a.focus(); a.setSelectionRange(a.value.length, a.value.length); return document.execCommand("insertText", false, `+"`"+text+"`"+`) })()`)
		p.wait(ctx, `document.querySelector(".completions [aria-selected=true]")?.textContent == "`+option+`"`)
		if strings.Contains(text, "[[") {
			p.shot(ctx, "completion")
		}
		// KeyEvent would type the character as well.
		eval[bool](p, ctx, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })) || true`)
		p.wait(ctx, `document.querySelector("#text").value.endsWith(`+"`"+want+"`"+`) && !document.querySelector(".completions")`)
	}
	typed("\n\nSee [[Ada Lov", "Ada Lovelace", "See [[Ada Lovelace]]")
	typed(" and #mathe", "mathematics", "[[Ada Lovelace]] and #mathematics")
	typed("\n\n- wrot", "wrote", "- wrote [[")
	eval[bool](p, ctx, `(document.querySelector("#text").value = "---\ntype: x\n", true)`)
	typed("tags: [hist", "history", "tags: [history")
	p.do(ctx, chromedp.Navigate(p.address+"/today"))
	p.wait(ctx, `document.querySelector("#capture + .similar") != null`)
	p.do(ctx, chromedp.Focus("#capture"), chromedp.KeyEvent("The Bernoulli numbers are computed by a table"))
	p.wait(ctx, `document.querySelector(".similar a")?.textContent.includes("Note G")`)
	p.shot(ctx, "similar")
}

// The editor on top of the field completes names, keeps a draft over a reload, and saves; who
// prefers the plain field gets it with the text that was typed.
func TestEditor(t *testing.T) {
	p := begin(t)
	for _, l := range []look{{1280, false, true}, {390, true, true}} {
		t.Run(l.String(), func(t *testing.T) {
			q := *p
			q.T = t
			ref := "demo:editor-" + l.String()
			q.run("put", ref, "# Editor\n\nThe *first* paragraph.\n")
			ctx := q.tab(l)
			q.do(ctx, chromedp.Navigate(q.address+"/edit/"+ref))
			q.wait(ctx, `document.querySelector(".cm-content[role=textbox]") && document.querySelector(".tok-heading") && document.querySelector("#text").hidden`)
			eval[bool](&q, ctx, `(document.querySelector(".cm-content").focus(), true)`)
			q.do(ctx, chromedp.KeyEvent("See [[Ada Lov"))
			q.wait(ctx, `document.querySelector(".cm-tooltip-autocomplete [aria-selected]")?.textContent == "Ada Lovelace"`)
			q.shot(ctx, "editor-"+l.String())
			time.Sleep(200 * time.Millisecond) // within it, Enter is not taken for a choice
			// KeyEvent would type the character as well.
			eval[bool](&q, ctx, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 13, bubbles: true, cancelable: true })) || true`)
			q.wait(ctx, `document.querySelector("#text").value.startsWith("See [[Ada Lovelace]]#")`)
			q.do(ctx, chromedp.KeyEvent(" now"))
			q.wait(ctx, `Object.keys(localStorage).some(k => k.startsWith("typed:") && localStorage[k].includes("]] now"))`)
			q.do(ctx, chromedp.Navigate(q.address+"/edit/"+ref))
			q.wait(ctx, `document.querySelector(".draft button") && document.querySelector(".cm-content") && document.querySelector("form.edit div.buttons .link")`)
			q.do(ctx, chromedp.Click(".draft button"))
			q.wait(ctx, `document.querySelector(".cm-content").innerText.includes("]] now")`)
			eval[bool](&q, ctx, `(document.querySelector("form.edit div.buttons .link").click(), true)`)
			q.wait(ctx, `!document.querySelector(".cm-editor") && document.querySelector("#text").checkVisibility() && document.querySelector("#text").value.includes("]] now")`)
			eval[bool](&q, ctx, `(document.querySelector("form.edit div.buttons .link").click(), true)`)
			q.wait(ctx, `document.querySelector(".cm-content")?.innerText.includes("]] now")`)
			q.do(ctx, chromedp.Click(`form.edit button.primary`))
			q.wait(ctx, `location.pathname.startsWith("/page/")`)
			if text := q.run("get", ref); text != "See [[Ada Lovelace]] now# Editor\n\nThe *first* paragraph.\n" {
				t.Errorf("the page is %q", text)
			}
		})
	}
}

// The page is shown next to its text while it changes, with formulas and diagrams, and never in
// an older state than the text; the choice is kept.
func TestPreviewBeside(t *testing.T) {
	p := begin(t)
	for _, l := range []look{{1280, false, true}, {390, true, true}} {
		t.Run(l.String(), func(t *testing.T) {
			q := *p
			q.T = t
			ref := "demo:preview-" + l.String()
			q.run("put", ref, "# Preview\n\nThe *first* paragraph, and $a^2$.\n\n```mermaid\ngraph TD; A-->B\n```\n"+strings.Repeat("\nA paragraph of it.\n", 60)+"\nThe last.\n")
			ctx := q.tab(l)
			q.do(ctx, chromedp.Navigate(q.address+"/edit/"+ref))
			q.wait(ctx, `document.querySelector(".cm-content")`)
			eval[bool](&q, ctx, `(document.querySelector("[formaction]").click(), true)`)
			q.wait(ctx, `document.querySelector(".preview .doc em")?.textContent == "first" && document.querySelector(".preview math") && document.querySelector(".preview iframe")`)
			if at := eval[string](&q, ctx, "location.pathname"); !strings.HasPrefix(at, "/edit/") {
				t.Errorf("the form was sent: %s", at)
			}
			beside := eval[bool](&q, ctx, `document.querySelector(".preview").getBoundingClientRect().left >= document.querySelector(".cm-editor").getBoundingClientRect().right`)
			if beside != (l.width > 900) {
				t.Errorf("at %d px the preview is beside: %v", l.width, beside)
			}
			if wide := eval[float64](&q, ctx, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				t.Errorf("the preview is %v px too wide", wide)
			}
			q.shot(ctx, "preview-"+l.String())
			// The answer for the first text is held back until that for the second is shown.
			eval[bool](&q, ctx, `(() => {
				const ask = window.fetch;
				window.fetch = async (address, how) => {
					const old = how?.body && !how.body.get("text").includes("Second.");
					const answer = await ask(address, { ...how, signal: old ? undefined : how?.signal });
					if (old) await new Promise(go => { const wait = () => window.secondShown ? go() : setTimeout(wait, 20); wait() });
					if (old) setTimeout(() => { window.oldAnswered = true }, 200);
					return answer;
				};
				const a = document.querySelector("#text");
				a.value = a.value.replace("The last.", "First.");
				setTimeout(() => { a.value = a.value.replace("First.", "Second."); }, 600);
				return true;
			})()`)
			q.wait(ctx, `document.querySelector(".preview .doc").innerText.includes("Second.")`)
			q.wait(ctx, `document.querySelector(".preview").scrollTop > 100`) // it follows what is typed
			eval[bool](&q, ctx, `window.secondShown = true`)
			q.wait(ctx, `window.oldAnswered`)
			if text := eval[string](&q, ctx, `document.querySelector(".preview .doc").innerText`); !strings.Contains(text, "Second.") {
				t.Error("an older answer replaced a newer one")
			}
			q.do(ctx, chromedp.Navigate(q.address+"/edit/demo:projects/engine"))
			q.wait(ctx, `document.querySelector(".preview .doc")?.innerText.includes("50,000 parts")`)
			eval[bool](&q, ctx, `(document.querySelector("[formaction]").click(), true)`)
			q.wait(ctx, `!document.querySelector(".preview") && !localStorage.getItem("preview-beside")`)
		})
	}
}

// The browser searches only the lines in view: the editor finds those that are not.
func TestEditorSearch(t *testing.T) {
	p := begin(t)
	for _, l := range []look{{1280, false, true}, {390, true, true}} {
		t.Run(l.String(), func(t *testing.T) {
			q := *p
			q.T = t
			ref := "demo:search-" + l.String()
			q.run("put", ref, "# Search\n\n"+strings.Repeat("A line of the page.\n\n", 2000)+"The needle is here.\n")
			ctx := q.tab(l)
			q.do(ctx, chromedp.Navigate(q.address+"/edit/"+ref))
			q.wait(ctx, `document.querySelector(".cm-content[role=textbox]") && !document.querySelector(".cm-content").innerText.includes("needle")`)
			// KeyEvent would open the search of the browser.
			eval[bool](&q, ctx, `(document.querySelector(".cm-content").focus(), document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "f", keyCode: 70, ctrlKey: true, bubbles: true, cancelable: true })) || true)`)
			q.wait(ctx, `document.activeElement?.matches(".cm-search input[aria-label=Find]")`)
			q.do(ctx, chromedp.KeyEvent("needle"), chromedp.KeyEvent("\r"))
			q.wait(ctx, `document.querySelector(".cm-content .cm-searchMatch-selected")?.textContent == "needle"`)
			q.shot(ctx, "editor-search-"+l.String())
			if at := eval[string](&q, ctx, "location.pathname"); !strings.HasPrefix(at, "/edit/") {
				t.Errorf("the form was sent: %s", at)
			}
			if bare := eval[[]string](&q, ctx, `[...document.querySelectorAll(".cm-search :is(input, button)")].filter(e => !(e.ariaLabel || e.textContent || e.labels?.[0]?.textContent)).map(e => e.outerHTML)`); len(bare) > 0 {
				t.Errorf("without a label: %q", bare)
			}
			if wide := eval[float64](&q, ctx, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				t.Errorf("the search is %v px too wide", wide)
			}
			eval[bool](&q, ctx, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", keyCode: 27, bubbles: true, cancelable: true })) || true`)
			q.wait(ctx, `!document.querySelector(".cm-search") && document.activeElement.matches(".cm-content")`)
			if text := eval[string](&q, ctx, `document.querySelector("#text").value`); !strings.HasSuffix(text, "The needle is here.\n") {
				t.Errorf("the text ends in %q", text[max(0, len(text)-60):])
			}
		})
	}
}

// A person types while the token is replaced: the form is not taken, and after another login the
// editor offers the text.
func TestReplacedToken(t *testing.T) {
	p := begin(t)
	for _, l := range []look{{1280, false, true}, {390, true, true}} {
		ctx := p.quiet(l) // the refusal is reported there
		typed := "Typed at " + l.String() + " while the token changed."
		edit := chromedp.Navigate(p.address + "/edit/demo:projects/engine")
		const ready = `document.querySelector("#text")?.getAttribute("aria-autocomplete") == "list"`
		eval[bool](p, ctx, `(localStorage.setItem("plain-field", "1"), true)`)
		p.do(ctx, edit)
		p.wait(ctx, ready)
		eval[bool](p, ctx, `(() => { const a = document.querySelector("#text"); a.focus(); a.select(); return document.execCommand("insertText", false, "`+typed+`") })()`)
		p.run("serve", "token", "--rotate")
		p.do(ctx, chromedp.Click(`form.edit button.primary`))
		p.wait(ctx, `document.body?.innerText.includes("Nothing was saved") && document.body.innerText.includes("cairn web")`)
		p.shot(ctx, "replaced-token-"+l.String())
		p.do(ctx, edit)
		p.wait(ctx, `document.title.includes("Sign in") && !document.querySelector("#text")`) // the session has ended
		p.do(ctx, chromedp.Navigate(p.link("/")))
		p.wait(ctx, `location.pathname == "/"`)
		p.do(ctx, edit)
		p.wait(ctx, ready+` && document.querySelector(".draft button")`)
		p.do(ctx, chromedp.Click(".draft button"))
		p.wait(ctx, `document.querySelector("#text").value.trim() == "`+typed+`"`)
		p.do(ctx, chromedp.Click(`form.edit button.primary`))
		p.wait(ctx, `document.querySelector("main")?.innerText.includes("`+typed+`") && !document.querySelector("form.edit")`)
	}
}
