package scenarios_test

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// The resolvers below say where links lead in other programs. They follow the documentation
// and the bug reports of these programs, and share no code with cairn.

// vaultFiles are the texts of the notes of a vault, by path.
type vaultFiles map[string]string

// linkOf is a link in a note.
type linkOf struct {
	line int // from 1
	raw  string
}

// endOf is where a link leads: the path of a note, "" for none or for several, and whether the note has
// the heading or block that the link names.
type endOf struct {
	path   string
	anchor bool
}

// program is a program that reads a vault.
type program interface {
	links(text string) []linkOf
	lead(v vaultFiles, from, raw string) endOf
}

func linksOf(text string, pattern *regexp.Regexp) (out []linkOf) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		for _, raw := range pattern.FindAllString(line, -1) {
			out = append(out, linkOf{number, raw})
		}
	}
	return out
}

// single returns the path that several results have in common, "" otherwise.
func single(paths []string) string {
	slices.Sort(paths)
	if paths = slices.Compact(paths); len(paths) == 1 {
		return paths[0]
	}
	return ""
}

// obsidian resolves a link by the path of the file alone, in any case: the path from the root first;
// then the files whose path ends with the link, those below the folder of the linking note before all
// others, and of each the one with the shortest path. "./" and "../" mean one path as seen from the
// note, "/" one from the root. The form of new links does not matter.
type obsidian struct{}

var obsidianLink = regexp.MustCompile(`!?\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\((?:<[^<>\n]*>|(?:[^()\s]|\([^()\s]*\))*)\)`)

func (obsidian) links(text string) []linkOf { return linksOf(text, obsidianLink) }

// linkTarget returns the target of a link in brackets or of a Markdown link.
func linkTarget(raw string) (target string, markdown bool) {
	if inner, ok := strings.CutPrefix(strings.TrimPrefix(raw, "!"), "[["); ok {
		return strings.TrimSuffix(inner, "]]"), false
	}
	_, target, _ = strings.Cut(raw, "](")
	target = strings.TrimSuffix(target, ")")
	if bare, ok := strings.CutPrefix(target, "<"); ok {
		target = strings.TrimSuffix(bare, ">")
	}
	if decoded, err := url.PathUnescape(target); err == nil {
		target = decoded
	}
	return target, true
}

func (obsidian) lead(v vaultFiles, from, raw string) endOf {
	target, markdown := linkTarget(raw)
	if !markdown {
		target, _, _ = strings.Cut(target, "|")
	}
	name, anchor, anchored := strings.Cut(target, "#")
	to := from
	if name = strings.TrimSpace(name); name != "" {
		to = obsidianPath(v, from, name)
	} else if !anchored {
		to = ""
	}
	if to == "" {
		return endOf{}
	}
	return endOf{to, !anchored || obsidianAnchor(v[to], anchor)}
}

func obsidianFold(s string) string {
	return strings.ToLower(norm.NFC.String(strings.ReplaceAll(s, "\u00a0", " ")))
}

func obsidianPath(v vaultFiles, from, name string) string {
	want := obsidianFold(name)
	if !strings.HasSuffix(want, ".md") {
		want += ".md"
	}
	folder := obsidianFold(path.Dir(from)) + "/"
	if folder == "./" {
		folder = ""
	}
	exact := func(want string) string {
		for p := range v {
			if obsidianFold(p) == want {
				return p
			}
		}
		return ""
	}
	switch {
	case strings.HasPrefix(want, "/"):
		return exact(want[1:])
	case strings.HasPrefix(want, "./"), strings.HasPrefix(want, "../"):
		return exact(path.Join(folder, want))
	}
	if to := exact(want); to != "" {
		return to
	}
	var near, far []string
	for p := range v {
		switch fold := obsidianFold(p); {
		case !strings.HasSuffix(fold, "/"+want):
		case strings.HasPrefix(fold, folder):
			near = append(near, p)
		default:
			far = append(far, p)
		}
	}
	if len(near) == 0 {
		near = far
	}
	least := 0
	for _, p := range near {
		if least == 0 || len(p) < least {
			least = len(p)
		}
	}
	return single(slices.DeleteFunc(near, func(p string) bool { return len(p) > least }))
}

// obsidianAnchor compares headings without signs, as Obsidian does.
func obsidianAnchor(text, anchor string) bool {
	if block, ok := strings.CutPrefix(anchor, "^"); ok {
		return regexp.MustCompile(`(?mi)(?:^|\s)\^` + regexp.QuoteMeta(block) + `$`).MatchString(text)
	}
	plain := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" #|^:%[]\\", r) }), " ")
	}
	parts := strings.Split(anchor, "#")
	last := plain(parts[len(parts)-1])
	for line := range strings.Lines(text) {
		if head := strings.TrimLeft(line, "#"); len(head) < len(line) && strings.HasPrefix(head, " ") && plain(strings.TrimSpace(head)) == last {
			return true
		}
	}
	return false
}

// logseq resolves a link by the name of the page, in any case: the property title of the first block, or else
// the name of the file with "___" and "%2F" for slashes, and the date of a journal; or by an alias.
// Folders do not matter. "((UUID))" leads to the page of the block. Markdown links are paths.
type logseq struct{}

var (
	logseqLink  = regexp.MustCompile(`#\[\[[^\[\]\n]*\]\]|\[\[[^\[\]\n]*\]\]|\(\([0-9a-f-]{36}\)\)|#[\pL\pN/_-]+|\[[^\[\]\n]*\]\([^()\s]*\.md\)`)
	logseqField = regexp.MustCompile(`(?m)^(title|alias):: (.*)$`)
)

