package scenarios_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// kindOfVault generates the vaults of a program.
type kindOfVault struct {
	program
	settings map[string]string                                        // files that are no notes
	path     func(r *rand.Rand) string                                // of a note
	note     func(r *rand.Rand, p, id string) string                  // a note's text without links
	link     func(r *rand.Rand, v vaultFiles, from, to string) string // one of the ways in which the program's users link
	line     func(r *rand.Rand, link string) string
	folders  bool // folders are moved, too
	relative bool // new links are relative paths
}

var (
	folders = []string{"", "", "a", "a/b", "c d", "Über", "a/c d"}
	stems   = []string{"Note", "note", "Plan", "Home", "Ünit", "x (1)", "v1.2 release", "Tab & Co", "100% done", "Index", "日本語", "don't", "a-b", "c,d", "2024-03-05"}
)

func obsidianVault(format string, markdown bool) kindOfVault {
	return kindOfVault{
		program:  obsidian{},
		settings: map[string]string{".obsidian/app.json": fmt.Sprintf(`{"newLinkFormat":%q,"useMarkdownLinks":%v}`, format, markdown)},
		folders:  true,
		relative: format == "relative",
		path:     func(r *rand.Rand) string { return path.Join(pick(r, folders...), pick(r, stems...)) + ".md" },
		note: func(r *rand.Rand, p, id string) string {
			head := pick(r, "", "", "---\ntitle: "+pick(r, stems...)+"\n---\n", "---\naliases: ["+pick(r, "Nick "+id, "'Home'")+"]\n---\n", "# "+pick(r, stems...)+"\n\n")
			return head + "Marker: " + id + "\n\n## One " + id + "\n\nText. ^b" + id + "\n\n## Two & more " + id + "\n\nText.\n"
		},
		link: func(r *rand.Rand, v vaultFiles, from, to string) string {
			id := markerOf(v[to])
			slug := strings.TrimSuffix(to, ".md")
			name := slug
			switch pick(r, format, format, format, "shortest", "relative", "absolute", "suffix") {
			case "shortest":
				if name = path.Base(slug); obsidianPath(v, from, name) != to {
					name = slug
				}
			case "relative":
				rel, _ := filepath.Rel(path.Dir("/"+from), "/"+slug)
				name = filepath.ToSlash(rel)
			case "suffix":
				if i := strings.LastIndexByte(path.Dir(slug), '/'); i > 0 {
					name = slug[i+1:]
				}
			}
			if r.IntN(12) == 0 {
				name = strings.ToUpper(name)
			}
			anchor := pick(r, "", "", "", "#One "+id, "#^b"+id, "#Two & more "+id)
			if markdown == (r.IntN(5) > 0) {
				if strings.Contains(name, ".") || r.IntN(4) > 0 {
					name += ".md"
				}
				if r.IntN(3) == 0 {
					return pick(r, "", "!") + "[x](<" + name + anchor + ">)"
				}
				return "[x](" + strings.ReplaceAll(strings.ReplaceAll(name+anchor, "%", "%25"), " ", "%20") + ")"
			}
			return pick(r, "", "", "!") + "[[" + name + pick(r, "", "", "", ".md") + anchor + pick(r, "", "|label") + "]]"
		},
		line: func(r *rand.Rand, link string) string {
			return pick(r, "See "+link+" here.", "- "+link, "- part_of "+link, "> "+link, "| "+strings.ReplaceAll(link, "|", "\\|")+" | x |")
		},
	}
}

