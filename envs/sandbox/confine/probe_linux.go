package confine

// probes say why the kernel does not offer a wall.
var probes = map[Wall]func() error{Landlock: probeLandlock, Seccomp: probeSeccomp}
