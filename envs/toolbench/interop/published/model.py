"""A language model for the comparison with published programs: it answers by what it is asked about, so that two
programs that ask in words of their own are answered alike. It speaks OpenAI's protocol, and keeps what it was asked.
"""

import hashlib
import http.server
import json
import threading

STATUSES = ["Solved", "Unsolved", "Unsure"]


class Model:
    """A server on a free port of this machine. queries are those that it judges answers to."""

    def __init__(self):
        self.queries = []
        self.asked = []  # the bodies of all requests
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send({"object": "list", "data": [{"id": "m", "object": "model"}]})

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.asked.append(body)
                self.send(model.reply(body))

            def send(self, value):
                text = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reply(self, body):
        """Answers as a judge where it is told to or a query is known, else as an API."""
        said = body["messages"][-1]["content"]
        message = {"role": "assistant", "content": '{"error": "", "response": "as you say"}'}
        if "\nAnswer Status\n" in said:
            message["content"] = "Answer Status\nSolved\nReason\nso it is"
        query = next((q for q in self.queries if q in said), None)
        if query is not None:
            function = body.get("tool_choice", {}).get("function", {}).get("name", "")
            again = function == "parse_answer_status" or "\nWhat was done:\n" in said
            verdict = json.dumps({"reason": "so it is", "answer_status": status(query, again)})
            if function:
                call = {"name": function, "arguments": verdict}
                message = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": call}]}
            else:
                message["content"] = verdict
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}


def status(query, again):
    """Returns what the model says of the answer to a query; again is after it was shown the calls."""
    digest = hashlib.sha256((query + str(again)).encode()).digest()
    return STATUSES[digest[0] % 3]
