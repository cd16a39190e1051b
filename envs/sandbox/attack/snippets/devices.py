# wall: files
# what: Opens devices: disks, memory, terminals, the log, accelerators, virtual machines.
# short
import glob

PATTERNS = """/dev/tty /dev/ptmx /dev/pts/ptmx /dev/console /dev/kmsg /dev/mem /dev/port /dev/kvm /dev/fuse /dev/net/tun /dev/vhost-net
/dev/loop-control /dev/loop0 /dev/input/* /dev/snd/* /dev/nvidia* /dev/dri/* /dev/sd? /dev/vd? /dev/nvme* /dev/hwrng /dev/rtc0
/dev/userfaultfd /dev/vsock /dev/cpu/0/msr /dev/full /dev/autofs""".split()


def opened(path):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    os.close(fd)
    return "opened"


for pattern in PATTERNS:
    for path in glob.glob(pattern)[:2] or [pattern]:
        attempt(path, opened, path)
for fd in (0, 1, 2):
    attempt("terminal %d" % fd, lambda: os.ttyname(fd))
