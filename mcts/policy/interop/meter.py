"""A proxy between toolevo and a model's server that adds up what the server reports to have read and
written.

python3 meter.py URL PORT FILE: forwards PORT to URL; FILE always holds the sums as JSON:
completions, prompt tokens read (llama.cpp: those not in a slot already), tokens written, and seconds
spent on reading prompts and on writing.
"""
import http.client
import json
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

url, port, path = urllib.parse.urlsplit(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
lock = threading.Lock()
sums = {"completions": 0, "read": 0, "written": 0, "reading_s": 0.0, "writing_s": 0.0}


def note(reply):
    """Adds a reply of llama.cpp, whose usage counts one of several samples, or of Ollama."""
    timings, usage = reply.get("timings", {}), reply.get("usage", {})
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    samples = max(1, len(reply.get("choices", [])))
    with lock:
        sums["completions"] += samples
        sums["read"] += timings.get("prompt_n", usage.get("prompt_tokens", 0) - cached)
        sums["written"] += samples * usage.get("completion_tokens", 0) + reply.get("eval_count", 0)
        sums["reading_s"] += timings.get("prompt_ms", 0) / 1e3 + reply.get("prompt_eval_duration", 0) / 1e9
        sums["writing_s"] += timings.get("predicted_ms", 0) / 1e3 + reply.get("eval_duration", 0) / 1e9
        with open(path, "w") as f:
            json.dump(sums, f)


class Meter(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = http.client.HTTPConnection(url.hostname, url.port, timeout=3600)
        server.request(self.command, self.path, body, {"Content-Type": "application/json"})
        answer = server.getresponse()
        text = answer.read()
        server.close()
        if answer.status == 200 and self.command == "POST" and self.path.endswith(("completions", "/api/generate")):
            note(json.loads(text))
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.getheader("Content-Type", "application/json"))
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = forward


with open(path, "w") as f:
    json.dump(sums, f)
ThreadingHTTPServer(("127.0.0.1", port), Meter).serve_forever()
