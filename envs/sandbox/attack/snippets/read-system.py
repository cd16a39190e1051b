# wall: files
# what: Reads what machines keep: accounts, keys, mounts, logs, histories of shells.
# short
import glob

WANTED = """/etc/passwd /etc/shadow /etc/group /etc/hosts /etc/hostname /etc/resolv.conf /etc/fstab /etc/machine-id /etc/sudoers
/root/.bashrc /root/.profile /root/.bash_history /root/.ssh/* /root/.aws/* /root/.gitconfig /root/.netrc /root/.cache/*/token
/home/*/.bashrc /home/*/.ssh/* /var/log/* /var/lib/dpkg/status /boot/* /.dockerenv /.dockerinit /run/secrets/* /etc/ssh/*
/var/run/secrets/kubernetes.io/serviceaccount/token""".split()


def read(path):
    with open(path, "rb") as f:
        return "%d bytes" % len(f.read(100)) if not os.path.isdir(path) else None


for pattern in WANTED:
    for path in glob.glob(pattern)[:3] or [pattern]:
        if not os.path.isdir(path):
            attempt(path, read, path)
