// Package gitsync keeps guarded spaces and their git repositories in step: it commits what
// other programs wrote, makes the commits that wait, pulls and pushes, and tells how a repository
// stands.
//
// What a write does to a repository is in package write, and what git does in package git.
package gitsync
