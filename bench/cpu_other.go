//go:build !unix

package main

import (
	"os"
	"time"
)

var began = time.Now()

// cpuTime is the time on the wall, where a system tells no other.
func cpuTime() time.Duration { return time.Since(began) }

// peakOf is 0, where a system tells no peak.
func peakOf(*os.ProcessState) int64 { return 0 }