func logseqVault() kindOfVault {
	return kindOfVault{
		program:  logseq{},
		settings: map[string]string{"logseq/config.edn": "{}\n"},
		path: func(r *rand.Rand) string {
			if r.IntN(5) == 0 {
				return fmt.Sprintf("journals/2026_11_%02d.md", 1+r.IntN(28))
			}
			return pick(r, "pages", "pages", "pages", "pages/deep") + "/" + pick(r, "Note", "Plan", "Ada Lovelace", "work___web", "work___api", "work", "Ünit", "日本語", "a-b", "100%25 done", "Home", "v1.2", "work___api___v2", "C# notes", "Tab & Co", "x (1)") + ".md"
		},
		note: func(r *rand.Rand, p, id string) string {
			head := ""
			if !strings.HasPrefix(p, "journals") {
				head = pick(r, "", "", "title:: Title of "+id+"\n\n", "alias:: nick-"+id+", Also "+id+"\n\n")
			}
			return head + "- Marker: " + id + "\n- a block\n  id:: " + blockOf(id) + "\n"
		},
		link: func(r *rand.Rand, v vaultFiles, from, to string) string {
			id := markerOf(v[to])
			name := logseqName(to)
			for _, m := range logseqField.FindAllStringSubmatch(v[to], -1) {
				name = m[2]
				if m[1] == "alias" {
					name = pick(r, logseqName(to), "nick-"+id, "Also "+id)
				}
			}
			if r.IntN(10) == 0 {
				name = strings.ToUpper(name)
			}
			rel, _ := filepath.Rel(path.Dir("/"+from), "/"+to)
			word := "[[" + name + "]]"
			if regexp.MustCompile(`^[\pL][\pL\pN/_-]*$`).MatchString(name) {
				word = "#" + name
			}
			return pick(r, "[["+name+"]]", "[["+name+"]]", "#[["+name+"]]", word, "[text]([["+name+"]])", "{{embed [["+name+"]]}}", "(("+blockOf(id)+"))",
				"[text](("+"("+blockOf(id)+")))", "[file]("+(&url.URL{Path: filepath.ToSlash(rel)}).EscapedPath()+")")
		},
		line: func(r *rand.Rand, link string) string {
			return pick(r, "- see "+link+" here", "- part_of "+link, "- TODO ask "+link, "  - "+link)
		},
	}
}

func dendronVault() kindOfVault {
	names := []string{"proj", "proj.web", "proj.web.api", "proj.web-shop", "user.ada", "user.bob", "tags.topic", "tags.topic.one", "daily.journal.2026.11.21", "root", "ünit.x", "a.b.c.d", "proj.docs", "proj.docs.api", "tags.x", "user.cy", "scratch.2026", "x.y", "home"}
	return kindOfVault{
		program:  dendron{},
		settings: map[string]string{"dendron.yml": "version: 5\nworkspace:\n  vaults:\n    - fsPath: vault\n"},
		path:     func(r *rand.Rand) string { return "vault/" + pick(r, names...) + ".md" },
		note: func(r *rand.Rand, p, id string) string {
			return "---\nid: dendron" + id + "\ntitle: " + pick(r, "Web", "Ada", "Title "+id) + "\ndesc: ''\nupdated: 1700000000000\ncreated: 1700000000000\n---\n\nMarker: " + id + "\n\n## First steps " + id + "\n\nText. ^b" + id + "\n"
		},
		link: func(r *rand.Rand, v vaultFiles, from, to string) string {
			id, name := markerOf(v[to]), strings.TrimSuffix(path.Base(to), ".md")
			anchor := pick(r, "", "", "#first-steps-"+id, "#^b"+id)
			if who, ok := strings.CutPrefix(name, "user."); ok && r.IntN(2) == 0 {
				return "@" + who
			}
			if topic, ok := strings.CutPrefix(name, "tags."); ok && r.IntN(2) == 0 {
				return "#" + topic
			}
			return pick(r, "", "", "!") + "[[" + pick(r, "", "a label|", "", "dendron://vault/") + name + anchor + "]]"
		},
		line: func(r *rand.Rand, link string) string { return pick(r, "See "+link+" here.", "- "+link, "> "+link) },
	}
}

