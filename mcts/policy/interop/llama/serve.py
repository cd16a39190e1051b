"""Serves a model by llama.cpp's server, from the package xllamacpp, on 127.0.0.1 until it is ended.

    serve.py FILE.gguf NAME PORT WINDOW SLOTS THREADS

It keeps SLOTS conversations of WINDOW tokens each.
"""

import sys
import threading

import xllamacpp

file, name, port, window, slots, threads = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = file
params.model_alias = {name}
params.port = int(port)
params.n_parallel = int(slots)
params.n_ctx = int(window) * int(slots)  # all slots share it
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(threads)
params.cors_origins = ""  # no page in a browser may ask it
params.ui = False
params.endpoint_metrics = True  # tokens read and written, for bench-model
server = xllamacpp.Server(params)
print("serving", name, "on", server.listening_address, flush=True)
threading.Event().wait()
