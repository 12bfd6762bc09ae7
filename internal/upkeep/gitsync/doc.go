// Package gitsync synchronises guarded spaces with their git repositories: it
// commits changes by other programs, makes pending commits, pulls and pushes, and
// reports the state of a repository.
//
// Package write commits its own writes; package git runs git.
package gitsync
