package scenarios_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// twoVaults are two directories whose pages link to each other.
type twoVaults struct {
	*apptest.Bed
	a     *memory.Session
	roots map[string]string // by space
	n     int
}

// newTwoVaults has links in which a colon or a slash follows the name of the space.
func newTwoVaults(t *testing.T, sep string) *twoVaults {
	t.Helper()
	v := &twoVaults{Bed: apptest.New(t), roots: map[string]string{}}
	v.roots["work"] = v.Dir("work", map[string]string{"Plan.md": "See [[garden" + sep + "Rivers]] and [[garden" + sep + "a]].\n"})
	v.roots["garden"] = v.Dir("garden", map[string]string{"Rivers.md": "Planned in [[work" + sep + "Plan]].\n"})
	v.a = v.Open()
	for _, root := range v.roots {
		apptest.OK(v.a.Spaces.Attach(t.Context(), root))(t)
	}
	apptest.OK(gitsync.Sync(t.Context(), v.a, gitsync.SyncRequest{}))(t)
	return v
}

// fresh is the dump of a memory that is made of the directories, in this order.
func (v *twoVaults) fresh(order ...string) []string {
	v.T.Helper()
	opts := v.Opts
	v.n++
	opts.DB = filepath.Join(v.Home, fmt.Sprintf("fresh-%d.db", v.n))
	a := apptest.OK(memory.Open(v.T.Context(), opts, true))(v.T)
	defer func() {
		if err := a.Close(); err != nil {
			v.T.Error(err)
		}
	}()
	for _, name := range order {
		apptest.OK(a.Spaces.Attach(v.T.Context(), v.roots[name]))(v.T)
		apptest.OK(gitsync.Sync(v.T.Context(), a, gitsync.SyncRequest{}))(v.T)
	}
	return strings.Split(dump(v.T, a), "\n")
}

// links says where the links of a page lead.
func (v *twoVaults) links(ref string) string {
	v.T.Helper()
	var out []string
	for _, l := range apptest.OK(links.List(v.T.Context(), v.a, api.LinksRequest{Ref: ref}))(v.T).Items {
		to := l.State
		if l.Page != nil {
			to = l.Page.Ref
		}
		out = append(out, l.Target+" → "+to)
	}
	return strings.Join(out, ", ")
}

func (v *twoVaults) text(ref string) string {
	v.T.Helper()
	return apptest.OK(read.Get(v.T.Context(), v.a, read.GetRequest{Ref: ref}))(v.T).Text
}

// A link that names a space leads there, whichever of the two came first, and
// follows what happens there.
func TestLinksAcrossSpaces(t *testing.T) {
	t.Parallel()
	for name, sep := range map[string]string{"slash": "/", "colon": ":"} {
		t.Run(name, func(t *testing.T) { testLinksAcrossSpaces(t, sep) })
	}
}

func testLinksAcrossSpaces(t *testing.T, sep string) {
	v := newTwoVaults(t, sep)
	g := "garden" + sep
	ctx := t.Context()
	is := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s\nwant: %s", what, got, want)
		}
	}
	is("at first", v.links("work:Plan"), g+"Rivers → garden:Rivers, "+g+"a → unresolved")
	is("and back", v.links("garden:Rivers"), "work"+sep+"Plan → work:Plan")
	back := apptest.OK(links.List(ctx, v.a, api.LinksRequest{Way: api.In, Ref: "garden:Rivers"}))(t).Items
	if len(back) != 1 || back[0].From != "work:Plan" {
		t.Errorf("backlinks: %+v", back)
	}

	apptest.OK(change.Put(ctx, v.a, change.PutRequest{Ref: "garden:a", Text: []byte("A page.\n")}))(t)
	is("a page comes", v.links("work:Plan"), g+"Rivers → garden:Rivers, "+g+"a → garden:a")
	near := "work:garden/a" // one that [[garden/a]] or [[garden:a]] means within its own space
	if sep == ":" {
		near = "work:of-the-garden"
	}
	apptest.OK(change.Put(ctx, v.a, change.PutRequest{Ref: near, Title: g + "a", Text: []byte("Nearer.\n")}))(t)
	is("a nearer one comes", v.links("work:Plan"), g+"Rivers → garden:Rivers, "+g+"a → "+near)
	apptest.OK(change.Delete(ctx, v.a, change.DeleteRequest{Ref: near}))(t)
	apptest.OK(change.Delete(ctx, v.a, change.DeleteRequest{Ref: "garden:a"}))(t)
	is("both go", v.links("work:Plan"), g+"Rivers → garden:Rivers, "+g+"a → unresolved")

	// A page that moves takes the links of other spaces along, in one write.
	moved := apptest.OK(change.Move(ctx, v.a, change.MoveRequest{Ref: "garden:Rivers", To: "water/Streams"}))(t)
	is("the text", v.text("work:Plan"), "See [["+g+"Streams]] and [["+g+"a]].\n")
	is("moved", v.links("work:Plan"), g+"Streams → garden:water/Streams, "+g+"a → unresolved")
	apptest.OK(change.Undo(ctx, v.a, history.UndoRequest{Write: moved.Write}))(t)
	is("the text, undone", v.text("work:Plan"), "See [["+g+"Rivers]] and [["+g+"a]].\n")
	is("undone", v.links("work:Plan"), g+"Rivers → garden:Rivers, "+g+"a → unresolved")
	apptest.OK(change.Move(ctx, v.a, change.MoveRequest{Ref: "garden:Rivers", To: "Streams", KeepLinks: true}))(t)
	is("links kept", v.links("work:Plan"), g+"Rivers → unresolved, "+g+"a → unresolved")
	apptest.OK(change.Move(ctx, v.a, change.MoveRequest{Ref: "garden:Streams", To: "Rivers"}))(t)

	// cairn link writes such a link.
	apptest.OK(change.Put(ctx, v.a, change.PutRequest{Ref: "work:Other", Text: []byte("Text.\n")}))(t)
	apptest.OK(links.Add(ctx, v.a, api.LinkRequest{From: "work:Other", Type: "part_of", To: "garden:Rivers"}))(t)
	if text := v.text("work:Other"); !strings.Contains(text, "- part_of [[garden/Rivers]]") {
		t.Errorf("the relation: %q", text)
	}
	apptest.OK(links.Remove(ctx, v.a, api.LinkRequest{From: "work:Other", Type: "part_of", To: "garden:Rivers"}))(t)

	// A space that is forgotten takes nothing along; one that comes is found.
	apptest.OK(v.a.Spaces.Remove(ctx, space.RemoveRequest{Name: "garden"}))(t)
	is("the space goes", v.links("work:Plan"), g+"Rivers → unresolved, "+g+"a → unresolved")
	apptest.OK(v.a.Spaces.Attach(ctx, v.roots["garden"]))(t)
	apptest.OK(gitsync.Sync(ctx, v.a, gitsync.SyncRequest{}))(t)
	is("the space comes", v.links("work:Plan"), g+"Rivers → garden:Rivers, "+g+"a → unresolved")
	if got := v.fresh("work", "garden"); !cmp.Equal(got, v.fresh("garden", "work")) {
		t.Errorf("the order of the spaces counts: %s", cmp.Diff(got, v.fresh("garden", "work")))
	}
}

