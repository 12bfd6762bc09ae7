package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// busy is the processor time of the main thread of a page.
func (p *program) busy(ctx context.Context) time.Duration {
	p.Helper()
	r, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		p.Fatal(err)
	}
	for _, m := range r.Metrics {
		if m.Name == "TaskDuration" {
			return time.Duration(m.Value * float64(time.Second))
		}
	}
	p.Fatal("no TaskDuration")
	return 0
}

// Keys typed in a page of a megabyte reach its text. The log has the processor time of each,
// which is to be 16 ms at most.
func TestKeystroke(t *testing.T) {
	p := begin(t)
	var b strings.Builder
	b.WriteString("# Large\n\n")
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "Line %d has some *words* and a link to [[Ada Lovelace]] in it.\n", i)
		if i%5 == 4 {
			b.WriteByte('\n')
		}
	}
	if err := os.WriteFile(filepath.Join(p.notes, "large.md"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run("sync")
	ctx := p.tab(look{1280, false, true})
	p.do(ctx, chromedp.Navigate(p.address+"/edit/demo:large"))
	p.wait(ctx, `document.readyState == "complete" && document.querySelector("#text")?.getAttribute("aria-autocomplete") == "list"`)
	if _, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		t.Fatal(err)
	}
	p.wait(ctx, `document.querySelector(".cm-content")`)
	eval[bool](p, ctx, `(document.querySelector(".cm-content").focus(), true)`)
	p.do(ctx, chromedp.KeyEvent("xyz"))
	time.Sleep(time.Second)
	const keys = 20
	before := p.busy(ctx)
	for range keys {
		p.do(ctx, chromedp.KeyEvent("x"))
	}
	time.Sleep(time.Second) // with the draft
	t.Logf("%v a key", (p.busy(ctx)-before)/keys)
	if text := eval[string](p, ctx, `document.querySelector("#text").value.slice(0, 23)`); text != "xyz"+strings.Repeat("x", keys) {
		t.Errorf("the text begins with %s", text)
	}
}

// From the search box an arrow key leads to the first result; j and k go on from the result that
// has the focus, also when Tab led there.
func TestKeysInResults(t *testing.T) {
	p := begin(t)
	ctx := p.tab(look{1280, false, true})
	p.do(ctx, chromedp.Navigate(p.address+"/?q=engine&mode=fts"))
	p.wait(ctx, `document.readyState == "complete" && document.querySelectorAll(".hit").length > 3`)
	at := func(n int) {
		t.Helper()
		if got := eval[int](p, ctx, `[...document.querySelectorAll(".hit")].findIndex(h => h.contains(document.activeElement))`); got != n {
			t.Errorf("the focus is in result %d, not %d", got, n)
		}
	}
	p.do(ctx, chromedp.Focus(".ask input"), chromedp.KeyEvent(kb.ArrowDown))
	at(0)
	p.do(ctx, chromedp.KeyEvent("j"))
	at(1)
	eval[bool](p, ctx, `(document.querySelectorAll(".hit h2 a")[3].focus(), true)`)
	p.do(ctx, chromedp.KeyEvent("k"))
	at(2)
	if n := eval[int](p, ctx, `document.querySelectorAll(".hit.at").length`); n != 1 {
		t.Errorf("%d results are marked", n)
	}
}
