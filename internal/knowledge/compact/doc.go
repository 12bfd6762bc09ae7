// Package compact replaces several related stale pages by one summary page: it
// finds the clusters of a space, has each summarised, and writes the summary, the
// members' new status and the repointed links in one write for each cluster.
//
// Members keep their text and their path. A cluster with a page that changed since
// it was read is left for the next run. The author of a summary only provides its
// text, which is checked like any untrusted text.
//
// Summaries are written by a program or a server that a person configured. The
// pages are quoted as data, time and length of an answer are limited, and an answer
// is untrusted text, which the caller has to check.
//
// Without a setting no program is started and no server contacted; a redirect is an
// error. No error contains the request, the response or a key.
package compact
