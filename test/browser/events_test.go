package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"
)

// Several agents write while a person reads one of the pages: each write comes to the browser,
// the page changes while they write, the place where the person reads stays, and the last text
// is shown. The log has how long the
// browser was busy at a time and the memory of the tab. CAIRN_EVENTS is for how long the agents
// write.
func TestManyEvents(t *testing.T) {
	const everySecond, writers = 64, 16
	long := 5 * time.Second
	if d := os.Getenv("CAIRN_EVENTS"); d != "" {
		var err error
		if long, err = time.ParseDuration(d); err != nil {
			t.Fatal(err)
		}
	}
	p := begin(t)
	for w := range writers {
		p.run("put", fmt.Sprintf("demo:busy-%d", w), "# Busy\n\n## Now\n\nAfter write 0.\n\n## Rest\n\n"+strings.Repeat("A paragraph with some *words* and a link to [[Ada Lovelace]].\n\n", 200))
	}
	address, err := url.Parse(p.address)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(p.run("serve", "token", "--format", "human"))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: writers}}
	write := func(writer, n int) error {
		edit := map[string]any{"do": "replace_section", "section": "Now", "text": fmt.Sprintf("After write %d.", n)}
		body, err := json.Marshal(map[string]any{"edits": []any{edit}})
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, fmt.Sprintf("http://127.0.0.1:%s/api/v1/pages/demo:busy-%d", address.Port(), writer), bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		answer, err := client.Do(r)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode >= 300 {
			var said bytes.Buffer
			_, _ = said.ReadFrom(answer.Body)
			return fmt.Errorf("%s: %s", answer.Status, said.String())
		}
		return nil
	}
	ctx := p.tab(look{1280, false, true})
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:busy-0"))
	p.wait(ctx, `document.querySelector(".doc")?.innerText.includes("After write 0.")`)
	heap := func() float64 {
		if _, err := chromedp.Call(ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			t.Log(err)
		}
		return eval[float64](p, ctx, `performance.memory.usedJSHeapSize / 1e6`)
	}
	eval[bool](p, ctx, `(() => {
		window.tasks = [];
		new PerformanceObserver((l) => tasks.push(...l.getEntries().map((e) => e.duration))).observe({ type: "longtask" });
		window.told = 0;
		window.shown = new Set();
		new MutationObserver(() => shown.add(document.querySelector(".doc").innerText.match(/After write \d+/)[0])).observe(document.querySelector("#main"), { subtree: true, childList: true, characterData: true });
		window.feed = new EventSource(document.querySelector("#main").dataset.base + "/events");
		feed.addEventListener("change", () => { told++; });
		feed.addEventListener("missed", (e) => { told += JSON.parse(e.data).missed; });
		scrollTo(0, 1500);
		window.place = () => Math.round(document.querySelector("[data-line='61']").getBoundingClientRect().top);
		window.placed = place();
		return true;
	})()`)
	p.wait(ctx, `feed.readyState == 1`)
	before := heap()
	total := int(long.Seconds() * everySecond)
	work := make(chan int)
	var done sync.WaitGroup
	for w := range writers {
		done.Go(func() {
			for n := range work {
				if err := write(w, n); err != nil {
					t.Error(err)
				}
			}
		})
	}
	began := time.Now()
	tick := time.NewTicker(time.Second / everySecond)
	defer tick.Stop()
	for n := range total {
		<-tick.C
		work <- n + 1
	}
	close(work)
	done.Wait()
	took := time.Since(began)
	if err := write(0, total+1); err != nil {
		t.Fatal(err)
	}
	p.wait(ctx, fmt.Sprintf(`told >= %d && document.querySelector(".doc").innerText.includes("After write %d.")`, total+1, total+1))
	if moved := eval[float64](p, ctx, "place() - placed"); moved != 0 {
		t.Errorf("the text moved by %v px", moved)
	}
	if n := eval[int](p, ctx, `shown.size`); n < 3 {
		t.Errorf("while the agents write the page changes %d times", n)
	}
	if n := eval[int](p, ctx, `document.querySelectorAll(".toast").length`); n > 1 {
		t.Errorf("%d notes on changes are shown", n)
	}
	longest := eval[float64](p, ctx, `Math.max(0, ...tasks)`)
	t.Logf("%.0f writes a second for %v, and %v texts shown; the longest task %.0f ms, of %v; %.1f MB, and %.1f MB before", float64(total)/took.Seconds(), took.Round(time.Second), eval[int](p, ctx, `shown.size`), longest, eval[int](p, ctx, `tasks.length`), heap(), before)
}

// The text of a page that is moved or deleted while it is read stays, with a note.
func TestMovedWhileOpen(t *testing.T) {
	p := begin(t)
	for _, act := range [][]string{{"mv", "demo:old", "demo:new/name"}, {"rm", "demo:new/name"}} {
		if act[0] == "mv" {
			p.run("put", "demo:old", "# Wooden Engine\n\nSome text.\n")
		}
		ctx := p.tab(look{390, false, true})
		p.do(ctx, chromedp.Navigate(p.address+"/page/"+act[1]))
		p.wait(ctx, `document.readyState == "complete" && document.querySelector("article").dataset.ref == "`+act[1]+`"`)
		time.Sleep(time.Second) // the stream begins with the changes after it
		p.run(act...)
		p.wait(ctx, `document.querySelector(".gone")?.innerText.includes("moved or deleted") && document.querySelector(".doc").innerText.includes("Some text.")`)
		if n := eval[int](p, ctx, `document.querySelectorAll(".gone a[href*='/history/']").length`); (n == 1) != (act[0] == "rm") {
			t.Errorf("%s: %d links to versions", act[0], n)
		}
		if act[0] == "mv" {
			p.do(ctx, chromedp.Click(".gone a"))
			p.wait(ctx, `document.querySelector(".hit h2 a")?.getAttribute("href").includes("/page/demo:new/name")`)
		}
	}
}

// A server that fails for a moment says nothing about the page that is read.
func TestFailureWhileOpen(t *testing.T) {
	p := begin(t)
	p.run("put", "demo:read", "# Wooden Engine\n\nSome text.\n")
	p.run("put", "demo:other", "# Other\n")
	ctx := p.tab(look{390, false, true})
	p.do(ctx, chromedp.Navigate(p.address+"/page/demo:read"))
	p.wait(ctx, `document.readyState == "complete" && document.querySelector("article").dataset.ref == "demo:read"`)
	time.Sleep(time.Second) // the stream begins with the changes after it
	eval[bool](p, ctx, `(window.asked = 0, window.fetch = async () => { asked++; return new Response("<h1>Busy</h1>", { status: 503 }); }, true)`)
	p.run("mv", "demo:other", "demo:new/other")
	p.wait(ctx, `asked > 0 && (window.timer ??= setTimeout(() => { window.later = true; }, 100)) > 0 && window.later == true`)
	if eval[bool](p, ctx, `document.querySelector(".gone") != null`) {
		t.Error("a page is said to be gone when the server fails")
	}
}
