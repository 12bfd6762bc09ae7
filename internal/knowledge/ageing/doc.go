// Package ageing says where pages stand in their life: it sets their status, and tells
// what of them is stale and why. What a rule decides is decided in package lifecycle by
// the policy of the space; all that comes of it stands in the documents.
package ageing
