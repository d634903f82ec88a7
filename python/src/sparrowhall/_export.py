"""Writes a PyTorch module as a graph of the few operations that the program computes.

``torch.export`` traces the module into operations of PyTorch. What depends on weights alone is
computed here. What moves elements is applied to their indices, so that one operation "take" does
all of it, the windows of convolutions included. The rest becomes sums of products and functions
of single numbers; ``internal/agents/net/graph`` lists them.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparrowhall.decoded import Amounts, ByColumn, ByRow, Decoder
from sparrowhall.spec import MASK, Observation

_Shape = tuple[int, ...]

# What moves elements, and returns some of its first argument's.
_MOVES = {
    *("view", "_unsafe_view", "reshape", "flatten", "permute", "transpose", "t", "unsqueeze"),
    *("squeeze", "expand", "slice", "select", "clone", "alias", "detach", "contiguous", "flip"),
    *("roll", "repeat", "unfold", "as_strided", "diagonal", "split", "split_with_sizes", "chunk"),
    *("unbind", "tril", "triu", "lift_fresh_copy", "expand_copy", "view_copy", "narrow"),
    *("permute_copy", "slice_copy", "select_copy", "squeeze_copy", "unsqueeze_copy", "unfold_copy"),
}
_WHOLE = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
_NARROW = (torch.uint8, torch.int8, torch.int16)
_LOWEST = float(np.finfo(np.float32).min)


@dataclass(frozen=True)
class _Value:
    """The result of a node: its name in the graph, and its shape in PyTorch."""

    name: str
    shape: _Shape
    dtype: torch.dtype = torch.float32

    @property
    def whole(self) -> bool:
        return self.dtype in _WHOLE

    @property
    def count(self) -> int:
        return math.prod(self.shape)


_Operand: TypeAlias = "_Value | Tensor"


class _Decoded(nn.Module):  # type: ignore[misc, unused-ignore]
    """A module after a decoder."""

    def __init__(self, module: nn.Module, decoder: Decoder | None) -> None:
        super().__init__()
        self.module = module
        self.parts = decoder.parts if decoder is not None else {}
        for name, part in self.parts.items():
            for key, array in vars(part).items():
                if isinstance(array, np.ndarray):
                    tensor = torch.from_numpy(array)
                    self.register_buffer(f"{name}_{key}", tensor, persistent=False)

    def forward(self, seen: dict[str, Tensor]) -> Any:
        return self.module({name: self._decode(name, raw) for name, raw in seen.items()})

    def _decode(self, name: str, raw: Tensor) -> Tensor:
        part = self.parts.get(name)
        if part is None:
            return raw
        table = {key: getattr(self, f"{name}_{key}") for key in vars(part) if key != "shape"}
        if isinstance(part, ByRow):
            decoded: Tensor = table["table"][raw.long()]
            return decoded
        if isinstance(part, ByColumn):
            codes = raw.index_select(-1, table["sources"]).long() + table["base"]
            columns: Tensor = table["flat"][codes].reshape(part.shape)
            return columns
        assert isinstance(part, Amounts)
        amounts: Tensor = torch.tanh(raw.float() / table["scale"])
        return amounts


def graph_of(
    module: nn.Module, spec: Observation, decoder: Decoder | None
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the tensors and the metadata ``inputs`` and ``graph`` of a module.

    Args:
        module: From a dictionary of tensors, the observation and the mask, to logits of shape
            ``(n, actions)``.
        spec: The observation.
        decoder: What decodes it, if anything does.

    Raises:
        ValueError: the module cannot be traced, returns something else, or has a layer that the
            program does not compute.
    """
    seen: dict[str, Tensor] = {}
    for t in spec.tensors:
        seen[t.name] = torch.from_numpy(np.zeros((1, *t.shape), t.dtype.newbyteorder("=")))
    seen[MASK] = torch.ones(1, spec.actions, dtype=torch.int8)
    # Results that a module keeps cannot be copied while they have a gradient.
    kept = [v for m in module.modules() for v in vars(m).values() if isinstance(v, Tensor)]
    try:
        copied = copy.deepcopy(module, {id(t): t.detach() for t in kept}).cpu().eval()
        with torch.no_grad():
            program = torch.export.export(_Decoded(copied, decoder), (seen,), strict=False)
            program = program.run_decompositions()
    except Exception as e:  # what tracing raises depends on what the module does
        said = f"{type(e).__name__}: {str(e).strip().partition(chr(10))[0].rstrip('.')}"
        raise ValueError(
            f"the module cannot be traced by torch.export: {said}; its forward must do the same "
            "for every observation, without branches on values"
        ) from e
    return _Writer(program, list(seen), spec.actions).result()


