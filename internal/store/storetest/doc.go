// Package storetest is the contract of a store as tests. Every
// implementation of store.Memory passes the same suite.
package storetest
