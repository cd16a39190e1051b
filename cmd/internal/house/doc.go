// Package house contains only tests. They check the source of every package against the rules of
// this repository.
//
//   - Imports point downwards, by the table in imports_test.go.
//   - Every package says what it is, and every exported name is documented.
//   - Nothing sleeps, and nothing draws from a random source that is not passed in.
//   - What is renamed into place is durable.
//   - Lines are at most 120 columns wide.
//   - The product has no more Go tokens than its budget.
package house
