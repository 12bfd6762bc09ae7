// Package operationtest is what the tests of the surfaces share: a look into
// answers, and the tables of the docs that are made from the operations.
//
// It imports nothing of ours and is imported by tests only.
package operationtest
