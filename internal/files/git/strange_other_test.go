//go:build !unix

package git_test

// strange makes what is no file and no directory.
func strange() map[string]func(string) error { return nil }
