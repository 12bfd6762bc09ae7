package webui

import (
	"crypto/rand"
	"html"
	"net/http"
)

// diagramScript draws diagrams.
const diagramScript = "diagram.js"

// diagram answers with the frame in which a page has a diagram drawn. It has no origin, so
// that it reaches neither the page nor the session, loads one script and nothing else, and
// holds nothing of the memory: the page sends it the text.
func (s *Server) diagram(w http.ResponseWriter, _ *http.Request) {
	nonce := rand.Text()
	h := w.Header()
	// The styles are those that the script puts into its drawing.
	h.Set("Content-Security-Policy", "sandbox allow-scripts; default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'unsafe-inline'; "+
		"form-action 'none'; base-uri 'none'; frame-ancestors 'self'")
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<!doctype html>\n" + `<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Diagram</title>` +
		`<style>body { margin: 0; overflow: hidden } svg { display: block; margin: 0 auto; max-height: none }</style><div id="shown"></div>` +
		`<script nonce="` + nonce + `" src="` + html.EscapeString(s.at(diagramScript)) + `"></script>`)) // the reader is gone
}
