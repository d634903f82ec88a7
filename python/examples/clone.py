"""Learns to do what the players of a dataset did, in records of people for example.

    jansou import tenhou records --out runs/people
    python clone.py runs/people --out people.pt

Needs pip install 'jansou[data,torch]'. It prints the loss, how often the network's best action
is the player's in matches that were not learnt from; with --serve it then plays in tournaments.
"""

from __future__ import annotations

import argparse

import torch

import jansou
from jansou.learn import Network, imitate
from jansou.serve_agent import serve_agent

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("folder", nargs="+", help="datasets, played or imported")
parser.add_argument("--out", default="clone.pt", help="where to write the network")
parser.add_argument("--epochs", type=int, default=1, help="how often to go through the data")
parser.add_argument("--workers", type=int, default=2, help="programs that play matches again")
parser.add_argument("--device", default="cpu", help="where to learn, such as cuda")
parser.add_argument("--serve", help="serve the network at this address when it has learnt")
options = parser.parse_args()

network = Network().to(options.device)
optimizer = torch.optim.Adam(network.parameters(), lr=5e-4)
for epoch in range(options.epochs):
    data = jansou.dataset(
        options.folder, batch=512, shuffle=20_000, seed=epoch, workers=options.workers
    )
    for now in imitate(network, data, optimizer=optimizer):
        print(f"step {now.step}  loss {now.loss:.3f}  right {now.right:.3f}", flush=True)
network.save(options.out)

if options.serve:  # jansou tournament run --agents greedy,clone=grpc:ADDRESS
    serve_agent(network.policy, options.serve).wait()
