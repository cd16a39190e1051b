# wall: network
# what: Asks for a socket of every family and type, from netlink to virtual machines' sockets, without the library.
# short
made, refused = [], ""
for family in range(46):
    for kind in (1, 2, 3, 5):
        try:
            fd = syscall("socket", family, kind, 0)
        except (OSError, ImportError, NotImplementedError) as e:
            import errno
            if not isinstance(e, OSError) or e.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS):
                refused = error(e)
        else:
            os.close(fd)
            made.append((family, kind))
if made:
    breach("%d kinds of sockets: %s" % (len(made), made[:4]))
else:
    denied("184 kinds of sockets: " + refused)
