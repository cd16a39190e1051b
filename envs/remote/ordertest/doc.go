// Package ordertest is a shop's order service with an OpenAPI document and tasks, for tests and as
// the worked example of tools that live elsewhere. It is no part of the product.
//
// # Words
//
// An order is open until it is paid or cancelled, and a paid one is shipped by nobody here. What an
// order takes is taken from the stock at once, and given back when it is cancelled. A task is a
// line of [Tasks]; what it means is said there.
//
// # Guarantees
//
//   - What is answered depends on the calls since the service began, or since POST /reset, alone:
//     there are no times, and ids count on.
//   - Members of answers have a fixed order, lists that of ids unless they are sorted.
//   - A request that cannot be carried out changes nothing, and is answered why: 400 for what
//     cannot be read and for unknown parameters, 404 for what is not there, 409 for what the state
//     forbids, 422 for values.
package ordertest
