//go:build !race

package slowtest

const raceDetector = false