// A directory that is away keeps no page of another space from moving: its links
// wait.
func TestMoveWithoutTheLinkingSpace(t *testing.T) {
	t.Parallel()
	v := newTwoVaults(t, "/")
	ctx := t.Context()
	away := v.roots["work"] + "-away"
	if err := os.Rename(v.roots["work"], away); err != nil {
		t.Fatal(err)
	}
	apptest.OK(change.Move(ctx, v.a, change.MoveRequest{Ref: "garden:Rivers", To: "Streams"}))(t)
	if err := os.Rename(away, v.roots["work"]); err != nil {
		t.Fatal(err)
	}
	if got := v.links("work:Plan"); got != "garden/Rivers → unresolved, garden/a → unresolved" {
		t.Errorf("links: %s", got)
	}
}

// TestLinksAcrossSpacesAtEveryStep does writes of every kind in two spaces, chosen
// at random, and compares the memory after each with one that is made anew.
func TestLinksAcrossSpacesAtEveryStep(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	worked := map[string]int{}
	for seed := range slowtest.Count(1, 3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			v := newTwoVaults(t, "/")
			ctx, rng := t.Context(), rand.New(rand.NewPCG(uint64(seed), 17))
			pick := func(of ...string) string { return of[rng.IntN(len(of))] }
			name := func() string { return pick("a", "b", "garden/a", "work/b", "d/a") }
			ref := func() string { return pick("work", "garden") + ":" + name() }
			var writes []int64
			var log []string
			for range 80 {
				var (
					w    api.Written
					err  error
					what string
				)
				switch at := ref(); rng.IntN(6) {
				case 0, 1:
					text := fmt.Sprintf("%d: [[%s%s%s]], [[%s%s%s]] and [[%s]].\n", rng.IntN(9), pick("work", "garden", "Garden"), pick("/", ":", ": "), name(),
						pick("work", "garden"), pick("/", ":"), name(), name())
					what = "put " + at + " " + text
					w, err = change.Put(ctx, v.a, change.PutRequest{Ref: at, Text: []byte(text), Overwrite: true, Title: pick("", "b", "One", "Garden: a", "work:b")})
				case 2, 3:
					what = "mv " + at
					to := name()
					what += " " + to
					w, err = change.Move(ctx, v.a, change.MoveRequest{Ref: at, To: to, KeepLinks: rng.IntN(4) == 0})
				case 4:
					what = "rm " + at
					w, err = change.Delete(ctx, v.a, change.DeleteRequest{Ref: at})
				case 5:
					if len(writes) == 0 {
						continue
					}
					what = "undo"
					w, err = change.Undo(ctx, v.a, history.UndoRequest{Write: writes[max(0, len(writes)-1-rng.IntN(4))]})
				}
				log = append(log, what)
				switch kb.CodeOf(err) {
				case "":
				case kb.NotFound, kb.Conflict, kb.Usage, kb.Ambiguous, kb.Invalid:
					continue
				default:
					t.Fatalf("%s: %v", what, err)
				}
				worked[strings.Fields(what)[0]]++
				if w.Write != 0 {
					writes = append(writes, w.Write)
				}
				order := []string{"work", "garden"}
				rng.Shuffle(2, func(i, j int) { order[i], order[j] = order[j], order[i] })
				if diff := cmp.Diff(v.fresh(order...), strings.Split(dump(t, v.a), "\n")); diff != "" {
					t.Fatalf("after\n%s\na fresh memory (-) differs from the one that was written to (+):\n%s", strings.Join(log, "\n"), diff)
				}
			}
		})
	}
	for _, op := range []string{"put", "mv", "rm", "undo"} {
		if worked[op] == 0 {
			t.Errorf("no %s worked", op)
		}
	}
}
