"""Calls into slangpy's Slang compiler, by the slots of its COM interfaces."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import pathlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p, sizeof
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from neuralshade.errors import DeviceError, KernelError, NeuralShadeError
from neuralshade.gpu.compiler_queue import PLACE, CompilerQueue
from neuralshade.gpu.device import in_new_thread, trim_heap

P = ParamSpec("P")
T = TypeVar("T")

LIBRARIES = ("libslang-compiler.so*", "libslang-compiler*.dylib", "slang-compiler.dll")
LANGUAGE_VERSION = 2025  # of Slang, for modules that name none
# Slots of methods in their interfaces' tables, from slang.h. Slang appends to its interfaces, and
# existing slots stay.
RELEASE = 2
BLOB_POINTER, BLOB_SIZE = 3, 4
CREATE_SESSION, PARSE_ARGUMENTS = 3, 27  # of IGlobalSession
COMPOSE, LOAD_SOURCE = 6, 20  # of ISession
GET_LAYOUT, ENTRY_POINT_CODE, LINK, TARGET_CODE = 4, 6, 10, 14  # of IComponentType
FIND_ENTRY_POINT, DEPENDENCY_COUNT, DEPENDENCY_PATH = 17, 26, 27  # of IModule

# Lines around the compiler's errors: box borders, the note that errors end a compilation, and the
# generated name of the module.
AFTERWARDS = re.compile(
    r"^(?:-+'|error\[E39999\]: import failed due to compilation error"
    r"|(?:abort compilation: )?fatal error\[E40003\]: compilation ceased"
    r'|Failed to load slang module "neuralshade_\w+" from source[^\n]*)\n?',
    re.MULTILINE,
)


# A compiler serves one thread at a time, and several work in parallel. Each takes 300 MB, 0.14 s to
# create and most of a kernel's time to import its modules, and four that do so at once slow each
# other down. So another one is created only for texts that would wait behind PATIENCE others: on an
# H200's host four kernels of a material took 0.7, 1.2, 1.4 and 1.8 s beside each other, and each
# 0.25 s where one compiler had their imports. One is kept.
MOST_COMPILERS, PATIENCE = 4, 4
QUEUE: CompilerQueue[Compiler] = CompilerQueue(MOST_COMPILERS, PATIENCE)
LENT = threading.local()  # its ``compiler``
MOST_MODULES = 16  # of texts in one session: it keeps them


class _GlobalDescription(ctypes.Structure):
    _fields_ = (
        ("structure_size", c_uint32),
        ("api_version", c_uint32),
        ("language_version", c_uint32),
        ("enable_glsl", ctypes.c_bool),
        ("reserved", c_uint32 * 16),
    )


class _SessionDescription(ctypes.Structure):
    _fields_ = (
        ("structure_size", c_size_t),
        ("targets", c_void_p),
        ("target_count", c_int64),
        ("flags", c_uint32),
        ("matrix_layout", c_uint32),
        ("search_paths", c_void_p),
        ("search_path_count", c_int64),
        ("macros", c_void_p),
        ("macro_count", c_int64),
        ("file_system", c_void_p),
        ("effect_annotations", ctypes.c_bool),
        ("glsl_syntax", ctypes.c_bool),
        ("options", c_void_p),
        ("option_count", c_uint32),
        ("skip_spirv_validation", ctypes.c_bool),
    )


class ComObject:
    """A pointer to a COM object, released with this one unless ``borrowed``.

    ``owner``: the object that created it, released after it.
    """

    def __init__(self, pointer: int, *, borrowed: bool = False, owner: ComObject | None = None):
        self.pointer, self.borrowed, self.owner = pointer, borrowed, owner

    def call(
        self, slot: int, *arguments: Any, types: Sequence[Any] = (), result: Any = c_int
    ) -> Any:
        """Call the method in that slot of the object's table."""
        table = ctypes.cast(self.pointer, ctypes.POINTER(ctypes.POINTER(c_void_p)))[0]
        method = ctypes.CFUNCTYPE(result, c_void_p, *types)(table[slot])
        return method(self.pointer, *arguments)

    def made(self, slot: int, *arguments: Any, types: Sequence[Any] = ()) -> ComObject:
        """Call a method whose last two arguments return an object and the diagnostics.

        Raises: KernelError with the diagnostics where it returns no object.
        """
        out, words = c_void_p(), c_void_p()
        pointers = (ctypes.POINTER(c_void_p),) * 2
        code = self.call(slot, *arguments, byref(out), byref(words), types=(*types, *pointers))
        log = take_blob(words.value).decode(errors="replace")
        # some targets print an error and yet succeed, with text that does not compile
        if code < 0 or not out.value or "error[" in log:
            raise refusal(log or f"error {code & 0xFFFFFFFF:#x}")
        return ComObject(out.value, owner=self)

    def __del__(self) -> None:
        if not self.borrowed:
            self.call(RELEASE, result=c_uint32)


@dataclass
class Compiler:
    """A global session, and a session of it that keeps what texts import, once there is one."""

    session: ComObject
    texts: ComObject | None = None
    arguments: tuple[str, ...] = ()  # of ``texts``
    count: int = 0  # of modules that it was asked for

    def forget(self) -> None:
        """Drop the session that keeps imports; freed with its last reference."""
        if self.texts is not None:
            self.texts.borrowed = False
            self.texts = None


