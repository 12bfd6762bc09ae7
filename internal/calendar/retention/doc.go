// Package retention applies the retention rules of a space's policy: pages
// unchanged for a configured time are deleted or moved, and sections of a page
// older than the newest few of their kind are removed. Removed text is in the
// history, and can be restored.
package retention
