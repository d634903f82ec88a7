r"""An adapter of a language model behind an HTTP endpoint of the OpenAI form.

``sparrowhall`` starts it as ``llm:COMMAND`` and writes a JSON object a line for each decision; it
answers each by one. docs/bots.md describes both::

    export LLM_URL=http://localhost:8000/v1/chat/completions LLM_MODEL=my-model
    sparrowhall rate "my-model=llm:env=LLM_URL,LLM_MODEL python3 llm_bot.py" \
        --suite unfamiliar-2 --matches 4 --out runs/my-model

``LLM_KEY``, if it is set and named by ``env=``, is sent as the bearer token. It needs Python alone.
"""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.request
from typing import Any

SYSTEM = """You play mahjong. The rules are given as a file of knobs, the table as JSON: tiles are
1m-9m characters, 1p-9p dots, 1s-9s bamboo, 1z-7z East South West North White Green Red, 0 a red
five, 1f-8f flowers; you are player 0. Choose one of the legal actions. End your answer with a line
"ACTION: " and the id of the action."""


def complete(messages: list[dict[str, str]], seconds: float) -> tuple[str, int]:
    """Return the text that the model answers, and the tokens that it took."""
    body = {"model": os.environ["LLM_MODEL"], "messages": messages, "temperature": 0}
    headers = {"Content-Type": "application/json"}
    if "LLM_KEY" in os.environ:
        headers["Authorization"] = "Bearer " + os.environ["LLM_KEY"]
    request = urllib.request.Request(
        os.environ["LLM_URL"], json.dumps(body).encode(), headers, method="POST"
    )
    with urllib.request.urlopen(request, timeout=max(1.0, seconds - 1)) as response:
        answer = json.load(response)
    text: str = answer["choices"][0]["message"]["content"]
    return text, int(answer.get("usage", {}).get("total_tokens", 0))


def prompt(request: dict[str, Any], rules: str) -> list[dict[str, str]]:
    """Return the messages of a request."""
    table = json.dumps(request["observation"], ensure_ascii=False)
    text = f"Rules:\n{rules}\n\nTable:\n{table}"
    if "error" in request:
        text += f"\n\nYour last answer was refused: {request['error']}"
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]


def main() -> None:
    """Answer requests until the input ends."""
    rules = ""
    for line in sys.stdin:
        request = json.loads(line)
        rules = request.get("rules", rules)
        text, tokens = complete(prompt(request, rules), request["seconds"])
        found = re.findall(r"ACTION:\s*(\d+)", text)
        action = int(found[-1]) if found else -1
        answer = {"id": request["id"], "action": action, "tokens": tokens}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
