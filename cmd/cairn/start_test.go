package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Every process pays for what packages do before main: patterns are compiled and tables are
// made when they are used. Bytes are counted, since they are the same on every machine.
func TestStartDoesLittle(t *testing.T) {
	t.Parallel()
	const (
		ofPackage = 80 << 10   // of each of this module
		ofAll     = 2050 << 10 // four fifths are libraries', which have no other way
	)
	clock := filepath.Join(t.TempDir(), "clock")
	if err := os.WriteFile(clock, []byte("0s"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "version")
	cmd.Env = append(os.Environ(), clockEnv+"="+clock, "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err, trace.String())
	}
	all, packages := 0, 0
	for line := range strings.Lines(trace.String()) {
		// init PACKAGE @2.1 ms, 0.05 ms clock, 25736 bytes, 12 allocs
		f := strings.Fields(line)
		if len(f) < 10 || f[0] != "init" {
			continue
		}
		n, err := strconv.Atoi(f[7])
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all += n
		packages++
		if strings.Contains(f[1], "cairn") && n > ofPackage {
			t.Errorf("%s takes %d bytes before main, more than %d: make the tables and patterns when they are used", f[1], n, ofPackage)
		}
	}
	if packages < 50 {
		t.Errorf("the trace names %d packages:\n%s", packages, trace.String())
	}
	if all > ofAll {
		t.Errorf("%d bytes are taken before main, more than %d", all, ofAll)
	}
	t.Logf("%d bytes of %d packages", all, packages)
}
