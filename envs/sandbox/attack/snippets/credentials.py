# wall: kernel
# what: Becomes another user, and gives itself rights.
# short
reach([
    ("setuid", (-1,)), ("setgid", (-1,)), ("setreuid", (-1, -1)), ("setregid", (-1, -1)), ("setresuid", (-1, -1, -1)),
    ("setresgid", (-1, -1, -1)), ("setgroups", (-1, -1)), ("setfsuid", (-1,)), ("setfsgid", (-1,)), ("capset", (-1, -1)),
])
attempt("setuid", lambda: os.setuid(0) or "root")
attempt("setgid", lambda: os.setgid(0) or "root's group")
