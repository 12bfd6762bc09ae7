package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// An encrypted backup holds nothing in the clear, leaves no copy behind, and is restored
// with its identity or its passphrase alone.
func TestSealedBackup(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "mem"}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "mem:a", Text: []byte("# A\n\nthe zebraquill text\n")}))(t)
	key := apptest.OK(age.GenerateX25519Identity())(t)
	identity := filepath.Join(b.Home, "key.txt")
	if err := os.WriteFile(identity, []byte("# mine\n"+key.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(b.Home, "other.txt")
	if err := os.WriteFile(other, []byte(apptest.OK(age.GenerateX25519Identity())(t).String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name        string
		seal        backup.Seal
		good, wrong backup.Unseal
	}{
		{"to.age", backup.Seal{To: []string{key.Recipient().String()}}, backup.Unseal{Identity: identity}, backup.Unseal{Identity: other}},
		{"words.age", backup.Seal{Passphrase: "correct horse"}, backup.Unseal{Passphrase: "correct horse"}, backup.Unseal{Passphrase: "wrong horse"}},
	} {
		file := filepath.Join(b.Home, c.name)
		r := apptest.OK(backup.Sealed(ctx, a, file, c.seal))(t)
		text := apptest.OK(os.ReadFile(file))(t)
		if !r.Encrypted || bytes.Contains(text, []byte("zebraquill")) || bytes.Contains(text, []byte("SQLite")) {
			t.Errorf("%s is not encrypted", c.name)
		}
		if info := apptest.OK(os.Stat(file))(t); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", c.name, info.Mode())
		}
		if _, err := backup.Sealed(ctx, a, file, c.seal); kb.CodeOf(err) != kb.Conflict {
			t.Errorf("%s is replaced: %v", c.name, err)
		}
		to := b.Opts
		to.Place.DB = filepath.Join(b.Home, "restored-"+c.name, "memory.db")
		for _, u := range []backup.Unseal{{}, c.wrong} {
			if _, err := backup.Restore(ctx, to, backup.RestoreRequest{File: file, Unseal: u}); err == nil {
				t.Errorf("%s is restored with %+v", c.name, u)
			}
		}
		changed := bytes.Clone(text)
		changed[len(changed)/2] ^= 1
		for name, part := range map[string][]byte{"head": text[:40], "half": text[:len(text)/2], "changed": changed} {
			file := filepath.Join(b.Home, name+"-"+c.name)
			if err := os.WriteFile(file, part, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := backup.Restore(ctx, to, backup.RestoreRequest{File: file, Unseal: c.good}); kb.CodeOf(err) != kb.Damaged {
				t.Errorf("%s: %v", file, err)
			}
		}
		apptest.OK(backup.Restore(ctx, to, backup.RestoreRequest{File: file, Unseal: c.good}))(t)
		restored := apptest.OK(os.ReadFile(to.Place.DB))(t)
		if !bytes.Contains(restored, []byte("zebraquill")) {
			t.Errorf("%s: the restored memory lacks the text", c.name)
		}
		for _, dir := range []string{filepath.Dir(to.Place.DB), filepath.Dir(a.DB.(store.FileBacked).Path())} {
			for _, e := range apptest.OK(os.ReadDir(dir))(t) {
				if strings.Contains(e.Name(), ".before-") || strings.HasSuffix(e.Name(), ".part") {
					t.Errorf("%s is left in %s", e.Name(), dir)
				}
			}
		}
	}
	if _, err := backup.Sealed(ctx, a, "x.age", backup.Seal{To: []string{"age1nonsense"}}); kb.CodeOf(err) != kb.Usage {
		t.Errorf("a wrong recipient: %v", err)
	}
}

func TestSealedArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out.tar.age")
	key := apptest.OK(age.GenerateX25519Identity())(t)
	seal := backup.Seal{To: []string{key.Recipient().String()}}
	if err := seal.Archive(out, func(put func(string, []byte) error) error {
		return errors.Join(put("sub/a.md", []byte("text")), context.Canceled)
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended half-way: %v", err)
	}
	if left := apptest.OK(os.ReadDir(dir))(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := seal.Archive(out, func(put func(string, []byte) error) error { return put("sub/a.md", []byte("text")) }); err != nil {
		t.Fatal(err)
	}
	plain := apptest.OK(age.Decrypt(bytes.NewReader(apptest.OK(os.ReadFile(out))(t)), key))(t)
	archive := tar.NewReader(plain)
	head := apptest.OK(archive.Next())(t)
	if text := apptest.OK(io.ReadAll(archive))(t); head.Name != "sub/a.md" || string(text) != "text" {
		t.Errorf("the archive has %s: %s", head.Name, text)
	}
}

func TestSealingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, out := filepath.Join(t.TempDir(), "plain"), filepath.Join(dir, "out.age")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	key := apptest.OK(age.GenerateX25519Identity())(t)
	if err := (backup.Seal{To: []string{key.Recipient().String()}}).File(ctx, plain, out); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if left := apptest.OK(os.ReadDir(dir))(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
