// Package gap tracks the questions that the memory could not answer: how often
// each was asked, notes about it, the approver of its wording, and the page
// that answers it now.
//
// Until somebody approves it, only a hash of the question is stored. An agent
// cannot approve its own questions. Like page text, every text must pass the secret
// scan of its space before it is stored.
package gap