func (logseq) links(text string) []linkOf { return linksOf(text, logseqLink) }

func (logseq) lead(v vaultFiles, from, raw string) endOf {
	if block, ok := strings.CutPrefix(raw, "(("); ok {
		var found []string
		for p, text := range v {
			if strings.Contains(text, "id:: "+strings.TrimSuffix(block, "))")) {
				found = append(found, p)
			}
		}
		return endOf{single(found), true}
	}
	if strings.HasSuffix(raw, ".md)") {
		target, _ := linkTarget(raw)
		to := path.Join(path.Dir(from), target)
		if _, ok := v[to]; !ok {
			to = ""
		}
		return endOf{to, true}
	}
	name := obsidianFold(strings.Trim(strings.TrimPrefix(raw, "#"), "[]"))
	var named, aliased []string
	for p, text := range v {
		title, aliases := logseqName(p), ""
		for _, m := range logseqField.FindAllStringSubmatch(text, -1) {
			if m[1] == "title" {
				title = m[2]
			} else {
				aliases = m[2]
			}
		}
		if obsidianFold(title) == name {
			named = append(named, p)
		}
		for _, a := range strings.Split(aliases, ",") {
			if obsidianFold(strings.TrimSpace(a)) == name {
				aliased = append(aliased, p)
			}
		}
	}
	if len(named) == 0 {
		named = aliased
	}
	return endOf{single(named), true}
}

func logseqName(p string) string {
	name := strings.TrimSuffix(path.Base(p), ".md")
	if day, err := time.Parse("2006_01_02", name); err == nil {
		n := day.Day()
		suffix := "th"
		if n/10 != 1 && n%10 >= 1 && n%10 <= 3 {
			suffix = []string{"st", "nd", "rd"}[n%10-1]
		}
		return day.Format("Jan ") + strconv.Itoa(n) + suffix + day.Format(", 2006")
	}
	name = strings.ReplaceAll(name, "___", "/")
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	return name
}

// dendron resolves a link by the whole dotted name of the note. The label is in front of it; "@name" is
// user.name, "#name" is tags.name.
type dendron struct{}

var dendronLink = regexp.MustCompile(`!?\[\[[^\[\]\n]*\]\]|(?:^| )[@#][a-z][a-z0-9.-]*`)

func (dendron) links(text string) []linkOf { return linksOf(text, dendronLink) }

func (dendron) lead(v vaultFiles, from, raw string) endOf {
	raw = strings.TrimSpace(raw)
	switch raw[0] {
	case '@':
		raw = "[[user." + raw[1:] + "]]"
	case '#':
		raw = "[[tags." + raw[1:] + "]]"
	}
	target, _ := linkTarget(raw)
	if i := strings.LastIndexByte(target, '|'); i >= 0 {
		target = target[i+1:]
	}
	if rest, ok := strings.CutPrefix(target, "dendron://"); ok {
		_, target, _ = strings.Cut(rest, "/")
	}
	name, anchor, anchored := strings.Cut(target, "#")
	to := from
	if name != "" {
		var found []string
		for p := range v {
			if strings.TrimSuffix(path.Base(p), ".md") == name {
				found = append(found, p)
			}
		}
		to = single(found)
	}
	if to == "" {
		return endOf{}
	}
	slug := func(s string) string {
		return strings.Trim(regexp.MustCompile(`[^\pL\pN]+`).ReplaceAllString(strings.ToLower(s), "-"), "-")
	}
	ok := !anchored || strings.HasPrefix(anchor, "^") && regexp.MustCompile(`(?m)\^`+regexp.QuoteMeta(anchor[1:])+`$`).MatchString(v[to])
	for line := range strings.Lines(v[to]) {
		ok = ok || strings.HasPrefix(line, "#") && slug(strings.TrimLeft(line, "#")) == slug(anchor)
	}
	return endOf{to, ok}
}

// denote resolves "denote:ID" to the file whose name begins with the identifier, wherever it is. Links of
// Org to files are paths.
type denote struct{}

var denoteLink = regexp.MustCompile(`\[\[denote:[^\]\n]*\](?:\[[^\]\n]*\])?\]|\[[^\[\]\n]*\]\(denote:[^)\n]*\)|\[\[file:[^\]\n]*\](?:\[[^\]\n]*\])?\]`)

func (denote) links(text string) []linkOf { return linksOf(text, denoteLink) }

func (denote) lead(v vaultFiles, from, raw string) endOf {
	target, isFile := strings.CutPrefix(raw, "[[file:")
	if !isFile {
		_, target, _ = strings.Cut(raw, "denote:")
	}
	target = target[:strings.IndexAny(target, "])")]
	target, heading, anchored := strings.Cut(target, "::*")
	to := ""
	if isFile {
		if to = path.Join(path.Dir(from), target); v[to] == "" {
			to = ""
		}
	} else {
		var found []string
		for p := range v {
			if strings.HasPrefix(path.Base(p), target) {
				found = append(found, p)
			}
		}
		to = single(found)
	}
	if to == "" {
		return endOf{}
	}
	return endOf{to, !anchored || strings.Contains("\n"+v[to], "\n* "+heading+"\n")}
}

// random words for names, headings and labels.
func pick[T any](r interface{ IntN(int) int }, of ...T) T { return of[r.IntN(len(of))] }

func (l linkOf) String() string { return fmt.Sprintf("%d: %s", l.line, l.raw) }
