"""A model in a TFLite runtime: opened by a contender, with the delegate or without; fed; and asked what the delegate has taken of it."""

from . import inputs
from .contenders import DELEGATE, NAMES, NETWORK, RESOLVERS, Contender, Session, check, lacking
from .delegation import Delegation, Node, nodes, run_alone
from .interpreter import Interpreter
from .options import takes_options
from .shapes import shaped
from .worker import Worker, WorkerDied

__all__ = [
    "DELEGATE", "Contender", "Delegation", "Interpreter", "NAMES", "NETWORK", "Node", "RESOLVERS", "Session", "Worker", "WorkerDied", "check", "inputs",
    "lacking", "nodes", "run_alone", "shaped", "takes_options",
]  # fmt: skip
