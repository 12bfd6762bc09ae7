// Package contradiction finds the contradictions in a memory: it gathers what pages claim, asks
// package lifecycle what does not go together, and shows both sides. Which predicates
// have one object, and how old a truth may be, says the policy of each space.
//
// To look changes nothing. What somebody dismissed stays so until one of its sides
// changes, since the id of a finding is made of both.
package contradiction
