// Package server keeps an open memory up to date for as long as a process
// runs: it watches the directories of spaces, syncs what other programs change
// in them, makes pages searchable by meaning in the background, and does the
// jobs of cairn maintain when they are due.
//
// Invariants:
//   - A change that cannot be synced is tried again until it is, or until its
//     space is gone. One space's trouble does not keep the others from being
//     synced.
//   - Interrupted work was either committed or not begun: documents are
//     only read here, and app commits as a whole.
//   - Run returns when everything that it started has ended.
//
// It asks app for everything but the watching itself. Time is passed in.
package server
