// Command bench measures how fast cairn is, against bare work on the same
// files in the same run: walks that read and hash, walks that stat, one
// atomic write.
//
// What a user starts is measured as whole processes of a freshly built
// binary; what a server does between requests, in one process through package
// app. Cases take turns, so that what else the machine does falls on all of
// them alike, and medians of ratios are reported beside times. Nothing is
// asserted: a slow machine fails no build.
//
// It writes to a temporary directory only. The directories it is pointed at
// are read and not changed.
package main
