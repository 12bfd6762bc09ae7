package scenarios_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// rebuilt is a directory of notes with a memory that is compared, after every
// write, with a fresh memory over the same files.
type rebuilt struct {
	*apptest.Bed
	a    *memory.Session
	root string
	n    int // memories that were made
	log  []string
}

func newRebuilt(t *testing.T, files map[string]string) *rebuilt {
	t.Helper()
	r := &rebuilt{Bed: apptest.New(t)}
	r.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Second)
	r.root = r.Dir("vault", files)
	r.a = r.Open()
	apptest.OK(r.a.Spaces.Attach(t.Context(), r.root))(t)
	apptest.OK(gitsync.Sync(t.Context(), r.a, gitsync.SyncRequest{}))(t)
	return r
}

// check compares the memory with a fresh one.
func (r *rebuilt) check() {
	r.T.Helper()
	ctx := r.T.Context()
	opts := r.Opts
	r.n++
	opts.DB = filepath.Join(r.Home, fmt.Sprintf("fresh-%d.db", r.n))
	c := apptest.OK(memory.Open(ctx, opts, true))(r.T)
	apptest.OK(c.Spaces.Attach(ctx, r.root))(r.T)
	apptest.OK(gitsync.Sync(ctx, c, gitsync.SyncRequest{}))(r.T)
	diff := cmp.Diff(strings.Split(dump(r.T, c), "\n"), strings.Split(dump(r.T, r.a), "\n"))
	if err := c.Close(); err != nil {
		r.T.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(opts.DB + suffix); err != nil && !os.IsNotExist(err) {
			r.T.Fatal(err)
		}
	}
	if diff != "" {
		r.T.Fatalf("after\n%s\na fresh memory (-) differs from the one that was written to (+):\n%s", strings.Join(r.log, "\n"), diff)
	}
}

// did logs a write that must work, and compares.
func (r *rebuilt) did(what string) func(api.Written, error) api.Written {
	r.T.Helper()
	r.log = append(r.log, what)
	return func(w api.Written, err error) api.Written {
		r.T.Helper()
		if err != nil {
			r.T.Fatalf("%s: %v", what, err)
		}
		r.check()
		return w
	}
}

// A page's id is the one that its document carries, or its path gives, after
// any row of writes. Where it would not be, it is written into the document, and
// the answer says so.
func TestIDsFollowFromDocuments(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	ctx := context.Background()
	put := func(r *rebuilt, ref, text string) api.Written {
		return r.did("put " + ref)(change.Put(ctx, r.a, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true}))
	}
	move := func(r *rebuilt, from, to string) api.Written {
		return r.did("mv " + from + " " + to)(change.Move(ctx, r.a, change.MoveRequest{Ref: from, To: to}))
	}
	edit := func(r *rebuilt, ref string, e doc.Edit) api.Written {
		return r.did("edit " + ref)(change.EditPage(ctx, r.a, change.EditRequest{Ref: ref, Edits: []doc.Edit{e}}))
	}
	remove := func(r *rebuilt, ref string) api.Written {
		return r.did("rm " + ref)(change.Delete(ctx, r.a, change.DeleteRequest{Ref: ref}))
	}
	restore := func(r *rebuilt, ref string, version int) api.Written {
		return r.did("restore " + ref)(change.Restore(ctx, r.a, change.RestoreRequest{Ref: ref, Version: version}))
	}
	const kept = "kept its id: its path would give it another"
	for name, tc := range map[string]struct {
		do    func(r *rebuilt) api.Written
		notes string // of the last write
		lost  bool   // the page has another id afterwards
	}{
		"plain text over a page that moved": {do: func(r *rebuilt) api.Written {
			move(r, "a", "b")
			return put(r, "b", "# A new\n")
		}, notes: "kept its id"},
		"a page that moved loses its key": {do: func(r *rebuilt) api.Written {
			move(r, "a", "b")
			return edit(r, "b", doc.RemoveProperty{Key: "id"})
		}, notes: kept},
		"a page that moved gets a key that is no id": {do: func(r *rebuilt) api.Written {
			move(r, "a", "b")
			return edit(r, "b", doc.SetProperty{Key: "id", Value: "4711"})
		}, notes: kept},
		"an editor takes the key out": {do: func(r *rebuilt) api.Written {
			move(r, "a", "b")
			return r.did("editor")(change.EditText(ctx, r.a, change.EditTextRequest{Ref: "b", Text: []byte("A page.\n")}))
		}, notes: kept},
		"a key that says what the path says": {do: func(r *rebuilt) api.Written {
			page := apptest.OK(read.Get(ctx, r.a, read.GetRequest{Ref: "a"}))(r.T)
			edit(r, "a", doc.SetProperty{Key: "id", Value: string(page.ID)})
			return edit(r, "a", doc.RemoveProperty{Key: "id"})
		}},
		"a new page where one was": {do: func(r *rebuilt) api.Written {
			move(r, "a", "b")
			w := put(r, "a", "Another.\n")
			if got := fmt.Sprint(w.Pages[0].Notes); got != "[id added: its path would give it another]" {
				r.T.Errorf("the new page: %s", got)
			}
			return remove(r, "b")
		}, notes: "links to it now lead nowhere", lost: true},
		"an older version of a page that moved": {do: func(r *rebuilt) api.Written {
			move(r, "a", "b")
			return restore(r, "b", 1)
		}, notes: kept},
		"an older version of one that moved and was deleted": {do: func(r *rebuilt) api.Written {
			move(r, "a", "b")
			remove(r, "b")
			return restore(r, "b", 1)
		}, notes: "id added: its path would give it another"},
		"a page that another program moved": {do: func(r *rebuilt) api.Written {
			if err := os.Rename(filepath.Join(r.root, "a.md"), filepath.Join(r.root, "b.md")); err != nil {
				r.T.Fatal(err)
			}
			apptest.OK(gitsync.Sync(ctx, r.a, gitsync.SyncRequest{}))(r.T)
			return edit(r, "b", doc.Append{Text: "More."})
		}, notes: "id added: its path would give it another"},
		"a move that is undone": {do: func(r *rebuilt) api.Written {
			w := move(r, "a", "b")
			return r.did("undo")(change.Undo(ctx, r.a, history.UndoRequest{Write: w.Write}))
		}},
		"a deletion that is undone": {do: func(r *rebuilt) api.Written {
			move(r, "a", "b")
			w := remove(r, "b")
			return r.did("undo")(change.Undo(ctx, r.a, history.UndoRequest{Write: w.Write}))
		}},
		"no place for an id": {do: func(r *rebuilt) api.Written {
			put(r, "a", "---\n{\n---\nA page.\n")
			return move(r, "a", "b")
		}, notes: "its id was ", lost: true},
		"an id of somebody else's making": {do: func(r *rebuilt) api.Written {
			put(r, "a", "---\nid: 202603010900\n---\nA page.\n")
			return move(r, "a", "b")
		}, notes: "its id was ", lost: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRebuilt(t, map[string]string{"other.md": "Of [[a]].\n"})
			w := put(r, "a", "A page.\n")
			id := w.Pages[0].ID
			w = tc.do(r)
			if notes := strings.Join(w.Pages[0].Notes, "; "); !strings.HasPrefix(notes, tc.notes) || tc.notes == "" && notes != "" {
				t.Errorf("notes %q, not %q", notes, tc.notes)
			}
			all := apptest.OK(retrieve.Pages(ctx, r.a, retrieve.ListRequest{}))(t)
			if lost := !slices.ContainsFunc(all.Items, func(p api.Page) bool { return p.ID == id }); lost != tc.lost {
				t.Errorf("the page has its id: %t", !lost)
			}
		})
	}
}

