package ageing_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// year is a space in which somebody works for a year, at random.
type year struct {
	*bed
	rng     *rand.Rand
	pages   []string // slugs, of those that are there
	turned  map[string]int
	stale   map[string]string // statuses as they were, by slug
	known   map[string]known
	was     map[string]string // the prose as it was, by slug
	did     map[string]int    // what worked
	n       int               // texts that were written
	farther bool              // the clock is ahead
}

// known is a text in a version, which is read once.
type known struct {
	version int
	text    string
}

// A simulated year of captures, links, reviews, edits by hand and passes, with a clock
// that jumps and summers that begin and end: only transitions that the policy allows
// are made, no page is stale without a reason that holds, a pass twice is once, no pass
// and no relation changes a text, a memory made anew of the documents knows the same,
// and undo of all gives the first bytes.
func TestAYear(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "a simulated year")
	eachKind(t, func(t *testing.T, b *bed) {
		y := &year{bed: b, rng: rand.New(rand.NewPCG(17, uint64(len(b.ext)))), turned: map[string]int{}, did: map[string]int{}}
		for i := range 6 {
			y.put(fmt.Sprint("p", i), "First.", true)
		}
		start, first := b.clock.Last(), b.bytes()
		newest := b.newest()
		y.was = y.prose()
		for step := range 200 {
			b.wait(y.rng.IntN(5))
			y.jump()
			y.step(step)
			y.passes(step)
			if t.Failed() {
				t.FailNow()
			}
		}
		for _, what := range []string{"capture", "link", "unlink", "status", "append", "by hand", "remove", "jump"} {
			if y.did[what] < 3 {
				t.Errorf("%d times %s", y.did[what], what)
			}
		}
		if y.turned["active>stale"] < 20 || y.turned["stale>active"] < 20 || b.clock.Last().Sub(start) < 365*24*time.Hour {
			t.Errorf("only %v in %s", y.turned, b.clock.Last().Sub(start))
		}
		b.rebuilt()
		b.undoAll(newest)
		if diff := cmp.Diff(first, b.bytes()); diff != "" {
			t.Error(diff)
		}
	})
}

// jump sets the clock far ahead at times, as it is when it is set wrong, and back later;
// and by an hour, as nothing but a day of daylight saving is long.
func (y *year) jump() {
	switch n := y.rng.IntN(20); {
	case y.farther && n < 8:
		y.clock.Set(y.clock.Last().AddDate(0, -4, 0))
		y.farther = false
	case !y.farther && n == 0:
		y.clock.Set(y.clock.Last().AddDate(0, 4, 0))
		y.farther = true
		y.did["jump"]++
	case n > 14:
		y.clock.Advance(25 * time.Hour)
	}
}

// step does something at random, which changes the text of at most one page.
func (y *year) step(step int) {
	y.T.Helper()
	ctx, before := y.T.Context(), maps.Clone(y.was)
	page := func() string { return y.pages[y.rng.IntN(len(y.pages))] }
	y.pages = slices.Sorted(maps.Keys(before))
	y.n++
	relation := []string{"supersedes", "contradicts", "related"}[y.rng.IntN(3)]
	at, what := page(), ""
	var (
		w   api.Written
		err error
	)
	op := y.rng.IntN(13)
	if len(y.pages) > 8 && op < 2 {
		op = 12 // so that a step stays quick
	}
	switch op {
	case 0, 1:
		req := api.CaptureRequest{Text: fmt.Sprintf("Fact %d. It is about [[%s]]. #kiln", y.n, page())}
		if y.rng.IntN(3) == 0 {
			req.Supersedes = []string{"k:" + page()}
		}
		var c ingest.CaptureAnswer
		c, err = ingest.Capture(ctx, y.app, req)
		w, what, at = c.Written, "capture", strings.TrimPrefix(c.Ref, "k:")
	case 2, 3, 4:
		what = "link"
		w, err = links.Add(ctx, y.app, api.LinkRequest{From: "k:" + at, Type: relation, To: "k:" + page()})
	case 5, 11:
		what = "unlink"
		for _, l := range apptest.OK(links.List(ctx, y.app, api.LinksRequest{Ref: "k:" + at}))(y.T).Items {
			if l.Kind == "relation" {
				w, err = links.Remove(ctx, y.app, api.LinkRequest{From: "k:" + at, Type: l.Type, To: l.Target})
				break
			}
		}
	case 6, 7:
		what = "status"
		to := []string{"active", "active", "stale", "contested"}[y.rng.IntN(4)]
		w, err = ageing.ChangeStatus(ctx, y.app, ageing.StatusRequest{WriteOptions: api.WriteOptions{Message: byHand}, Ref: "k:" + at, Status: to})
		if to == "contested" && kb.CodeOf(err) != kb.Invalid {
			y.T.Fatalf("step %d: %s became contested: %v", step, at, err)
		}
	case 8:
		what = "append"
		w, err = change.EditPage(ctx, y.app, change.EditRequest{Ref: "k:" + at, Edits: []doc.Edit{
			doc.Append{Text: fmt.Sprintf("\nStep %d.\n", step)},
			doc.SetProperty{Key: "updated", Value: y.clock.Last().Format(time.DateOnly)},
		}})
	case 9, 10:
		what = "by hand"
		w, err = y.byHand(at, fmt.Sprintf("\nBy hand %d.\n\n- %s [[%s]]\n", step, relation, page()))
	case 12:
		if len(y.pages) < 5 {
			return
		}
		what = "remove"
		w, err = change.Delete(ctx, y.app, change.DeleteRequest{Ref: "k:" + at})
	}
	switch kb.CodeOf(err) {
	case "":
		if w.Write != 0 || what == "by hand" {
			y.did[what]++
		}
	case kb.Conflict, kb.Invalid, kb.NotFound: // a second relation alike, a circle, a transition
	default:
		y.T.Fatalf("step %d, %s: %v", step, what, err)
	}
	y.was = y.prose()
	after := maps.Clone(y.was)
	delete(before, at)
	delete(after, at)
	if diff := cmp.Diff(before, after); diff != "" {
		y.T.Errorf("step %d: %s of %s changed other texts: %s", step, what, at, diff)
	}
	y.check(step)
}

