"""Slang reflection: structs and parameters of a module. Needs no device."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from ctypes import byref, c_bool, c_char_p, c_float, c_int, c_int64, c_uint32, c_void_p
from dataclasses import dataclass
from typing import Any

from neuralshade.gpu.slang_com import GET_LAYOUT, ComObject, in_compiler_thread, library, take_blob
from neuralshade.gpu.slang_export import link, load_text, text_session


@dataclass(frozen=True)
class Field:
    """A member of a struct; ``type`` in Slang's long form, like ``vector<float,3>``."""

    name: str
    type: str
    attributes: dict[str, tuple[float, ...]]  # by name, with their arguments
    default: float | None  # value of a scalar in its declaration
    has_default: bool  # whether the declaration has a value, of any kind


@dataclass(frozen=True)
class Method:
    """Result and parameter types of a method, in Slang's long form."""

    result: str
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Parameter:
    """A shader parameter at global scope, for the host to bind; ``type`` as in Field."""

    name: str
    type: str


@dataclass(frozen=True)
class Struct:
    """A struct's members, the requested methods, and the parameters of its module."""

    fields: tuple[Field, ...]
    methods: dict[str, Method]
    parameters: tuple[Parameter, ...] = ()


@in_compiler_thread
def reflect_struct(
    text: str,
    place: str,
    name: str,
    methods: Sequence[str],
    folder: pathlib.Path | None = None,
) -> Struct | None:
    """Return the reflection of struct ``name`` in a module's text; None where it has none.

    ``place``: the file named in errors. ``methods``: names to look up. ``folder``: folder of
    the module's own files, if not that of ``place``.

    Raises: KernelError with the compiler's whole log; DeviceError where slangpy is missing.
    """
    session = text_session("cuda")
    module = load_text(session, text, place, folder)
    layout = module.call(GET_LAYOUT, 0, None, types=(c_int64, c_void_p), result=c_void_p)
    of_type = _call("spReflection_FindTypeByName", layout, name.encode(), result=c_void_p)
    if not of_type:
        return None
    count = _call("spReflectionType_GetFieldCount", of_type, result=c_uint32)
    fields = tuple(
        _field(_call("spReflectionType_GetFieldByIndex", of_type, c_uint32(index), result=c_void_p))
        for index in range(count)
    )
    return Struct(fields, _methods(layout, of_type, methods), _parameters(session, module))


@in_compiler_thread
def reflect_parameters(
    text: str, place: str, folder: pathlib.Path | None = None
) -> tuple[Parameter, ...]:
    """Return the shader parameters at global scope of a module and its imports.

    These are uniforms, textures, samplers and buffers, in any block or namespace; neither static
    nor groupshared variables, nor specialization constants, which have values. Arguments and
    errors are those of ``reflect_struct``.
    """
    session = text_session("cuda")
    return _parameters(session, load_text(session, text, place, folder))


def _parameters(session: ComObject, module: ComObject) -> tuple[Parameter, ...]:
    linked = link(session, [module])  # a module's own layout lacks its imports
    layout = linked.call(GET_LAYOUT, 0, None, types=(c_int64, c_void_p), result=c_void_p)
    count = _call("spReflection_GetParameterCount", layout, result=c_uint32)
    found = []
    for index in range(count):
        one = _call("spReflection_GetParameterByIndex", layout, c_uint32(index), result=c_void_p)
        variable = _call("spReflectionVariableLayout_GetVariable", one, result=c_void_p)
        name = _call("spReflectionVariable_GetName", variable, result=c_char_p)
        if not _call("spReflectionVariable_HasDefaultValue", variable, result=c_bool):
            found.append(Parameter(name.decode(), _full_name(_type_of(variable))))
    return tuple(found)


def _methods(layout: int, of_type: int, names: Sequence[str]) -> dict[str, Method]:
    found = {}
    for name in names:
        method = _call("spReflection_FindFunctionByNameInType", layout, of_type, name.encode(),
                       result=c_void_p)  # fmt: skip
        if method:
            found[name] = _method(method)
    return found


def _method(method: int) -> Method:
    count = _call("spReflectionFunction_GetParameterCount", method, result=c_uint32)
    parameters = [
        _call("spReflectionFunction_GetParameter", method, c_uint32(index), result=c_void_p)
        for index in range(count)
    ]
    result = _call("spReflectionFunction_GetResultType", method, result=c_void_p)
    return Method(_full_name(result), tuple(_full_name(_type_of(p)) for p in parameters))


def _type_of(variable: int) -> int:
    return int(_call("spReflectionVariable_GetType", variable, result=c_void_p))


def _field(variable: int) -> Field:
    name = _call("spReflectionVariable_GetName", variable, result=c_char_p)
    has_default = _call("spReflectionVariable_HasDefaultValue", variable, result=c_bool)
    count = _call("spReflectionVariable_GetUserAttributeCount", variable, result=c_uint32)
    attributes = [
        _attribute(
            _call("spReflectionVariable_GetUserAttribute", variable, c_uint32(i), result=c_void_p)
        )
        for i in range(count)
    ]
    of_type = _full_name(_type_of(variable))
    return Field(name.decode(), of_type, dict(attributes), _default(variable), has_default)


def _default(variable: int) -> float | None:
    number, whole = c_float(), c_int64()
    if _call("spReflectionVariable_GetDefaultValueFloat", variable, byref(number)) >= 0:
        return number.value
    if _call("spReflectionVariable_GetDefaultValueInt", variable, byref(whole)) >= 0:
        return float(whole.value)
    return None


def _attribute(attribute: int) -> tuple[str, tuple[float, ...]]:
    name = _call("spReflectionUserAttribute_GetName", attribute, result=c_char_p).decode()
    count = _call("spReflectionUserAttribute_GetArgumentCount", attribute, result=c_uint32)
    return name, tuple(_argument(attribute, index) for index in range(count))


def _argument(attribute: int, index: int) -> float:
    number, whole = c_float(), c_int()
    place = (attribute, c_uint32(index))
    if _call("spReflectionUserAttribute_GetArgumentValueFloat", *place, byref(number)) >= 0:
        return number.value
    code = _call("spReflectionUserAttribute_GetArgumentValueInt", *place, byref(whole))
    assert code >= 0, "all arguments of our attributes are numbers"
    return float(whole.value)


def _full_name(of_type: int) -> str:
    blob = c_void_p()
    code = _call("spReflectionType_GetFullName", of_type, byref(blob))
    assert code >= 0, code
    return take_blob(blob.value).decode().rstrip("\0")


def _call(name: str, *arguments: Any, result: Any = c_int) -> Any:
    """Call a function of the compiler's C interface; integers are pointers."""
    function = getattr(library(), name)
    function.restype = result
    function.argtypes = [_c_type(argument) for argument in arguments]
    return function(*arguments)


def _c_type(argument: Any) -> Any:
    if isinstance(argument, bytes):
        return c_char_p
    return c_uint32 if isinstance(argument, c_uint32) else c_void_p
