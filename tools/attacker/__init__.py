"""The parts of tools/attack: shards, which are runs of pytest with seeds of their own, and their sums."""
