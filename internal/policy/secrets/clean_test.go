package secrets

import (
	"crypto/sha256"
	"strings"
	"sync"
	"testing"
)

// token has the format of a credential, from parts so that no scan finds this file.
const token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"

// What was clean says nothing about a text that differs from it, nor about the rules of
// a space.
func TestACleanTextIsRememberedAsItIs(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("plain words of KB-123456\n", 40))
	for range 2 {
		if found := Scan(text, Options{}); found != nil {
			t.Fatalf("found %v", found)
		}
	}
	if !clean.has(sum(sha256.Sum256(text))) {
		t.Error("scanned again each time")
	}
	for _, place := range []int{0, len(text) / 2, len(text)} {
		with := []byte(string(text[:place]) + " " + token + " " + string(text[place:]))
		for range 2 {
			if found := Scan(with, Options{}); len(found) != 1 {
				t.Errorf("with a credential at %d: %v", place, found)
			}
		}
	}
	own := Rule{ID: "ticket", Kind: "ticket", Token: []string{`KB-[0-9]{6}`}}
	if err := Check([]Rule{own}); err != nil {
		t.Fatal(err)
	}
	if found := Scan(text, Options{Rules: []Rule{own}}); len(found) == 0 {
		t.Error("the rule of a space was not looked for in a text that was clean without it")
	}
	// In place, as an editor's buffer: the same slice holds another text.
	copy(text[40:], token+" ")
	if found := Scan(text, Options{}); len(found) != 1 {
		t.Errorf("in the changed slice: %v", found)
	}
}

// An allowed credential is no clean text.
func TestAnAllowedCredentialIsNotRemembered(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("words\n", 100) + token + " cairn:allow\n")
	if found := Scan(text, Options{}); found != nil {
		t.Fatalf("found %v", found)
	}
	rule := Scan([]byte(token), Options{})[0].Rule
	text = []byte(strings.Repeat("words\n", 100) + token + "\n")
	if found := Scan(text, Options{Allow: []string{rule}}); found != nil {
		t.Fatalf("found %v", found)
	}
	if found := Scan(text, Options{}); len(found) != 1 {
		t.Errorf("found %v where nobody allows it", found)
	}
}

func TestMemoForgets(t *testing.T) {
	t.Parallel()
	m := memo{most: 10}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() { m.add(sum{byte(i)}) })
	}
	all.Wait()
	m.add(sum{200})
	if !m.has(sum{200}) || len(m.now)+len(m.old) > 20 {
		t.Errorf("keeps %d and %d", len(m.now), len(m.old))
	}
}
