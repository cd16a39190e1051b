// Package code evaluates models that answer a task with a program: StateEval's own way, in which
// the model writes Python once and reads nothing back (StateGen, IV).
//
// # Words
//
// A [Surface] is how programs reach the tools of a domain with an API version deployed: routes of a
// service for the session domain, functions of torch for tensors, plain functions for all others.
// [Surface.Render] writes a [stategen.Program] as Python for it. A [Verdict] is how a program that
// a model wrote fares in all cases of its task. An [Environment] asks for one program per task, and
// ends with it.
//
// # The surfaces
//
// An API that has not changed is called as its library is. One that has changed has another name or
// other parameters, and is called by that name:
//
//	session  requests.get(f"{BASE_URL}/api/sessions/{source}/{type}")  requests.post(f"{BASE_URL}/api/NAME", json={…})
//	tensor   torch.cat([a, b], dim=0)                                  torch.NAME(tensors=[a, b], dim=0)
//	others   text_to_speech(text=a)                                    NAME(text=a)
//
// Its answer stays the same. A name that is no identifier is written getattr(torch, "NAME"),
// globals()["NAME"].
//
// # Running a program
//
// It runs in a sandbox, as confined as any other program. The modules requests and torch are stubs
// there. A call is written as a frame to the program's output, which ends that run; the service
// answers it, and the program runs again from its beginning with one more answer, until it asks for
// nothing new. Engines are deterministic, so it asks the same again; if it does not, that is its
// error. What a program prints is dropped, exit() does nothing, and BASE_URL, the libraries and the
// variables of the task exist before its first line. Its answer is RESULT.
//
// # Guarantees
//
//   - The sandbox holds nothing that a program must not know: neither what a task expects nor
//     another case.
//   - A task is passed if every case is, each from the state that the task begins with, by RESULT
//     and by what the calls have left.
//   - A failure of the engine, of a service or of the comparison is an error, and never a verdict.
//
// # Caveats
//
// A program is run once for each call that it makes, and each run has its own limit: a program of
// 64 calls that computes between them takes up to 65 times the limit. A program that reads the
// clock may make other requests when it runs again.
package code
