package webui_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A screen below the address of a day shows the memory as it was at the end of that day, and
// nothing can be written there.
func TestPast(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	clock := b.Bed.Clock(time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC), time.Second)
	b.put("engine", "Engine", "Made of brass. See [[mill]].\n")
	b.put("mill", "Mill", "It does the sums.\n")
	clock.Set(time.Date(2026, 11, 5, 10, 0, 0, 0, time.UTC))
	b.put("engine", "Engine", "Made of iron.\n")
	b.put("store", "Store", "It holds numbers. See [[mill]].\n")
	clock.Set(b.now)
	b.signIn()
	for path, want := range map[string]struct{ has, lacks string }{
		"/page/memory:engine":               {"Made of iron.", "Made of brass."},
		"/at/2026-11-03/page/memory:engine": {"Made of brass.", "Made of iron."},
		"/at/2026-11-05/page/memory:engine": {"Made of iron.", "Made of brass."},
		"/page/memory:mill":                 {"Store", ">Engine<"},
		"/at/2026-11-03/page/memory:mill":   {">Engine</a>", "Store"},
		"/at/2026-11-03/?q=brass":           {">Engine</a>", "No page was found"},
		"/at/2026-11-03/?q=holds&mode=fts":  {"No page was found", "Store"},
		"/at/2026-11-03/":                   {"Mill", "Store"},
		"/at/2026-11-03/graph":              {"Mill", "Store"},
		"/at/2026-11-03/graph?ref=engine":   {"Mill", "Store"},
		"/at/2026-11-03/graph.json":         {"Mill", "Store"},
		"/at/2026-11-03/timeline":           {"As of", "action=\"/at"},
		"/at/2026-11-03/tasks":              {"As of", "Undo"},
		"/time":                             {"/at/2026-11-05/", "/at/2026-11-04/"},
		"/time?to=/page/memory:mill":        {"/at/2026-11-03/page/memory:mill", "/at/2026-11-03//"},
	} {
		w := b.do("GET", path)
		if text := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(text, want.has) || strings.Contains(strings.ReplaceAll(text, "Restore", ""), want.lacks) {
			t.Errorf("%s: %d, want %q and not %q: %s", path, w.Code, want.has, want.lacks, text)
		}
	}
	page := b.do("GET", "/at/2026-11-03/page/memory:engine").Body.String()
	for _, want := range []string{`href="/at/2026-11-03/page/memory:mill"`, `href="/at/2026-11-05/page/memory:engine"`, `href="/page/memory:engine"`, `src="/assets/`, `data-past="2026-11-03"`, "Tuesday, 3 November 2026"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of then lacks %s", want)
		}
	}
	if strings.Contains(page, `href="/edit/`) {
		t.Error("a page of then can be edited")
	}
	if w := b.do("POST", "/at/2026-11-03/save", "Sec-Fetch-Site", "same-origin"); w.Code != http.StatusForbidden {
		t.Errorf("writing in the past answers %d", w.Code)
	}
	for path, to := range map[string]string{"/time?day=2026-11-03&to=/graph?ref=mill": "/at/2026-11-03/graph?ref=mill", "/time?day=2026-11-03&to=//evil.example/": "/at/2026-11-03/", "/at/2026-11-03/today": "/today", "/at/2026-11-03/history/memory:engine?from=1": "/history/memory:engine?from=1"} {
		if w := b.do("GET", path); w.Code != http.StatusSeeOther || w.Header().Get("Location") != to {
			t.Errorf("%s leads to %s (%d)", path, w.Header().Get("Location"), w.Code)
		}
	}
	if w := b.do("GET", "/time?day=2026-11"); w.Code != http.StatusBadRequest {
		t.Errorf("a month as a day answers %d", w.Code)
	}
	for _, path := range []string{"/at/yesterday/", "/at/2026-13-01/"} {
		if w := b.do("GET", path); w.Code != http.StatusNotFound {
			t.Errorf("%s answers %d", path, w.Code)
		}
	}
	b.cookie = ""
	if w := b.do("GET", "/at/2026-11-03/page/memory:engine"); w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "brass") {
		t.Errorf("without a session, the past answers %d", w.Code)
	}
}
