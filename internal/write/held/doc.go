// Package held keeps the list of writes whose commits could not be made yet.
package held
