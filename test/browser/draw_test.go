package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Formulas become MathML and diagrams are drawn in a frame without an origin, in both themes;
// without scripts both are shown as they are written.
func TestFormulasAndDiagrams(t *testing.T) {
	p := begin(t)
	p.run("put", "demo:formulas", "# Formulas\n\nInline $\\frac{a}{b}$ and\n\n$$\n\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}\n$$\n\n```mermaid\ngraph TD; A[Mill]-->B[Store]\n```\n\n```mermaid\nthis is no diagram\n```\n")
	for _, l := range []look{{1280, false, true}, {1280, true, true}, {390, false, true}, {390, true, true}} {
		t.Run(l.String(), func(t *testing.T) {
			q := *p
			q.T = t
			ctx := q.tab(l)
			q.do(ctx, chromedp.Navigate(q.address+"/page/demo:formulas"))
			q.wait(ctx, `document.querySelectorAll(".doc math").length == 2 && document.querySelector(".doc math mfrac") && !document.querySelector(".doc code.math")`)
			q.wait(ctx, `parseInt(document.querySelector("figure.diagram iframe").style.height) > 100 && !document.querySelector("figure.diagram details").open`)
			q.wait(ctx, `document.querySelector("figure.failed .why") && document.querySelector("figure.failed pre").checkVisibility()`)
			q.shot(ctx, "drawn-"+l.String())
			if wide := eval[float64](&q, ctx, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				t.Errorf("the page is %v px too wide", wide)
			}
			eval[bool](&q, ctx, `(window.frame = document.querySelector("figure.diagram iframe"), true)`)
			high := eval[string](&q, ctx, `frame.style.height`)
			q.run("edit", "demo:formulas", "--append", "Text of "+l.String()+".")
			q.wait(ctx, `document.querySelector(".doc").innerText.includes("Text of `+l.String()+`.")`)
			if !eval[bool](&q, ctx, `frame.isConnected && frame.style.height == "`+high+`" && document.querySelectorAll(".doc math").length == 2`) {
				t.Error("a change of the page draws everything again")
			}
		})
	}
	ctx := p.tab(look{1280, false, true})
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:people/babbage"))
	p.wait(ctx, `document.readyState == "complete"`)
	if loaded := eval[[]string](p, ctx, `performance.getEntriesByType("resource").map(r => r.name).filter(n => /math|diagram/.test(n))`); len(loaded) > 0 {
		t.Errorf("a page without formulas loads %v", loaded)
	}
	p.set(ctx, look{1280, false, false})
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:formulas"))
	if text := eval[string](p, ctx, `document.querySelector(".doc").innerText`); !strings.Contains(text, `\frac{a}{b}`) || !strings.Contains(text, "graph TD; A[Mill]-->B[Store]") {
		t.Errorf("without scripts the page shows %s", text)
	}
}

// The place of a diagram that was drawn before has its height from the start, whatever its kind.
func TestHeightsOfDiagrams(t *testing.T) {
	p := begin(t)
	p.run("put", "demo:heights", "# Heights\n\n```mermaid\npie\n\"Cards\": 3\n\"Pins\": 4\n```\n\n## Below\n"+strings.Repeat("\nThe cards are punched.\n", 12))
	ctx := p.tab(look{1280, false, true})
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:heights"))
	p.wait(ctx, `document.querySelector("figure.diagram iframe")?.style.height`)
	p.wait(ctx, `localStorage.getItem("heights")`)
	p.do(ctx, chromedp.Navigate(p.address+"/"), chromedp.Navigate(p.address+"/page/demo:heights"))
	p.wait(ctx, `document.querySelector("figure.diagram iframe")?.style.height`)
	if shift := p.shift(ctx); shift > mayShift {
		t.Errorf("drawn again, the page shifts by %.3f", shift)
	}
}

