// Package explore draws tasks for tools of which nothing is known but their list: it uses them, and
// keeps the calls that lead somewhere.
//
// # Words
//
// A Program is a few calls and something that the last one answers. A Place is where a value stood
// in the answers of a tool, such as list_orders /orders/*/id: what stands there may be what a
// parameter of that name wants. A Ref is a value that an earlier call of the program answers.
//
// # How programs are drawn
//
// First everything that only reads is called, with what was read before, so that there are values
// to begin with. Then calls are drawn one after the other in a state of the tools. Arguments are
// values of places that suit the parameter by their names, what a schema lists, or are made up;
// what was refused is tried less often, and tools that programs have already are, too. The last
// call reads. Where calls before it change something, what is asked has to be otherwise than
// without them. In the end each call is left out in turn: one that makes no difference goes.
//
// # Guarantees
//
//   - The same seed and the same tools give the same programs, as far as the tools answer alike.
//   - What is asked is no value that the question names.
//   - No call of a program could be left out: what is asked would be another value, or a later call
//     could not be made.
//
// # Caveats
//
// Questions are put together from the documents of tools, step by step: they are clear, and no
// person would put them so. What values mean is guessed from names; what a tool wants of a free
// text it does not say, so tools with such parameters may be refused whatever is tried.
package explore
