package slowtest

import (
	"os"
	"testing"
)

// On reports whether slow tests run in full.
func On() bool { return os.Getenv("CAIRN_SLOW") != "" }

// Skip skips a test unless slow tests run. The reason names the slow part.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if !On() {
		t.Skip("slow: " + reason + " (set CAIRN_SLOW=1)")
	}
}

// Count returns how often a test repeats its work: few times, or all when slow
// tests run.
func Count(few, all int) int {
	if On() {
		return all
	}
	return few
}

// Step returns the distance between the points at which a test stops: n, or 1, which
// is every point, when slow tests run.
func Step(n int) int {
	if On() {
		return 1
	}
	return n
}

// NoRace skips a test when the race detector is on. The reason says why it would find
// nothing or take too long.
func NoRace(t testing.TB, reason string) {
	t.Helper()
	if raceDetector {
		t.Skip("not with the race detector: " + reason)
	}
}