func denoteVault() kindOfVault {
	return kindOfVault{
		program:  denote{},
		settings: map[string]string{},
		folders:  true,
		path: func(r *rand.Rand) string {
			id := fmt.Sprintf("2024%02d%02dT%02d%02d00", 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60))
			return path.Join(pick(r, "", "", "work", "work/old"), id+pick(r, "--a-title", "--other-title__one_two", "__kw", "==sig--titled")) + pick(r, ".org", ".org", ".md")
		},
		note: func(r *rand.Rand, p, id string) string {
			stamp := path.Base(p)[:15]
			if strings.HasSuffix(p, ".md") {
				return "---\ntitle:      \"Title " + id + "\"\ndate:       2024-01-01T12:00:00\nidentifier: \"" + stamp + "\"\n---\n\nMarker: " + id + "\n\n# One " + id + "\n\nText.\n"
			}
			return "#+title:      Title " + id + "\n#+date:       [2024-01-01 Mon 12:00]\n#+filetags:   :one:\n#+identifier: " + stamp + "\n\nMarker: " + id + "\n\n* One " + id + "\n\nText.\n"
		},
		link: func(r *rand.Rand, v vaultFiles, from, to string) string {
			id, stamp := markerOf(v[to]), path.Base(to)[:15]
			if strings.HasSuffix(from, ".md") {
				return "[text](denote:" + stamp + ")"
			}
			rel, _ := filepath.Rel(path.Dir("/"+from), "/"+to)
			part := ""
			if strings.HasSuffix(to, ".org") {
				part = pick(r, "", "", "::*One "+id)
			}
			return "[[" + pick(r, "denote:"+stamp+part, "denote:"+stamp, "file:"+filepath.ToSlash(rel)+part) + "]" + pick(r, "", "[Title]") + "]"
		},
		line: func(r *rand.Rand, link string) string { return pick(r, "See "+link+" here.", "- "+link) },
	}
}

// blockOf is the id of a block of the note with a marker.
func blockOf(id string) string { return fmt.Sprintf("00000000-0000-4000-8000-%012s", id[1:]) }

var marker = regexp.MustCompile(`Marker: (p\d+)`)

func markerOf(text string) string {
	if m := marker.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// What other programs resolve leads to the same notes before and after whatever cairn does,
// cairn sees the same, and undo restores every byte.
func TestLinksAsOtherProgramsResolveThem(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	vaults := map[string]func() kindOfVault{"logseq": logseqVault, "dendron": dendronVault, "denote": denoteVault}
	for _, format := range []string{"shortest", "relative", "absolute"} {
		vaults["obsidian "+format] = func() kindOfVault { return obsidianVault(format, false) }
		vaults["obsidian "+format+" markdown"] = func() kindOfVault { return obsidianVault(format, true) }
	}
	for name, vault := range vaults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind := vault()
			rounds := slowtest.Count(1, 8)
			for seed := range rounds {
				if t.Failed() {
					return
				}
				d := newDifferential(t, kind, uint64(seed))
				d.run(slowtest.Count(40, 70))
				if d.did["mv"] < 5 || d.did["put"] == 0 {
					t.Errorf("too little was done: %v", d.did)
				}
				t.Log(d.did)
			}
		})
	}
}

type differential struct {
	*apptest.Bed
	kindOfVault
	r    *rand.Rand
	a    *memory.Session
	root string
	n    int // markers
	done int
	did  map[string]int
}

func newDifferential(t *testing.T, kind kindOfVault, seed uint64) *differential {
	d := &differential{Bed: apptest.New(t), kindOfVault: kind, r: rand.New(rand.NewPCG(seed, 37)), did: map[string]int{}}
	v := vaultFiles{}
	for len(v) < 12 {
		d.fresh(v)
	}
	for _, p := range slices.Sorted(maps.Keys(v)) {
		for range d.r.IntN(4) {
			v[p] += d.more(v, p)
		}
	}
	d.root = d.Dir("vault", v)
	d.Dir("vault", kind.settings)
	d.a = d.Open()
	added := apptest.OK(gitsync.AddSpace(t.Context(), d.a, space.AddRequest{Root: d.root}))(t)
	d.a = d.a.In(added.Name)
	d.sync()
	return d
}

func (d *differential) sync() {
	apptest.OK(gitsync.Sync(d.T.Context(), d.a, gitsync.SyncRequest{}))(d.T)
}

// fresh adds a note to the vault, and returns its path; "" if there is one.
func (d *differential) fresh(v vaultFiles) string {
	p := d.path(d.r)
	if d.taken(v, p) {
		return ""
	}
	d.n++
	v[p] = d.note(d.r, p, fmt.Sprintf("p%d", d.n))
	return p
}

func (d *differential) taken(v vaultFiles, p string) bool {
	for other := range v {
		if strings.EqualFold(other, p) {
			return true
		}
		if _, isDenote := d.program.(denote); isDenote && path.Base(other)[:15] == path.Base(p)[:15] {
			return true
		}
	}
	return false
}

// more is a line with a link to one of the notes.
func (d *differential) more(v vaultFiles, from string) string {
	to := pick(d.r, slices.Sorted(maps.Keys(v))...)
	return "\n" + d.line(d.r, d.link(d.r, v, from, to)) + "\n"
}

