"""The parts of tools/attack: shards, which are runs of pytest or of a program with seeds of their own; their sums; and the attack on speed."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests/python"))  # for the builders of models
