package vault_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestSidecarPath(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		"ada.md": ".raw/ada.json", "people/ada.md": "people/.raw/ada.json", "a/b.c.org": "a/.raw/b.c.json", "x.raw/a.MD": "x.raw/.raw/a.json",
	} {
		got := vault.SidecarPath(doc)
		stem, ok := vault.SidecarOf(got)
		if got != want || !ok || stem != doc[:len(stem)] {
			t.Errorf("%s: %s, which is of %q, %v; want %s", doc, got, stem, ok, want)
		}
	}
	for _, name := range []string{"ada.json", ".raw/ada.md", "x.raw/ada.json", ".git/.raw/a.json", "a/.raw/.json", "a/.raw/.x.json", "a/.raw/b/c.json"} {
		if stem, ok := vault.SidecarOf(name); ok {
			t.Errorf("%s is taken for the sidecar of %s", name, stem)
		}
	}
}

func TestScanOfSidecars(t *testing.T) {
	t.Parallel()
	mem := newMem()
	for name, text := range map[string]string{
		"a.md": "A", ".raw/a.json": "{}", ".raw/none.json": "{}", ".raw/a.txt": "", ".raw/.cairn-tmp-0123456789abcdef": "",
		"b.md": "B", "d/c.org": "C", "d/c.md": "C", "d/.raw/c.json": "{ }", "d/.raw/sub/x.json": "{}", "build/.raw/a.json": "{}", ".gitignore": "build\n.raw\n",
		"big.md": "", ".raw/big.json": string(make([]byte, kb.MaxSidecar+1)),
	} {
		memPut(t, mem, name, text)
	}
	list, err := vault.Scan(t.Context(), mem, markdown)
	if err != nil {
		t.Fatal(err)
	}
	sides := map[string]vault.Side{}
	for _, f := range list.Files {
		sides[f.Path] = f.Side
		plain := kb.NewPathSum().Add(f.Path).File(f.Size, f.ModTime)
		if (f.Sum == plain) != (f.Side == vault.Side{}) {
			t.Errorf("the sum of %s says nothing of its sidecar", f.Path)
		}
	}
	for name, size := range map[string]int64{"a.md": 2, "d/c.org": 3, "d/c.md": 3} {
		if want := (vault.Side{Size: size, ModTime: someDay.UnixNano()}); sides[name] != want {
			t.Errorf("beside %s is %+v, want %+v", name, sides[name], want)
		}
	}
	for _, name := range []string{"b.md", "big.md"} {
		if sides[name] != (vault.Side{}) {
			t.Errorf("beside %s is %+v", name, sides[name])
		}
	}
	var left []string
	for _, s := range list.Sidecars {
		left = append(left, s.Path+": "+string(s.Reason))
	}
	wantLines(t, "sidecars that are not read", left, []string{".raw/big.json: too_large", ".raw/none.json: orphan"})
	wantLines(t, "directories", list.Dirs, []string{".", ".raw", "d", "d/.raw"})
	wantLines(t, "skipped", skips(list), nil)
}
