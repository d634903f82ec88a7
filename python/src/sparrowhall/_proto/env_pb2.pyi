from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Dtype(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DTYPE_UNSPECIFIED: _ClassVar[Dtype]
    DTYPE_BIT: _ClassVar[Dtype]
    DTYPE_UINT8: _ClassVar[Dtype]
    DTYPE_INT8: _ClassVar[Dtype]
    DTYPE_UINT16: _ClassVar[Dtype]
    DTYPE_INT16: _ClassVar[Dtype]
    DTYPE_UINT32: _ClassVar[Dtype]
    DTYPE_INT32: _ClassVar[Dtype]

class Episode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EPISODE_UNSPECIFIED: _ClassVar[Episode]
    EPISODE_MATCH: _ClassVar[Episode]
    EPISODE_HAND: _ClassVar[Episode]

class RowFlag(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROW_FLAG_UNSPECIFIED: _ClassVar[RowFlag]
    ROW_FLAG_ASKED: _ClassVar[RowFlag]
    ROW_FLAG_FIRST: _ClassVar[RowFlag]
    ROW_FLAG_TERMINATED: _ClassVar[RowFlag]
    ROW_FLAG_TRUNCATED: _ClassVar[RowFlag]
    ROW_FLAG_MATCH_OVER: _ClassVar[RowFlag]

class ErrorCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_CODE_UNSPECIFIED: _ClassVar[ErrorCode]
    ERROR_CODE_EMPTY_REQUEST: _ClassVar[ErrorCode]
    ERROR_CODE_NOT_OPEN: _ClassVar[ErrorCode]
    ERROR_CODE_BAD_RULESET: _ClassVar[ErrorCode]
    ERROR_CODE_BAD_SEATS: _ClassVar[ErrorCode]
    ERROR_CODE_BAD_OBSERVATION: _ClassVar[ErrorCode]
    ERROR_CODE_BAD_OPTION: _ClassVar[ErrorCode]
    ERROR_CODE_BAD_TABLES: _ClassVar[ErrorCode]
    ERROR_CODE_BAD_LENGTH: _ClassVar[ErrorCode]
    ERROR_CODE_UNKNOWN_TABLE: _ClassVar[ErrorCode]
    ERROR_CODE_UNKNOWN_PLAYER: _ClassVar[ErrorCode]
    ERROR_CODE_NOT_ASKED: _ClassVar[ErrorCode]
    ERROR_CODE_STALE_STEP: _ClassVar[ErrorCode]
    ERROR_CODE_ILLEGAL_ACTION: _ClassVar[ErrorCode]
    ERROR_CODE_DUPLICATE: _ClassVar[ErrorCode]
    ERROR_CODE_UNKNOWN_HANDLE: _ClassVar[ErrorCode]
    ERROR_CODE_TOO_MANY_HANDLES: _ClassVar[ErrorCode]
    ERROR_CODE_NOT_WAITING: _ClassVar[ErrorCode]
    ERROR_CODE_NOT_LOCAL: _ClassVar[ErrorCode]
DTYPE_UNSPECIFIED: Dtype
DTYPE_BIT: Dtype
DTYPE_UINT8: Dtype
DTYPE_INT8: Dtype
DTYPE_UINT16: Dtype
DTYPE_INT16: Dtype
DTYPE_UINT32: Dtype
DTYPE_INT32: Dtype
EPISODE_UNSPECIFIED: Episode
EPISODE_MATCH: Episode
EPISODE_HAND: Episode
ROW_FLAG_UNSPECIFIED: RowFlag
ROW_FLAG_ASKED: RowFlag
ROW_FLAG_FIRST: RowFlag
ROW_FLAG_TERMINATED: RowFlag
ROW_FLAG_TRUNCATED: RowFlag
ROW_FLAG_MATCH_OVER: RowFlag
ERROR_CODE_UNSPECIFIED: ErrorCode
ERROR_CODE_EMPTY_REQUEST: ErrorCode
ERROR_CODE_NOT_OPEN: ErrorCode
ERROR_CODE_BAD_RULESET: ErrorCode
ERROR_CODE_BAD_SEATS: ErrorCode
ERROR_CODE_BAD_OBSERVATION: ErrorCode
ERROR_CODE_BAD_OPTION: ErrorCode
ERROR_CODE_BAD_TABLES: ErrorCode
ERROR_CODE_BAD_LENGTH: ErrorCode
ERROR_CODE_UNKNOWN_TABLE: ErrorCode
ERROR_CODE_UNKNOWN_PLAYER: ErrorCode
ERROR_CODE_NOT_ASKED: ErrorCode
ERROR_CODE_STALE_STEP: ErrorCode
ERROR_CODE_ILLEGAL_ACTION: ErrorCode
ERROR_CODE_DUPLICATE: ErrorCode
ERROR_CODE_UNKNOWN_HANDLE: ErrorCode
ERROR_CODE_TOO_MANY_HANDLES: ErrorCode
ERROR_CODE_NOT_WAITING: ErrorCode
ERROR_CODE_NOT_LOCAL: ErrorCode

class DescribeRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DescribeResponse(_message.Message):
    __slots__ = ("engine_version", "action_table_version", "rulesets", "families", "actions", "observations", "agents", "limits", "program_version", "three_players")
    ENGINE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACTION_TABLE_VERSION_FIELD_NUMBER: _ClassVar[int]
    RULESETS_FIELD_NUMBER: _ClassVar[int]
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATIONS_FIELD_NUMBER: _ClassVar[int]
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    PROGRAM_VERSION_FIELD_NUMBER: _ClassVar[int]
    THREE_PLAYERS_FIELD_NUMBER: _ClassVar[int]
    engine_version: int
    action_table_version: int
    rulesets: _containers.RepeatedCompositeFieldContainer[Ruleset]
    families: _containers.RepeatedScalarFieldContainer[str]
    actions: _containers.RepeatedCompositeFieldContainer[Action]
    observations: _containers.RepeatedCompositeFieldContainer[Observation]
    agents: _containers.RepeatedCompositeFieldContainer[Agent]
    limits: Limits
    program_version: str
    three_players: ThreePlayers
    def __init__(self, engine_version: _Optional[int] = ..., action_table_version: _Optional[int] = ..., rulesets: _Optional[_Iterable[_Union[Ruleset, _Mapping]]] = ..., families: _Optional[_Iterable[str]] = ..., actions: _Optional[_Iterable[_Union[Action, _Mapping]]] = ..., observations: _Optional[_Iterable[_Union[Observation, _Mapping]]] = ..., agents: _Optional[_Iterable[_Union[Agent, _Mapping]]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., program_version: _Optional[str] = ..., three_players: _Optional[_Union[ThreePlayers, _Mapping]] = ...) -> None: ...

class ThreePlayers(_message.Message):
    __slots__ = ("action_table_version", "actions", "observations")
    ACTION_TABLE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATIONS_FIELD_NUMBER: _ClassVar[int]
    action_table_version: int
    actions: _containers.RepeatedCompositeFieldContainer[Action]
    observations: _containers.RepeatedCompositeFieldContainer[Observation]
    def __init__(self, action_table_version: _Optional[int] = ..., actions: _Optional[_Iterable[_Union[Action, _Mapping]]] = ..., observations: _Optional[_Iterable[_Union[Observation, _Mapping]]] = ...) -> None: ...

class Ruleset(_message.Message):
    __slots__ = ("name", "family", "description", "toml", "hash", "knobs", "units_per_point", "starting_points", "has_debts", "seats")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    TOML_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    KNOBS_FIELD_NUMBER: _ClassVar[int]
    UNITS_PER_POINT_FIELD_NUMBER: _ClassVar[int]
    STARTING_POINTS_FIELD_NUMBER: _ClassVar[int]
    HAS_DEBTS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    name: str
    family: str
    description: str
    toml: str
    hash: bytes
    knobs: _containers.RepeatedCompositeFieldContainer[Knob]
    units_per_point: int
    starting_points: int
    has_debts: bool
    seats: int
    def __init__(self, name: _Optional[str] = ..., family: _Optional[str] = ..., description: _Optional[str] = ..., toml: _Optional[str] = ..., hash: _Optional[bytes] = ..., knobs: _Optional[_Iterable[_Union[Knob, _Mapping]]] = ..., units_per_point: _Optional[int] = ..., starting_points: _Optional[int] = ..., has_debts: bool = ..., seats: _Optional[int] = ...) -> None: ...

class Knob(_message.Message):
    __slots__ = ("key", "value", "description", "allowed", "aliases")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: str
    description: str
    allowed: str
    aliases: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ..., description: _Optional[str] = ..., allowed: _Optional[str] = ..., aliases: _Optional[_Iterable[str]] = ...) -> None: ...

class Action(_message.Message):
    __slots__ = ("id", "text")
    ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    id: int
    text: str
    def __init__(self, id: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class Observation(_message.Message):
    __slots__ = ("name", "version", "description", "tensors")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    TENSORS_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    description: str
    tensors: _containers.RepeatedCompositeFieldContainer[Tensor]
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ..., description: _Optional[str] = ..., tensors: _Optional[_Iterable[_Union[Tensor, _Mapping]]] = ...) -> None: ...

class Tensor(_message.Message):
    __slots__ = ("name", "dtype", "shape", "low", "high", "row_bytes", "description", "fields", "fields_last")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DTYPE_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    ROW_BYTES_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    FIELDS_LAST_FIELD_NUMBER: _ClassVar[int]
    name: str
    dtype: Dtype
    shape: _containers.RepeatedScalarFieldContainer[int]
    low: int
    high: int
    row_bytes: int
    description: str
    fields: _containers.RepeatedCompositeFieldContainer[TensorField]
    fields_last: bool
    def __init__(self, name: _Optional[str] = ..., dtype: _Optional[_Union[Dtype, str]] = ..., shape: _Optional[_Iterable[int]] = ..., low: _Optional[int] = ..., high: _Optional[int] = ..., row_bytes: _Optional[int] = ..., description: _Optional[str] = ..., fields: _Optional[_Iterable[_Union[TensorField, _Mapping]]] = ..., fields_last: bool = ...) -> None: ...

class TensorField(_message.Message):
    __slots__ = ("name", "first", "count", "description", "low", "high")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    name: str
    first: int
    count: int
    description: str
    low: int
    high: int
    def __init__(self, name: _Optional[str] = ..., first: _Optional[int] = ..., count: _Optional[int] = ..., description: _Optional[str] = ..., low: _Optional[int] = ..., high: _Optional[int] = ...) -> None: ...

class Agent(_message.Message):
    __slots__ = ("name", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("streams", "tables", "handles", "request_bytes", "idle_seconds")
    STREAMS_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    HANDLES_FIELD_NUMBER: _ClassVar[int]
    REQUEST_BYTES_FIELD_NUMBER: _ClassVar[int]
    IDLE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    streams: int
    tables: int
    handles: int
    request_bytes: int
    idle_seconds: int
    def __init__(self, streams: _Optional[int] = ..., tables: _Optional[int] = ..., handles: _Optional[int] = ..., request_bytes: _Optional[int] = ..., idle_seconds: _Optional[int] = ...) -> None: ...

class PlayRequest(_message.Message):
    __slots__ = ("request_id", "open", "act", "reset", "snapshot", "restore", "fork", "redeal", "drop", "inspect", "attach", "playout")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    ACT_FIELD_NUMBER: _ClassVar[int]
    RESET_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    RESTORE_FIELD_NUMBER: _ClassVar[int]
    FORK_FIELD_NUMBER: _ClassVar[int]
    REDEAL_FIELD_NUMBER: _ClassVar[int]
    DROP_FIELD_NUMBER: _ClassVar[int]
    INSPECT_FIELD_NUMBER: _ClassVar[int]
    ATTACH_FIELD_NUMBER: _ClassVar[int]
    PLAYOUT_FIELD_NUMBER: _ClassVar[int]
    request_id: int
    open: Open
    act: Act
    reset: Reset
    snapshot: Snapshot
    restore: Restore
    fork: Fork
    redeal: Redeal
    drop: Drop
    inspect: Inspect
    attach: Attach
    playout: Playout
    def __init__(self, request_id: _Optional[int] = ..., open: _Optional[_Union[Open, _Mapping]] = ..., act: _Optional[_Union[Act, _Mapping]] = ..., reset: _Optional[_Union[Reset, _Mapping]] = ..., snapshot: _Optional[_Union[Snapshot, _Mapping]] = ..., restore: _Optional[_Union[Restore, _Mapping]] = ..., fork: _Optional[_Union[Fork, _Mapping]] = ..., redeal: _Optional[_Union[Redeal, _Mapping]] = ..., drop: _Optional[_Union[Drop, _Mapping]] = ..., inspect: _Optional[_Union[Inspect, _Mapping]] = ..., attach: _Optional[_Union[Attach, _Mapping]] = ..., playout: _Optional[_Union[Playout, _Mapping]] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("request_id", "opened", "batch", "handles", "done", "inspected", "error", "played_out")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    OPENED_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    HANDLES_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    INSPECTED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    PLAYED_OUT_FIELD_NUMBER: _ClassVar[int]
    request_id: int
    opened: Opened
    batch: Batch
    handles: Handles
    done: Done
    inspected: Inspected
    error: Error
    played_out: PlayedOut
    def __init__(self, request_id: _Optional[int] = ..., opened: _Optional[_Union[Opened, _Mapping]] = ..., batch: _Optional[_Union[Batch, _Mapping]] = ..., handles: _Optional[_Union[Handles, _Mapping]] = ..., done: _Optional[_Union[Done, _Mapping]] = ..., inspected: _Optional[_Union[Inspected, _Mapping]] = ..., error: _Optional[_Union[Error, _Mapping]] = ..., played_out: _Optional[_Union[PlayedOut, _Mapping]] = ...) -> None: ...

class Open(_message.Message):
    __slots__ = ("preset", "toml", "tables", "seed", "seeds", "seats", "rotate_seats", "observation", "episode", "auto_reset", "min_batch", "local", "local_unpacked", "wall", "luck_adjusted")
    PRESET_FIELD_NUMBER: _ClassVar[int]
    TOML_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SEEDS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROTATE_SEATS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    AUTO_RESET_FIELD_NUMBER: _ClassVar[int]
    MIN_BATCH_FIELD_NUMBER: _ClassVar[int]
    LOCAL_FIELD_NUMBER: _ClassVar[int]
    LOCAL_UNPACKED_FIELD_NUMBER: _ClassVar[int]
    WALL_FIELD_NUMBER: _ClassVar[int]
    LUCK_ADJUSTED_FIELD_NUMBER: _ClassVar[int]
    preset: str
    toml: str
    tables: int
    seed: int
    seeds: bytes
    seats: _containers.RepeatedScalarFieldContainer[str]
    rotate_seats: bool
    observation: str
    episode: Episode
    auto_reset: bool
    min_batch: int
    local: int
    local_unpacked: bool
    wall: str
    luck_adjusted: bool
    def __init__(self, preset: _Optional[str] = ..., toml: _Optional[str] = ..., tables: _Optional[int] = ..., seed: _Optional[int] = ..., seeds: _Optional[bytes] = ..., seats: _Optional[_Iterable[str]] = ..., rotate_seats: bool = ..., observation: _Optional[str] = ..., episode: _Optional[_Union[Episode, str]] = ..., auto_reset: bool = ..., min_batch: _Optional[int] = ..., local: _Optional[int] = ..., local_unpacked: bool = ..., wall: _Optional[str] = ..., luck_adjusted: bool = ...) -> None: ...

class Opened(_message.Message):
    __slots__ = ("ruleset", "observation", "tables", "local", "action_table_version", "actions")
    RULESET_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    LOCAL_FIELD_NUMBER: _ClassVar[int]
    ACTION_TABLE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    ruleset: Ruleset
    observation: Observation
    tables: int
    local: Local
    action_table_version: int
    actions: int
    def __init__(self, ruleset: _Optional[_Union[Ruleset, _Mapping]] = ..., observation: _Optional[_Union[Observation, _Mapping]] = ..., tables: _Optional[int] = ..., local: _Optional[_Union[Local, _Mapping]] = ..., action_table_version: _Optional[int] = ..., actions: _Optional[int] = ...) -> None: ...

class Local(_message.Message):
    __slots__ = ("refused", "path", "size", "token")
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    refused: str
    path: str
    size: int
    token: bytes
    def __init__(self, refused: _Optional[str] = ..., path: _Optional[str] = ..., size: _Optional[int] = ..., token: _Optional[bytes] = ...) -> None: ...

class Batch(_message.Message):
    __slots__ = ("rows", "table", "player", "step", "flags", "reward", "owed", "mask", "observation", "last_row", "last_points", "last_rank", "last_placement", "last_seed", "last_shared_rank", "draining")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    FLAGS_FIELD_NUMBER: _ClassVar[int]
    REWARD_FIELD_NUMBER: _ClassVar[int]
    OWED_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LAST_ROW_FIELD_NUMBER: _ClassVar[int]
    LAST_POINTS_FIELD_NUMBER: _ClassVar[int]
    LAST_RANK_FIELD_NUMBER: _ClassVar[int]
    LAST_PLACEMENT_FIELD_NUMBER: _ClassVar[int]
    LAST_SEED_FIELD_NUMBER: _ClassVar[int]
    LAST_SHARED_RANK_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    rows: int
    table: bytes
    player: bytes
    step: bytes
    flags: bytes
    reward: bytes
    owed: bytes
    mask: bytes
    observation: _containers.RepeatedScalarFieldContainer[bytes]
    last_row: bytes
    last_points: bytes
    last_rank: bytes
    last_placement: bytes
    last_seed: bytes
    last_shared_rank: bytes
    draining: bool
    def __init__(self, rows: _Optional[int] = ..., table: _Optional[bytes] = ..., player: _Optional[bytes] = ..., step: _Optional[bytes] = ..., flags: _Optional[bytes] = ..., reward: _Optional[bytes] = ..., owed: _Optional[bytes] = ..., mask: _Optional[bytes] = ..., observation: _Optional[_Iterable[bytes]] = ..., last_row: _Optional[bytes] = ..., last_points: _Optional[bytes] = ..., last_rank: _Optional[bytes] = ..., last_placement: _Optional[bytes] = ..., last_seed: _Optional[bytes] = ..., last_shared_rank: _Optional[bytes] = ..., draining: bool = ...) -> None: ...

class Act(_message.Message):
    __slots__ = ("table", "player", "step", "action", "flush")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    FLUSH_FIELD_NUMBER: _ClassVar[int]
    table: bytes
    player: bytes
    step: bytes
    action: bytes
    flush: bool
    def __init__(self, table: _Optional[bytes] = ..., player: _Optional[bytes] = ..., step: _Optional[bytes] = ..., action: _Optional[bytes] = ..., flush: bool = ...) -> None: ...

class Reset(_message.Message):
    __slots__ = ("table", "seed", "seats")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    table: bytes
    seed: bytes
    seats: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, table: _Optional[bytes] = ..., seed: _Optional[bytes] = ..., seats: _Optional[_Iterable[str]] = ...) -> None: ...

class Snapshot(_message.Message):
    __slots__ = ("table",)
    TABLE_FIELD_NUMBER: _ClassVar[int]
    table: bytes
    def __init__(self, table: _Optional[bytes] = ...) -> None: ...

class Handles(_message.Message):
    __slots__ = ("handle",)
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    handle: bytes
    def __init__(self, handle: _Optional[bytes] = ...) -> None: ...

class Restore(_message.Message):
    __slots__ = ("table", "handle")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    table: bytes
    handle: bytes
    def __init__(self, table: _Optional[bytes] = ..., handle: _Optional[bytes] = ...) -> None: ...

class Fork(_message.Message):
    __slots__ = ("to",)
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    to: bytes
    def __init__(self, to: _Optional[bytes] = ..., **kwargs) -> None: ...

class Redeal(_message.Message):
    __slots__ = ("player", "seed", "to", "believed")
    FROM_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    BELIEVED_FIELD_NUMBER: _ClassVar[int]
    player: bytes
    seed: bytes
    to: bytes
    believed: bool
    def __init__(self, player: _Optional[bytes] = ..., seed: _Optional[bytes] = ..., to: _Optional[bytes] = ..., believed: bool = ..., **kwargs) -> None: ...

class Playout(_message.Message):
    __slots__ = ("table", "player", "action", "agent")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    table: bytes
    player: bytes
    action: bytes
    agent: str
    def __init__(self, table: _Optional[bytes] = ..., player: _Optional[bytes] = ..., action: _Optional[bytes] = ..., agent: _Optional[str] = ...) -> None: ...

class PlayedOut(_message.Message):
    __slots__ = ("reward", "owed", "points")
    REWARD_FIELD_NUMBER: _ClassVar[int]
    OWED_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    reward: bytes
    owed: bytes
    points: bytes
    def __init__(self, reward: _Optional[bytes] = ..., owed: _Optional[bytes] = ..., points: _Optional[bytes] = ...) -> None: ...

class Drop(_message.Message):
    __slots__ = ("handle",)
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    handle: bytes
    def __init__(self, handle: _Optional[bytes] = ...) -> None: ...

class Done(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Attach(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Inspect(_message.Message):
    __slots__ = ("table", "player", "observation")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    table: int
    player: int
    observation: str
    def __init__(self, table: _Optional[int] = ..., player: _Optional[int] = ..., observation: _Optional[str] = ...) -> None: ...

class Inspected(_message.Message):
    __slots__ = ("json", "observation")
    JSON_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    json: str
    observation: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, json: _Optional[str] = ..., observation: _Optional[_Iterable[bytes]] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ("code", "message", "row", "table", "player")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    code: ErrorCode
    message: str
    row: int
    table: int
    player: int
    def __init__(self, code: _Optional[_Union[ErrorCode, str]] = ..., message: _Optional[str] = ..., row: _Optional[int] = ..., table: _Optional[int] = ..., player: _Optional[int] = ...) -> None: ...
