//go:build !unix

package main

import "time"

var began = time.Now()

// cpuTime is the time on the wall, where a system tells no other.
func cpuTime() time.Duration { return time.Since(began) }
