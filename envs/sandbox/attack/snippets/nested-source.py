# wall: limits
# what: Has the compiler read expressions that are nested a hundred thousand deep.
# ends: time, raised, died
for text in ("(" * 100000 + ")" * 100000, "-" * 100000 + "1", "[" * 100000, "x" + ".x" * 100000, "lambda:" * 100000 + "1"):
    try:
        compile(text, "nested", "eval")
    except (SyntaxError, MemoryError, RecursionError) as e:
        denied(type(e).__name__)
denied("nothing more")
