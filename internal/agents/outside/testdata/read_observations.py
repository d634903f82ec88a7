"""Compares possible_actions of requests with what riichienv finds legal in their observations."""

import json
import sys

import riichienv


def key(action):
    return json.dumps(action, sort_keys=True)


cls = getattr(riichienv, sys.argv[1])
agree = 0
for line in sys.stdin:
    request = json.loads(line)
    state = cls.deserialize_from_base64(request["observation"])
    theirs = {key(json.loads(a.to_mjai())) for a in state.legal_actions()}
    ours = {key(a) for a in request["possible_actions"]}
    if theirs != ours:
        sys.exit(f"only riichienv: {theirs - ours}; only possible_actions: {ours - theirs}")
    if any(state.select_action_from_mjai(a) is None for a in request["possible_actions"]):
        sys.exit(f"not selected: {request['possible_actions']}")
    agree += 1
print(agree, "agree")
