package webui

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// rendered reports whether differences are shown as their pages look.
func (v *view) rendered() bool { return v.param("diff") == "rendered" }

// wayOfDifferences switches between both ways to show differences.
func (v *view) wayOfDifferences() node {
	if v.rendered() {
		return el("a", href(v.with("diff", "")), "Show changes as source")
	}
	return el("a", href(v.with("diff", "rendered")), "Show changes rendered")
}

// maxDiff is how many bytes of a difference are shown.
const maxDiff = 80_000

// shorter returns the lines of a difference that are shown, and a note where that is not all.
// A line of more than a tenth of them is cut.
func shorter(diff string) (string, node) {
	if len(diff) <= maxDiff {
		return diff, nil
	}
	var out strings.Builder
	for line := range strings.Lines(diff) {
		if len(line) > maxDiff/10 {
			line = strings.ToValidUTF8(line[:maxDiff/10], "") + "…\n"
		}
		if out.Len()+len(line) > maxDiff {
			break
		}
		out.WriteString(line)
	}
	return out.String(), el("p.quiet", "The difference goes on.")
}

// diffView is a unified difference, coloured.
func diffView(diff, of string) node {
	if diff == "" {
		return el("p.quiet", "There is no difference.")
	}
	shown, more := shorter(diff)
	var out nodes
	for _, line := range hunkLines(shown) {
		kind := ""
		switch {
		case strings.HasPrefix(line, "@@"):
			if strings.Contains(line, " +0,0 @@") || strings.HasPrefix(line, "@@ -0,0 ") {
				continue // all of the page
			}
			kind = "hunk"
		case strings.HasPrefix(line, `\`):
			kind = "quiet"
		case strings.HasPrefix(line, "+"):
			kind = "add"
		case strings.HasPrefix(line, "-"):
			kind = "del"
		}
		out = append(out, el("span", flag(kind != "", "class", kind), line))
	}
	return nodes{el("div.diff", attr{"tabindex", "0"}, attr{"role", "region"}, attr{"aria-label", strings.TrimSpace("Difference " + of)}, out), more}
}

// hunkView is a part of the difference of a page, in the way that was asked for.
func (v *view) hunkView(diff, of, ref string) node {
	if !v.rendered() || diff == "" {
		return diffView(diff, of)
	}
	path := v.pathOf(ref)
	diff, more := shorter(diff)
	return nodes{el("div.rendered", attr{"tabindex", "0"}, attr{"role", "region"}, attr{"aria-label", strings.TrimSpace("Difference " + of)},
		each(runsOf(diff), func(r diffRun) node {
			text := strings.Join(r.lines, "\n")
			if strings.TrimSpace(text) == "" {
				return nil
			}
			var shown node = el("pre", text)
			if passage := v.passage(data{"path": path, "text": text + "\n"}, nil); !r.metadata && showsAll(passage, text) {
				shown = el("div.doc", attr{"dir", "auto"}, passage)
			}
			switch r.kind {
			case '+':
				return el("ins", shown)
			case '-':
				return el("del", shown)
			}
			return el("div.same", shown)
		})), more}
}

// showsAll reports whether a rendered passage has each word of its source. Comments, addresses of
// references and settings are not shown, but a reviewer has to see them.
func showsAll(passage node, source string) bool {
	var html bytes.Buffer
	passage.write(&html)
	left := map[string]int{}
	for _, word := range anyWord().FindAllString(html.String(), -1) {
		left[word]++
	}
	for _, word := range anyWord().FindAllString(listMark().ReplaceAllString(source, ""), -1) {
		if left[word]--; left[word] < 0 {
			return false
		}
	}
	return true
}

// diffRun is successive lines of a difference that were all added, removed or kept.
type diffRun struct {
	kind     byte
	metadata bool // they are lines of front matter
	lines    []string
}

var (
	anyWord      = lazyregexp.New(`[\pL\pN]+`)
	listMark     = lazyregexp.New(`(?m)^[ \t>]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\])?`)
	metadataLine = lazyregexp.New(`^(?:---|[ \t]*-[ \t]|[ \t]+\S|#|[A-Za-z0-9_"'.-]+[ \t]*:)`)
	hunkAtTop    = lazyregexp.New(`^@@ -\d{1,2}(?:,\d+)? \+\d{1,2}(?:,\d+)? @@`)
)

// runsOf divides the lines of a unified difference. Front matter that ends in a hunk at the top
// of a page is told from text by the form of its lines.
func runsOf(diff string) (out []diffRun) {
	end := 0 // of front matter, in lines of this hunk
	lines := hunkLines(diff)
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, `\`):
			continue
		case strings.HasPrefix(line, "@@"):
			end = i
			if hunkAtTop().MatchString(line) {
				end = frontMatter(lines, i+1)
			}
			continue
		}
		kind, text := byte(' '), ""
		if line != "" {
			kind, text = line[0], line[1:]
		}
		r := diffRun{kind: kind, metadata: i < end}
		if n := len(out); n > 0 && out[n-1].kind == r.kind && out[n-1].metadata == r.metadata {
			out[n-1].lines = append(out[n-1].lines, text)
			continue
		}
		r.lines = []string{text}
		out = append(out, r)
	}
	return out
}

// hunkLines returns the lines of a unified difference without the names of its files.
func hunkLines(diff string) []string {
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	if len(lines) > 2 && strings.HasPrefix(lines[0], "--- ") && strings.HasPrefix(lines[1], "+++ ") {
		return lines[2:]
	}
	return lines
}

// frontMatter returns the line after the front matter that goes on at some line of a
// difference; that line itself where none does.
func frontMatter(lines []string, from int) int {
	for i, line := range lines[from:] {
		if line == "" || strings.HasPrefix(line, "@@") || !metadataLine().MatchString(line[1:]) {
			return from
		}
		if line[1:] == "---" && i > 0 {
			return from + i + 1
		}
	}
	return from
}
