package torture

import (
	"github.com/cairn-kb/cairn/internal/memory"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// runGit runs git in a directory, with the environment of the test.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return gitWith(t, nil, dir, args...)
}

// gitWith is runGit with another environment.
func gitWith(t *testing.T, env []string, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// gitHome is a home in which git knows who commits, and nothing of the machine's, in the
// environment of the test.
func gitHome(t *testing.T) string {
	t.Helper()
	home, own := ownGitHome(t)
	for _, v := range own {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	return home
}

// ownGitHome is gitHome with the variables that make it so for processes; those of the test
// stay as they are.
func ownGitHome(t *testing.T) (home string, env []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	home = t.TempDir()
	env = []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "GIT_CONFIG_NOSYSTEM=1"}
	for name, value := range map[string]string{"user.name": "Ada", "user.email": "ada@example.org", "init.defaultBranch": "main", "protocol.version": "0"} {
		gitWith(t, append(os.Environ(), env...), home, "config", "--global", name, value)
	}
	return home, env
}

// A remote that shows the knowledge to everybody is found, whatever keys and passwords the
// person has; one that does not answer holds nothing up.
func TestRemotesAreAskedAsAStrangerWould(t *testing.T) {
	// Serial: it sets environment variables.
	home := gitHome(t)
	a := apptest.OK(memory.Open(t.Context(), options(home, "test"), true))(t)
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	root := filepath.Join(home, "kb")
	runGit(t, home, "init", "-q", "--bare", "kb.git")
	person := apptest.OK(memory.Open(t.Context(), humanOptions(home), true))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), asPerson(person), space.AddRequest{Root: root, Name: "kb", Preset: "guarded", Init: true, Remote: filepath.Join(home, "kb.git")}))(t)
	apptest.OK(gitsync.Push(t.Context(), person.In("kb")))(t)
	if err := person.Close(); err != nil {
		t.Fatal(err)
	}
	runGit(t, filepath.Join(home, "kb.git"), "update-server-info")
	files := http.FileServer(http.Dir(home))
	strangers := make(chan string, 100)
	locked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ada" || password != "moonlight" {
			strangers <- r.Header.Get("Authorization")
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		files.ServeHTTP(w, r)
	})
	done := make(chan struct{})
	hanging := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-done:
		case <-r.Context().Done():
		}
	})
	for name, tt := range map[string]struct {
		serve           http.Handler
		user            string // in the address
		state, has, not string
	}{
		"public":             {files, "", "error", "everybody can read", "moonlight"},
		"public, with a key": {files, "ada:moonlight@", "error", "everybody can read http://127.0.0.1", "moonlight"},
		"private":            {locked, "ada:moonlight@", "ok", "answers, and shows nothing to strangers", "moonlight"},
		"private, by netrc":  {locked, "", "ok", "answers, and shows nothing to strangers", "moonlight"},
		"wrong password":     {locked, "ada:nightfall@", "warning", "does not answer", "nightfall"},
		"hanging":            {hanging, "", "warning", "it took too long", "moonlight"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tt.serve)
			defer server.Close()
			if strings.HasPrefix(name, "hanging") {
				defer close(done)
			}
			writeFile(t, filepath.Join(home, ".netrc"), "machine 127.0.0.1 login ada password moonlight\n")
			runGit(t, root, "remote", "set-url", "origin", strings.Replace(server.URL, "://", "://"+tt.user, 1)+"/kb.git")
			begun := time.Now()
			all := apptest.OK(doctor.Doctor(t.Context(), a, false))(t)
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
			i := slices.IndexFunc(all, func(c api.Check) bool { return c.Name == "remote kb" })
			if i < 0 {
				t.Fatalf("%+v", all)
			}
			c := all[i]
			text := c.Reason + c.Remedy + strings.Join(c.Items, "")
			if c.State != tt.state || !strings.Contains(text, tt.has) || strings.Contains(text, tt.not) {
				t.Errorf("%+v", c)
			}
		})
	}
	if len(strangers) == 0 {
		t.Error("nobody asked without a password")
	}
}

// humanOptions are those of a person.
func humanOptions(home string) memory.Options {
	o := options(home, "")
	o.Actor.Kind, o.Space = "human", ""
	return o
}