// What is hostile in formulas and diagrams reaches neither the page nor another host.
func TestHostileFormulasAndDiagrams(t *testing.T) {
	p := begin(t)
	formulas := []string{
		`\href{javascript:parent.hurt=1}{x}`, `\url{javascript:hurt=1}`, `\includegraphics{https://evil.example/a.png}`, `\class{top}{x}`, `\id{main}{x}`, `\htmlId{main}{x}`, `\htmlStyle{position:fixed}{x}`, `\htmlData{a=b}{x}`,
		`\text{<img src=x onerror=hurt=1>}`, `<img src=x onerror=hurt=1>`, `\color{red;background:url(https://evil.example)}{x}`, `\def\a{\a\a}\a`, `\rule{9999em}{9999em}`, `\begin{align}a\label{main}\end{align}`, `\unicode{x3c}script\unicode{x3e}`,
	}
	diagrams := []string{
		"graph TD; A[\"<img src=x onerror=parent.hurt=1>\"]-->B", "graph TD; A[\"<script>parent.hurt=1</script>\"]-->B", "graph TD; A-->B\nclick A href \"javascript:parent.hurt=1\"", "graph TD; A-->B\nclick A call hurt()", "graph TD; A-->B\nclick A href \"https://evil.example/\" _top",
		"%%{init: {\"securityLevel\": \"loose\", \"theme\": \"base\", \"themeCSS\": \"@import url(https://evil.example/a.css); * { background: url(https://evil.example/b.png) }\"}}%%\ngraph TD; A[\"<iframe src=https://evil.example></iframe>\"]-->B",
		"flowchart TD\nA@{ img: \"https://evil.example/c.png\", label: \"x\" }", "graph TD; A[\"<svg><style>*{background:url(https://evil.example/d.png)}</style></svg>\"]-->B", "graph TD; A[\"<form action=https://evil.example><button>x</button></form>\"]-->B", "sequenceDiagram\nA->>B: <img src=https://evil.example/e.png>\nlink A: x @ javascript:parent.hurt=1",
		"classDiagram\nclass A\nlink A \"javascript:parent.hurt=1\" \"x\"", "gantt\nsection x\na :a1, 2026-01-01, 1d\nclick a1 href \"javascript:parent.hurt=1\"",
	}
	text := "# Hostile\n\n"
	for _, f := range formulas {
		text += "$$" + f + "$$\n\n"
	}
	for _, d := range diagrams {
		text += "```mermaid\n" + d + "\n```\n\n"
	}
	p.run("put", "demo:hostile", text)
	ctx := p.quiet(look{1280, false, true})
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:hostile"))
	p.wait(ctx, `document.querySelectorAll("figure.diagram").length == `+"12")
	// Frames are drawn when they come into view.
	p.wait(ctx, `[...document.querySelectorAll("figure.diagram")].every(f => { if (f.classList.contains("failed") || f.firstChild.style.height) return true; f.scrollIntoView(); return false })`)
	if eval[bool](p, ctx, `"hurt" in window`) {
		t.Error("a script of the text ran")
	}
	if n := eval[int](p, ctx, `document.querySelectorAll("#main").length`); n != 1 {
		t.Errorf("%d elements are #main", n)
	}
	if bad := eval[[]string](p, ctx, `[...document.querySelectorAll(".formula *")].filter(e => e.namespaceURI != "http://www.w3.org/1998/Math/MathML" && !["SPAN", "DIV"].includes(e.tagName) || [...e.attributes].some(a => /^on|^id$|href|src/.test(a.name))).map(e => e.outerHTML)`); len(bad) > 0 {
		t.Errorf("formulas have %q", bad)
	}
	if other := eval[[]string](p, ctx, `performance.getEntriesByType("resource").map(r => r.name).filter(n => !n.startsWith(location.origin))`); len(other) > 0 {
		t.Errorf("the page loads %v", other)
	}
	if reached := eval[bool](p, ctx, `[...document.querySelectorAll("iframe")].some(f => { try { return !!f.contentDocument } catch { return false } })`); reached {
		t.Error("a frame has the origin of the page")
	}
	if n := eval[int](p, ctx, `document.querySelectorAll(".doc math").length`); n < 3 {
		t.Errorf("%d formulas are drawn: the test tries nothing", n)
	}
	p.shot(ctx, "hostile")
}