// byHand is the message of whoever makes a page stale.
const byHand = "somebody said so"

// byHand adds to a page as an editor does that knows nothing of the memory, or in a
// database space as a person does.
func (y *year) byHand(slug, text string) (api.Written, error) {
	y.T.Helper()
	was := apptest.OK(read.Get(y.T.Context(), y.app, read.GetRequest{Ref: "k:" + slug}))(y.T)
	if y.root == "" {
		return change.EditText(y.T.Context(), y.app, change.EditTextRequest{Ref: "k:" + slug, Text: []byte(was.Text + text)})
	}
	if err := os.WriteFile(filepath.Join(y.root, filepath.FromSlash(was.Path)), []byte(was.Text+text), 0o644); err != nil {
		y.T.Fatal(err)
	}
	_, err := gitsync.Sync(y.T.Context(), y.app, gitsync.SyncRequest{})
	return api.Written{}, err
}

// passes makes passes, the last of which changes nothing.
func (y *year) passes(step int) {
	y.T.Helper()
	before := y.was
	y.pass(y.rng.IntN(2) == 0)
	y.pass(true)
	if p := y.pass(true); p.Write != 0 {
		y.T.Fatalf("step %d: another pass wrote %+v", step, p)
	}
	texts := y.texts()
	y.was = proseOf(texts)
	if diff := cmp.Diff(before, y.was); diff != "" {
		y.T.Errorf("step %d: a pass changed texts: %s", step, diff)
	}
	y.check(step)
	for slug, reason := range y.reasons() {
		if why := y.holds(slug, reason, texts[slug]); why != "" {
			y.T.Errorf("step %d, on %s: %s is stale since %s, but %s", step, y.clock.Last().Format(time.DateOnly), slug, reason, why)
		}
	}
}

// check looks at the statuses that have changed since it last did.
func (y *year) check(step int) {
	y.T.Helper()
	now := y.statuses()
	stale := map[string]string{}
	for slug, to := range now {
		stale[slug] = string(to)
		if from, was := y.stale[slug]; was && from != string(to) {
			turn := from + ">" + string(to)
			y.turned[turn]++
			if turn != "active>stale" && turn != "stale>active" {
				y.T.Fatalf("step %d: %s is %s", step, slug, turn)
			}
		}
	}
	y.stale = stale
}

var (
	reasonForm = regexp.MustCompile(`^(\d{4}-\d\d-\d\d) (?:(age|unlinked) \((\d+) days\)|(superseded) by (\S+)|` + byHand + `)$`)
	dayForm    = regexp.MustCompile(`(?mi)^(?:#\+|:)?(created|updated|reviewed):\s*"?\[?(\d{4}-\d\d-\d\d)(T\S+Z)?`)
)

// holds says why the reason of a stale page does not hold, by what its document and the
// links to it say; "" when it does.
func (y *year) holds(slug, reason, text string) string {
	m := reasonForm.FindStringSubmatch(reason)
	if m == nil {
		return "that is no reason"
	}
	days := func() (n int) {
		base := ""
		for _, d := range dayForm.FindAllStringSubmatch(text, -1) {
			day := d[2]
			if at, err := time.Parse(time.RFC3339, day+d[3]); err == nil {
				day = at.In(y.clock.Last().Location()).Format(time.DateOnly)
			}
			base = max(base, day)
		}
		from, err := time.Parse(time.DateOnly, base)
		to, err2 := time.Parse(time.DateOnly, y.clock.Last().Format(time.DateOnly))
		if err != nil || err2 != nil {
			y.T.Fatalf("%s says no day: %s", slug, text)
		}
		return int(to.Sub(from).Hours()) / 24
	}
	links := apptest.OK(links.List(y.T.Context(), y.app, api.LinksRequest{Way: api.In, Ref: "k:" + slug}))(y.T).Items
	links = slices.DeleteFunc(links, func(l api.Link) bool { return l.From == "k:"+slug || doc.IsAutomatic(l.Context) })
	switch {
	case m[2] == "age" && days() <= 60, m[2] == "unlinked" && days() <= 30:
		return fmt.Sprintf("it is %d days old", days())
	case m[2] == "unlinked" && len(links) > 0:
		return links[0].From + " links to it"
	case m[4] != "" && !slices.ContainsFunc(links, func(l api.Link) bool { return l.From == "k:"+m[5] && l.Type == "supersedes" }):
		return m[5] + " does not replace it"
	}
	return ""
}