def take_blob(pointer: int | None) -> bytes:
    """Return the bytes of a blob, and release it; empty for no blob."""
    if not pointer:
        return b""
    blob = ComObject(pointer)
    size = blob.call(BLOB_SIZE, result=c_size_t)
    return ctypes.string_at(blob.call(BLOB_POINTER, result=c_void_p), size) if size else b""


def refusal(log: str, place: str = "kernel") -> KernelError:
    """Return the error for Slang text that the compiler refuses, with all its diagnostics."""
    return KernelError(f"{place}: got Slang text that does not compile, need one that does. "
                       f"The compiler says:\n{diagnostics(log)}")  # fmt: skip


def diagnostics(log: str) -> str:
    """Return the compiler's diagnostics, without the closing lines if there are errors."""
    text = re.sub(r"\n{2,}", "\n", AFTERWARDS.sub("", log)).strip()
    return text if "error" in text else log.rstrip()


@functools.cache
def library() -> Any:
    """Return the compiler's library, loaded.

    Raises: DeviceError where slangpy or its library is missing.
    """
    spec = importlib.util.find_spec("slangpy")  # slangpy itself is not imported
    if spec is None or spec.origin is None:
        raise DeviceError("device: got no slangpy, need its Slang compiler. Run: pip install "
                          '"neuralshade[gpu]"')  # fmt: skip
    folder = pathlib.Path(spec.origin).parent
    found = [path for pattern in LIBRARIES for path in sorted(folder.glob(pattern))]
    if not found:
        raise DeviceError(f"device: got no Slang compiler in {folder}, need one. "
                          "Run: pip install --force-reinstall --no-deps slangpy")  # fmt: skip
    return ctypes.CDLL(str(found[0]))


def in_compiler_thread(function: Callable[P, T]) -> Callable[P, T]:
    """Return ``function`` wrapped so that each call has a thread and a compiler of its own.

    Calls from several threads run in parallel, as far as there are compilers, else in the order of
    PLACE.
    """

    @in_new_thread
    def lent(place: int, *args: P.args, **kwargs: P.kwargs) -> T:
        with _lent_session(place):
            try:
                return function(*args, **kwargs)
            except NeuralShadeError as error:
                # objects in its frames are released here, before another thread gets the compiler
                raise error.with_traceback(None) from error.__cause__

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return lent(PLACE.get(), *args, **kwargs)  # the new thread has another context

    return call


@contextmanager
def _lent_session(place: int) -> Iterator[None]:
    compiler = QUEUE.take(place)
    try:
        LENT.compiler = compiler = compiler or Compiler(_global_session())
        yield
    finally:
        LENT.__dict__.pop("compiler", None)
        if not QUEUE.give_back(compiler) and compiler is not None:
            compiler.forget()
            compiler.session.borrowed = False  # freed with its last reference
            del compiler
            trim_heap()


def _global_session() -> ComObject:
    """Return a new global session; everything it creates must be released before it."""
    description = _GlobalDescription(sizeof(_GlobalDescription), 0, LANGUAGE_VERSION, False)
    out = c_void_p()
    code = library().slang_createGlobalSession2(byref(description), byref(out))
    if code < 0 or not out.value:
        raise DeviceError(f"device: got error {code & 0xFFFFFFFF:#x} from the Slang compiler, "
                          "need one that starts. Run: pip install --force-reinstall --no-deps "
                          "slangpy")  # fmt: skip
    return ComObject(out.value, borrowed=True)  # a process may end with one


def new_session(arguments: Sequence[str]) -> ComObject:
    """Return a session with arguments of ``slangc``, within ``in_compiler_thread``."""
    texts = (c_char_p * len(arguments))(*[argument.encode() for argument in arguments])
    description = _SessionDescription(structure_size=sizeof(_SessionDescription))
    kept, out = c_void_p(), c_void_p()
    one: ComObject = LENT.compiler.session
    code = one.call(
        PARSE_ARGUMENTS, len(arguments), texts, byref(description), byref(kept),
        types=(c_int, c_void_p, c_void_p, c_void_p),
    )  # fmt: skip
    assert code >= 0, (code, arguments)
    owner = ComObject(kept.value) if kept.value else None  # of what the description points to
    code = one.call(CREATE_SESSION, byref(description), byref(out), types=(c_void_p, c_void_p))
    assert code >= 0 and out.value, (code, arguments)
    del owner
    return ComObject(out.value, owner=one)


def kept_session(arguments: Sequence[str]) -> tuple[ComObject, int]:
    """Return a session as ``new_session`` does, and how many modules it was asked for before.

    It has the modules that earlier texts imported, which takes two thirds of the time to load most
    kernels. Each needs a name and a path of its own. ``forget_session`` after an error.
    """
    one: Compiler = LENT.compiler
    if one.texts is None or one.arguments != tuple(arguments) or one.count == MOST_MODULES:
        one.forget()
        one.texts, one.arguments, one.count = new_session(arguments), tuple(arguments), 0
        one.texts.borrowed = True  # a process may end with it
    one.count += 1
    return one.texts, one.count - 1


def forget_session() -> None:
    """Drop the session of ``kept_session``."""
    LENT.compiler.forget()
