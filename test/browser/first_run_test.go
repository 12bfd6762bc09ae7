package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// cairn web in a directory of notes without a memory shows the notes, does nothing before the
// person agrees, then reads them and leads on to the clients.
func TestFirstRun(t *testing.T) {
	for _, l := range []look{{1280, false, true}, {390, true, false}} {
		t.Run(l.String(), func(t *testing.T) {
			p := build(t)
			client := filepath.Join(p.home, ".claude.json")
			if err := os.WriteFile(client, []byte("{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			web := p.command("web", "--print", "--listen", "127.0.0.1:0", "--format", "human")
			web.Dir = p.notes
			link := strings.TrimSpace(p.serve(web, "/login"))
			ctx := p.browser(look{l.width, l.dark, true})
			p.set(ctx, l)
			began := time.Now()
			p.do(ctx, chromedp.Navigate(link))
			p.wait(ctx, `document.readyState == "complete" && location.pathname == "/start" && document.body.innerText.includes("babbage.md")`)
			t.Logf("the notes are shown after %v", time.Since(began))
			if text := eval[string](p, ctx, "document.body.innerText"); !strings.Contains(text, "Nothing has changed yet") || !strings.Contains(text, "space.toml") {
				t.Errorf("the offer is %s", text)
			}
			p.shot(ctx, "first-run-"+l.String())
			if _, err := os.Stat(filepath.Join(p.notes, ".cairn")); err == nil {
				t.Error("something was written before anybody agreed")
			}
			p.do(ctx, chromedp.Click(`form[action="/start"] button`))
			p.wait(ctx, `document.readyState == "complete" && location.search.includes("space=") && document.body.innerText.includes("is in the memory")`)
			p.shot(ctx, "first-run-added-"+l.String())
			if _, err := os.Stat(filepath.Join(p.notes, ".cairn", "space.toml")); err != nil {
				t.Error(err)
			}
			if l.scripts {
				p.wait(ctx, `document.querySelector(".progress[data-done]") != null`)
			}
			if text := eval[string](p, ctx, "document.body.innerText"); !strings.Contains(text, "cairn setup claude-code") {
				t.Errorf("the clients are %s", text)
			}
			if text, err := os.ReadFile(client); err != nil || string(text) != "{}\n" {
				t.Errorf("the client's settings are %s, %v", text, err)
			}
			p.do(ctx, chromedp.Click(`a[href="/connect?client=claude-code"]`))
			p.wait(ctx, `document.readyState == "complete" && location.pathname == "/connect" && document.body.innerText.includes(".claude.json")`)
			p.shot(ctx, "connect-"+l.String())
			if text, err := os.ReadFile(client); err != nil || string(text) != "{}\n" {
				t.Errorf("looking changes the client's settings to %s, %v", text, err)
			}
			p.do(ctx, chromedp.Click(`form[action="/connect"][method="post"] button`))
			p.wait(ctx, `document.readyState == "complete" && location.pathname == "/setup" && document.body.innerText.includes("It is set up.")`)
			p.shot(ctx, "connected-"+l.String())
			if text, err := os.ReadFile(client); err != nil || !strings.Contains(string(text), `"cairn"`) {
				t.Errorf("the client's settings are %s, %v", text, err)
			}
			p.do(ctx, chromedp.Click(`form[action="/check"] button`))
			p.wait(ctx, `document.readyState == "complete" && document.querySelector(".card .badge.is-ok + p, .card p .badge.is-ok") != null`)
			p.shot(ctx, "first-run-checked-"+l.String())
			if text := eval[string](p, ctx, "document.body.innerText"); !strings.Contains(text, "recall") {
				t.Errorf("the check says %s", text)
			}
			p.do(ctx, chromedp.Navigate(eval[string](p, ctx, "location.origin")+"/connect?remove=1&client=claude-code"), chromedp.Click(`form[action="/connect"][method="post"] button`))
			p.wait(ctx, `document.readyState == "complete" && document.body.innerText.includes("It is taken out.")`)
			if text, err := os.ReadFile(client); err != nil || strings.Contains(string(text), "cairn") {
				t.Errorf("taken out, the client's settings are %s, %v", text, err)
			}
			p.do(ctx, chromedp.Navigate(eval[string](p, ctx, "location.origin")+"/?q=bernoulli&mode=fts"))
			p.wait(ctx, `document.body.innerText.includes("Note G")`)
		})
	}
}
