package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// mayShift is how far a screen may move while it is built; browsers call 0.1 good. The editor that
// opens over its field, and formulas that are drawn, take some 0.01.
const mayShift = 0.03

// Every screen shows what it has, fits its window, and says nothing on the console, with
// scripts and without. CAIRN_SHOTS names a directory for pictures of all of them.
func TestScreens(t *testing.T) {
	p := begin(t)
	for _, l := range []look{{1280, false, true}, {390, false, true}, {1280, true, true}, {390, true, true}, {1280, false, false}, {390, true, false}} {
		t.Run(l.String(), func(t *testing.T) {
			q := *p
			q.T = t
			ctx := q.tab(look{l.width, l.dark, true})
			q.set(ctx, l)
			for _, s := range screens {
				q.do(ctx, chromedp.Navigate(q.address+s.path))
				q.wait(ctx, `document.readyState == "complete"`)
				if text := eval[string](&q, ctx, "document.body.innerText"); !strings.Contains(text, s.shows) {
					t.Errorf("%s does not show %q: %.2000s", s.name, s.shows, text)
				}
				if wide := eval[float64](&q, ctx, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
					t.Errorf("%s is %v px too wide", s.name, wide)
				}
				if other := eval[[]string](&q, ctx, `performance.getEntriesByType("resource").map(r => r.name).filter(n => !n.startsWith(location.origin))`); len(other) > 0 {
					t.Errorf("%s loads %v", s.name, other)
				}
				if l.scripts {
					if s.name == "drawn" {
						q.wait(ctx, `document.querySelector("figure.diagram iframe")?.style.height`)
					}
					if shift := q.shift(ctx); shift > mayShift {
						t.Errorf("%s shifts by %.3f", s.name, shift)
					}
				}
				q.shot(ctx, s.name+"-"+l.String())
			}
		})
	}
}

// shift is how far the page moved by itself: after a click or a key that is no fault.
func (p *program) shift(ctx context.Context) float64 {
	p.Helper()
	if !eval[bool](p, ctx, `PerformanceObserver.supportedEntryTypes.includes("layout-shift")`) {
		p.Fatal("this browser reports no shifts")
	}
	eval[bool](p, ctx, `(window.shift = 0, new PerformanceObserver(l => { for (const e of l.getEntries()) if (!e.hadRecentInput) window.shift += e.value }).observe({ type: "layout-shift", buffered: true }), setTimeout(() => { window.observed = true }, 150), true)`)
	p.wait(ctx, "window.observed")
	return eval[float64](p, ctx, "window.shift")
}

