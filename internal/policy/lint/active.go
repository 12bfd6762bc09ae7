package lint

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/policy"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Checks for text that Emacs executes by itself, or on a single key press, when it
// opens a file: agents write files that people open there. Variables that only
// affect display are allowed.
var (
	modeLine    = lazyregexp.New(`-\*-(.*?)-\*-`)
	harmless    = lazyregexp.New(`^\s*(?:(?i:mode|coding)\s*:\s*[\w.+-]+\s*;?\s*)*$|^\s*[\w.+-]+\s*$`)
	localBlock  = lazyregexp.New(`(?i)local variables:[ \t]*`)
	localEnd    = lazyregexp.New(`(?i)\bend:`)
	activeLink  = lazyregexp.New(`(?i)(?:\[\[|<)(elisp|shell):`)
	activeAbbr  = lazyregexp.New(`(?i)^[ \t]*#\+link:[ \t]*(?:"[^"]*"|\S+)[ \t]+(elisp|shell):`)
	setupFile   = lazyregexp.New(`(?i)^[ \t]*#\+setupfile:[ \t]*"?(?:[a-z][a-z0-9+.-]*://|/[a-z]+:)`)
	remoteFile  = lazyregexp.New(`(?i)^[ \t]*#\+include:[ \t]*"?(?:[a-z][a-z0-9+.-]*://|/[a-z]+:)`)
	evalMacro   = lazyregexp.New(`(?i)^[ \t]*#\+macro:[ \t]*\S+[ \t]+\(eval\b`)
	bindLine    = lazyregexp.New(`(?i)^[ \t]*#\+bind:`)
	diary       = lazyregexp.New(`(?:^|<)%%\(`)
	verbatimRun = lazyregexp.New("(?:^|[ \\t('\"{-])([=~])\\S(?:.*?\\S)??([=~])(?:$|[ \\t.,;:!?'\")}\\[-])")
)

// lastBytes is how far from the end of a file Emacs looks for local variables.
const lastBytes = 3000

// active finds text that an editor would execute.
func (s *sheet) active(d *doc.Document) {
	if s.rules.Severity(policy.LintActive) == policy.Off {
		return
	}
	number, block := 0, ""
	for line := range bytes.Lines(d.Text) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		if number <= 2 {
			if m := modeLine().FindSubmatch(line); m != nil && !harmless().Match(m[1]) {
				s.add(policy.LintActive, number, "local variables in the first lines, which Emacs sets when it opens the file")
			}
		}
		if d.Format != doc.Org {
			continue
		}
		if block = verbatimBlock(block, line); block != "" {
			continue
		}
		s.activeLine(number, line)
	}
	tail := max(0, len(d.Text)-lastBytes)
	if !beforeColon(d.Text[tail:], "local variables") {
		return
	}
	if at := localBlock().FindAllIndex(d.Text[tail:], -1); len(at) > 0 && localEnd().Match(d.Text[tail+at[len(at)-1][1]:]) {
		s.add(policy.LintActive, doc.LineAt(d.Text, tail+at[len(at)-1][0]), "local variables at the end, which Emacs sets when it opens the file")
	}
}

// activeLine checks a line of Org outside blocks. Each expression runs only if
// the line contains a required string: most lines contain none.
func (s *sheet) activeLine(number int, line []byte) {
	keyword := bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#+"))
	switch {
	case keyword && (setupFile().Match(line) || remoteFile().Match(line)):
		s.add(policy.LintActive, number, "a remote setup file or inclusion, which Emacs fetches when it opens or exports the file")
	case keyword && (evalMacro().Match(line) || bindLine().Match(line)):
		s.add(policy.LintActive, number, "a macro or binding that Emacs evaluates at export")
	case keyword && activeAbbr().Match(line):
		s.add(policy.LintActive, number, "an abbreviation for links that run code")
	case bytes.Contains(line, []byte("%%(")) && diary().Match(line):
		s.add(policy.LintActive, number, "a diary expression, which the agenda evaluates")
	}
	if !bytes.Contains(line, []byte("[[")) && bytes.IndexByte(line, '<') < 0 || !beforeColon(line, "elisp") && !beforeColon(line, "shell") {
		return
	}
	for range activeLink().FindAllIndex(withoutVerbatim(line), -1) {
		s.add(policy.LintActive, number, "a link that runs code")
	}
}

// beforeColon reports whether a word precedes a colon in a text, in any case.
func beforeColon(text []byte, word string) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:], ':')
		if i < 0 {
			return false
		}
		if at += i; at >= len(word) && bytes.EqualFold(text[at-len(word):at], []byte(word)) {
			return true
		}
	}
}

// withoutVerbatim blanks =verbatim= and ~code~.
func withoutVerbatim(line []byte) []byte {
	if !bytes.ContainsAny(line, "=~") {
		return line
	}
	return verbatimRun().ReplaceAllFunc(line, func(run []byte) []byte {
		m := verbatimRun().FindSubmatch(run)
		if m == nil || m[1][0] != m[2][0] {
			return run
		}
		return bytes.Repeat([]byte(" "), len(run))
	})
}

// verbatimBlock returns the name of the block around the next line, or of the
// one that ends in this line; "" outside of one.
func verbatimBlock(in string, line []byte) string {
	if in == "" && bytes.IndexByte(line, '#') < 0 {
		return ""
	}
	word := strings.ToLower(string(bytes.TrimLeft(line, " \t")))
	name, _, _ := strings.Cut(word, " ")
	switch {
	case in != "" && name == "#+end_"+in:
		return ""
	case in != "":
		return in
	}
	name, begins := strings.CutPrefix(name, "#+begin_")
	if begins && (name == "src" || name == "example" || name == "export" || name == "comment") {
		return name
	}
	return ""
}
