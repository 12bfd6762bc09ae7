//go:build !race

package app_test

// faultStep is how many calls lie between two that fail.
const faultStep = 1
