package review_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/review"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/forget"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

var (
	ada = kb.Actor{Kind: kb.Human, Name: "ada"}
	bot = kb.Actor{Kind: kb.Agent, Name: "bot"}
	sue = kb.Actor{Kind: kb.Agent, Name: "sue"}
)

type scene struct {
	*testing.T
	*memory.Session
	clock *apptest.Clock
}

func begin(t *testing.T) scene {
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Second)
	s := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), s, space.AddRequest{Database: true, Name: "m"}))(t)
	return scene{t, s, clock}
}

func (s scene) put(by kb.Actor, ref, text string) int64 {
	s.Helper()
	s.Actor = by
	w := apptest.OK(change.Put(s.T.Context(), s.Session, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true}))(s.T)
	return w.Write
}

func (s scene) text(ref string) string {
	s.Helper()
	return apptest.OK(read.Get(s.T.Context(), s.Session, read.GetRequest{Ref: ref}))(s.T).Text
}

func (s scene) sessions(req review.SessionsRequest) []string {
	s.Helper()
	s.Actor = ada
	var out []string
	for _, x := range apptest.OK(review.Sessions(s.T.Context(), s.Session, req))(s.T).Items {
		line := x.Actor
		for _, p := range x.Pages {
			line += " " + strings.TrimPrefix(p.Ref, "m:") + ":" + string(p.Change) + string(p.Decision)
		}
		out = append(out, line)
	}
	return out
}

const ten = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n"

// Sessions end after a pause of more than half an hour, hold one agent's writes, and
// decisions and the mark take them out of the list.
func TestSessions(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.put(ada, "own", "of a person\n")
	first := s.put(bot, "a", "a\n")
	s.clock.Advance(29 * time.Minute)
	s.put(sue, "c", "c\n")
	s.put(bot, "b", "b\n")
	second := s.put(bot, "a", "a2\n")
	s.clock.Advance(31 * time.Minute)
	s.put(bot, "d", "d\n")
	want := func(what string, got []string, lines ...string) {
		t.Helper()
		if strings.Join(got, "\n") != strings.Join(lines, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(lines, "\n"))
		}
	}
	want("all", s.sessions(review.SessionsRequest{}), "agent:bot d:created", "agent:bot a:created b:created", "agent:sue c:created")
	apptest.OK(review.Decide(s.T.Context(), s.Session, review.DecideRequest{Write: first, Last: second, Ref: "a", Decision: api.Kept}))(t)
	want("a page is kept", s.sessions(review.SessionsRequest{}), "agent:bot d:created", "agent:bot a:createdkept b:created", "agent:sue c:created")
	apptest.OK(review.Decide(s.T.Context(), s.Session, review.DecideRequest{Write: first, Last: second, Decision: api.Kept}))(t)
	want("the session is kept", s.sessions(review.SessionsRequest{}), "agent:bot d:created", "agent:sue c:created")
	want("with decided ones", s.sessions(review.SessionsRequest{Decided: true}), "agent:bot d:created", "agent:bot a:createdkept b:createdkept", "agent:sue c:created")
	apptest.OK(review.Decide(s.T.Context(), s.Session, review.DecideRequest{Write: first, Last: second}))(t)
	want("reopened", s.sessions(review.SessionsRequest{}), "agent:bot d:created", "agent:bot a:created b:created", "agent:sue c:created")
	list := apptest.OK(review.Sessions(s.T.Context(), s.Session, review.SessionsRequest{}))(t)
	apptest.OK(review.Seen(s.T.Context(), s.Session, list.Through))(t)
	want("seen", s.sessions(review.SessionsRequest{}))
	s.put(bot, "d", "d2\n")
	want("since then", s.sessions(review.SessionsRequest{}), "agent:bot d:changed")
	if _, err := review.Seen(s.T.Context(), s.Session, list.Through+1000); kb.CodeOf(err) != kb.Usage {
		t.Errorf("a change in the future is seen: %v", err)
	}
	s.Actor = bot
	if _, err := review.Seen(s.T.Context(), s.Session, list.Through); kb.CodeOf(err) != kb.Refused {
		t.Errorf("an agent reviews: %v", err)
	}
}

