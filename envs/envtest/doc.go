// Package envtest tests that an environment keeps the guarantees of package envs. Its toy
// environment with known answers is for tests of code that searches.
//
// # The suite
//
// [Run] checks an environment: Step is a function, states never change, a history grows by exactly
// the turn that was taken, statuses and rewards agree with outcomes, hostile text leads to an
// observation and never an error, a task that has ended takes no more steps, an unknown task is an
// error, concurrent steps give what sequential ones give, and equal canonical keys mean equal
// answers. It needs actions that end each task; without them it fails rather than check nothing.
//
// # The toy
//
// [Maze] is a walk of several steps with every outcome in it: two shortest solutions, dead ends, a
// deprecated move and its successor, walls, and a limit on turns. Actions are plain words, such as
// "left", so that trees read well; white space around them does not matter.
package envtest