// files reads the notes from the disk.
func (d *differential) files() vaultFiles {
	v := vaultFiles{}
	err := filepath.WalkDir(d.root, func(p string, e os.DirEntry, err error) error {
		if ext := path.Ext(p); err == nil && !e.IsDir() && (ext == ".md" || ext == ".org") {
			text, err := os.ReadFile(p)
			rel, _ := filepath.Rel(d.root, p)
			v[filepath.ToSlash(rel)] = string(text)
			return err
		}
		return err
	})
	if err != nil {
		d.T.Fatal(err)
	}
	return v
}

// run does so many operations.
func (d *differential) run(n int) {
	for d.done = 0; d.done < n && !d.T.Failed(); {
		d.step()
	}
}

func (d *differential) step() {
	ctx, t := d.T.Context(), d.T
	before := d.files()
	paths := slices.Sorted(maps.Keys(before))
	p := pick(d.r, paths...)
	var what string
	var err error
	unseen := false
	switch op := d.r.IntN(16); {
	case op < 5:
		to := d.path(d.r)
		if _, isDenote := d.program.(denote); isDenote {
			to = path.Join(path.Dir(to), path.Base(p)[:15]+path.Base(to)[15:])
			to = strings.TrimSuffix(to, path.Ext(to)) + path.Ext(p)
		} else if op < 2 {
			to = path.Join(path.Dir(to), path.Base(p))
		}
		if to == p {
			return
		}
		what = "mv " + p + " to " + to
		_, err = change.Move(ctx, d.a, change.MoveRequest{Ref: "/" + p, To: to})
	case op == 5 && d.folders:
		from, to := path.Dir(p), path.Dir(d.path(d.r))
		if from == "." || to == "." || from == to || strings.HasPrefix(to, from) {
			return
		}
		what = "mv " + from + "/ to " + to + "/"
		_, err = change.Move(ctx, d.a, change.MoveRequest{Ref: from + "/", To: to + "/"})
	case op < 8:
		more := strings.TrimSpace(d.more(before, p))
		what = "append to " + p + ": " + more
		_, err = change.EditPage(ctx, d.a, change.EditRequest{Ref: p, Edits: []doc.Edit{doc.Append{Text: more}}})
	case op == 8:
		v := maps.Clone(before)
		n := d.fresh(v)
		if n == "" {
			return
		}
		v[n] += d.more(v, n)
		what = "put " + n
		_, err = change.Put(ctx, d.a, change.PutRequest{Ref: n, Text: []byte(v[n])})
	case op == 9:
		what = "put over " + p
		_, err = change.Put(ctx, d.a, change.PutRequest{Ref: p, Text: []byte(before[p] + d.more(before, p)), Overwrite: true})
	case op == 10:
		what = "rm " + p
		if len(before) < 8 {
			return
		}
		_, err = change.Delete(ctx, d.a, change.DeleteRequest{Ref: p})
	case op == 11:
		id := markerOf(before[p])
		old := regexp.MustCompile(`(?m)^(#+|\*) (.* ` + id + `)$`).FindString(before[p])
		if old == "" {
			return
		}
		d.n++
		is := strings.Replace(strings.TrimSuffix(old, id), "ne", "ew", 1) + "No. " + fmt.Sprint(d.n) + " " + id
		what = "heading " + old + " of " + p + " becomes " + is
		_, err = change.EditPage(ctx, d.a, change.EditRequest{Ref: p, Edits: []doc.Edit{doc.Replace{Old: old + "\n", New: is + "\n"}}})
	case op == 12:
		if strings.HasPrefix(p, "journals/") {
			return // Logseq calls it by its day
		}
		d.n++
		what = "title of " + p
		_, err = change.EditPage(ctx, d.a, change.EditRequest{Ref: p, Edits: []doc.Edit{doc.SetTitle{Title: "Name " + fmt.Sprint(d.n)}}})
	default: // an editor writes links, and at once cairn moves the page that they name
		to := path.Join(path.Dir(d.path(d.r)), path.Base(p))
		if to == p {
			return
		}
		from := pick(d.r, paths...)
		text := before[from] + "\n" + d.line(d.r, d.link(d.r, before, from, p)) + "\n"
		d.Dir("vault", map[string]string{from: text})
		before[from] = text
		unseen = true
		what = "unseen link in " + from + "; mv " + p + " to " + to
		_, err = change.Move(ctx, d.a, change.MoveRequest{Ref: "/" + p, To: to})
	}
	verb, _, _ := strings.Cut(what, " ")
	if err != nil {
		d.did[verb+" refused"]++
		if after := d.files(); !maps.Equal(after, before) {
			t.Errorf("%s: %v; but files changed:\n%s", what, err, cmp.Diff(before, after))
		}
		if unseen {
			d.sync()
		}
		return
	}
	d.did[verb]++
	d.done++
	after := d.files()
	if maps.Equal(after, before) {
		return // a folder that was moved to where it is
	}
	d.compare(what, before, after)
	d.seen(what, after)
	if d.r.IntN(3) == 0 && !t.Failed() {
		if _, err := change.Undo(ctx, d.a, history.UndoRequest{}); err != nil {
			t.Errorf("undo of %s: %v", what, err)
		} else if restored := d.files(); !maps.Equal(restored, before) {
			t.Errorf("undo of %s:\n%s", what, cmp.Diff(before, restored))
		} else {
			d.seen("undo of "+what, restored)
		}
	}
}

