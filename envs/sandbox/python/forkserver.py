# Serves calls on standard input and output, each in a child made by fork. It follows driver.py in one text.
#
# The child of the next call is made, limited and fenced while there is none, and then waits for its program: all that
# would be more than half of the time of a short call. No program runs in the server, so no child knows of another.
#
# A child has a copy of all memory of the server, freed memory included, and can read it. So the
# text of a program, and what it prints, pass through one buffer alone, which is cleared before the
# next child is made.
#
# A frame is four bytes of length, big-endian, and as many bytes. The first frame is what Setup in
# programs.go is, in JSON; its answer is a frame. A call is a frame with its limits and a frame with
# its program, both in JSON; its answer is a frame that says how the program ended, in JSON, and a
# frame of what it printed. End of file ends the server, and the child with it.
import base64
import ctypes
import gc
import json
import os
import select
import time
import _signal as signal  # whose numbers are plain, and take no memory that a child would have to copy

START = b"."  # what a child writes before its program runs; before that it writes what went wrong
FAILED = 1  # how a child ends that could not begin
SLICE = 0.05  # seconds after which a child is looked for whose output another process may hold open
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME = 1, 4, 15
LIMITS = (8, 1 << 30)  # of the first child: the defaults
SPACE = 1 << 16  # bytes of the buffer, at first


class Server:
    def __init__(self, setup):
        program = base64.b64decode(setup["filter"])
        self.fence = Fence(program, setup["pids"]) if program else None
        self.libc = ctypes.CDLL(None)
        self.libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # nothing in /proc shows this process to a child
        self.libc.prctl(PR_SET_NAME, b"toolevo-python", 0, 0, 0)
        self.pid = os.getpid()
        self.space = memoryview(bytearray(SPACE))
        prepare(setup["path"], setup["site"], setup["modules"])
        # SIGCHLD stays pending until it is waited for, so that none is missed.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        gc.collect()
        gc.disable()
        gc.freeze()  # a collection in a child would write to all the memory it shares with us

    def serve(self):
        """Serves until the end of file. It returns in children, their own side of things."""
        child = Child(self, LIMITS)
        while child.pid != 0:
            frame = receive()
            if frame is None:
                os._exit(0)  # the kernel ends the child
            call = json.loads(frame)
            if child.limits != (call["cpu"], call["memory"]):
                child.dismiss()
                child = Child(self, (call["cpu"], call["memory"]))
                if child.pid == 0:
                    break
            self.call(child, call["wall"], call["output"])
            child = Child(self, child.limits)
        return child

    def call(self, child, wall, most):
        deadline = time.monotonic() + wall
        self.pass_on(child.job)
        room = most + len(START) + 1
        if room > len(self.space):
            self.space = memoryview(bytearray(room))
        header, size = self.watch(child.pid, child.output, deadline, room)
        os.close(child.output)
        text = self.space[len(START) if header["began"] else 0:size][:most]
        send(1, json.dumps(header).encode(), text)
        self.clear(size)

    def pass_on(self, job):
        """Gives a child the frame of its program."""
        length = read(4)
        if length is None:
            os._exit(0)
        write(job, [length])
        rest = int.from_bytes(length, "big")
        while rest > 0:
            size = os.readv(0, [self.space[:rest]])
            if size == 0:
                os._exit(0)
            write(job, [self.space[:size]])
            self.clear(size)
            rest -= size
        os.close(job)

    def clear(self, size):
        self.space[:size] = bytes(size)

    def watch(self, pid, output, deadline, room):
        """Reads what a child prints until it ends or must end. Returns how it ended, and the text's size."""
        size, why, ended = 0, "", None
        poll = select.poll()
        poll.register(output, select.POLLIN)
        poll.register(0, 0)  # only for its end, which is toolevo's
        while True:
            left = 0 if ended else deadline - time.monotonic()
            if left <= 0 and not ended:
                why = "wall"
                break
            until = time.monotonic() + min(left, SLICE)
            events = poll.poll(min(left, SLICE) * 1000)
            deadline += frozen(until)
            if any(fd == 0 for fd, _ in events):
                os.kill(pid, signal.SIGKILL)
                os._exit(0)
            if not events:
                if ended:
                    break
                ended = reap(pid, os.WNOHANG)
                continue
            more = os.readv(output, [self.space[size:room]])
            if more == 0:
                ended = ended or self.wait(pid, deadline)
                why = "" if ended else "wall"
                break
            size += more
            if size == room:
                why = "output"
                break
        if not ended:
            os.kill(pid, signal.SIGKILL)
            ended = reap(pid, 0)
        if not self.fence:
            sweep(pid)
        status, usage = ended
        return {
            "status": status, "why": why, "began": self.space[:min(size, len(START))] == START,
            "fenced": bool(self.fence), "cpu": usage.ru_utime + usage.ru_stime,
        }, size

    def wait(self, pid, deadline):
        """Waits for a child that has closed its output, until the deadline."""
        while True:
            ended = reap(pid, os.WNOHANG)
            left = deadline - time.monotonic()
            if ended or left <= 0:
                return ended
            signal.sigtimedwait([signal.SIGCHLD], left)
            deadline += frozen(deadline)


