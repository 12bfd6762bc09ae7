package git_test

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/git"
)

func TestStrangers(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][]string{
		"git@example.org:kb.git":                {"https://example.org/kb.git", "git://example.org/kb.git"},
		"example.org:/srv/kb.git":               {"https://example.org/srv/kb.git", "git://example.org/srv/kb.git"},
		"ssh://git@example.org:2222/kb.git":     {"https://example.org/kb.git", "git://example.org/kb.git"},
		"ssh://git@[2001:db8::1]:22/kb.git":     {"https://[2001:db8::1]/kb.git", "git://[2001:db8::1]/kb.git"},
		"https://ada:secret@example.org/kb.git": {"https://example.org/kb.git"},
		"http://example.org:8080/kb.git":        {"http://example.org:8080/kb.git"},
		"git://example.org/kb.git":              {"git://example.org/kb.git"},
		"/srv/kb.git":                           nil,
		"./a:b":                                 nil,
		"file:///srv/kb.git":                    nil,
		`C:\kb.git`:                             nil,
		"@:x":                                   nil,
		"https://":                              nil,
		"ftp://example.org/kb.git":              nil,
	} {
		if got := git.Strangers(address); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	for address, want := range map[string]string{
		"git@example.org:kb.git":                "git@example.org:kb.git",
		"ssh://git@example.org/kb.git":          "ssh://git@example.org/kb.git",
		"https://ada:secret@example.org/kb.git": "https://example.org/kb.git",
		"https://token@example.org/kb.git":      "https://example.org/kb.git",
		"/srv/kb.git":                           "/srv/kb.git",
		"https://ada:sec%ret@example.org/kb":    "https://example.org/kb",
		"ext::https://ada:secret@example.org":   "ext::https://example.org",

		"https://example.org/kb?private_token=secret": "https://example.org/kb",
		"https://example.org/kb#access_token=secret":  "https://example.org/kb",
		"https://example.org/k%b?private_token=se":    "https://example.org/k%b",
		"ada:secret@example.org:kb.git":               "example.org:kb.git",
		"/srv/a:b@c.git":                              "/srv/a:b@c.git",
		"u:secret@example.org:kb.git":                 "example.org:kb.git",

		"https://example.org/x/a8Kd03mQz7Lp2Wv9Rt4B/kb.git":             "https://example.org/x/***/kb.git",
		"https://example.org:8443/git/ghp_abcdefghijklmnopqrst/kb":      "https://example.org:8443/git/***/kb",
		"https://example.org/glpat-Ab-de_Gh-jk_Mn-pq_St/kb.git":         "https://example.org/***/kb.git",
		"https://example.org/a8Kd03mQz7Lp2Wv9Rt4B%zz/kb":                "https://example.org/***%zz/kb",
		"git@example.org:a8Kd03mQz7Lp2Wv9Rt4B/kb.git":                   "git@example.org:***/kb.git",
		"ssh://a8Kd03mQz7Lp2Wv9Rt4B@example.org:22/kb.git":              "ssh://***@example.org:22/kb.git",
		"https://a8kd03mqz7lp2wv9rt4b.example.org/kb.git":               "https://a8kd03mqz7lp2wv9rt4b.example.org/kb.git",
		"https://example.org/ada/knowledge-base-of-2024-and-later.git":  "https://example.org/ada/knowledge-base-of-2024-and-later.git",
		"https://example.org/KnowledgeBaseOfTheTeam2024Archive.git":     "https://example.org/KnowledgeBaseOfTheTeam2024Archive.git",
		"https://example.org/123456789012345678901234567890/kb.git":     "https://example.org/123456789012345678901234567890/kb.git",
		"https://example.org/0b8f6d2c-9f5e-4c1a-8d37-2f1f4e6a9b10/wiki": "https://example.org/0b8f6d2c-9f5e-4c1a-8d37-2f1f4e6a9b10/wiki",
		"git@example.org:team/k8s-ec2-s3-terraform-modules.git":         "git@example.org:team/k8s-ec2-s3-terraform-modules.git",
		"/srv/a8Kd03mQz7Lp2Wv9Rt4B/kb.git":                              "/srv/a8Kd03mQz7Lp2Wv9Rt4B/kb.git",
	} {
		if got := git.Shown(address); got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
	}
}

// Every version that a branch, a tag or a stash has is seen, also what is gone.
func TestVersions(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("kb/a.md", "one\n")
	b.write("elsewhere.md", "not of it\n")
	b.git("add", ".")
	b.git("commit", "-qm", "one")
	b.write("kb/a.md", "two\n")
	b.git("commit", "-qam", "two")
	b.git("switch", "-qc", "side")
	b.git("rm", "-q", "kb/a.md")
	b.write("kb/empty.md", "")
	b.write("kb/large.md", string(make([]byte, 200)))
	b.git("add", ".")
	b.git("commit", "-qm", "side")
	b.write("kb/empty.md", "stashed\n")
	b.git("stash", "-q")
	b.git("switch", "-q", "-")
	tree := &git.Tree{Dir: b.top}
	repo, err := tree.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	repo.Prefix = "kb/"
	var got []string
	read, left, err := tree.Versions(t.Context(), repo, 100, func(v git.Version, text []byte) error {
		got = append(got, v.Path+"="+string(text))
		return nil
	})
	slices.Sort(got)
	if want := []string{"a.md=one\n", "a.md=two\n", "empty.md=", "empty.md=stashed\n"}; err != nil || read != 4 || left != 1 || !slices.Equal(got, want) {
		t.Errorf("%d, %d left, %q, %v", read, left, got, err)
	}
	id := b.git("rev-parse", "HEAD~1:kb/a.md")
	since, err := tree.Since(t.Context(), id)
	if err != nil || since != b.git("rev-parse", "--short", "HEAD~1") {
		t.Errorf("%s, %v", since, err)
	}
}

// A repository that puts another object in the place of one, or other parents, changes
// nothing of what is read and committed.
func TestReplacedObjectsAreNotRead(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("a.md", "one\n")
	b.write("b.md", "other\n")
	b.git("add", ".")
	b.git("commit", "-qm", "first")
	b.git("replace", b.git("rev-parse", "HEAD:a.md"), b.git("rev-parse", "HEAD:b.md"))
	tree := &git.Tree{Dir: b.top}
	repo, err := tree.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := tree.Committed(t.Context(), repo, []string{"a.md"})
	if err != nil || string(got["a.md"]) != "one\n" {
		t.Errorf("%q, %v", got["a.md"], err)
	}
}
