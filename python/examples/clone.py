"""Learns to do what the players of a dataset did, in records of people for example.

    jansou import tenhou records --out runs/people
    python clone.py runs/people --out people.pt

Needs pip install 'jansou[data,torch]'. It prints the loss, and how often the action was right
among those that were legal, in matches that were not learnt from.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from torch import nn

import jansou

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("folder", nargs="+", help="datasets, played or imported")
parser.add_argument("--out", default="clone.pt", help="where to write the network")
parser.add_argument("--epochs", type=int, default=1, help="how often to go through the data")
parser.add_argument("--workers", type=int, default=2, help="programs that play matches again")
options = parser.parse_args()

network = nn.Sequential(
    nn.Conv1d(62, 128, 3, padding=1), nn.ReLU(),
    nn.Conv1d(128, 128, 3, padding=1), nn.ReLU(),
    nn.Flatten(), nn.Linear(128 * 34, 512), nn.ReLU(), nn.Linear(512, 180),
)  # fmt: skip
optimizer = torch.optim.Adam(network.parameters(), lr=5e-4)


def logits(batch: jansou.Steps) -> torch.Tensor:
    """Return the network's opinion of the legal actions."""
    seen = torch.from_numpy(batch.observation["planes"]).float()
    return network(seen).masked_fill(torch.from_numpy(batch.mask) == 0, -1e9)


right, rows, step = 0, 0, 0
for epoch in range(options.epochs):
    data = jansou.dataset(
        options.folder, batch=512, shuffle=20_000, seed=epoch, workers=options.workers
    )
    for batch in data:
        action = torch.from_numpy(batch.action.astype(np.int64))
        held = torch.from_numpy(batch.match % 10 == 0)  # every tenth match is for the test
        scores = logits(batch)
        loss = nn.functional.cross_entropy(scores[~held], action[~held])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right += int((scores[held].argmax(dim=1) == action[held]).sum())
        rows, step = rows + int(held.sum()), step + 1
        if step % 50 == 0:
            print(f"step {step}  loss {loss.item():.3f}  right {right / rows:.3f}", flush=True)
            right, rows = 0, 0
torch.save(network.state_dict(), options.out)
