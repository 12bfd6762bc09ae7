package setup

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/skills"
)

const recallPath = "~/.agents/skills/memory-recall/SKILL.md"

func skillsOf(t *testing.T, p Place, req SkillRequest) map[string]Action {
	t.Helper()
	changes, err := p.PlanSkills(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(context.Background(), changes); err != nil {
		t.Fatal(err)
	}
	out := map[string]Action{}
	for _, ch := range changes {
		out[filepath.Base(filepath.Dir(ch.Path))] = ch.Action
		if ch.keep && (ch.Backup == "" || !fsys.Exists(ch.Backup)) {
			t.Errorf("%s has no copy", ch.Path)
		}
	}
	return out
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A copy that somebody edited is theirs: installing and removing leave it, and
// say so. Replacing it keeps it beside.
func TestEditedSkillIsKept(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	skillsOf(t, p, SkillRequest{})
	path := p.path(recallPath)
	edited := strings.Replace(readFile(t, path), "# Recall", "# Ours", 1)
	put(t, path, edited)
	for _, req := range []SkillRequest{{}, {Remove: true}, {}} {
		if got := skillsOf(t, p, req)["memory-recall"]; got != Kept || readFile(t, path) != edited {
			t.Errorf("%+v: %s", req, got)
		}
	}
	if got := skillsOf(t, p, SkillRequest{Replace: true})["memory-recall"]; got != Changed || readFile(t, path+backupSuffix) != edited {
		t.Errorf("replaced: %s", got)
	}
	if !skills.Installed([]byte(readFile(t, path))) {
		t.Error("the copy is not cairn's")
	}
}

// An old copy that nobody edited is replaced without one beside it.
func TestOldSkillIsUpdated(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	path := p.path(recallPath)
	put(t, path, string(skills.Skill{Text: []byte("Of last year.\n")}.Copy()))
	if got := skillsOf(t, p, SkillRequest{Names: []string{"memory-recall"}}); got["memory-recall"] != Changed || len(got) != 1 {
		t.Errorf("%v", got)
	}
	if fsys.Exists(path + backupSuffix) {
		t.Error("there is a copy of what cairn wrote itself")
	}
}

// What is installed is taken away with its directory; a directory that holds
// more stays.
func TestSkillsAreTakenAwayExactly(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	skillsOf(t, p, SkillRequest{})
	mine := filepath.Join(filepath.Dir(p.path("~/.agents/skills/memory-write/SKILL.md")), "mine.md")
	put(t, mine, "mine")
	skillsOf(t, p, SkillRequest{Remove: true})
	if got := tree(t, p); got != "-- .agents/skills/memory-write/mine.md --\nmine" {
		t.Errorf("left over: %s", got)
	}
	if fsys.Exists(filepath.Dir(p.path(recallPath))) {
		t.Error("an empty directory is left over")
	}
}

// Skills that two clients read stay until the second is taken out.
func TestSkillsThatAnotherClientReads(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	run(t, p, Request{Clients: []string{"codex"}})
	run(t, p, Request{Clients: []string{"gemini"}})
	run(t, p, Request{Clients: []string{"codex"}, Remove: true})
	if !fsys.Exists(p.path(recallPath)) {
		t.Error("taking out one client took the skills of the other")
	}
	run(t, p, Request{Clients: []string{"gemini"}, Remove: true})
	if fsys.Exists(p.path(recallPath)) {
		t.Error("the skills are left over")
	}
}

// A project's own texts are for that project: a person's other projects never
// get them.
func TestOwnSkills(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	p.Own = filepath.Join(p.Home, "own")
	own := func(desc string) string { return "---\nname: memory-recall\ndescription: " + desc + "\n---\n" }
	put(t, filepath.Join(p.Own, "skills", "memory-recall", "SKILL.md"), own("the person's"))
	put(t, p.path(".cairn/skills/memory-recall/SKILL.md"), own("the project's"))
	skillsOf(t, p, SkillRequest{})
	skillsOf(t, p, SkillRequest{Scope: Project})
	if got := readFile(t, p.path(recallPath)); !strings.Contains(got, "the person's") {
		t.Errorf("the person has %q", got)
	}
	if got := readFile(t, p.path(".agents/skills/memory-recall/SKILL.md")); !strings.Contains(got, "the project's") {
		t.Errorf("the project has %q", got)
	}
	put(t, p.path(".cairn/skills/memory-recall/SKILL.md"), "broken")
	if _, err := p.PlanSkills(context.Background(), SkillRequest{Scope: Project}); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("a broken skill: %v", err)
	}
}

// An installed skill names the tools of the clients that read it, and is current as such.
func TestSkillsNameToolsOfTheClients(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	path := p.path("~/.agents/skills/memory-maintain/SKILL.md")
	sets := func(s string) Serve { return Serve{Toolsets: &s} }
	for _, tc := range []struct {
		req  Request
		gaps bool
	}{
		{Request{Clients: []string{"codex"}, Serve: sets("core")}, false},
		{Request{Clients: []string{"codex"}, Serve: sets("core,more")}, true},
		{Request{Clients: []string{"codex"}, Serve: sets("core")}, false},
		{Request{Clients: []string{"gemini"}, Serve: sets("core,more")}, true},
		{Request{Clients: []string{"codex"}, Serve: sets("core")}, true}, // the other client reads it, too
	} {
		run(t, p, tc.req)
		if got := readFile(t, path); strings.Contains(got, "`gaps {}`") != tc.gaps || !strings.Contains(got, "`cairn gaps`") {
			t.Errorf("%s with %s: gaps are to be named: %v\n%s", tc.req.Clients, *tc.req.Serve.Toolsets, tc.gaps, got)
		}
		all, err := p.InstalledSkills(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if s.State == Old || s.State == Edited {
				t.Errorf("%s with %s: %+v", tc.req.Clients, *tc.req.Serve.Toolsets, s)
			}
		}
		for name, action := range skillsOf(t, p, SkillRequest{}) {
			if action != Unchanged {
				t.Errorf("%s with %s: skills install has %s %s", tc.req.Clients, *tc.req.Serve.Toolsets, name, action)
			}
		}
	}
}

func TestInstalledSkills(t *testing.T) {
	t.Parallel()
	p := testPlace(t)
	run(t, p, Request{Clients: []string{"claude-code"}})
	put(t, p.path("~/.claude/skills/memory-recall/SKILL.md"), string(skills.Skill{Text: []byte("old\n")}.Copy()))
	put(t, p.path("~/.claude/skills/memory-write/SKILL.md"), "mine")
	all, err := p.InstalledSkills(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := map[SkillState]int{}
	for _, s := range all {
		got[s.State]++
		if (s.State == Absent) != (s.Hash == "") {
			t.Errorf("%+v", s)
		}
		if len(s.Clients) > 0 && s.Clients[0] != "claude-code" {
			t.Errorf("%+v", s)
		}
	}
	if got[Absent] != 15 || got[Old] != 1 || got[Edited] != 1 || got[Current] != 4 {
		t.Errorf("%v", got)
	}
}
