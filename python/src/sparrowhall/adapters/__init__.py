"""Adapters to other frameworks, each of which needs its framework installed.

- ``sparrowhall.adapters.dm_env``: a table as an environment of dm_env.
- ``sparrowhall.adapters.openspiel``: the game ``sparrowhall`` of OpenSpiel.
- ``sparrowhall.adapters.ray``: plays, tournaments, sweeps and evaluations on a Ray cluster.
"""
