// Package operationtest is what the tests of the surfaces share: a look into
// answers, and the tables of the docs that are made from the operations.
//
// It is imported by tests only.
package operationtest
