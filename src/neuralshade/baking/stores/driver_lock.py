"""Lock of a bake against a second driver, on this machine and on others."""

from __future__ import annotations

import os
import platform
import secrets
import time

from neuralshade.baking.stores.lease import Lease
from neuralshade.baking.stores.local_lock import LocalLock
from neuralshade.baking.stores.store import Store
from neuralshade.base.closeable import Closeable
from neuralshade.base.temp_files import machine


class DriverLock(Closeable):
    """One driver at a time for the outputs of a store, until it is closed.

    The system's lock holds on this machine; where that is free, its last owner has ended, and
    what it left in the store is replaced at once. The store's holds between machines.

    Raises: OutputError where another driver runs; DeviceError where the store does not answer.
    """

    def __init__(self, store: Store):
        owner = {"host": platform.node(), "pid": os.getpid(), "machine": machine(),
                 "since": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
                 "token": secrets.token_hex(16)}  # fmt: skip
        self._local = LocalLock(store.ledger_folder, store.place, owner)
        before = self._local.before
        # a folder's lock may be of another machine, where the system's does not reach that
        dead = before.get("token") if before.get("machine") == machine() else None
        try:
            self._lease = Lease(store.place, store.lease_file(), owner, dead)
        except BaseException:
            self._local.close()
            raise
        self.check = self._lease.check

    def close(self) -> None:
        """Let another driver begin."""
        self._lease.close()
        self._local.close()
