// Package compact makes one page of several stale ones that belong together: it
// finds the clusters of a space, has each summed up, and writes the summary, the
// members' new status and the links that led to them in one write for each cluster.
//
// A member's text stays as it is, and the member stays where it is. A cluster
// with a page that changed since it was read is left for the next time. The
// author of a summary determines only its words, which are checked like
// untrusted text.
//
// Package author has pages summed up by a program or a server that a person
// set: it quotes the pages as data, waits no longer and reads no more than it
// should, and treats the answer as untrusted text, which the caller has to
// check.
//
// Nothing is started or contacted without a setting, and only what the setting
// names: a redirect is an error. No error contains the request, the response or
// a key.
package compact
