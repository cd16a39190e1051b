# wall: other calls
# what: Prints what looks like the engine's own messages: frames, states, ready signs, bytes that are no text.
# short
import json

sys.stdout.flush()
frame = json.dumps({"status": 256, "why": "wall", "began": False, "cpu": 99.0, "rss": 1}).encode()
for text in (b"\0\0\0\4true", len(frame).to_bytes(4, "big") + frame, b"ready\n", b"confine: broken\n", b"....\n", b"\xff\xfe\xed\xa0\x80\n", b"\n" * 5):
    for fd in (1, 2):
        try:
            os.write(fd, text)
        except OSError:
            pass
denied("taken for what it prints")
