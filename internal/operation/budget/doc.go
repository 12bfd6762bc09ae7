// Package budget keeps the answers of tools within the room that an agent has for them,
// and says what they leave out.
package budget