// compare checks that each link leads to the same note as before.
func (d *differential) compare(what string, before, after vaultFiles) {
	now := map[string]string{} // paths by marker
	for p, text := range after {
		now[markerOf(text)] = p
	}
	for p, text := range before {
		to, kept := now[markerOf(text)]
		if !kept {
			continue
		}
		was, is := d.links(text), d.links(after[to])
		if len(is) < len(was) {
			d.T.Errorf("%s: %s has %d links, had %d", what, to, len(is), len(was))
			continue
		}
		for i, l := range was {
			end := d.lead(before, p, l.raw)
			target, kept := now[markerOf(before[end.path])]
			if end.path == "" || !kept {
				continue
			}
			end.path = target
			if d.relative && is[i].raw != l.raw && isSeenFrom(p, l.raw, d.lead(before, p, l.raw).path) && !isSeenFrom(to, is[i].raw, target) {
				d.T.Errorf("%s: in %s %s was a relative path; now in %s %s is none", what, p, l, to, is[i])
			}
			if got := d.lead(after, to, is[i].raw); got != end && (end.anchor || got.path != end.path) {
				d.T.Errorf("%s: in %s %s led to %v (then %s); now in %s %s leads to %v\n%s", what, p, l, d.lead(before, p, l.raw), target, to, is[i], got, after[to])
			}
		}
	}
}

// isSeenFrom reports whether a link is the path of a note as seen from the note at from.
func isSeenFrom(from, raw, to string) bool {
	target, _ := linkTarget(raw)
	name, _, _ := strings.Cut(target, "|")
	name, _, _ = strings.Cut(name, "#")
	rel, err := filepath.Rel(path.Dir("/"+from), "/"+to)
	return err == nil && strings.TrimSuffix(strings.TrimPrefix(name, "./"), ".md") == strings.TrimSuffix(filepath.ToSlash(rel), ".md")
}

// seen checks that cairn sees the links that the program sees.
func (d *differential) seen(what string, v vaultFiles) {
	err := d.a.DB.View(d.T.Context(), func(tx store.Tx) error { return d.compareSeen(d.T.Context(), tx, what, v) })
	if err != nil {
		d.T.Error(err)
	}
}

func (d *differential) compareSeen(ctx context.Context, tx store.Tx, what string, v vaultFiles) error {
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	for p, text := range v {
		pages, err := tx.Pages().ByPath(ctx, spaces[0].Row, p)
		if err != nil {
			return err
		}
		if len(pages) == 0 {
			d.T.Errorf("%s: %s is no page", what, p)
			continue
		}
		found, err := tx.Links().From(ctx, pages[0].Row)
		if err != nil {
			return err
		}
		by := map[int]string{}
		for _, l := range found {
			by[l.Line] = l.Page.Path
		}
		for _, l := range d.links(text) {
			if end := d.lead(v, p, l.raw); end.path != "" && end.path != p && by[l.line] != end.path {
				d.T.Errorf("%s: in %s %s leads to %s, for cairn to %q\n%s", what, p, l, end.path, by[l.line], text)
			}
		}
	}
	return nil
}
