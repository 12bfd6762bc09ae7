// Package capture stores a text as it comes up: in the space of the caller, with tags
// that are found in it, beside the pages that are about the same, or as more of one of
// them. What of this is done by itself the policy of the space says.
//
// No title fails a capture, and a text that is there already is answered with its page.
package capture
