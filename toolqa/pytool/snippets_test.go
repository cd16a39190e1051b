package pytool

// snippet is a program and what is shown of it, by default and with PublishedCapture. An observation "" stands for
// nothingPrinted. A failing one starts with "!", which is not part of it.
type snippet struct{ code, plain, published string }

var snippets = []snippet{
	// What is printed, and values of last expressions.
	{"print(1)", "1", "1"},
	{"print('a', 'b', sep='-')", "a-b", "a-b"},
	{"1 + 1", "2", "2"},
	{"'text'", "text", "text"},
	{"[1, 'a', None]", "[1, 'a', None]", "[1, 'a', None]"},
	{"x = 5", "!", "!"},
	{"x = 5\nx", "5", "5"},
	{"x = 5\nprint(x)", "5", "5"},
	{"None", "!", "!"},
	{"pass", "!", "!"},
	{"", "!", "!"},
	{"# only a comment", "!", "!"},
	{"print()", "!", "!"},
	{"print('  padded  ')", "padded", "padded"},
	{"{'b': 1, 'a': 2}", "{'b': 1, 'a': 2}", "{'b': 1, 'a': 2}"},
	{"print('é😀')", "é😀", "é😀"},
	{"print('\\ud800')", `\ud800`, `\ud800`},

	// The published code loses a single print that is not last, and runs nothing after the last of several.
	{"print(1)\nx = 2", "1", "!"},
	{"print(1)\n2", "1", "2"},
	{"print(1)\nprint(2)", "1\n2", "1: 1\n2: 2"},
	{"a = 3\nprint(round(a/7,2))\nprint(a)", "0.43\n3", "round(a/7,2: 0.43a: 3"}, // rounding loses the line end
	{"print(1)\nprint(2)\nprint(", "!SyntaxError: '(' was never closed (<string>, line 3)", "!SyntaxError: '(' was never closed (<string>, line 3)"},
	{"print('a')\nprint('b')\n1/0", "!a\nb\nZeroDivisionError: division by zero", "'a': a\n'b': b"},
	{"print(\n  'a',\n  'b')\nprint('c')", "a b\nc", "'a',\n  'b': a b\n'c': c"},
	{"x = 1; print(x); print(x + 1)", "1\n2", "x: 1\nx + 1: 2"},
	{"s = 'é'; print(s); print('b')", "é\nb", "s: é\n'b': b"},
	{"for i in range(3): print(i)", "0\n1\n2", "0\n1\n2"},
	{"for i in range(2):\n    print(i)\nprint('end')", "0\n1\nend", "i: 0\n1\n'end': end"},
	{"if True:\n    print('yes')\nelse:\n    print('no')", "yes", "'yes': yes"},
	{"def f():\n    print('in f')\nf()", "in f", "in f"},
	{"def f(x):\n    return x * 2\nf(21)", "42", "42"},
	{"import sys\nsys.stdout.write('w')", "w", "1"},

	// Numbers.
	{"print(22.493333)", "22.493333", "22.4933"},
	{"22.493333", "22.493333", "22.4933"},
	{"print(1e-7)", "1e-07", "0.0"},
	{"print(5)", "5", "5"},
	{"print(3.14)", "3.14", "3.14"},
	{"print('1.23456789 USD')", "1.23456789 USD", "1.23456789 USD"},
	{"round(2.675, 2)", "2.67", "2.67"},
	{"0.1 + 0.2", "0.30000000000000004", "0.3"},
	{"float('nan')", "nan", "nan"},
	{"10 ** 20", "100000000000000000000", "1e+20"},
	{"-0.04 // 1", "-1.0", "-1.0"},
	{"vals = ['116.5', '117.25']\nmax(float(v) for v in vals)", "117.25", "117.25"},
	{"import statistics\nprint(statistics.mean([1, 2, 3, 4]))", "2.5", "2.5"},
	{"from datetime import date\n(date(2000, 2, 7) - date(2000, 1, 3)).days", "35", "35"},

	// Errors.
	{"1/0", "!ZeroDivisionError: division by zero", "!ZeroDivisionError: division by zero"},
	{"print('before')\n1/0", "!before\nZeroDivisionError: division by zero", "!ZeroDivisionError: division by zero"},
	{"print('no newline', end='')\n{}['k']", "!no newline\nKeyError: 'k'", "!KeyError: 'k'"},
	{"assert False", "!AssertionError", "!AssertionError:"},
	{"undefined", "!NameError: name 'undefined' is not defined", "!NameError: name 'undefined' is not defined"},
	{"import no_such_module", "!ModuleNotFoundError: No module named 'no_such_module'", "!ModuleNotFoundError: No module named 'no_such_module'"},
	{"raise SystemExit('stop')", "!stop", "!SystemExit: stop"},
	{"print('done')\nexit()", "done", "!"},
	{"import sys; sys.exit(3)", "!SystemExit: 3", "!SystemExit: 3"},
	{"input()", "!EOFError: EOF when reading a line", "!EOFError: EOF when reading a line"},
	{"def f(): f()\nf()", "!RecursionError: maximum recursion depth exceeded", "!RecursionError: maximum recursion depth exceeded"},
	{"x = 'a' * (4 << 30)", "!MemoryError", "!MemoryError:"},
	{"x = 5\n y = 6", "!IndentationError: unexpected indent (<string>, line 2)", "!IndentationError: unexpected indent (<string>, line 2)"},
	{"import os\nos._exit(3)", "!SystemError: the interpreter ended (exit status 3)", "!SystemError: the interpreter ended (exit status 3)"},

	// Fences.
	{"```python\nprint(1)\n```", "1", "1"},
	{"```\nprint(1)\n```", "1", "1"},
	{"`print(1)`", "1", "1"},
	{"``` Python print(1)```", "1", "1"},
	{"python\nprint(1)", "1", "1"},
	{"python_version = 3\npython_version", "3", "!NameError: name 'python_version' is not defined"},
	{"\n\n  x = 1\n  print(x)\n", "1", "!IndentationError: unexpected indent (<string>, line 2)"},
	{"  if True:\n      print(1)\n\n  print(2)", "1\n2", "!IndentationError: unindent does not match any outer indentation level (<string>, line 4)"},

	// The world of a program.
	{"__name__", "__main__", "__main__"},
	{"import os\nsorted(k for k in os.environ if k not in ('LC_CTYPE', 'PWD', '_'))",
		"['HOME', 'LANG', 'MALLOC_ARENA_MAX', 'MKL_NUM_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'PATH', 'PYTHONHASHSEED', 'PYTHONUTF8', 'TMPDIR', 'TZ']",
		"['HOME', 'LANG', 'MALLOC_ARENA_MAX', 'MKL_NUM_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'PATH', 'PYTHONHASHSEED', 'PYTHONUTF8', 'TMPDIR', 'TZ']"},
	{"import os\nos.listdir('.')", "[]", "[]"},
	{"open('f', 'w').write('abc')\nopen('f').read()", "abc", "abc"},
	{"import random\nrandom.randint(0, 10**6)", "885440", "885440"},
	{"hash('text') == hash('text')", "True", "True"},
	{"import sys\nsys.argv", "['']", "['']"},
	{"class A:\n    pass\nA", "<class '__main__.A'>", "<class '__main__.A'>"},
	{"import threading, time\ndef f():\n    time.sleep(0.05)\n    print('late')\nthreading.Thread(target=f).start()", "late", "late"},
}
