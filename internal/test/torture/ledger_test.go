package torture

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// linkers is how many pages link to the hub.
const linkers = 4

// ledger holds what processes said they would do and what was answered.
type ledger struct {
	home   string
	events []event        // of this round
	tokens map[string]int // of the shared pages, by space and token: 1 tried, 2 acknowledged
	group  int            // newest acknowledged generation
	past   []event        // acknowledged in earlier rounds
	acked  int
}

func (l *ledger) add(events []event) { l.events = append(l.events, events...) }

// check finishes what the dead left, as the next commands do, and compares
// everything with what was said.
func (l *ledger) check(t *testing.T, round string) {
	t.Helper()
	ctx := t.Context()
	next := newCommands(t, l.home, "check")
	// No dead process's lock stops the next command, in either space.
	for _, space := range []string{"notes", "mem"} {
		apptest.OK(next.Put(ctx, change.PutRequest{Ref: space + ":after.md", Text: []byte(prose(round)), Overwrite: true}))(t)
	}
	apptest.OK(next.Sync(ctx, gitsync.SyncRequest{Yes: true}))(t)
	again := apptest.OK(next.Sync(ctx, gitsync.SyncRequest{Yes: true, Full: true}))(t)[0]
	if n := again.Changes() + len(again.Failed); n > 0 {
		t.Errorf("a second sync still finds something to do: %+v", again)
	}
	if left := temporaries(t, root(l.home)); len(left) > 0 {
		t.Errorf("temporary files are left: %q", left)
	}
	var valid any
	if err := next.run(nil, &valid, "db", "validate"); err != nil {
		t.Error(err)
	}
	w := agree(t, l.home)
	a := apptest.OK(memory.Open(ctx, options(l.home, "check"), false))(t)
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	l.checkHistory(t, w)
	l.checkOwn(t, w)
	l.checkTokens(t, w)
	l.checkEdited(t, w)
	l.checkGroup(t, w)
	l.checkHub(t, a, w)
	l.checkSearch(t, a)
	l.endRound(t, a)
}

// world is what the memory says, and what the files of the directory space
// hold.
type world struct {
	docs     map[string]store.Document // by "space:path"
	text     map[string]string         // by "space:path"
	versions map[string][]kb.Version   // by "space:id", newest first
	bytes    map[kb.Hash]string        // of every version
}

func look(t *testing.T, home string) *world {
	t.Helper()
	w := &world{map[string]store.Document{}, map[string]string{}, map[string][]kb.Version{}, map[kb.Hash]string{}}
	ctx := context.Background()
	view(t, home, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		names := map[int64]string{}
		for _, s := range all {
			names[s.Row] = s.Name
			states, err := tx.Documents().States(ctx, s.Row)
			if err != nil {
				return err
			}
			for _, st := range states {
				d, err := tx.Documents().ByRow(ctx, st.Row)
				if err != nil {
					return err
				}
				key := s.Name + ":" + d.Path
				b, err := tx.History().Bytes(ctx, d.Hash)
				if err != nil {
					return fmt.Errorf("bytes of %s: %w", key, err)
				}
				w.docs[key], w.text[key] = *d, string(b)
			}
		}
		versions, _, err := tx.History().Versions(ctx, store.VersionFilter{}, 1<<30, 0)
		for _, v := range versions {
			key := names[v.Space] + ":" + string(v.Page)
			w.versions[key] = append(w.versions[key], v)
			if _, known := w.bytes[v.Hash]; !known && v.Change != kb.Deleted {
				b, err := tx.History().Bytes(ctx, v.Hash)
				if err != nil {
					return fmt.Errorf("version %d of %s: %w", v.Version, key, err)
				}
				w.bytes[v.Hash] = string(b)
			}
		}
		return err
	})
	return w
}