// TestRebuildRuleAtEveryStep does hundreds of writes of every kind, chosen at
// random, and compares the memory after each with a fresh one over the same
// files.
func TestRebuildRuleAtEveryStep(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	worked := map[string]bool{}
	for seed := range slowtest.Count(1, 6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomWrites(t, uint64(seed), 100, worked) })
	}
	for _, op := range []string{"put", "copy", "mv", "rm", "edit", "restore", "undo", "editor", "link", "outside", "sidecar", "raw", "assert", "assert-close"} {
		if slowtest.On() && !worked[op] {
			t.Errorf("no %s worked", op)
		}
	}
}

func randomWrites(t *testing.T, seed uint64, steps int, worked map[string]bool) {
	t.Helper()
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(seed, 14))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	ref := func() string { return pick("a", "b", "c", "d/a", "d/b", "longer", "o.org", "d/p.org") }
	title := func() string { return pick("One", "Two", "a", "longer") }
	uuid := func() string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", rng.IntN(3)) }
	r := newRebuilt(t, map[string]string{"a.md": "See [[b]], [[Two]] and [c](c.md).\n"})
	text := func(ref string) string {
		body := fmt.Sprintf("Text %d of [[%s]] and [[%s]].\n", rng.IntN(100), title(), pick("a", "b", "c", "d/a", uuid()))
		if strings.HasSuffix(ref, ".org") {
			return pick("", ":PROPERTIES:\n:ID: "+uuid()+"\n:END:\n", "#+title: "+title()+"\n") + body +
				pick("", "* Own\n:PROPERTIES:\n:ID: 7"+uuid()[1:]+"\n:END:\nof it\n", "* Own\n:PROPERTIES:\n:ID: own\n:END:\nof it\n")
		}
		return pick("", "", "---\ntitle: "+title()+"\n---\n", "---\nid: "+uuid()+"\n---\n", "---\nid: 4711\ncreated: 2026-01-02\n---\n", "---\n{\n---\n") + body
	}
	var writes []int64
	refused := 0
	for step := range steps {
		var (
			w    api.Written
			err  error
			what string
			at   = ref()
		)
		edit := func(e doc.Edit) {
			what = fmt.Sprintf("edit %s %T%+v", at, e, e)
			w, err = change.EditPage(ctx, r.a, change.EditRequest{Ref: at, Edits: []doc.Edit{e}})
		}
		switch op := rng.IntN(27); op {
		case 0, 1, 2:
			body := text(at)
			what = fmt.Sprintf("put %s %q", at, body)
			w, err = change.Put(ctx, r.a, change.PutRequest{Ref: at, Text: []byte(body), Overwrite: true, Title: pick("", "", title())})
		case 3:
			from := ref()
			what = "copy " + from + " to " + at
			var got api.Text
			if got, err = read.Get(ctx, r.a, read.GetRequest{Ref: from}); err == nil {
				w, err = change.Put(ctx, r.a, change.PutRequest{Ref: at, Text: []byte(got.Text), Overwrite: true})
			}
		case 4, 5, 6, 7:
			to := ref()
			what = "mv " + at + " " + to
			w, err = change.Move(ctx, r.a, change.MoveRequest{Ref: at, To: to, KeepLinks: rng.IntN(4) == 0})
		case 8, 9:
			what = "rm " + at
			w, err = change.Delete(ctx, r.a, change.DeleteRequest{Ref: at})
		case 10:
			edit(doc.RemoveProperty{Key: "id"})
		case 11:
			edit(doc.SetProperty{Key: "id", Value: pick(uuid(), uuid(), "4711")})
		case 12:
			edit(doc.SetTitle{Title: title()})
		case 13:
			edit(doc.Append{Text: "More of [[" + title() + "]]."})
		case 14:
			version := rng.IntN(4)
			what = fmt.Sprintf("restore %s %d", at, version)
			w, err = change.Restore(ctx, r.a, change.RestoreRequest{Ref: at, Version: version})
		case 15, 16:
			if len(writes) == 0 {
				continue
			}
			n := writes[max(0, len(writes)-1-rng.IntN(6))]
			force := rng.IntN(3) == 0
			what = fmt.Sprintf("undo %d %t", n, force)
			w, err = change.Undo(ctx, r.a, history.UndoRequest{Write: n, Force: force})
		case 17:
			body := text(at)
			what = fmt.Sprintf("editor %s %q", at, body)
			w, err = change.EditText(ctx, r.a, change.EditTextRequest{Ref: at, Text: []byte(body)})
		case 18:
			what = "link " + at
			w, err = links.Add(ctx, r.a, api.LinkRequest{From: at, Type: "of", To: ref()})
		case 19: // by another program, that does not move pages without an id
			what = "outside " + at
			file := filepath.Join(r.root, filepath.FromSlash(at))
			if filepath.Ext(file) == "" {
				file += ".md"
			}
			body := fmt.Sprintf("Of step %d.\n%s", step, text(at))
			if strings.HasPrefix(text(at), "---") {
				body = text(at)
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
			what += fmt.Sprintf(" %q", body)
			apptest.OK(gitsync.Sync(ctx, r.a, gitsync.SyncRequest{}))(t)
		case 22, 23:
			name := pick("crm", "mail")
			what = fmt.Sprintf("raw %s %s %d", at, name, step)
			w, err = change.StoreSource(ctx, r.a, change.StoreRequest{Ref: at, Source: name, Data: fmt.Append(nil, step), Overwrite: rng.IntN(2) == 0})
		case 24, 25:
			req := api.AssertRequest{On: at, Subject: title(), Predicate: "of", Object: pick("b", "Two", "x"), Since: pick("", "2017"), Until: pick("", "2020"), Evidence: pick("", "Text 7")}
			what = fmt.Sprintf("assert %+v", req)
			w, err = assertion.Add(ctx, r.a, req)
		case 26:
			all := apptest.OK(assertion.List(ctx, r.a, api.AssertionsRequest{Space: "*", Status: "all", Predicate: "of"}))(t)
			all.Items = slices.DeleteFunc(all.Items, func(x api.Assertion) bool { return x.Derived != "" || x.ValidUntil != "" })
			if len(all.Items) == 0 {
				continue
			}
			what = fmt.Sprintf("assert-close %+v", all.Items[0])
			w, err = assertion.Close(ctx, r.a, api.AssertCloseRequest{ID: all.Items[0].ID, Until: "2020"})
		case 20, 21: // what lies beside a page, or beside none, by another program
			file := filepath.Join(r.root, filepath.FromSlash(vault.SidecarPath(at)))
			body := pick(fmt.Sprintf("{\"sources\": {\"crm\": %d}}", step), "{}", "{\n", "")
			what = fmt.Sprintf("sidecar %s %q", file, body)
			if body == "" {
				err = os.RemoveAll(file)
			} else if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
				err = os.WriteFile(file, []byte(body), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			apptest.OK(gitsync.Sync(ctx, r.a, gitsync.SyncRequest{}))(t)
		}
		r.log = append(r.log, what)
		switch kb.CodeOf(err) {
		case "":
			worked[strings.Fields(what)[0]] = true
		case kb.NotFound, kb.Conflict, kb.Invalid, kb.Usage, kb.Ambiguous:
			refused++
			r.log[len(r.log)-1] += ": " + err.Error()
			continue
		default:
			t.Fatalf("%s: %v", what, err)
		}
		if w.Write != 0 {
			writes = append(writes, w.Write)
		}
		r.check()
	}
	if refused > steps*2/3 {
		t.Errorf("%d of %d writes were refused", refused, steps)
	}
}
