"""In the style of CleanRL: a vector environment, a masked policy, one update of PPO."""

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import sparrowhall

STEPS, ENVS = 32, 8
envs = sparrowhall.make_vec(
    "zung_jung", num_envs=ENVS, episode="hand", autoreset_mode="NextStep", seed=1
)
agent = nn.Sequential(nn.Flatten(), nn.Linear(62 * 34, 128), nn.Tanh(), nn.Linear(128, 181))
optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4)


def act(planes, mask):
    """Return the distribution over legal actions, and the value."""
    out = agent(planes.float())
    return Categorical(logits=out[:, :180].masked_fill(mask == 0, -torch.inf)), out[:, 180]


obs, _ = envs.reset()
seen, masks, actions, rewards, ends = [], [], [], [], []
for _ in range(STEPS):
    planes, mask = torch.from_numpy(obs["planes"]), torch.from_numpy(obs["action_mask"])
    with torch.no_grad():
        action = act(planes, mask)[0].sample()
    obs, reward, terminated, truncated, _ = envs.step(action.numpy())
    for kept, new in zip((seen, masks, actions), (planes, mask, action), strict=True):
        kept.append(new)
    rewards.append(torch.from_numpy(reward / 100))
    ends.append(torch.from_numpy(np.float64(terminated | truncated)))
gain, gains = torch.zeros(ENVS), []
for reward, end in zip(reversed(rewards), reversed(ends), strict=True):
    gain = reward + 0.99 * gain * (1 - end)
    gains.insert(0, gain)
distribution, value = act(torch.cat(seen), torch.cat(masks))
advantage = torch.cat(gains).float() - value
loss = -(distribution.log_prob(torch.cat(actions)) * advantage.detach()).mean()
(loss + advantage.pow(2).mean()).backward()
optimizer.step()
print("cleanrl style: one update from", STEPS * ENVS, "steps")
