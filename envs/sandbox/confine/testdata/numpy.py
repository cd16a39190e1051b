# What programs do with numpy, and as its first use. Every line has one right answer.
import numpy as np

a = np.random.default_rng(1).random((200, 200))
symmetric = a + a.T
u, s, v = np.linalg.svd(a)
print("svd", np.allclose((u * s) @ v, a))
print("solve", np.allclose(a @ np.linalg.solve(a, a[0]), a[0]))
print("eigh", np.allclose(np.linalg.eigh(symmetric)[0].sum(), np.trace(symmetric)))
print("inverse", np.allclose(np.linalg.inv(a) @ a, np.eye(200)))
print("least squares", np.allclose(np.linalg.lstsq(a, a @ a[0], rcond=None)[0], a[0]))
print("product", np.allclose(np.einsum("ij,jk->ik", a, a), a @ a))
print("fft", np.allclose(np.fft.ifft(np.fft.fft(a)).real, a))
print("sort", bool((np.diff(np.sort(a.ravel())) >= 0).all()))
print("big sort", bool((np.diff(np.sort(np.random.default_rng(2).random(1 << 20))) >= 0).all()))
print("random", 0 <= np.random.rand() < 1, np.random.RandomState(3).randint(10))
print("percentile", round(float(np.percentile([1, 2, 3, 4], 50)), 3))
print("fit", np.polyfit([1, 2, 3], [2, 4, 6], 1).round(3).tolist()[0])

import threading

ends = []
workers = [threading.Thread(target=lambda: ends.append((a @ a).shape)) for _ in range(4)]
try:
    for w in workers:
        w.start()
except RuntimeError:
    pass
print("threads", len(ends))
try:
    np.ones((10**6, 10**6))
except MemoryError:
    print("too large")
