package webui

import (
	"net/url"
	"strings"
)

var quoteReplacer = strings.NewReplacer("'", `'\''`)

// editors open a file where the person edits it. Browsers ask before they start a program.
func (v *view) editors(file string) node {
	if file == "" {
		return nil
	}
	return el("details", el("summary", "Open in…"), el("ul",
		el("li", el("a", href("obsidian://open?path="+url.QueryEscape(file)), "Obsidian")),
		el("li", el("a", href("vscode://file"+(&url.URL{Path: file}).EscapedPath()), "VS Code")),
		el("li", el("code", "emacsclient "+shellWord(file)))))
}

// shellWord is a text as one word of a shell.
func shellWord(s string) string { return "'" + quoteReplacer.Replace(s) + "'" }
