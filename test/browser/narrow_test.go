package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Names without a place to break, and text that is written from right to left, fit into a small
// phone and a wide screen.
func TestLongNames(t *testing.T) {
	p := begin(t)
	long := strings.Repeat("w", 120)
	p.run("put", "demo:"+long, "# "+long+"\n\n"+long+long+" `"+long+long+"`\n\n| "+long+" | b |\n|---|---|\n| 1 | 2 |\n", "--actor", "agent:"+long[:60])
	rtl := "---\ntitle: مرحبا بالعالم\ntags: [" + long[:60] + "]\n---\n# مرحبا بالعالم\n\nهذا نص عربي.\n"
	if err := os.WriteFile(filepath.Join(p.notes, "rtl.md"), []byte(rtl), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run("sync")
	for _, l := range []look{{1280, false, true}, {360, true, true}, {360, false, false}} {
		t.Run(l.String(), func(t *testing.T) {
			q := *p
			q.T = t
			ctx := q.tab(look{l.width, l.dark, true})
			q.set(ctx, l)
			for _, path := range []string{
				"/page/demo:" + long, "/history/demo:" + long, "/blame/demo:" + long, "/graph?ref=demo:" + long, "/edit/demo:" + long, "/delete?ref=demo:" + long,
				"/move?ref=demo:" + long + "&to=short", "/?q=" + long, "/table?space=demo&columns=tags", "/new", "/today", "/page/demo:rtl", "/edit/demo:rtl", "/spaces", "/health", "/setup", "/activity",
			} {
				q.do(ctx, chromedp.Navigate(q.address+path))
				q.wait(ctx, `document.readyState == "complete" && (!document.querySelector("textarea[data-editor]") || `+map[bool]string{true: `document.querySelector(".cm-content")`, false: "true"}[l.scripts]+`)`)
				if wide := eval[float64](&q, ctx, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
					t.Errorf("%.40s is %v px too wide: %s", path, wide, eval[string](&q, ctx, `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.tagName + "." + e.className).slice(0, 4).join(" ")`))
				}
			}
		})
	}
}

// A paragraph is laid out in the direction of its first letter, also on a page with others.
func TestDirectionOfText(t *testing.T) {
	p := begin(t)
	if err := os.WriteFile(filepath.Join(p.notes, "both.md"), []byte("# Both\n\nשלום עולם\n\nHello world\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run("sync")
	ctx := p.tab(look{1280, false, true})
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:both"))
	p.wait(ctx, `document.readyState == "complete" && document.querySelectorAll(".doc p").length == 2`)
	// How far the text begins from the left edge of its paragraph.
	gaps := eval[[]float64](p, ctx, `[...document.querySelectorAll(".doc p")].map(e => { const r = document.createRange(); r.selectNodeContents(e); return r.getBoundingClientRect().left - e.getBoundingClientRect().left })`)
	if len(gaps) != 2 || gaps[0] < 200 || gaps[1] > 1 {
		t.Errorf("the paragraphs begin at %v", gaps)
	}
	if err := os.WriteFile(filepath.Join(p.notes, "right.md"), []byte("# עברית\n\n| א | ב |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run("sync")
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:right"))
	p.wait(ctx, `document.readyState == "complete" && document.querySelectorAll(".doc th").length == 2`)
	at := eval[[]float64](p, ctx, `(() => { const left = (e) => e.getBoundingClientRect().left; const [a, b] = document.querySelectorAll(".doc th"); return [left(a) - left(b), left(document.querySelector("pre code")) - left(document.querySelector("pre"))] })()`)
	if at[0] <= 0 || at[1] > 40 {
		t.Errorf("the first column is %v px right of the second, and code begins at %v", at[0], at[1])
	}
}

// On a wide screen the filters of the map are in one line, and all buttons of the editor are in view.
func TestFormsOfWideScreens(t *testing.T) {
	p := begin(t)
	p.run("space", "add", "--database", "--name", "a-space-with-a-long-name")
	ctx := p.tab(look{1280, false, true})
	p.do(ctx, chromedp.Navigate(p.address+"/graph?space=demo"))
	p.wait(ctx, `document.readyState == "complete" && document.querySelector("#map-find") != null`)
	if low, first := eval[float64](p, ctx, `document.querySelector("#map-find").getBoundingClientRect().bottom`), eval[float64](p, ctx, `document.querySelector(".filters select").getBoundingClientRect().bottom`); low != first {
		t.Errorf("the last filter ends at %v px, the first at %v", low, first)
	}
	p.run("edit", "demo:projects/engine", "--append", strings.Repeat("A line.\n\n", 200))
	p.do(ctx, chromedp.Navigate(p.address+"/edit/demo:projects/engine"))
	p.wait(ctx, `document.querySelector(".cm-editor") != null`)
	if low, high := eval[float64](p, ctx, `Math.max(...[...document.querySelectorAll("form.edit button[type=submit]")].map(b => b.getBoundingClientRect().bottom))`), eval[float64](p, ctx, "innerHeight"); low <= 0 || low > high {
		t.Errorf("the buttons of the editor end at %v px of %v", low, high)
	}
}
