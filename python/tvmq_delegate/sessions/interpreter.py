"""One line from a model to an interpreter with the delegate in it."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import models
from ..binding import Delegate, LoadOptions, interpreter_threads, library, load, plural, runtimes

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack


class Interpreter:
    """A runtime's Interpreter, with the delegate loaded and its tensors allocated, in an object that has all of its methods and may be used with `with`.

        with tvmq_delegate.Interpreter("model.tflite") as interpreter:
            (output,) = interpreter.run(image)
            print(interpreter.report())

    delegate: what load() returned.
    """

    delegate: Delegate

    def __init__(
        self,
        model_path: models.ModelSource | None = None,
        model_content: bytes | None = None,
        *,
        runtime: str | ModuleType | None = None,
        **options: Unpack[LoadOptions],
    ):
        """model_path, model_content: the path of a .tflite file, or its bytes, which the first may be as well; one of the two, by the names that the runtimes
        give them. runtime, **options: as for load(); num_threads is the interpreter's, too.

        Raises:
          ModelError: the file is malformed.
          OSError: it cannot be opened.
          ValueError: there are two models, or none.
          ValueError, ImportError, RuntimeError: as load(), and where the runtime refuses the model.
        """
        given = [source for source in (model_path, model_content) if source is not None]
        if len(given) != 1:
            raise ValueError(f"one of model_path and model_content names the model, not {len(given)} of them")
        content, _ = models.opened(given[0])
        models.ops(content)  # raises ModelError for malformed files, which the runtimes are less careful with
        module = runtimes.find(runtime)
        self.delegate = load(runtime=module, **options)
        threads = options.get("num_threads")
        own = {"num_threads": interpreter_threads(threads)} if threads is not None else {}
        self._interpreter = module.Interpreter(model_content=content, experimental_delegates=[self.delegate], **own)
        self._interpreter.allocate_tensors()

    def __getattr__(self, name: str) -> Any:
        if name == "_interpreter":
            raise AttributeError("the interpreter was not made, or is closed")
        return getattr(self._interpreter, name)

    def __enter__(self) -> Interpreter:
        return self

    def __exit__(self, *_: object) -> None:
        del self._interpreter, self.delegate

    def run(self, *inputs: NDArray[Any]) -> list[NDArray[Any]]:
        """One inference: an array for each input of the model, in order; copies of its outputs. Raises ValueError for another number of arrays."""
        details = self._interpreter.get_input_details()
        if len(details) != len(inputs):
            names = ", ".join(repr(detail["name"]) for detail in details)
            raise ValueError(f"the model takes {plural(len(details), 'input')} ({names}), not {len(inputs)}")
        for detail, values in zip(details, inputs):
            self._interpreter.set_tensor(detail["index"], values)
        self._interpreter.invoke()
        return [self._interpreter.get_tensor(detail["index"]) for detail in self._interpreter.get_output_details()]

    def report(self) -> library.Report:
        """As tvmq_delegate.report()."""
        return library.report(self.delegate)

    def profile(self, *, reset: bool = False) -> list[library.NodeProfile]:
        """As tvmq_delegate.profile(); for an interpreter made with profile=True."""
        return library.profile(self.delegate, reset=reset)