// A person finds a page by typing, reads it, and sees what an agent changes meanwhile.
func TestJourney(t *testing.T) {
	p := begin(t)
	ctx := p.tab(look{1280, false, true})
	p.do(ctx, chromedp.Focus(".ask input"), chromedp.KeyEvent("bernoulli"))
	p.wait(ctx, `[...document.querySelectorAll(".hit h2")].some(h => h.textContent.includes("Note G"))`)
	p.wait(ctx, `location.search.includes("q=bernoulli")`)
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:projects/engine"))
	p.wait(ctx, `document.querySelector(".doc") != null && document.readyState == "complete"`)
	eval[bool](p, ctx, `(window.same = document.querySelector("#main"), scrollTo(0, 40), true)`)
	p.run("edit", "demo:projects/engine", "--append", "It was never finished.", "--actor", "agent:claude-code")
	p.wait(ctx, `document.querySelector(".doc").innerText.includes("It was never finished.")`)
	if !eval[bool](p, ctx, `window.same == document.querySelector("#main")`) {
		t.Error("the page was loaded again, and not changed in place")
	}
	p.do(ctx, chromedp.KeyEvent("?"))
	p.wait(ctx, `document.querySelector("dialog[open] .keys") != null`)
	p.do(ctx, chromedp.KeyEvent(kb.Escape))
	p.wait(ctx, `document.querySelector("dialog") == null`)
	// KeyEvent would type the character as well, into the field that the key opens.
	eval[bool](p, ctx, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true })) || true`)
	p.wait(ctx, `document.querySelector("dialog[open] input") != null`)
	p.do(ctx, chromedp.KeyEvent("lovelace"))
	p.wait(ctx, `document.querySelector("dialog li.at")?.textContent.includes("Ada Lovelace")`)
	p.do(ctx, chromedp.KeyEvent(kb.Enter))
	p.wait(ctx, `location.pathname.startsWith("/page/demo:people/")`)
}

// A version is brought back by its button, also without scripts; a server that only reads
// has no such button.
func TestRestore(t *testing.T) {
	p := begin(t)
	ctx := p.tab(look{1280, false, true})
	p.set(ctx, look{1280, false, false})
	p.do(ctx, chromedp.Navigate(p.address+"/history/demo:projects/engine"), chromedp.Click(`form[action="/restore"] button`))
	p.wait(ctx, `location.pathname == "/page/demo:projects/engine"`)
	if text := p.run("get", "demo:projects/engine"); strings.Contains(text, "museum") {
		t.Errorf("the page is %s", text)
	}
	if log := p.run("history", "demo:projects/engine", "--json"); !strings.Contains(log, `"human:ada"`) {
		t.Errorf("the history is %s", log)
	}
	r := begin(t, "--read-only")
	ctx = r.tab(look{390, false, true})
	r.do(ctx, chromedp.Navigate(r.address+"/history/demo:projects/engine"))
	if n := eval[int](r, ctx, `document.querySelectorAll("form[method=post]").length`); n != 1 {
		t.Errorf("a server that only reads has %d forms", n)
	}
}

// On a narrow screen the navigation shows the place that is shown, and the names in a graph can be
// read.
func TestNarrowNavigation(t *testing.T) {
	p := begin(t)
	ctx := p.tab(look{390, false, true})
	for _, path := range []string{"/health", "/today", "/setup"} {
		p.do(ctx, chromedp.Navigate(p.address+path))
		p.wait(ctx, `(() => { const r = document.querySelector(".places [aria-current]")?.getBoundingClientRect(); return r && r.left >= 0 && r.right <= innerWidth + 1 })()`)
	}
	p.do(ctx, chromedp.Navigate(p.address+"/graph?ref=demo:projects/engine"))
	p.wait(ctx, `document.querySelector("svg.map text") != null`)
	if high := eval[float64](p, ctx, `Math.min(...[...document.querySelectorAll("svg.map text")].map(e => e.getBoundingClientRect().height))`); high < 10 {
		t.Errorf("a name in the graph is %.1f px high", high)
	}
}

// A page is printed in the colours of the light theme, without what is for clicking.
func TestPrint(t *testing.T) {
	p := begin(t)
	const colours = `JSON.stringify(["--bg", "--text", "--sunk", "--quiet", "--bad", "--accent-soft", "--code-key"].map(n => getComputedStyle(document.documentElement).getPropertyValue(n)))`
	at := p.address + "/page/demo:projects/engine"
	light := p.tab(look{1280, false, true})
	p.do(light, chromedp.Navigate(at))
	p.wait(light, `document.querySelector(".doc") != null`)
	ctx := p.tab(look{1280, true, true})
	p.do(ctx, chromedp.Navigate(at))
	p.wait(ctx, `document.querySelector(".copy") != null`)
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}); err != nil {
		t.Fatal(err)
	}
	if got, want := eval[string](p, ctx, colours), eval[string](p, light, colours); got != want {
		t.Errorf("the colours in print are %s, want %s", got, want)
	}
	if shown := eval[[]string](p, ctx, `[...document.querySelectorAll("nav, form, button, .button, aside, footer")].filter(e => e.getClientRects().length).map(e => e.outerHTML.slice(0, 200))`); len(shown) > 0 {
		t.Errorf("in print there are %q", shown)
	}
}

// Colours of much code follow the page, which does not move.
func TestColoursFollow(t *testing.T) {
	p := begin(t)
	ctx := p.tab(look{1280, false, true})
	code := ""
	for i := range 5 {
		code += "```go\n" + strings.Repeat(fmt.Sprintf("return %d // a comment\n", i), 300) + "```\n\n"
	}
	p.run("put", "demo:code", "# Code\n\n"+code)
	plain := `[...document.querySelectorAll("pre.chroma")].filter(p => !p.querySelector("span")).length`
	p.set(ctx, look{1280, false, false})
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:code"))
	if n := eval[int](p, ctx, plain); n == 0 || n == 5 {
		t.Errorf("without scripts %d of 5 blocks have no colours at first", n)
	}
	p.set(ctx, look{1280, false, true})
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:code"))
	p.wait(ctx, plain+" == 0")
	if shift := p.shift(ctx); shift > mayShift {
		t.Errorf("the page shifts by %.3f", shift)
	}
}