// A part of a difference, a page, or a session is taken back, and what others wrote since
// stays.
func TestTakeBack(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.put(ada, "a", ten)
	changed := strings.NewReplacer("one\n", "ONE\n", "twelve\n", "TWELVE\n").Replace(ten)
	first := s.put(bot, "a", changed)
	last := s.put(bot, "b", "by the agent\n")
	s.put(ada, "a", strings.Replace(changed, "six", "half a dozen", 1))
	c := apptest.OK(review.Change(s.T.Context(), s.Session, review.ChangeRequest{Write: first, Last: last}))(t)
	if len(c.Pages) != 2 || len(c.Pages[1].Hunks) != 2 {
		t.Fatalf("%+v", c)
	}
	undo := func(req history.UndoRequest) api.Written {
		t.Helper()
		s.Actor = ada
		req.Force = true
		return apptest.OK(change.Undo(s.T.Context(), s.Session, req))(t)
	}
	undo(history.UndoRequest{Write: first, Last: last, Page: "a", Hunk: c.Pages[1].Hunks[1].Line, Version: c.Pages[1].To})
	if got := s.text("a"); !strings.HasPrefix(got, "ONE\n") || !strings.Contains(got, "half a dozen") || !strings.HasSuffix(got, "\ntwelve\n") {
		t.Errorf("after a hunk: %s", got)
	}
	w := undo(history.UndoRequest{Write: first, Last: last})
	if got := s.text("a"); got != strings.Replace(ten, "six", "half a dozen", 1) {
		t.Errorf("after the session: %s", got)
	}
	if _, err := read.Get(s.T.Context(), s.Session, read.GetRequest{Ref: "b"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("the page of the session is there: %v", err)
	}
	undo(history.UndoRequest{Write: w.Write})
	if got := s.text("b"); got != "by the agent\n" {
		t.Errorf("undone: %s", got)
	}
	if _, err := change.Undo(s.T.Context(), s.Session, history.UndoRequest{Write: first, Page: "a", Hunk: 7}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("no such hunk: %v", err)
	}
	s.Actor = sue
	if _, err := change.Undo(s.T.Context(), s.Session, history.UndoRequest{Write: first, Last: last}); kb.CodeOf(err) != kb.Refused {
		t.Errorf("an agent takes back another's: %v", err)
	}
}

// A page is named by its id: another one may have its name now.
func TestTakeBackOfAMovedPage(t *testing.T) {
	t.Parallel()
	s := begin(t)
	first := s.put(bot, "p", "old\n")
	s.Actor = ada
	apptest.OK(change.Move(s.T.Context(), s.Session, change.MoveRequest{Ref: "m:p", To: "zed"}))(t)
	last := s.put(bot, "p", "new\n")
	c := apptest.OK(review.Change(s.T.Context(), s.Session, review.ChangeRequest{Write: first, Last: last}))(t)
	if len(c.Pages) != 2 || c.Pages[0].ID == c.Pages[1].ID {
		t.Fatalf("%+v", c.Pages)
	}
	of := func(i int) string { return string(c.Pages[i].ID) }
	one := apptest.OK(review.Change(s.T.Context(), s.Session, review.ChangeRequest{Write: first, Last: last, Ref: of(1)}))(t)
	if len(one.Pages) != 1 || !strings.Contains(one.Pages[0].Hunks[0].Diff, "+old") {
		t.Errorf("the page that was moved: %+v", one.Pages)
	}
	s.Actor = ada
	w := apptest.OK(review.Undo(s.T.Context(), s.Session, history.UndoRequest{Write: first, Last: last, Page: of(1)}))(t)
	if got := s.text("p"); !strings.HasSuffix(got, "new\n") {
		t.Errorf("the new page is %q after %+v", got, w)
	}
	apptest.OK(review.Undo(s.T.Context(), s.Session, history.UndoRequest{Write: first, Last: last, Page: of(0)}))(t)
	if _, err := read.Get(s.T.Context(), s.Session, read.GetRequest{Ref: "m:p"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("the new page is there: %v", err)
	}
}

// All writes of an agent since a time are taken back for the review as well.
func TestTakenBackByActor(t *testing.T) {
	t.Parallel()
	s := begin(t)
	first := s.put(bot, "a", "by the agent\n")
	s.put(bot, "b", "by the agent\n")
	s.put(sue, "c", "by another\n")
	s.put(ada, "b", "by Ada\n")
	s.Actor = ada
	w := apptest.OK(review.Undo(t.Context(), s.Session, history.UndoRequest{Actor: "agent:bot", Since: "2026-03-01"}))(t)
	if w.Write == 0 || len(w.Skipped) != 1 {
		t.Fatalf("%+v", w)
	}
	if got := strings.Join(s.sessions(review.SessionsRequest{}), "\n"); got != "agent:sue c:created\nagent:bot b:created a:createdtaken back" {
		t.Errorf("sessions: %s", got)
	}
	apptest.OK(review.Undo(t.Context(), s.Session, history.UndoRequest{Write: w.Write}))(t)
	if c := apptest.OK(review.Change(t.Context(), s.Session, review.ChangeRequest{Write: first}))(t); c.Pages[0].Decision != "" {
		t.Errorf("after the undo of the undo: %+v", c.Pages)
	}
}

// Only a page that an undo changed is taken back, and only until that undo is undone.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	s := begin(t)
	first := s.put(bot, "a", "by the agent\n")
	last := s.put(bot, "b", "by the agent\n")
	s.put(ada, "b", "by the agent\nand by Ada\n")
	want := func(what string, lines ...string) {
		t.Helper()
		if got := s.sessions(review.SessionsRequest{}); strings.Join(got, "\n") != strings.Join(lines, "\n") {
			t.Errorf("%s: %q, want %q", what, got, lines)
		}
	}
	undo := func(req history.UndoRequest) api.Written {
		t.Helper()
		s.Actor = ada
		return apptest.OK(review.Undo(s.T.Context(), s.Session, req))(t)
	}
	undo(history.UndoRequest{Write: first, Last: last, Force: true, WriteOptions: api.WriteOptions{DryRun: true}})
	want("only asked", "agent:bot b:created a:created")
	w := undo(history.UndoRequest{Write: first, Last: last, Force: true})
	if len(w.Skipped) != 1 || w.Skipped[0].Path != "b.md" {
		t.Errorf("skipped %+v", w.Skipped)
	}
	want("one page is left", "agent:bot b:created a:createdtaken back")
	if again := undo(history.UndoRequest{Write: first, Last: last, Page: "b", Force: true}); again.Write != 0 || len(again.Skipped) != 1 {
		t.Errorf("the page that was changed since: %+v", again)
	}
	want("nothing was changed", "agent:bot b:created a:createdtaken back")
	back := undo(history.UndoRequest{Write: w.Write})
	want("undone", "agent:bot b:created a:created")
	redo := undo(history.UndoRequest{Write: back.Write})
	want("redone", "agent:bot b:created a:createdtaken back")
	s.put(ada, "b", "by the agent\n")
	undo(history.UndoRequest{Write: last})
	want("all is taken back")
	if r := apptest.OK(review.Read(t.Context(), s.Session))(t); r.Decided != 2 {
		t.Errorf("%d changes are decided", r.Decided)
	}
	undo(history.UndoRequest{Write: w.Write, Last: redo.Write, Page: "a"})
	if got := s.text("a"); got != "by the agent\n" {
		t.Errorf("a is %q", got)
	}
	want("undone for a page", "agent:bot b:createdtaken back a:created")
	apptest.OK(review.Decide(t.Context(), s.Session, review.DecideRequest{Write: first, Ref: "a", Decision: api.Kept}))(t)
	want("and kept")
}

// A changed credential is a change: its lines are shown masked, with a mark, and parts are
// those that are taken back.
func TestMaskedChange(t *testing.T) {
	t.Parallel()
	s := begin(t)
	old, now := "ghp_"+"aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5", "ghp_"+"A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
	text := "token: " + old + "\n" + ten
	s.Actor = ada
	apptest.OK(change.Put(s.T.Context(), s.Session, change.PutRequest{Ref: "a", Text: []byte(text), WriteOptions: api.WriteOptions{AllowSecrets: []string{"github-token"}}}))(t)
	s.Actor = bot
	req := change.PutRequest{Ref: "a", Text: []byte(strings.NewReplacer(old, now, "twelve", "TWELVE").Replace(text)), Overwrite: true}
	req.AllowSecrets = []string{"github-token"}
	w := apptest.OK(change.Put(s.T.Context(), s.Session, req))(t)
	hunks := apptest.OK(review.Change(s.T.Context(), s.Session, review.ChangeRequest{Write: w.Write}))(t).Pages[0].Hunks
	if len(hunks) != 2 {
		t.Fatalf("%+v", hunks)
	}
	diff := hunks[0].Diff
	if strings.Contains(diff, old) || strings.Contains(diff, now) || !strings.Contains(diff, "-token: ") || !strings.Contains(diff, "+token: ") || strings.Count(diff, " [masked]\n") != 2 {
		t.Errorf("the first part: %s", diff)
	}
	if !strings.Contains(hunks[1].Diff, "+TWELVE\n") || strings.Contains(hunks[1].Diff, "masked") {
		t.Errorf("the second part: %s", hunks[1].Diff)
	}
	s.Actor = ada
	undo := history.UndoRequest{Write: w.Write, Page: "a", Hunk: hunks[0].Line, Force: true}
	undo.AllowSecrets = []string{"github-token"}
	apptest.OK(review.Undo(s.T.Context(), s.Session, undo))(t)
	if got := s.text("a"); got != strings.Replace(text, "twelve", "TWELVE", 1) {
		t.Errorf("after taking the first part back: %s", got)
	}
}

// Each line is of the version that brought it.
func TestBlame(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.put(ada, "a", "one\ntwo\nthree\n")
	s.put(bot, "a", "one\n2\nthree\nfour\n")
	s.put(ada, "a", "zero\none\n2\nthree\nfour\n")
	b := apptest.OK(history.Blame(s.T.Context(), s.Session, history.BlameRequest{Ref: "a"}))(t)
	got := ""
	for _, l := range b.Lines {
		for n := l.From; n <= l.To; n++ {
			got += string(rune('0'+l.Version)) + l.Actor[:1] + " "
		}
	}
	if got != "3h 1h 2a 1h 2a " {
		t.Errorf("%s", got)
	}
}

// Texts made from an older version are merged, unless both changed the same lines.
func TestMergedWrite(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.put(ada, "a", ten)
	s.put(bot, "a", strings.Replace(ten, "one", "ONE", 1))
	s.Actor = ada
	one := 1
	req := change.PutRequest{Ref: "a", Text: []byte(strings.Replace(ten, "twelve", "TWELVE", 1)), Merge: true}
	req.Expected = &one
	w := apptest.OK(change.Put(s.T.Context(), s.Session, req))(t)
	if got := s.text("a"); !strings.HasPrefix(got, "ONE\n") || !strings.HasSuffix(got, "TWELVE\n") || len(w.Pages[0].Notes) == 0 {
		t.Errorf("%s %v", got, w.Pages[0].Notes)
	}
	req.Text = []byte(strings.Replace(ten, "one", "eins", 1))
	_, err := change.Put(s.T.Context(), s.Session, req)
	if kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Details["lines"] == nil {
		t.Errorf("%v %v", err, kb.AsError(err).Details)
	}
}

// A session names the projects of its pages, which are their tags.
func TestProjectsOfSessions(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.put(bot, "a", "---\ntags: [project/mill, stone]\n---\na\n")
	s.put(bot, "b", "---\ntags: [project/mill, project/loom]\n---\nb\n")
	s.put(sue, "c", "---\ntags: [projects]\n---\nc\n")
	s.Actor = ada
	var got []string
	for _, x := range apptest.OK(review.Sessions(t.Context(), s.Session, review.SessionsRequest{}))(t).Items {
		got = append(got, x.Actor+" "+strings.Join(x.Projects, ","))
	}
	if want := []string{"agent:sue ", "agent:bot loom,mill"}; !slices.Equal(got, want) {
		t.Errorf("the sessions are %q, want %q", got, want)
	}
}

// However many pages were changed after it, and whatever date is in it, the session of a page has its project.
func TestProjectsOfOldSessions(t *testing.T) {
	t.Parallel()
	s := begin(t)
	s.put(bot, "a", "---\ntags: [project/mill]\nupdated: 2020-01-01\n---\na\n")
	s.clock.Advance(time.Hour)
	for i := range 501 {
		s.put(sue, fmt.Sprintf("p%d", i), "---\ntags: [project/loom]\n---\nb\n")
	}
	s.Actor = ada
	items := apptest.OK(review.Sessions(t.Context(), s.Session, review.SessionsRequest{}))(t).Items
	if len(items) != 2 || !slices.Equal(items[1].Projects, []string{"mill"}) {
		t.Errorf("the older session has %q", items[len(items)-1].Projects)
	}
}

// Sessions that are extended by later changes are those that are read from the beginning.
func TestSessionsAreExtended(t *testing.T) {
	t.Parallel()
	s := begin(t)
	same := func(step string, want int) {
		t.Helper()
		got := s.sessions(review.SessionsRequest{})
		s.Rest(t.Context()) // drops what is kept
		if fresh := s.sessions(review.SessionsRequest{}); !slices.Equal(got, fresh) || len(got) != want {
			t.Errorf("%s: %q, and read again %q", step, got, fresh)
		}
	}
	same("nothing", 0)
	s.put(bot, "a", "a\n")
	same("one", 1)
	s.put(bot, "b", "b\n")
	s.put(sue, "a", "of another\n")
	same("two actors", 2)
	s.put(ada, "c", "of a person\n")
	same("a person", 2)
	s.clock.Advance(time.Hour)
	s.put(bot, "b", "after a pause\n")
	w := s.put(bot, "d", "d\n")
	same("a pause", 3)
	s.Actor = bot
	apptest.OK(change.Undo(t.Context(), s.Session, history.UndoRequest{Write: w}))(t)
	same("an undo", 3)
	s.sessions(review.SessionsRequest{})
	s.Actor = ada
	apptest.OK(forget.Pages(t.Context(), s.Session, forget.Request{Refs: []string{"m:b"}, Receipt: filepath.Join(t.TempDir(), "receipt")}))(t)
	same("a page that is forgotten", 3)
}

// The pages of a session come in parts, with their number, and a server that kept earlier
// changes gives the answers of a new process, whatever was written, moved and deleted meanwhile.
func TestPartsOfSessions(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Second)
	s := scene{t, b.Open(), clock}
	apptest.OK(gitsync.AddSpace(t.Context(), s.Session, space.AddRequest{Database: true, Name: "m"}))(t)
	answers := func(x *memory.Session, limit, offset int) string {
		x.Actor = ada
		list := apptest.OK(review.Sessions(t.Context(), x, review.SessionsRequest{Pages: limit}))(t)
		out := fmt.Sprintf("%+v", list)
		for _, item := range list.Items {
			out += fmt.Sprintf("\n%+v", apptest.OK(review.Change(t.Context(), x, review.ChangeRequest{Write: item.Write, Last: item.Last, Named: limit, Budget: 1, Skip: offset}))(t))
		}
		return out
	}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 40 {
		ref := fmt.Sprintf("m:p%d", random.IntN(12))
		who := []kb.Actor{bot, bot, sue, ada}[random.IntN(4)]
		clock.Advance(time.Duration(random.IntN(12)) * time.Minute)
		s.put(who, ref, fmt.Sprintf("Round %d.\n", round))
		s.Actor = who
		switch random.IntN(6) {
		case 0:
			apptest.OK(change.Delete(t.Context(), s.Session, change.DeleteRequest{Ref: ref}))(t)
		case 1:
			apptest.OK(change.Move(t.Context(), s.Session, change.MoveRequest{Ref: ref, To: fmt.Sprintf("moved%d", round)}))(t)
		case 2:
			s.Actor = ada
			list := apptest.OK(review.Sessions(t.Context(), s.Session, review.SessionsRequest{}))(t)
			if round%3 == 0 && len(list.Items) > 0 {
				apptest.OK(review.Decide(t.Context(), s.Session, review.DecideRequest{Write: list.Items[0].Write, Last: list.Items[0].Last, Decision: api.Kept}))(t)
			} else if round > 30 {
				apptest.OK(review.Seen(t.Context(), s.Session, list.Through-2))(t)
			}
		}
		limit, offset := random.IntN(4), random.IntN(3)
		if kept, fresh := answers(s.Session, limit, offset), answers(b.Open(), limit, offset); kept != fresh {
			t.Fatalf("round %d:\n%s\nwant\n%s", round, kept, fresh)
		}
	}
	s.Actor = ada
	for _, item := range apptest.OK(review.Sessions(t.Context(), s.Session, review.SessionsRequest{Decided: true}))(t).Items {
		all := apptest.OK(review.Change(t.Context(), s.Session, review.ChangeRequest{Write: item.Write, Last: item.Last}))(t)
		var parts []api.PageChange
		for len(parts) < all.Changed {
			part := apptest.OK(review.Change(t.Context(), s.Session, review.ChangeRequest{Write: item.Write, Last: item.Last, Named: 2, Budget: 401, Skip: len(parts)}))(t)
			if len(part.Pages) == 0 || part.Changed != len(all.Pages) {
				t.Fatalf("part %+v of %d pages", part, len(all.Pages))
			}
			parts = append(parts, part.Pages...)
		}
		if fmt.Sprintf("%+v", parts) != fmt.Sprintf("%+v", all.Pages) || len(item.Pages) != item.Changed {
			t.Errorf("parts:\n%+v\nwant\n%+v", parts, all.Pages)
		}
	}
}
