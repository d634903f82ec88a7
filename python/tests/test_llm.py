"""The adapter of language models, with a scripted endpoint."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import sparrowhall

BOT = Path(__file__).parents[1] / "examples" / "llm_bot.py"


class Endpoint(BaseHTTPRequestHandler):
    """Chooses the last legal action, after an answer without one at every fifth decision."""

    calls = 0

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert body["model"] == "stand-in"
        text = body["messages"][1]["content"]
        assert 'family = "mcr"' in text
        table = json.loads(text.split("Table:\n")[1].split("\n\nYour last answer")[0])
        Endpoint.calls += 1
        answer = f"I like it.\nACTION: {table['legal'][-1]['id']}"
        if Endpoint.calls % 5 == 0 and "was refused" not in text:
            answer = "I cannot decide."
        reply = {"choices": [{"message": {"content": answer}}], "usage": {"total_tokens": 7}}
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def test_a_scripted_model_plays(tmp_path: Path) -> None:
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    log = tmp_path / "counts.json"
    environment = os.environ | {
        "LLM_URL": f"http://127.0.0.1:{server.server_port}/v1/chat/completions",
        "LLM_MODEL": "stand-in",
    }
    bot = f"llm:env=LLM_URL,LLM_MODEL log={log} '{sys.executable}' '{BOT}'"
    play = [str(sparrowhall.find_binary()), "play", "--ruleset", "botzone", "--matches", "2"]
    agents = [a for agent in (bot, "greedy", "greedy", "greedy") for a in ("--agent", agent)]
    done = subprocess.run(
        [*play, *agents, "--workers", "1", "--quiet", "--json"],
        check=True,
        capture_output=True,
        env=environment,
    )
    server.shutdown()
    assert b"forfeits" not in done.stderr
    counts = json.loads(log.read_text())
    assert counts["matches"] == 2
    assert counts["forfeits"] == 0
    assert counts["illegal"] == counts["requests"] - counts["decisions"] > 0
    assert counts["tokens"] == 7 * counts["requests"] == 7 * Endpoint.calls
