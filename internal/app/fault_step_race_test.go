//go:build race

package app_test

// faultStep is how many calls lie between two that fail: with the race
// detector every call takes several times as long, and faults are no races.
const faultStep = 41
