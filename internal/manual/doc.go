// Package manual renders the help of commands as manual pages and as the pages of
// docs/cli. It says what help says and nothing else, and holds no date, so that
// builds are reproducible.
package manual
