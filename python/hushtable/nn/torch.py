"""Modules of PyTorch: exported to ONNX in memory, and imported from there."""

from __future__ import annotations

import importlib
import inspect
import io
import warnings
from collections.abc import Sequence
from typing import Any

from ..errors import ParamError
from .model import Model
from .onnx import from_onnx

# The version of the operations of ONNX that modules are exported in: the latest that old exporters know well.
OPSET = 14


def from_torch(module: Any, example: Any, *, classes: Sequence[Any] | None = None) -> Model:
    """A module in evaluation mode; `example`: an input, or a tuple of several, of which the first axis is the rows.

    The module is exported by PyTorch's exporter by tracing, so what depends on the values of the example is fixed as it is
    there. Raises `ParamError` where it cannot be exported, and as `from_onnx`. Takes the packages torch and onnx.
    """
    try:
        torch = importlib.import_module("torch")
        importlib.import_module("torch.onnx")
    except ImportError:
        raise ParamError("from_torch: the package torch is not installed") from None
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"from_torch: a torch.nn.Module is expected, got {type(module).__name__}")
    examples = example if isinstance(example, tuple) else (example,)
    names = [f"x{i}" for i in range(len(examples))]
    export = torch.onnx.export
    how: dict[str, Any] = {"dynamo": False} if "dynamo" in inspect.signature(export).parameters else {}
    training, out = bool(module.training), io.BytesIO()
    # Its fast path for transformer layers is one operation that the exporter does not know.
    fast = getattr(torch.backends, "mha", None)
    before = fast is not None and fast.get_fastpath_enabled()
    try:
        torch.onnx.register_custom_op_symbolic("aten::rms_norm", _rms_norm(torch.onnx.symbolic_helper), OPSET)
        module.eval()
        if fast is not None:
            fast.set_fastpath_enabled(False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            export(
                _with_defaults(torch, module) if len(inspect.signature(module.forward).parameters) > len(examples) else module,
                examples,
                out,
                input_names=names,
                dynamic_axes={name: {0: "rows"} for name in names},
                opset_version=OPSET,
                **how,
            )
    except Exception as error:
        first = str(error).strip().splitlines() or [type(error).__name__]
        raise ParamError(f"from_torch: {type(module).__name__} cannot be exported to ONNX: {first[0][:200]}") from None
    finally:
        module.train(training)
        if fast is not None:
            fast.set_fastpath_enabled(before)
        torch.onnx.unregister_custom_op_symbolic("aten::rms_norm", OPSET)
    return from_onnx(out.getvalue(), classes=classes)


def _with_defaults(torch: Any, module: Any) -> Any:
    """The module, called with the inputs alone: the exporter would make tensors of the defaults of other arguments."""

    class WithDefaults(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.module = module

        def forward(self, *x: Any) -> Any:
            return self.module(*x)

    return WithDefaults().eval()


def _rms_norm(helper: Any) -> Any:
    """`torch.nn.RMSNorm` spelt out, which the exporter by tracing does not know."""

    def norm(g: Any, x: Any, size: list[int], weight: Any, epsilon: float | None) -> Any:
        def number(value: float) -> Any:
            return g.op("Constant", value_t=torch.tensor(value, dtype=torch.float32))

        torch = importlib.import_module("torch")
        spread = g.op("ReduceMean", g.op("Mul", x, x), axes_i=list(range(-len(size), 0)), keepdims_i=1)
        # As PyTorch has it where none is given.
        added = number(torch.finfo(torch.float32).eps if epsilon is None else epsilon)
        inverse = g.op("Div", number(1.0), g.op("Sqrt", g.op("Add", spread, added)))
        normed = g.op("Mul", x, inverse)
        return normed if weight.node().mustBeNone() else g.op("Mul", normed, weight)

    return helper.parse_args("v", "is", "v", "f")(norm)
