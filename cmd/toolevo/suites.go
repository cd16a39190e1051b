package main

// The suites that the program knows.
import _ "toolevo/toolqa/bench"
