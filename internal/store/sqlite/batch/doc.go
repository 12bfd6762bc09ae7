// Package batch holds the statements about batches: what came from outside in one go,
// and which stored bytes belong to it.
package batch