// agree checks that files, index and history say the same, and that the
// journal is empty.
func agree(t *testing.T, home string) *world {
	t.Helper()
	db := apptest.OK(database(t.Context(), home))(t)
	if err := db.Validate(t.Context()); err != nil {
		t.Errorf("%v: %v", err, kb.AsError(err).Details)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	view(t, home, func(tx store.Tx) error {
		pending, err := tx.Journal().Pending(t.Context())
		if len(pending) > 0 {
			t.Errorf("%d journal entries are left", len(pending))
		}
		return err
	})
	w := look(t, home)
	files := map[string]string{}
	err := filepath.WalkDir(root(home), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(root(home), name)
		files["notes:"+filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range files {
		if got, known := w.text[key]; !known || got != text {
			t.Errorf("%s: the index knows other bytes than the file has (known: %t)", key, known)
		}
	}
	live := map[string]bool{}
	for key, d := range w.docs {
		space, _, _ := strings.Cut(key, ":")
		if _, there := files[key]; !there && space == "notes" {
			t.Errorf("%s is in the index and is no file", key)
		}
		id := space + ":" + string(d.ID)
		live[id] = true
		v := w.versions[id]
		if len(v) == 0 || v[0].Change == kb.Deleted || v[0].Hash != d.Hash || v[0].Version != d.Version || v[0].Path != d.Path {
			t.Errorf("%s: the history does not end in the state that the index has: %+v", key, d)
		}
	}
	for id, versions := range w.versions {
		for i, v := range versions {
			if v.Version != len(versions)-i {
				t.Errorf("%s: version %d stands where %d should", id, v.Version, len(versions)-i)
			}
		}
		if !live[id] && versions[0].Change != kb.Deleted {
			t.Errorf("%s is gone, and its history does not say so", id)
		}
	}
	return w
}

// checkHistory looks for every acknowledged version, of this round and of
// those before, byte for byte.
func (l *ledger) checkHistory(t *testing.T, w *world) {
	t.Helper()
	for _, e := range slices.Concat(l.past, l.events) {
		if e.Kind != "ack" || e.ID == "" || e.Version == 0 {
			continue
		}
		versions := w.versions[e.Space+":"+e.ID]
		if e.Version > len(versions) {
			t.Errorf("%s was answered version %d of %s, and there are %d", e.Who, e.Version, e.Path, len(versions))
			continue
		}
		v := versions[len(versions)-e.Version]
		switch text := w.bytes[v.Hash]; {
		case e.Op == "delete":
			if v.Change != kb.Deleted {
				t.Errorf("%s deleted %s in version %d, which is %s", e.Who, e.Path, e.Version, v.Change)
			}
		case e.Hash != "" && hashOf(text) != e.Hash:
			t.Errorf("%s: version %d of %s has other bytes than were acknowledged", e.Who, e.Version, e.Path)
		case e.Token != "" && strings.Count(text, tokenLine(e.Token)) != 1:
			t.Errorf("%s: version %d of %s has not the line that was acknowledged", e.Who, e.Version, e.Path)
		}
	}
}

// checkOwn compares the pages that one worker alone writes with its last
// acknowledged write, or with the one that was under way.
func (l *ledger) checkOwn(t *testing.T, w *world) {
	t.Helper()
	acked, tried := map[string]event{}, map[string]event{}
	for _, e := range l.events {
		key := e.Space + ":" + e.ID
		switch {
		case e.Op != "put" && e.Op != "edit" && e.Op != "move" && e.Op != "delete" || !strings.Contains(e.Who, ".own"):
		case e.Kind == "try":
			tried[key] = e
		case e.Kind == "ack":
			acked[key] = e
			delete(tried, key)
		}
	}
	byID := map[string]store.Document{}
	for key, d := range w.docs {
		space, _, _ := strings.Cut(key, ":")
		byID[space+":"+string(d.ID)] = d
	}
	is := func(key string, e event) bool {
		d, there := byID[key]
		return there == (e.Hash != "") && (!there || d.Path == e.Path && d.Hash.String() == e.Hash)
	}
	keys := map[string]bool{}
	for k := range acked {
		keys[k] = true
	}
	for k := range tried {
		keys[k] = true
	}
	for key := range keys {
		last, under := acked[key], tried[key]
		n := len(w.versions[key])
		switch {
		case under.Kind != "" && is(key, under) && n == last.Version+1:
		case is(key, last) && n == last.Version:
		default:
			t.Errorf("%s: neither the acknowledged %+v nor the %+v that was under way, but %+v with %d versions", key, last, under, byID[key], n)
		}
	}
}

// checkTokens looks for lost and doubled updates of the pages that every
// process adds to.
func (l *ledger) checkTokens(t *testing.T, w *world) {
	t.Helper()
	if l.tokens == nil {
		l.tokens = map[string]int{}
	}
	versions := map[string]bool{}
	for _, e := range l.events {
		if e.Op != "token" || e.Path != "shared/log.md" {
			continue
		}
		key := e.Space + ":" + e.Token
		switch e.Kind {
		case "try":
			l.tokens[key] = 1
		case "no":
			delete(l.tokens, key)
		case "ack":
			l.tokens[key] = 2
			v := fmt.Sprint(e.Space, e.Version)
			if versions[v] {
				t.Errorf("version %d of the log in %s was answered twice", e.Version, e.Space)
			}
			versions[v] = true
		}
	}
	found := map[string]bool{}
	for _, space := range []string{"notes", "mem"} {
		_, tokens, err := readGeneration(w.text[space+":shared/log.md"])
		if err != nil {
			t.Errorf("the log in %s: %v", space, err)
		}
		for _, token := range tokens {
			found[space+":"+token] = true
			if l.tokens[space+":"+token] == 0 {
				t.Errorf("%s is in the log of %s, and was refused or never tried", token, space)
			}
		}
	}
	for token, state := range l.tokens {
		if state == 2 && !found[token] {
			t.Errorf("%s was acknowledged and is lost", token)
		}
		if !found[token] {
			delete(l.tokens, token) // dropped with its process
		}
	}
}

// checkEdited checks the pages that an editor replaces: each state that they
// ever had was somebody's, and what the editor put there is kept.
func (l *ledger) checkEdited(t *testing.T, w *world) {
	t.Helper()
	kept := map[string]bool{}
	for id, versions := range w.versions {
		for _, v := range versions {
			if v.Change == kb.Deleted || !strings.HasPrefix(v.Path, "ed/") {
				continue
			}
			text := w.bytes[v.Hash]
			kept[hashOf(text)] = true
			if _, _, err := readGeneration(text); err != nil {
				t.Errorf("version %d of %s: %v", v.Version, id, err)
			}
		}
	}
	for _, e := range l.events {
		if e.Op == "editor" && e.Kind == "ack" && !kept[e.Hash] {
			t.Errorf("what %s put at %s is nowhere", e.Who, e.Path)
		}
	}
}

// checkGroup checks that change sets of many documents are wholly there or
// wholly absent.
func (l *ledger) checkGroup(t *testing.T, w *world) {
	t.Helper()
	tried := l.group
	for _, e := range l.events {
		if e.Op == "group" {
			tried = e.Version
			if e.Kind == "ack" {
				l.group = e.Version
			}
		}
	}
	found := map[string]string{}
	for key, text := range w.text {
		if strings.Contains(key, ":group/") {
			found[key] = text
		}
	}
	is := func(g int) bool {
		want := groupOf(g)
		for key, text := range want {
			if found[key] != text {
				return false
			}
		}
		return len(found) == len(want)
	}
	switch {
	case is(tried):
		l.group = tried
	case !is(l.group):
		var states []string
		for key, text := range found {
			first, _, _ := strings.Cut(text, "\n\n")
			states = append(states, fmt.Sprintf("%s: %.60q", key, first))
		}
		slices.Sort(states)
		t.Errorf("neither generation %d, acknowledged, nor %d, under way:\n%s", l.group, tried, strings.Join(states, "\n"))
	}
}

// checkHub checks that the links to a page that moves all lead to it.
func (l *ledger) checkHub(t *testing.T, a *memory.Session, w *world) {
	t.Helper()
	var at string
	for key, d := range w.docs {
		if string(d.ID) == hubID {
			at = strings.TrimPrefix(key, "notes:")
		}
	}
	want := ""
	for _, e := range l.events {
		if e.Op == "hub" && (e.Kind == "ack" || at == e.Path) {
			want = e.Path
		}
	}
	if want != "" && at != want {
		t.Errorf("the hub is at %q, and was moved to %q", at, want)
	}
	for i := range linkers {
		if text := w.text[fmt.Sprintf("notes:links/%d.md", i)]; text != fmt.Sprintf("[the hub](../%s) %d\n\n%s", at, i, prose(fmt.Sprint(i))) {
			t.Errorf("page %d does not link to %s: %.80q", i, at, text)
		}
	}
	if back := apptest.OK(links.List(t.Context(), a, api.LinksRequest{Way: api.In, Ref: hubID}))(t); back.Total != linkers {
		t.Errorf("%d of %d links lead to the hub at %s", back.Total, linkers, at)
	}
}

// checkSearch looks for what is there with the full-text index.
func (l *ledger) checkSearch(t *testing.T, a *memory.Session) {
	t.Helper()
	for _, space := range []string{"notes", "mem"} {
		res := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "space:" + space + " cairn", Limit: 1}))(t)
		if res.Total == 0 {
			t.Errorf("nothing is found in %s", space)
		}
	}
}

// endRound takes the round's own pages away, by hand, so that the memory
// stays small; their history stays.
func (l *ledger) endRound(t *testing.T, a *memory.Session) {
	t.Helper()
	for _, e := range l.events {
		if e.Kind == "ack" {
			l.acked++
			l.past = append(l.past, e)
		}
	}
	l.events = nil
	if err := os.RemoveAll(filepath.Join(root(l.home), "own")); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{Space: "notes", Yes: true}))(t)
}

// temporaries lists the files below a directory that no finished write leaves.
func temporaries(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".cairn-tmp-") {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
