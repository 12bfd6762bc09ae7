// Package secretoracle compares cairn's secret rules with those of gitleaks.
// It is a module of its own, so that gitleaks and what it needs stay out of
// cairn's dependencies, and holds nothing but the test.
//
// The credentials are made from gitleaks' own regular expressions, so they
// share nothing with the values that the rules were written against.
package secretoracle
