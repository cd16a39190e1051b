// Package ordertest is a shop's order service with an OpenAPI document and tasks, for tests and as
// the worked example of tools that live elsewhere. It is not part of the product.
//
// # Words
//
// An order is open until it is paid or cancelled, and nobody here ships a paid one. The items of an
// order leave the stock at once, and return when it is cancelled. A task is a line of [Tasks],
// which explains it.
//
// # Guarantees
//
//   - Answers depend only on the calls since the service began, or since POST /reset: there are no
//     times, and ids are consecutive.
//   - Members of answers have a fixed order, lists that of ids unless they are sorted.
//   - A request that cannot be carried out changes nothing, and the answer says why: 400 for what
//     cannot be read and for unknown parameters, 404 for what does not exist, 409 for what the
//     state forbids, 422 for values.
package ordertest
