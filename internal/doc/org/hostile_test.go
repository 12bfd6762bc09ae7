package org

import (
	"fmt"
	"strings"
	"testing"
)

// TestLinear parses texts that make careless scanners take the square of
// their length. Nothing is timed, since that would fail by chance; such a
// scanner shows by seconds where there were milliseconds.
func TestLinear(t *testing.T) {
	t.Parallel()
	const n = 60_000
	deep := &strings.Builder{}
	for i := range 2_000 {
		fmt.Fprintf(deep, "%s heading\n", strings.Repeat("*", i+1))
	}
	siblings := "* " + strings.Repeat("long ", 20_000) + "\n" + strings.Repeat("** a\n", n/10)
	names := &strings.Builder{}
	for i := range n / 10 {
		fmt.Fprintf(names, "#+begin_a%d\n", i)
	}
	nodes := &strings.Builder{}
	for i := range n / 20 {
		fmt.Fprintf(nodes, "* a\n:PROPERTIES:\n:ID: %d\n:END:\n", i)
	}
	properties := &strings.Builder{}
	for i := range n / 10 {
		fmt.Fprintf(properties, ":K%d: v\n:K+: v\n", i)
	}
	for name, text := range map[string]string{
		"deep headings":     deep.String(),
		"long parent":       siblings,
		"open links":        strings.Repeat("[[", n),
		"open descriptions": strings.Repeat("[[a][", n),
		"links":             strings.Repeat("[[a]]", n),
		"escapes":           "[[" + strings.Repeat(`\`, n) + "\n" + strings.Repeat(`[[\`, n),
		"angles":            strings.Repeat("<id:", n),
		"plain links":       strings.Repeat("file:", n),
		"plain link dots":   strings.Repeat("file:a.org.", n),
		"verbatim":          strings.Repeat("=a ", n) + "\n" + strings.Repeat("=a ~b\n", n),
		"labels":            strings.Repeat("SUPERSEDES ", n) + "[[a]]",
		"open blocks":       strings.Repeat("#+begin_src\n", n),
		"block names":       names.String(),
		"block and heading": strings.Repeat("#+begin_src\n* a\n", n) + "#+end_src\n",
		"block ends":        strings.Repeat("#+end_src\n", n),
		"open drawers":      strings.Repeat(":a:\n", n),
		"drawers":           strings.Repeat(":properties:\n", n) + ":END:\n",
		"drawers in nodes":  strings.Repeat("* a\n:properties:\n", n) + ":END:\n",
		"properties":        ":PROPERTIES:\n" + properties.String() + ":END:\n",
		"nodes":             nodes.String(),
		"entries":           "* Timeline\n" + strings.Repeat("- [2026-03-01 So] x\n  y\n", n/10),
		"entry with blanks": "* Timeline\n- 2026-03-01 x\n" + strings.Repeat("\n", n),
		"items":             strings.Repeat("- [a] b #c (d)\n- a [[b]]\n", n/10),
		"one line":          strings.Repeat("a =b ~c [[d e:f <g (h ", n),
		"one item":          "- [a] " + strings.Repeat("#b (c) ", n),
		"one relation":      "- a [[b]] (" + strings.Repeat("(c) ", n),
		"quotes":            ":PROPERTIES:\n:ROAM_ALIASES: " + strings.Repeat(`"a `, n) + "\n:END:\n",
		"colons":            "* " + strings.Repeat("a:", n) + "\n#+filetags: " + strings.Repeat(":a", n) + ":\n",
		"tags":              "#+filetags: " + strings.Repeat(":a", n) + ":\n",
		"cookies":           "* " + strings.Repeat("[1/", n),
		"stamps":            "- " + strings.Repeat("[2026-03-01]--", n),
		"keyword":           "#+" + strings.Repeat("a", n) + ":",
	} {
		t.Run(name, func(t *testing.T) {
			checkSpans(t, Codec{}.Parse("a.org", []byte(text)))
		})
	}
}
