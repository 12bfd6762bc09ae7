package peers

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// Clients are made of the OpenAPI document by two generators, and do the same work: pages, a
// search in parts, conditional reads, and the paths of a context vault.
func TestOpenAPIClients(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "generates and runs clients in other languages")
	for _, tc := range []struct {
		name string
		make func(t *testing.T, document string) []string // the command that works with the client
	}{
		{"openapi-python-client", pythonClient},
		{"openapi-typescript", typeScriptClient},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u := newUser(t)
			for name, preset := range map[string]string{"notes": "notes", "vault": "context"} {
				dir := filepath.Join(u.home, name)
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if out, err := u.command(cairntest.Binary(t), "space", "add", dir, "--preset", preset).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			mcp, token := serve(t, u)
			url := strings.TrimSuffix(mcp, "/mcp")
			command := tc.make(t, fetch(t, url+"/api/v1/openapi.json", token))
			cmd := u.command(command[0], append(command[1:], url, token)...)
			var out, complaints bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &complaints
			err := cmd.Run()
			const want = "write\nread\nstale write refused\nsearch\ncontext\n"
			if got := strings.ReplaceAll(out.String(), "\r\n", "\n"); err != nil || got != want {
				t.Errorf("%v; what worked:\n%s\n%s", err, got, complaints.String())
			}
		})
	}
}

// fetch saves the OpenAPI document of a server, and returns the path of the file.
func fetch(t *testing.T, url, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %d: %v", url, answer.StatusCode, err)
	}
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// beside copies a scenario of testdata into a directory.
func beside(t *testing.T, dir, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", path))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// pythonClient makes a client with openapi-python-client.
func pythonClient(t *testing.T, document string) []string {
	interpreter := pythonWith(t, "openapi-python")
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), interpreter, "-m", "openapi_python_client", "generate", "--path", document, "--meta", "none", "--output-path", "client")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(interpreter)+string(os.PathListSeparator)+os.Getenv("PATH")) // it runs ruff
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for warning := range strings.SplitSeq(string(out), "WARNING ") {
		// Bodies that are text besides those in JSON are beyond it.
		if strings.HasPrefix(warning, "parsing") && !strings.Contains(warning, "Unsupported content type text/") {
			t.Errorf("a part of the document has no client: %s", warning)
		}
	}
	return []string{interpreter, beside(t, dir, "openapi-python/scenario.py")}
}

// typeScriptClient makes types with openapi-typescript, and compiles a program against them.
func typeScriptClient(t *testing.T, document string) []string {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			lacking(t, "%s is not installed", name)
		}
	}
	packages := installed(t, "openapi-typescript", func(dir string) error {
		return step(dir, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	})
	dir, err := os.MkdirTemp(packages, "client-") // where the compiler and node find the packages
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	scenario := beside(t, dir, "openapi-typescript/scenario.ts")
	modules := filepath.Join(packages, "node_modules")
	for _, args := range [][]string{
		{filepath.Join(modules, "openapi-typescript", "bin", "cli.js"), document, "-o", filepath.Join(dir, "api.ts")},
		{filepath.Join(modules, "typescript", "bin", "tsc"), "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--types", "node", scenario},
	} {
		if err := step(dir, "node", args...); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"node", strings.TrimSuffix(scenario, ".ts") + ".js"}
}
