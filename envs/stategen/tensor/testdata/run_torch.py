"""Runs calls of the tensor domain with PyTorch.

Reads a run as JSON from each line of the standard input, its tensors by the seeds that their elements come from and
its calls in order, and writes for each a line with a digest of all that every call returned.
"""

import json
import sys

import torch
import torch.nn.functional as F

TOOLS = {
    "permute": torch.permute,
    "transpose": torch.transpose,
    "split": torch.split,
    "cat": torch.cat,
    "linear": F.linear,
    "conv2d": F.conv2d,
}
MOST_SAMPLES = 8


def shifted(z, bits):
    """Shifts a 64-bit number to the right without its sign."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def signed(n):
    """Returns the signed 64-bit number of the same bits."""
    return n - (1 << 64) if n >> 63 else n


def elements(seed, count):
    """Returns the first elements of a seed: hexadecimal digits of SplitMix64."""
    z = torch.arange(1, (count + 15) // 16 + 1) * signed(0x9E3779B97F4A7C15) + seed
    z = (z ^ shifted(z, 30)) * signed(0xBF58476D1CE4E5B9)
    z = (z ^ shifted(z, 27)) * signed(0x94D049BB133111EB)
    z = z ^ shifted(z, 31)
    digits = torch.stack([(z >> (4 * i)) & 15 for i in range(16)], dim=1).flatten()[:count]

    return (2 * digits - 15).to(torch.float32) / 16


def digest(t):
    flat = t.flatten()
    count = flat.numel()
    samples = [flat[i * count // MOST_SAMPLES].item() for i in range(min(MOST_SAMPLES, count))]
    above = int((flat > flat.mean()).sum()) if count else 0

    return {"shape": list(t.shape), "sum": flat.sum().item(), "above_mean": above, "samples": samples}


def run(one):
    tensors = {}
    for name, t in one["tensors"].items():
        tensors[name] = elements(t["seed"], torch.Size(t["shape"]).numel()).reshape(t["shape"])

    made = 0
    results = []

    for call in one["calls"]:
        args = dict(call["args"])
        for name in ("input", "weight"):
            if name in args:
                args[name] = tensors[args[name]]
        if "tensors" in args:
            args["tensors"] = [tensors[handle] for handle in args["tensors"]]

        # The names that PyTorch itself has.
        if call["tool"] == "split":
            args["tensor"] = args.pop("input")

        result = TOOLS[call["tool"]](**args)
        parts = [result] if isinstance(result, torch.Tensor) else result

        for part in parts:
            made += 1
            tensors[f"tensor_{made}"] = part

        results.append([digest(part) for part in parts])

    return {"torch": torch.__version__, "results": results}


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