class _Writer:
    """Writes the graph of an exported program."""

    def __init__(self, program: torch.export.ExportedProgram, seen: list[str], actions: int):
        self._program = program
        self._actions = actions
        self._nodes: list[dict[str, Any]] = []
        self._tensors: dict[str, NDArray[Any]] = {}
        self._stored: dict[tuple[str, bytes], str] = {}
        self._inputs: list[str] = []
        self._results: dict[str, Any] = {}
        self._here = ""
        program.graph.eliminate_dead_code()
        self._read(seen)

    def result(self) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
        (outputs,) = next(n for n in self._program.graph.nodes if n.op == "output").args
        logits = self._results[outputs[0].name] if len(outputs) == 1 and outputs[0] else None
        if not isinstance(logits, _Value | Tensor) or tuple(logits.shape) != (1, self._actions):
            got = tuple(logits.shape) if isinstance(logits, _Value | Tensor) else len(outputs)
            raise ValueError(
                f"the module returns {got}; required: one tensor, logits of shape "
                f"(n, {self._actions})"
            )
        if isinstance(logits, Tensor):
            raise ValueError("the module returns the same for every observation")
        nodes = self._used(logits.name)
        text = json.dumps({"nodes": nodes, "output": logits.name}, separators=(",", ":"))
        named = {name for node in nodes for name in node["in"]}
        tensors = {name: t for name, t in self._tensors.items() if name in named}
        inputs = [name for name in self._inputs if f"observation.{name}" in named]
        return tensors, {"inputs": ",".join(inputs), "graph": text}

    def _used(self, output: str) -> list[dict[str, Any]]:
        """Return the nodes that the output depends on."""
        needed = {output}
        for node in reversed(self._nodes):
            if node["name"] in needed:
                needed.update(node["in"])
        return [node for node in self._nodes if node["name"] in needed]

    def _read(self, seen: list[str]) -> None:
        signature = self._program.graph_signature
        weights = {
            **signature.inputs_to_parameters,
            **signature.inputs_to_buffers,
            **signature.inputs_to_lifted_tensor_constants,
        }
        observed = dict(zip(signature.user_inputs, seen, strict=True))
        for node in self._program.graph.nodes:
            if node.op == "placeholder":
                if node.name in weights:
                    self._results[node.name] = self._weight(weights[node.name])
                elif node.users:
                    name, shape = observed[node.name], tuple(node.meta["val"].shape)
                    self._inputs.append(name)
                    dtype = node.meta["val"].dtype
                    self._results[node.name] = _Value(f"observation.{name}", shape, dtype)
            elif node.op == "call_function":
                self._results[node.name] = self._call(node)
            elif node.op != "output":
                raise ValueError(f"the module has a {node.op}, which is not exported")

    def _weight(self, name: str) -> Tensor:
        program = self._program
        found: Tensor = (
            program.state_dict[name] if name in program.state_dict else program.constants[name]
        )
        return found.detach()

    def _call(self, node: Any) -> Any:
        self._here = node.name
        args = self._args(node.args)
        kwargs = {k: self._args(v) for k, v in node.kwargs.items()}
        if node.target.__name__ == "getitem":
            if args[0][args[1]] is None:
                source = node.args[0].name.rstrip("_0123456789")
                raise self._refusal(node, source, "only its first result is exported")
            return args[0][args[1]]
        packet = getattr(node.target, "overloadpacket", None)
        name = packet.__name__ if packet is not None else str(node.target)
        if name.startswith("_assert") or name == "sym_constrain_range_for_size":
            return None
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            raise self._refusal(node, name, "random numbers are not exported")
        if not _values(args) and not _values(list(kwargs.values())):
            return node.target(*args, **kwargs)
        val = node.meta["val"]
        if name.endswith("_like") or name.startswith("new_"):
            first = torch.zeros(args[0].shape)
            return node.target(first, *args[1:], **{**kwargs, "dtype": val.dtype})
        if name in _MOVES:
            return self._move(node.target, args, kwargs)
        compute: Callable[..., Any] | None = getattr(_Layers, name.strip("_"), None)
        if compute is None:
            raise self._refusal(node, name, "")
        try:
            result = compute(_Layers(self, val), *args, **kwargs)
        except _NoError as e:
            raise self._refusal(node, name, str(e)) from None
        except TypeError:
            raise self._refusal(node, name, "with these arguments") from None
        if isinstance(result, _Value) and isinstance(val, Tensor):
            if result.count != val.numel():
                raise AssertionError(f"{name}: {result.shape}, want {tuple(val.shape)}")
            result = _Value(result.name, tuple(val.shape), val.dtype)
        return result

    def _refusal(self, node: Any, name: str, why: str) -> ValueError:
        stack = node.meta.get("nn_module_stack") or {}
        path, kind = list(stack.values())[-1] if stack else ("", "")
        path = path.removeprefix("module.").removeprefix("module")
        kind = kind if isinstance(kind, str) else kind.__name__
        layer = f"{path} ({kind.rpartition('.')[2]})" if path else "the module"
        return ValueError(
            f"{layer} uses {name}, which the program does not compute{why and ': ' + why}; "
            "allowed: Linear, Conv1d, Conv2d, embeddings, normalization, activations, attention, "
            "pooling, arithmetic, comparisons, sums and maxima, and what moves elements"
        )

    def _args(self, arg: Any) -> Any:
        if isinstance(arg, torch.fx.Node):
            return self._results[arg.name]
        if isinstance(arg, list | tuple):
            return [self._args(a) for a in arg]
        return arg

    def emit(
        self, op: str, operands: Sequence[str], shape: _Shape, dims: Sequence[int] = (), **more: Any
    ) -> _Value:
        """Add a node and return its result."""
        name = f"{self._here}.{len(self._nodes)}"
        node = {"name": name, "op": op, "in": list(operands), **more}
        if dims:
            node["dims"] = list(dims)
        self._nodes.append(node)
        return _Value(name, shape)

    def store(self, array: NDArray[Any]) -> str:
        """Store a tensor and return its name: of equal ones the first."""
        array = np.ascontiguousarray(array)
        if array.dtype == np.float32 and not np.isfinite(array).all():
            if np.isnan(array).any():
                raise ValueError(f"{self._here}: a weight is not a number")
            # Infinite logits exclude actions; so do the largest numbers.
            array = np.clip(array, _LOWEST, -_LOWEST)
        key = (array.dtype.str, array.tobytes())
        if key not in self._stored:
            self._stored[key] = f"{self._here}.t{len(self._tensors)}"
            self._tensors[self._stored[key]] = array.reshape(-1)
        return self._stored[key]

    def name_of(self, x: _Operand) -> str:
        """Return the name of an operand, which is stored if it is a tensor."""
        if isinstance(x, _Value):
            return x.name
        if x.dtype == torch.float64:
            raise _NoError("a tensor is of float64; required: float32")
        return self.store(x.detach().to(torch.float32).numpy())

    def moved(self, x: _Value, index: Tensor, extra: float | None = None) -> _Value:
        """Return the elements of x at 1 + their indices; 0, or extra, where one is 0."""
        places = index.reshape(-1) - 1
        shape = tuple(index.shape)
        if len(places) == x.count and bool((places == torch.arange(x.count)).all()):
            return _Value(x.name, shape, x.dtype)
        if extra:
            places = torch.where(places < 0, torch.tensor(x.count), places)
            x = self.emit(
                "join", [x.name, self.store(np.array([extra], np.float32))], (x.count + 1,)
            )
        taken = self.emit("take", [x.name, self.store(places.numpy().astype("<i4"))], shape)
        return _Value(taken.name, shape, x.dtype)

    def _move(self, target: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        x, *rest = args
        if isinstance(x, Tensor) or _values(rest):
            raise _NoError("an index depends on the observation")
        kwargs.pop("memory_format", None)
        index = target(indices_of(x), *rest, **kwargs)
        if isinstance(index, Tensor):
            return self.moved(x, index)
        return [self.moved(x, i) for i in index]


class _NoError(Exception):
    """Why an operation is not exported."""


def _values(args: Any) -> bool:
    if isinstance(args, list):
        return any(map(_values, args))
    return isinstance(args, _Value)


def indices_of(x: _Value) -> Tensor:
    """Return 1 + the index of each element."""
    return torch.arange(1, 1 + x.count).reshape(x.shape)


class _Layers:
    """Operations of PyTorch, by their names without leading and trailing underscores."""

    def __init__(self, writer: _Writer, val: Any) -> None:
        self._w = writer
        self._val = val

    # Helpers.

    def _shape(self, *operands: _Operand | float) -> _Shape:
        shapes = [tuple(x.shape) for x in operands if isinstance(x, _Value | Tensor)]
        return tuple(torch.broadcast_shapes(*shapes))

    def _each(self, op: str, *operands: _Operand | float) -> _Value:
        """Return an operation on each number of operands that are broadcast."""
        shape = self._shape(*operands)
        names = []
        for x in operands:
            if not isinstance(x, _Value | Tensor):
                x = torch.tensor([float(x)])
            count = math.prod(x.shape)
            if count not in (1, math.prod(shape)):
                if isinstance(x, _Value):
                    x = self._w.moved(x, indices_of(x).expand(shape))
                else:
                    x = x.expand(shape)
            names.append(self._w.name_of(x))
        return self._w.emit(op, names, shape)

    def _arithmetic(self, op: str, *operands: _Operand | float) -> _Value:
        if isinstance(self._val, Tensor) and self._val.dtype in _NARROW:
            kind = str(self._val.dtype).removeprefix("torch.")
            raise _NoError(f"{kind} overflows; convert the tensor by .float() before")
        self._check_float()
        return self._each(op, *operands)

    def _check_float(self) -> None:
        val = self._val
        if isinstance(val, Tensor) and val.dtype not in (torch.float32, *_WHOLE):
            kind = str(val.dtype).removeprefix("torch.")
            raise _NoError(f"it computes in {kind}; required: float32")

    def _rows(self, op: str, x: _Value, dims: Sequence[int], keep: bool = True) -> _Value:
        """Return a sum or maximum over dimensions."""
        rank = len(x.shape)
        over = sorted({d % rank for d in dims} if dims else range(rank))
        kept = [d for d in range(rank) if d not in over]
        moved = self._w.moved(x, indices_of(x).permute(*kept, *over)) if rank else x
        size = math.prod(x.shape[d] for d in over)
        shape = tuple(1 if d in over else n for d, n in enumerate(x.shape) if keep or d not in over)
        return self._w.emit(op, [moved.name], shape, [size])

    def _last(self, x: _Value, dim: int, compute: Callable[[_Value], _Value]) -> _Value:
        """Return what a function computes with a dimension last."""
        moved = self._w.moved(x, indices_of(x).transpose(dim, -1))
        result = compute(_Value(moved.name, moved.shape))
        return self._w.moved(result, indices_of(result).transpose(dim, -1))

    def _matmul(self, x: _Operand, w: _Operand, bias: Tensor | None = None) -> _Value:
        """Return x of shape (B, M, K) times w of shape (B, K, N), plus a bias of shape (N)."""
        self._check_float()
        (b, m, k), n = x.shape, w.shape[-1]
        names = [self._w.name_of(x), self._w.name_of(w)]
        if bias is not None:
            names.append(self._w.name_of(bias))
        return self._w.emit("matmul", names, (b, m, n), [b, m, k, n])

    # Sums of products.

    def bmm(self, x: _Operand, w: _Operand) -> _Value:
        return self._matmul(x, w)

    def mm(self, x: _Operand, w: _Operand) -> _Value:
        return self._matmul(_batched(x), _batched(w))

    def addmm(
        self, bias: _Operand, x: _Operand, w: _Operand, beta: float = 1, alpha: float = 1
    ) -> _Value:
        if isinstance(bias, Tensor) and beta == alpha == 1 and bias.numel() == w.shape[-1]:
            return self._matmul(_batched(x), _batched(w), bias)
        product = self._matmul(_batched(x), _batched(w))
        scaled = self._scaled(_Value(product.name, product.shape[1:]), alpha)
        return self._each("add", self._scaled(bias, beta), scaled)

    def baddbmm(
        self, bias: _Operand, x: _Operand, w: _Operand, beta: float = 1, alpha: float = 1
    ) -> _Value:
        product = self._scaled(self._matmul(x, w), alpha)
        return self._each("add", self._scaled(bias, beta), product)

    def _scaled(self, x: _Operand, factor: float) -> _Operand:
        return x if factor == 1 else self._each("mul", x, factor)

    def convolution(
        self,
        x: _Value,
        w: _Operand,
        bias: Tensor | None,
        stride: list[int],
        padding: list[int],
        dilation: list[int],
        transposed: bool,
        output_padding: list[int],
        groups: int,
    ) -> _Value:
        if transposed or isinstance(w, _Value):
            raise _NoError("transposed" if transposed else "its weights depend on the observation")
        windows, out = _windows(x, w.shape[2:], stride, padding, dilation, groups)
        rows = self._w.moved(x, windows)
        g, m, k = rows.shape
        weights = w.reshape(g, w.shape[0] // g, k).transpose(1, 2)
        n = weights.shape[-1]
        y = self._matmul(rows, weights, bias if g == 1 else None)
        # From (groups, batch and places, outputs) to (batch, channels, places).
        batch = x.shape[0]
        index = indices_of(y).reshape(g, batch, m // batch, n).permute(1, 0, 3, 2)
        y = self._w.moved(y, index.reshape(batch, g * n, *out))
        if bias is not None and g > 1:
            y = self._each("add", y, bias.reshape(-1, *[1] * len(out)))
        return y

    def max_pool2d_with_indices(
        self,
        x: _Value,
        kernel: list[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0, 0),
        dilation: Sequence[int] = (1, 1),
        ceil_mode: bool = False,
    ) -> list[Any]:
        if ceil_mode:
            raise _NoError("ceil_mode is on")
        whole = _Value(x.name, (1, math.prod(x.shape[:-2]), *x.shape[-2:]))
        windows, out = _windows(whole, kernel, stride or kernel, padding, dilation, whole.shape[1])
        rows = self._w.moved(whole, windows, extra=_LOWEST)
        shape = (*x.shape[:-2], *out)
        return [self._w.emit("max", [rows.name], shape, [windows.shape[-1]]), None]

    def avg_pool2d(
        self,
        x: _Value,
        kernel: list[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0, 0),
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> _Value:
        if ceil_mode or (any(padding) and not count_include_pad):
            raise _NoError("only without ceil_mode, and with count_include_pad")
        whole = _Value(x.name, (1, math.prod(x.shape[:-2]), *x.shape[-2:]))
        windows, out = _windows(whole, kernel, stride or kernel, padding, (1, 1), whole.shape[1])
        rows = self._w.moved(whole, windows)
        size = windows.shape[-1]
        total = self._w.emit("sum", [rows.name], (*x.shape[:-2], *out), [size])
        return self._each("mul", total, 1 / (divisor_override or size))

    # Normalization.

    def native_layer_norm(
        self, x: _Value, shape: list[int], w: Tensor | None, b: Tensor | None, eps: float
    ) -> list[Any]:
        self._check_float()
        size = math.prod(shape)
        y = self._w.emit("norm", [x.name], x.shape, [size], eps=eps)
        return [self._affine(y, w, b), None, None]

    def native_group_norm(
        self,
        x: _Value,
        w: Tensor | None,
        b: Tensor | None,
        batch: int,
        channels: int,
        places: int,
        groups: int,
        eps: float,
    ) -> list[Any]:
        size = channels // groups * places
        y = self._w.emit("norm", [x.name], x.shape, [size], eps=eps)
        one = (-1, *[1] * (len(x.shape) - 2))
        return [self._affine(y, *(t if t is None else t.reshape(one) for t in (w, b))), None, None]

    def native_batch_norm_legit_no_training(
        self,
        x: _Value,
        w: Tensor | None,
        b: Tensor | None,
        mean: Tensor,
        variance: Tensor,
        momentum: float,
        eps: float,
    ) -> list[Any]:
        scale = (variance.double() + eps).rsqrt() * (1 if w is None else w.double())
        shift = (0 if b is None else b.double()) - mean.double() * scale
        one = (-1, *[1] * (len(x.shape) - 2))
        y = self._affine(x, scale.float().reshape(one), shift.float().reshape(one))
        return [y, None, None]

    def _affine(self, y: _Value, w: Tensor | None, b: Tensor | None) -> _Value:
        y = y if w is None else self._each("mul", y, w)
        return y if b is None else self._each("add", y, b)

    def softmax(self, x: _Value, dim: int, half_to_float: bool = False) -> _Value:
        self._check_float()
        return self._last(
            x, dim, lambda y: self._w.emit("softmax", [y.name], y.shape, [y.shape[-1]])
        )

    def log_softmax(self, x: _Value, dim: int, half_to_float: bool = False) -> _Value:
        less = self._each("sub", x, self._rows("max", x, [dim]))
        total = self._rows("sum", self._each("exp", less), [dim])
        return self._each("sub", less, self._each("log", total))

    # Sums and maxima.

    def sum(
        self, x: _Value, dims: Sequence[int] = (), keep: bool = False, dtype: Any = None
    ) -> _Value:
        self._check_float()
        return self._rows("sum", x, dims or (), keep)

    def mean(
        self, x: _Value, dims: Sequence[int] = (), keep: bool = False, dtype: Any = None
    ) -> _Value:
        total = self.sum(x, dims, keep)
        return self._each("mul", total, total.count / x.count)

    def var(
        self,
        x: _Value,
        dims: Sequence[int] = (),
        correction: float | None = None,
        keepdim: bool = False,
    ) -> _Value:
        mean = self.mean(x, dims, True)
        d = self._each("sub", x, mean)
        total = self._rows("sum", self._each("mul", d, d), dims or (), keepdim)
        count = x.count // total.count - (1 if correction is None else correction)
        return self._each("mul", total, 1 / count)

    def amax(self, x: _Value, dims: Sequence[int] = (), keep: bool = False) -> _Value:
        return self._rows("max", x, dims, keep)

    def amin(self, x: _Value, dims: Sequence[int] = (), keep: bool = False) -> _Value:
        return self.neg(self._rows("max", self.neg(x), dims, keep))

    def max(self, x: _Value, dim: int | None = None, keep: bool = False) -> Any:
        if dim is None:
            return self._rows("max", x, (), False)
        return [self._rows("max", x, [dim], keep), None]

    def min(self, x: _Value, dim: int | None = None, keep: bool = False) -> Any:
        if dim is None:
            return self.amin(x)
        return [self.amin(x, [dim], keep), None]

    def any(self, x: _Value, dim: Any = (), keep: bool = False) -> _Value:
        dims = [dim] if isinstance(dim, int) else dim
        return self._rows("max", self.ne(x, 0), dims, keep)

    def all(self, x: _Value, dim: Any = (), keep: bool = False) -> _Value:
        dims = [dim] if isinstance(dim, int) else dim
        return self.logical_not(self._rows("max", self.logical_not(x), dims, keep))

    # What moves elements by operands of several kinds.

    def cat(self, parts: list[_Operand], dim: int = 0) -> _Value:
        indices, names, offset = [], [], 0
        for part in parts:
            shape, count = tuple(part.shape), math.prod(part.shape)
            if count == 0:
                continue
            indices.append(torch.arange(1 + offset, 1 + offset + count).reshape(shape))
            names.append(self._w.name_of(part))
            offset += count
        joined = self._w.emit("join", names, (offset,))
        return self._w.moved(joined, torch.cat(indices, dim))

    def constant_pad_nd(self, x: _Value, pad: list[int], value: float = 0) -> _Value:
        padded = torch.constant_pad_nd(indices_of(x), pad, 0)
        return self._w.moved(x, padded, extra=max(float(value), _LOWEST))

    def index(self, x: _Operand, indices: list[_Operand | None]) -> _Value:
        if not _values(indices):
            assert isinstance(x, _Value)
            found: Any = tuple(slice(None) if i is None else i for i in indices)
            return self._w.moved(x, indices_of(x)[found])
        first = indices[0]
        if len([i for i in indices if i is not None]) != 1 or not isinstance(first, _Value):
            raise _NoError("several indices, or one of another dimension than the first")
        return self._lookup(x, first)

    def _lookup(self, table: _Operand, codes: _Value) -> _Value:
        width = math.prod(table.shape[1:])
        shape = (*codes.shape, *table.shape[1:])
        return self._w.emit("lookup", [codes.name, self._w.name_of(table)], shape, [width])

    def embedding(self, table: _Operand, codes: _Value, *_: Any) -> _Value:
        return self._lookup(table, codes)

    def index_select(self, x: _Operand, dim: int, index: _Operand) -> _Value:
        if isinstance(index, Tensor):
            assert isinstance(x, _Value)
            return self._w.moved(x, indices_of(x).index_select(dim, index))
        if dim % len(x.shape):
            raise _NoError("the index depends on the observation, and is not of dimension 0")
        return self._lookup(x, index)

    def gather(self, x: _Operand, dim: int, index: _Operand, sparse_grad: bool = False) -> _Value:
        shape = tuple(x.shape)
        if isinstance(index, Tensor):
            assert isinstance(x, _Value)
            return self._w.moved(x, indices_of(x).gather(dim, index))
        # The place of each element is that of index 0, plus the index times the stride.
        places = torch.arange(math.prod(shape)).reshape(shape)
        base = places.gather(dim, torch.zeros(index.shape, dtype=torch.int64))
        stride = math.prod(shape[dim % len(shape) + 1 :])
        codes = self._each("add", self._each("mul", index, stride), base)
        flat = x.reshape(-1) if isinstance(x, Tensor) else _Value(x.name, (x.count,))
        return self._lookup(flat, codes)

    def where(self, condition: _Operand, x: _Operand, y: _Operand) -> _Value:
        return self._each("where", condition, x, y)

    def masked_fill(self, x: _Operand, mask: _Operand, value: _Operand | float) -> _Value:
        return self._each("where", mask, value, x)

    def to_copy(self, x: _Value, dtype: Any = None, **_: Any) -> _Value:
        if dtype == torch.bool:
            return self.ne(x, 0)
        # No int8 is negative: there is no arithmetic on them.
        given = torch.uint8 if x.dtype == torch.int8 else x.dtype
        fits = dtype not in _NARROW or torch.promote_types(given, dtype) == dtype
        if dtype in (None, torch.float32) or (dtype in _WHOLE and x.whole and fits):
            return x
        self._check_float()
        return self.trunc(x)

    # Functions of each number.

    def exp(self, x: _Value) -> _Value:
        return self._arithmetic("exp", x)

    def log(self, x: _Value) -> _Value:
        return self._arithmetic("log", x)

    def log1p(self, x: _Value) -> _Value:
        return self._each("log", self._arithmetic("add", x, 1))

    def expm1(self, x: _Value) -> _Value:
        return self._each("sub", self._arithmetic("exp", x), 1)

    def sqrt(self, x: _Value) -> _Value:
        return self._arithmetic("sqrt", x)

    def rsqrt(self, x: _Value) -> _Value:
        return self._each("div", 1, self._arithmetic("sqrt", x))

    def tanh(self, x: _Value) -> _Value:
        return self._arithmetic("tanh", x)

    def sigmoid(self, x: _Value) -> _Value:
        return self._arithmetic("sigmoid", x)

    def erf(self, x: _Value) -> _Value:
        return self._arithmetic("erf", x)

    def floor(self, x: _Value) -> _Value:
        return self._arithmetic("floor", x)

    def ceil(self, x: _Value) -> _Value:
        return self.neg(self.floor(self.neg(x)))

    def trunc(self, x: _Value) -> _Value:
        return self._each("where", self._each("lt", x, 0), self.ceil(x), self.floor(x))

    def neg(self, x: _Value) -> _Value:
        return self._arithmetic("mul", x, -1)

    def abs(self, x: _Value) -> _Value:
        return self._each("maximum", x, self.neg(x))

    def sign(self, x: _Value) -> _Value:
        return self._each("sub", self._each("lt", 0, x), self._each("lt", x, 0))

    def reciprocal(self, x: _Value) -> _Value:
        return self._arithmetic("div", 1, x)

    def relu(self, x: _Value) -> _Value:
        return self._each("maximum", x, 0)

    def silu(self, x: _Value) -> _Value:
        return self._each("mul", x, self.sigmoid(x))

    def gelu(self, x: _Value, approximate: str = "none") -> _Value:
        half = self._arithmetic("mul", x, 0.5)
        if approximate == "tanh":
            cube = self._each("mul", self._each("mul", self._each("mul", x, x), x), 0.044715)
            inner = self._each("mul", self._each("add", x, cube), math.sqrt(2 / math.pi))
            bell = self._each("tanh", inner)
        else:
            bell = self._each("erf", self._each("mul", x, math.sqrt(0.5)))
        return self._each("mul", half, self._each("add", bell, 1))

    def leaky_relu(self, x: _Value, slope: float = 0.01) -> _Value:
        if 0 <= slope <= 1:
            return self._each("maximum", x, self._each("mul", x, slope))
        less = self._each("mul", self._each("minimum", x, 0), slope)
        return self._each("add", self.relu(x), less)

    def elu(self, x: _Value, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> _Value:
        less = self._each("exp", self._each("mul", self._each("minimum", x, 0), input_scale))
        bent = self._each("mul", self._each("sub", less, 1), alpha)
        return self._each("mul", self._each("add", self.relu(x), bent), scale)

    def hardtanh(self, x: _Value, low: float = -1, high: float = 1) -> _Operand:
        return self.clamp(x, low, high)

    def clamp(self, x: _Operand, low: _Operand | float | None = None, high: Any = None) -> _Operand:
        x = x if low is None else self._each("maximum", x, low)
        return x if high is None else self._each("minimum", x, high)

    def clamp_min(self, x: _Operand, low: float) -> _Operand:
        return self.clamp(x, low)

    def clamp_max(self, x: _Operand, high: float) -> _Operand:
        return self.clamp(x, None, high)

    def pow(self, x: _Operand, power: _Operand | float) -> _Operand:
        if power == 0.5 and isinstance(x, _Value):
            return self.sqrt(x)
        if not isinstance(power, int | float) or power not in (1, 2, 3, 4):
            raise _NoError("allowed: powers 0.5, 1, 2, 3 and 4")
        y = x
        for _ in range(int(power) - 1):
            y = self._arithmetic("mul", y, x)
        return y

    def square(self, x: _Value) -> _Operand:
        return self.pow(x, 2)

    # Arithmetic and comparisons.

    def add(self, a: _Operand, b: _Operand | float, alpha: float = 1) -> _Value:
        return self._arithmetic("add", a, self._times(b, alpha))

    def sub(self, a: _Operand, b: _Operand | float, alpha: float = 1) -> _Value:
        return self._arithmetic("sub", a, self._times(b, alpha))

    def rsub(self, a: _Operand, b: _Operand | float, alpha: float = 1) -> _Value:
        return self._arithmetic("sub", b, self._times(a, alpha))

    def _times(self, x: _Operand | float, alpha: float) -> _Operand | float:
        if alpha == 1:
            return x
        return self._each("mul", x, alpha) if isinstance(x, _Value) else x * alpha

    def mul(self, a: _Operand, b: _Operand | float) -> _Value:
        return self._arithmetic("mul", a, b)

    def div(self, a: _Operand, b: _Operand | float, rounding_mode: str | None = None) -> _Value:
        self._check_float()
        quotient = self._each("div", a, b)
        if rounding_mode == "floor":
            return self._each("floor", quotient)
        return self.trunc(quotient) if rounding_mode == "trunc" else quotient

    def floor_divide(self, a: _Operand, b: _Operand | float) -> _Value:
        return self.div(a, b, "floor")

    def remainder(self, a: _Operand, b: _Operand | float) -> _Value:
        self._check_float()
        whole = self._each("floor", self._each("div", a, b))
        return self._each("sub", a, self._each("mul", whole, b))

    def maximum(self, a: _Operand, b: _Operand) -> _Value:
        return self._each("maximum", a, b)

    def minimum(self, a: _Operand, b: _Operand) -> _Value:
        return self._each("minimum", a, b)

    def eq(self, a: _Operand, b: _Operand | float) -> _Value:
        return self._each("eq", a, b)

    def ne(self, a: _Operand, b: _Operand | float) -> _Value:
        return self.logical_not(self._each("eq", a, b))

    def lt(self, a: _Operand, b: _Operand | float) -> _Value:
        return self._each("lt", a, b)

    def le(self, a: _Operand, b: _Operand | float) -> _Value:
        return self._each("le", a, b)

    def gt(self, a: _Operand, b: _Operand | float) -> _Value:
        return self._each("lt", b, a)

    def ge(self, a: _Operand, b: _Operand | float) -> _Value:
        return self._each("le", b, a)

    def logical_not(self, x: _Value) -> _Value:
        return self._each("eq", x, 0)

    def logical_and(self, a: _Operand, b: _Operand) -> _Value:
        return self._each("minimum", self._truth(a), self._truth(b))

    def logical_or(self, a: _Operand, b: _Operand) -> _Value:
        return self._each("maximum", self._truth(a), self._truth(b))

    def logical_xor(self, a: _Operand, b: _Operand) -> _Value:
        return self.ne(self._truth(a), self._truth(b))

    def _truth(self, x: _Operand) -> _Operand:
        return self.ne(x, 0) if isinstance(x, _Value) else (x != 0).float()

    def bitwise_and(self, a: _Operand, b: _Operand | int) -> _Value:
        return self._each("and", a, b)

    def bitwise_or(self, a: _Operand, b: _Operand | int) -> _Value:
        return self._each("or", a, b)

    def bitwise_not(self, x: _Value) -> _Value:
        if self._val.dtype != torch.bool:
            raise _NoError("only of bool")
        return self.logical_not(x)

    def bitwise_right_shift(self, a: _Operand, b: _Operand | int) -> _Value:
        if isinstance(b, _Value):
            raise _NoError("the number of bits depends on the observation")
        by = 2**b if isinstance(b, int) else torch.pow(2.0, b.float())
        return self._each("floor", self._each("div", a, by))

    rshift = bitwise_right_shift


def _batched(x: _Operand) -> _Operand:
    if isinstance(x, Tensor):
        return x[None]
    return _Value(x.name, (1, *x.shape), x.dtype)


def _windows(
    x: _Value,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> tuple[Tensor, _Shape]:
    """Return 1 + the indices of what each place of a convolution multiplies, 0 for padding.

    Returns:
        Shape ``(groups, batch * places, channels * kernel)``, and the shape of the places.
    """
    pad = [p for size in reversed(padding) for p in (size, size)]
    padded = torch.constant_pad_nd(indices_of(x), pad, 0)
    batch, channels, *sizes = padded.shape
    strides = padded.stride()
    out = tuple(
        (size - d * (k - 1) - 1) // s + 1
        for size, k, s, d in zip(sizes, kernel, stride, dilation, strict=True)
    )
    each = channels // groups
    windows = padded.as_strided(
        (groups, batch, *out, each, *kernel),
        (
            each * strides[1],
            strides[0],
            *(n * s for n, s in zip(strides[2:], stride, strict=True)),
            strides[1],
            *(n * d for n, d in zip(strides[2:], dilation, strict=True)),
        ),
    )
    return windows.reshape(groups, batch * math.prod(out), each * math.prod(kernel)), out