class Child:
    """A process that waits for one program, and runs it. In the process itself pid is 0."""

    def __init__(self, server, limits):
        self.limits = limits
        jobs, output = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            self.server, self.job, self.output = server, jobs[0], output[1]
            os.close(jobs[1])  # or there would be no end of file
        else:
            self.job, self.output = jobs[1], output[0]
            os.close(jobs[0])
            os.close(output[1])

    def dismiss(self):
        """Ends it before it had a program."""
        os.kill(self.pid, signal.SIGKILL)
        reap(self.pid, 0)
        os.close(self.job)
        os.close(self.output)

    def play(self):
        """Is the life of the process."""
        status = FAILED
        try:
            os.dup2(self.job, 0)
            os.dup2(self.output, 1)
            os.dup2(os.open("/dev/null", os.O_RDWR), 2)  # opened here: what a program does to it is not seen by the next
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            self.server.libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != self.server.pid:
                os._exit(FAILED)  # the server ended before that
            gc.enable()
            limit(*self.limits)
            if self.server.fence:
                self.server.fence.put_up()
            else:
                os.closerange(3, 1 << 16)
                os.setpgid(0, 0)  # so that the processes it starts end with it
            frame = receive()
            if frame is None:
                os._exit(FAILED)
            job = json.loads(frame)
            os.dup2(2, 0)
            os.write(1, START)
            status = run(job["code"], job["published"], job["seed"])
        except BaseException as error:
            os.write(1, ("%s: %s" % (type(error).__name__, error)).encode("utf-8", "replace"))
        finally:
            os._exit(status)


def reap(pid, options):
    """The wait status and resource usage of a child, None if it lives."""
    done, status, usage = os.wait4(pid, options)
    return (status, usage) if done else None


def frozen(until):
    """How long this process, and with it the child, stood still when a wait should have ended."""
    late = time.monotonic() - until
    return late if late > 1 else 0  # less may be a busy machine


def sweep(group):
    """Ends what a program without a filter has left in its process group."""
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass


def receive():
    """What the next frame holds, None at the end of file."""
    length = read(4)
    return length and read(int.from_bytes(length, "big"))


def read(size):
    parts = []
    while size > 0:
        part = os.read(0, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def send(to, *frames):
    write(to, [part for f in frames for part in (len(f).to_bytes(4, "big"), f)])


def write(to, parts):
    """Writes parts, of which it makes no copy. A reader that has ended gets nothing."""
    rest = [memoryview(part) for part in parts]
    try:
        while rest:
            written = os.writev(to, rest)
            while rest and written >= len(rest[0]):
                written -= len(rest.pop(0))
            if rest:
                rest[0] = rest[0][written:]
    except BrokenPipeError:
        pass


setup = receive()
if setup is None:
    os._exit(0)
server = Server(json.loads(setup))
send(1, b"ready")
server.serve().play()
