package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A credential of its format and of its place. Neither is anyone's: they are
// put together here so that no scanner takes this file for a leak.
var (
	tokenSecret    = "ghp_" + "q7Zt2LkVb9XwRm4Jd8Hs6Yc3Nf5Pg1Aa0TeU"
	passwordSecret = "hV7#kQ2" + "!wZ9pLx4"
)

// holders lists the files below a directory that hold a text.
func holders(t *testing.T, dir, text string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if bytes.Contains(b, []byte(text)) {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// arguments are those of a tool, by key and value in turn.
func arguments(pairs ...string) string {
	args := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	b, err := json.Marshal(args)
	if err != nil {
		panic(err) // strings
	}
	return string(b)
}

// checkRefused gives a command lines on its standard input, which it must
// answer with the refusal of a secret and without its value.
func checkRefused(t *testing.T, c *commands, value, lines, command string) {
	t.Helper()
	cmd := c.command(command)
	cmd.Stdin = strings.NewReader(lines + "\n")
	said, err := cmd.CombinedOutput() // pipe fails where a call did
	if !bytes.Contains(said, []byte("nothing was written")) || bytes.Contains(said, []byte(value)) {
		t.Errorf("%s %.60s: %v, said %q", command, lines, err, bytes.ReplaceAll(said, []byte(value), []byte("VALUE")))
	}
}

// A refused credential is in no file below the home directory, the database
// and its journal among them, and in nothing that was said.
func TestRefusedSecretIsNowhere(t *testing.T) {
	t.Parallel()
	for kind, secret := range map[string]string{"token": "see " + tokenSecret, "password": "password: " + passwordSecret} {
		value := secret[strings.LastIndex(secret, " ")+1:]
		t.Run(kind, func(t *testing.T) {
			home := newHome(t, map[string]string{"page.md": "# Page\n\nstones\n"})
			c := newCommands(t, home, "writer")
			apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)
			ctx := context.Background()
			for op, do := range map[string]func() (api.Written, error){
				"put": func() (api.Written, error) {
					return c.Put(ctx, change.PutRequest{Ref: "new", Text: []byte(secret + "\n")})
				},
				"put in db": func() (api.Written, error) {
					return c.Put(ctx, change.PutRequest{Ref: "mem:new", Text: []byte(secret + "\n")})
				},
				"put over": func() (api.Written, error) {
					return c.Put(ctx, change.PutRequest{Ref: "page", Text: []byte(secret + "\n"), Overwrite: true})
				},
				"edit": func() (api.Written, error) {
					return c.Edit(ctx, change.EditRequest{Ref: "page", Edits: []doc.Edit{doc.Append{Text: secret}}})
				},
				"property": func() (api.Written, error) {
					return c.Edit(ctx, change.EditRequest{Ref: "page", Edits: []doc.Edit{doc.SetProperty{Key: "password", Value: value}}})
				},
				"message": func() (api.Written, error) {
					return c.write(api.WriteOptions{}, nil, "rm", "page", "-m", secret)
				},
				"title": func() (api.Written, error) {
					return c.write(api.WriteOptions{}, nil, "put", "new", "text", "--title", secret)
				},
				"capture": func() (api.Written, error) { return c.write(api.WriteOptions{}, nil, "capture", secret) },
				"tool remember": func() (api.Written, error) {
					return c.write(api.WriteOptions{}, nil, "call", "remember", arguments("text", secret))
				},
				"tool write": func() (api.Written, error) {
					return c.write(api.WriteOptions{}, nil, "call", "write", arguments("ref", "new", "text", secret))
				},
				"tool edit": func() (api.Written, error) {
					return c.write(api.WriteOptions{}, []byte(`{"ref":"page","edits":[{"do":"append","text":"`+secret+`"}]}`), "call", "edit", "-")
				},
				"timeline": func() (api.Written, error) { return c.write(api.WriteOptions{}, nil, "timeline-add", "page", secret) },
				"dry run": func() (api.Written, error) {
					return c.write(api.WriteOptions{}, nil, "edit", "page", "--dry-run", "--append", secret)
				},
			} {
				_, err := do()
				e := kb.AsError(err)
				if kb.CodeOf(err) != kb.Secret || e.Hint == "" {
					t.Errorf("%s: %v", op, err)
				}
				if said := err.Error() + e.Hint; strings.Contains(said, value) {
					t.Errorf("%s: the error shows the value", op)
				}
			}
			for _, line := range []string{
				`{"tool":"remember","input":` + arguments("text", secret) + `}`,
				`{"tool":"write","input":` + arguments("ref", "new", "text", secret) + `}`,
			} {
				checkRefused(t, c, value, line, "pipe")
			}
			for _, call := range []string{
				`{"name":"remember","arguments":` + arguments("text", secret) + `}`,
				`{"name":"write","arguments":` + arguments("ref", "new", "text", secret) + `}`,
			} {
				checkRefused(t, c, value, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":`+call+`}`, "mcp")
			}
			if found := holders(t, home, value); len(found) > 0 {
				t.Errorf("the value is in %q", found)
			}
			marked := []string{"edit", "page", "--append", secret + " cairn:allow"}
			if err := c.run(nil, new(any), marked...); kb.CodeOf(err) != kb.Secret {
				t.Errorf("marked on its line by an agent: %v", err)
			}
			if err := newCommands(t, home, "human").run(nil, new(any), marked...); err != nil {
				t.Errorf("marked on its line: %v", err)
			}
			// The hint names the rule that lets it pass, for this write.
			_, err := c.Put(ctx, change.PutRequest{Ref: "new", Text: []byte(secret + "\n")})
			_, rule, _ := strings.Cut(kb.AsError(err).Hint, "--allow-secret ")
			rule, _, _ = strings.Cut(rule, " ")
			if err := c.run([]byte(secret+"\n"), new(any), "put", "new", "-", "--allow-secret", rule); err != nil {
				t.Errorf("allowed by its rule %q: %v", rule, err)
			}
		})
	}
}

// pageWith is a page that holds a text wherever one can be.
func pageWith(text string) string {
	return strings.ReplaceAll("---\ntitle: Page @\ntags: [@]\n---\n# Head @\n\nstones [[@]]\n\n"+
		"- [fact] @ #x\n- knows [[@]]\n\n---\n\n- 2026-01-01: @\n", "@", text)
}

// A credential in a file that somebody else wrote is said to be there, and is
// in nothing that is searched or listed.
func TestSecretInAFileIsMasked(t *testing.T) {
	t.Parallel()
	home := newHome(t, map[string]string{"page.md": pageWith(tokenSecret)})
	c := newCommands(t, home, "reader")
	r := apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)[0]
	if r.Warnings != 1 {
		t.Errorf("sync told of %d documents", r.Warnings)
	}
	for _, args := range [][]string{
		{"search", "stones"}, {"query", "stones"}, {"list"}, {"links", "page"}, {"tags"}, {"timeline", "page"},
		{"recent"}, {"history", "page"}, {"doctor"}, {"status"}, {"ls"},
	} {
		out, _ := c.command(args...).CombinedOutput() // also of one that finds nothing
		if strings.Contains(strings.ToLower(string(out)), strings.ToLower(tokenSecret)) {
			t.Errorf("%q shows it: %.300s", args, out)
		}
	}
	var found api.SearchResult
	if err := c.run(nil, &found, "search", tokenSecret); err == nil && found.Total > 0 {
		t.Error("it can be searched for")
	}
	// Nothing is hidden from the history: what it keeps is the page's bytes.
	if got := apptest.OK(read.Get(t.Context(), open(t, home), read.GetRequest{Ref: "page", Version: 1}))(t); got.Text != pageWith(tokenSecret) {
		t.Errorf("version 1 is kept as %q", got.Text)
	}
}

// Nor is one whose bytes are not those that a reader sees.
func TestEncodedSecretInAFileIsMasked(t *testing.T) {
	t.Parallel()
	body := strings.TrimPrefix(tokenSecret, "ghp_")
	page := "---\ntitle: \"Page ghp\\x5f" + body + "\"\ntags: [ghp%5F" + body + "]\n---\n# Head ghp\\_" + body + "\n\nstones ghp&#95;" + body +
		" and gh\u200bp_" + body + "\n\n- [fact] ghp<b>_</b>" + body + " #x\n- knows [[gh\u00adp_" + body + "]]\n"
	home := newHome(t, map[string]string{"page.md": page})
	c := newCommands(t, home, "reader")
	apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)
	for _, args := range [][]string{{"search", "stones"}, {"query", "stones"}, {"list"}, {"links", "page"}, {"tags"}, {"recent"}, {"doctor"}, {"ls"}} {
		out, _ := c.command(args...).CombinedOutput() // also of one that finds nothing
		if strings.Contains(strings.ToLower(string(out)), strings.ToLower(body)) {
			t.Errorf("%q shows it: %.300s", args, out)
		}
	}
	if got := apptest.OK(read.Get(t.Context(), open(t, home), read.GetRequest{Ref: "page", Version: 1}))(t); got.Text != page {
		t.Errorf("version 1 is kept as %q", got.Text)
	}
	for _, text := range []string{"ghp\\_" + body, "ghp&#95;" + body, "gh\u200bp_" + body, "password: >-\n  " + passwordSecret} {
		if _, err := c.Put(t.Context(), change.PutRequest{Ref: "new", Text: []byte(text + "\n")}); kb.CodeOf(err) != kb.Secret {
			t.Errorf("%.8s…: %v", text, err)
		}
	}
}

// A page with a credential has the vectors of the same page with another one
// of the same length: what the model was given holds neither.
func TestSecretInAFileIsNotEmbedded(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	other := "ghp_" + "Zx8Kd3Qm6Wn1Rv9Tb4Jy7Hc2Lf5Pg0Sa3eUo"
	var all [2]map[int64][]byte
	for i, secret := range []string{tokenSecret, other} {
		home := newHome(t, map[string]string{"page.md": pageWith(secret)})
		a := open(t, home)
		apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
		if r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t); r.Chunks == 0 || r.Left != 0 {
			t.Fatalf("embedded %+v", r)
		}
		all[i] = map[int64][]byte{}
		view(t, home, func(tx store.Tx) error {
			models, err := tx.Models().All(t.Context())
			for _, m := range models {
				err = errors.Join(err, tx.Vectors().Each(t.Context(), m.Name, func(p store.PageVectors) error {
					all[i][p.Page] = slices.Concat(p.Info, p.Values)
					return nil
				}))
			}
			return err
		})
	}
	if len(all[0]) == 0 || !maps.EqualFunc(all[0], all[1], bytes.Equal) {
		t.Errorf("vectors of %d and %d pages differ", len(all[0]), len(all[1]))
	}
}
