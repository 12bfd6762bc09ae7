// Command gate compares the cost of cairn in this tree with that of the commit
// named in bench/BASE. It builds both, runs each case with both in turn, and
// fails when processor time or allocations of a case exceed the base by more
// than 5 % in the median of the pairs.
//
//	go -C bench run ./gate          # small sizes, as in CI
//	go -C bench run ./gate -full    # larger vaults, more pairs
//
// Processor time is the user and system time of the process. Allocations are
// counted by an exit hook that is compiled into both binaries and into no other.
// Both are built without the embedding model. The machine may be noisy: the two
// sides of a pair run one after the other, and a case over the limit is repeated
// with more pairs before it fails.
package main
