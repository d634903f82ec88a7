from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DescribeRequest(_message.Message):
    __slots__ = ("observations", "actions", "action_table_version")
    OBSERVATIONS_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    ACTION_TABLE_VERSION_FIELD_NUMBER: _ClassVar[int]
    observations: _containers.RepeatedCompositeFieldContainer[Observation]
    actions: _containers.RepeatedScalarFieldContainer[str]
    action_table_version: int
    def __init__(self, observations: _Optional[_Iterable[_Union[Observation, _Mapping]]] = ..., actions: _Optional[_Iterable[str]] = ..., action_table_version: _Optional[int] = ...) -> None: ...

class Observation(_message.Message):
    __slots__ = ("name", "version", "tensors")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TENSORS_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    tensors: _containers.RepeatedCompositeFieldContainer[Tensor]
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ..., tensors: _Optional[_Iterable[_Union[Tensor, _Mapping]]] = ...) -> None: ...

class Tensor(_message.Message):
    __slots__ = ("name", "dtype", "shape", "row_bytes")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DTYPE_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    ROW_BYTES_FIELD_NUMBER: _ClassVar[int]
    name: str
    dtype: str
    shape: _containers.RepeatedScalarFieldContainer[int]
    row_bytes: int
    def __init__(self, name: _Optional[str] = ..., dtype: _Optional[str] = ..., shape: _Optional[_Iterable[int]] = ..., row_bytes: _Optional[int] = ...) -> None: ...

class DescribeResponse(_message.Message):
    __slots__ = ("name", "observation")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    name: str
    observation: str
    def __init__(self, name: _Optional[str] = ..., observation: _Optional[str] = ...) -> None: ...

class ActRequest(_message.Message):
    __slots__ = ("ruleset", "ruleset_hash", "rows", "asker", "player", "decision", "random", "mask", "observation")
    RULESET_FIELD_NUMBER: _ClassVar[int]
    RULESET_HASH_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    ASKER_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    RANDOM_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    ruleset: str
    ruleset_hash: bytes
    rows: int
    asker: bytes
    player: bytes
    decision: bytes
    random: bytes
    mask: bytes
    observation: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, ruleset: _Optional[str] = ..., ruleset_hash: _Optional[bytes] = ..., rows: _Optional[int] = ..., asker: _Optional[bytes] = ..., player: _Optional[bytes] = ..., decision: _Optional[bytes] = ..., random: _Optional[bytes] = ..., mask: _Optional[bytes] = ..., observation: _Optional[_Iterable[bytes]] = ...) -> None: ...

class ActResponse(_message.Message):
    __slots__ = ("action",)
    ACTION_FIELD_NUMBER: _ClassVar[int]
    action: bytes
    def __init__(self, action: _Optional[bytes] = ...) -> None: ...
