"""Stands in for a language model that simulates APIs: slow, and with a remark before its answer.

    model.py PORT COUNT

Serves OpenAI's chat completions on PORT, and writes into the file COUNT how often it was asked.
"""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

asked = 0
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        global asked
        self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            asked += 1
            with open(sys.argv[2], "w") as count:
                count.write(str(asked))
        time.sleep(1)  # as long as a model takes; all clients ask meanwhile
        content = 'Of course: {"error": "", "response": {"sky": "clear"}}'
        message = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        body = json.dumps({"object": "chat.completion", "model": "mirror", "choices": [message]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
