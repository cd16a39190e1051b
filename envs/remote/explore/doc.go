// Package explore draws tasks for tools that are known only by their list: it uses them, and keeps
// the calls that lead somewhere.
//
// # Words
//
// A Program is a few calls and something that the last one answers. A Place is where a value was in
// the answers of a tool, such as list_orders /orders/*/id: a parameter of that name may want it. A
// Ref is a value from the answer of an earlier call of the program.
//
// # How programs are drawn
//
// First everything that only reads is called, with what was read before, so that there are values
// to begin with. Then calls are drawn one after the other in a state of the tools. Arguments are
// values of places whose names suit the parameter, values that a schema lists, or made up; what was
// refused is tried less often, and so are tools that programs have already. The last call reads. If
// calls before it change something, what is asked has to differ from what it would be without them.
// In the end each call is left out in turn: one that makes no difference is dropped.
//
// # Guarantees
//
//   - The same seed and the same tools give the same programs, as far as the tools answer alike.
//   - The question never names the value that it asks for.
//   - No call of a program could be left out: what is asked would be another value, or a later call
//     could not be made.
//
// # Caveats
//
// Questions are put together from the documents of tools, step by step: they are clear, but no
// person would put them so. What values mean is guessed from names. A tool does not say what it
// wants of a free text, so one with such a parameter may refuse whatever is tried.
package explore
