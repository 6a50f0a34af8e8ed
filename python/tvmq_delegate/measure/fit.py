"""Constants of the cost model fitted to times: regularized least squares of logarithms, held near the shipped constants."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Deviations that are expected: of a time from a perfect model, of a node's times together from it, and of a constant from the shipped one; as logarithms.
NOISE, NODE, CONSTANT = 0.08, 0.15, 0.35
# Candidates count by how near they are to the fastest of their node: those that are slower by this fraction count 1/e of it.
NEAR = 0.6
# How much closer constants are held than CONSTANT says; the first is what is shipped. Which one serves is decided by nodes that were left out.
HOLDS = (float("inf"), 8.0, 4.0, 2.0, 1.0, 0.5)
FOLDS, PARTITIONS, STEPS = 5, 2, 12
DOUBT = 0.5  # standard errors of the mean by which a fit has to gain


@dataclass(frozen=True)
class Problem:
    """Times of candidates and what they are made of.

    ns: of each candidate. node: the number of its node. terms: cycles that each constant makes of each candidate's; rest: cycles that no constant makes.
    inverse: of each constant, 1 where cycles grow with it, -1 where it is a rate.
    """

    ns: NDArray[Any]
    node: NDArray[Any]
    terms: NDArray[Any]
    rest: NDArray[Any]
    inverse: NDArray[Any]

    def cycles(self, x: NDArray[Any]) -> NDArray[Any]:
        """Estimates of all candidates, where the logarithms of the constants over the shipped ones are x."""
        total: NDArray[Any] = self.rest + self.terms @ np.exp(self.inverse * x)
        return total


def fit(problem: Problem) -> tuple[NDArray[Any], float]:
    """The factors by which constants differ from the shipped ones, and how much they had to be held: one of HOLDS. The shipped constants stay unless another
    fit chooses better by more than chance may have it."""
    n_nodes = int(problem.node.max()) + 1
    everything, shipped = np.full(len(problem.ns), True), np.zeros(problem.terms.shape[1])
    stays = _lost(problem, shipped, everything)
    best, most = HOLDS[0], 0.0
    for hold in HOLDS[1:]:
        lost = np.zeros(n_nodes)
        for seed in range(PARTITIONS):
            folds = np.random.default_rng(seed).permutation(n_nodes) % FOLDS
            for fold in range(FOLDS):
                out = folds[problem.node] == fold
                lost[folds == fold] += _lost(problem, _solved(problem, ~out, hold), out) / PARTITIONS
        gains = stays - lost
        if gains.mean() > max(most, DOUBT * gains.std() / math.sqrt(n_nodes)):
            best, most = hold, float(gains.mean())
    return np.exp(_solved(problem, everything, best)), best


def regret(problem: Problem, x: NDArray[Any], among: NDArray[Any]) -> float:
    """By how much the candidates of least estimated cycles are slower than the fastest: the mean logarithm over nodes."""
    return float(_lost(problem, x, among).mean())


def _lost(problem: Problem, x: NDArray[Any], among: NDArray[Any]) -> NDArray[Any]:
    """The same of each node."""
    cycles = problem.cycles(x)
    lost = []
    for node in np.unique(problem.node[among]):
        own = np.flatnonzero(problem.node == node)
        lost.append(np.log(problem.ns[own[np.argmin(cycles[own])]] / problem.ns[own].min()))
    return np.array(lost)


def _solved(problem: Problem, among: NDArray[Any], hold: float) -> NDArray[Any]:
    """Gauss-Newton steps on the constants, a clock, and an offset for each node; what lies far off counts less (Huber)."""
    n_constants, n_nodes = problem.terms.shape[1], int(problem.node.max()) + 1
    x = np.zeros(n_constants)
    if not np.isfinite(hold):
        return x
    rows = np.flatnonzero(among)
    target, nodes = np.log(problem.ns[rows]), np.zeros((len(rows), n_nodes))
    nodes[np.arange(len(rows)), problem.node[rows]] = 1
    spread = np.concatenate([np.full(n_constants, CONSTANT / hold), [10.0], np.full(n_nodes, NODE)])
    best = np.array([problem.ns[problem.node == node].min() for node in range(n_nodes)])
    near = np.sqrt(np.exp(-(problem.ns / best[problem.node] - 1) / NEAR))
    z = np.zeros(n_constants + 1 + n_nodes)
    z[n_constants] = np.median(target - np.log(problem.cycles(x)[rows]))
    for _ in range(STEPS):
        cycles = problem.cycles(z[:n_constants])[rows]
        parts = problem.terms[rows] * (problem.inverse * np.exp(problem.inverse * z[:n_constants])) / cycles[:, None]
        jacobian = np.hstack([parts, np.ones((len(rows), 1)), nodes])
        residual = target - np.log(cycles) - z[n_constants] - z[n_constants + 1 :][problem.node[rows]]
        weight = near[rows] / NOISE / np.sqrt(np.maximum(1, np.abs(residual) / (2 * NOISE)))
        system = jacobian.T @ (jacobian * weight[:, None] ** 2) + np.diag(1 / spread**2)
        step = np.linalg.solve(system, jacobian.T @ (residual * weight**2) - z / spread**2)
        z += np.clip(step, -0.7, 0.7)
        z[:n_constants] = np.clip(z[:n_constants], -3, 3)
    return z[:n_constants]