// standing is what a document says of its life, by line.
var standing = regexp.MustCompile(`(?mi)^(?:#\+|:)?(?:status|stale_since|stale_reason|reviewed):.*\n`)

// texts are the documents: the files themselves, or what the memory gives for a version.
func (y *year) texts() map[string]string {
	y.T.Helper()
	out, now := map[string]string{}, map[string]known{}
	for _, p := range apptest.OK(retrieve.Pages(y.T.Context(), y.app, retrieve.ListRequest{Limit: 100}))(y.T).Items {
		k, was := y.known[p.Slug]
		switch {
		case strings.Contains(p.Slug, "#"):
			continue
		case p.File != "":
			k = known{p.Version, string(apptest.OK(os.ReadFile(p.File))(y.T))}
		case !was || k.version != p.Version:
			k = known{p.Version, apptest.OK(read.Get(y.T.Context(), y.app, read.GetRequest{Ref: p.Ref, Unread: true}))(y.T).Text}
		}
		out[p.Slug], now[p.Slug] = k.text, k
	}
	y.known = now
	return out
}

func (y *year) prose() map[string]string {
	y.T.Helper()
	return proseOf(y.texts())
}

// proseOf are documents without what they say of their life.
func proseOf(texts map[string]string) map[string]string {
	out := map[string]string{}
	for slug, text := range texts {
		out[slug] = standing.ReplaceAllString(text, "")
	}
	return out
}

// knows is what a memory derives of the documents of the space. When a page is due
// depends on when it was used, too, which no document says.
func (b *bed) knows(a *memory.Session) map[string][]string {
	b.T.Helper()
	ctx, out := b.T.Context(), map[string][]string{}
	for _, p := range apptest.OK(retrieve.Pages(ctx, a, retrieve.ListRequest{Limit: 1000}))(b.T).Items {
		of := []string{p.Title, string(p.Status), fmt.Sprint(p.Tags)}
		for _, l := range apptest.OK(links.List(ctx, a, api.LinksRequest{Ref: p.Ref}))(b.T).Items {
			of = append(of, fmt.Sprint(l.Type, " ", l.Target, " ", l.State, " ", l.Context))
		}
		out[p.Slug] = of
	}
	for _, s := range apptest.OK(ageing.Stale(ctx, a, ageing.StaleRequest{}))(b.T).Items {
		out[s.Slug] = append(out[s.Slug], s.StaleSince+" "+s.Reason)
	}
	return out
}

// rebuilt makes another memory of nothing but the documents, and compares.
func (b *bed) rebuilt() {
	b.T.Helper()
	other := &bed{Bed: apptest.New(b.T), ext: b.ext}
	other.Clock(b.clock.Last(), 0)
	files := map[string]string{".cairn/space.toml": "name = \"k\"\n" + fmt.Sprintf(rules, "markdown")}
	for _, p := range apptest.OK(retrieve.Pages(b.T.Context(), b.app, retrieve.ListRequest{Limit: 1000}))(b.T).Items {
		files[p.Path] = apptest.OK(read.Get(b.T.Context(), b.app, read.GetRequest{Ref: p.Ref, Unread: true}))(b.T).Text
	}
	root := other.Dir("k", files)
	other.Opts.Space = "k"
	a := other.Open()
	apptest.OK(gitsync.AddSpace(b.T.Context(), a, space.AddRequest{Root: root, Accept: true}))(b.T)
	apptest.OK(gitsync.Sync(b.T.Context(), a, gitsync.SyncRequest{}))(b.T)
	if diff := cmp.Diff(b.knows(b.app), b.knows(a)); diff != "" || len(files) < 5 {
		b.T.Errorf("a memory made of the documents (+) knows something else: %s", diff)
	}
}

// newest is the number of the last write.
func (b *bed) newest() int64 {
	b.T.Helper()
	return apptest.OK(history.Recent(b.T.Context(), b.app, history.RecentRequest{Since: "2000-01-01", Limit: 1}))(b.T).Items[0].Write
}

// undoAll takes back every write after one, those of editors as well.
func (b *bed) undoAll(after int64) {
	b.T.Helper()
	var writes []int64
	for _, v := range apptest.OK(history.Recent(b.T.Context(), b.app, history.RecentRequest{Since: "2000-01-01"}))(b.T).Items {
		if v.Write > after && !slices.Contains(writes, v.Write) {
			writes = append(writes, v.Write)
		}
	}
	slices.Sort(writes)
	for _, w := range slices.Backward(writes) {
		if _, err := change.Undo(b.T.Context(), b.app, history.UndoRequest{Write: w}); err != nil {
			b.T.Fatalf("undo of %d: %v", w, err)
		}
	}
}
