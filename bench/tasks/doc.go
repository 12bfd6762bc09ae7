// Command tasks does twenty tasks of an agent with the tools of the default set, over a vault
// that it makes, and prints for each its calls, its errors and the tokens of its answers, next to
// the tokens that the task needs. The calls are those that a model makes which knows the
// tools from their list alone.
//
// Tokens are bytes divided by four. A task fails when its last answer, or a file, is not as
// it should be.
package main
