"""The ledger: finished shards and settled records in one SQLite file.

Shards are appended in transactions under the sha256 of claim, code version, variant, n, seed and
range, so a run that is killed at any moment loses nothing but the shards in flight. A file of
another schema version is set aside under a new name and never written to.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lccmodel.errors import FileError
from proofs_check.finding import Examined
from proofs_check.shards import ShardTask, Stage, Track

SCHEMA_VERSION = 1
PATIENCE = 60
"""Seconds to wait for another run that holds the file."""
DEFAULT_PATH = Path(".proofs-check/ledger.sqlite")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS shards (
    key TEXT PRIMARY KEY, claim TEXT NOT NULL, version TEXT NOT NULL, variant TEXT NOT NULL,
    n INTEGER NOT NULL, mode TEXT NOT NULL, seed INTEGER NOT NULL,
    start INTEGER NOT NULL, stop INTEGER NOT NULL,
    cases INTEGER NOT NULL, failing INTEGER, seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS shards_by_claim ON shards (claim, version, variant, n, mode, seed);
CREATE TABLE IF NOT EXISTS records (
    claim TEXT NOT NULL, version TEXT NOT NULL, max_n INTEGER NOT NULL, seed INTEGER NOT NULL,
    settled_at TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (claim, version, max_n, seed)
) WITHOUT ROWID;
"""


class Ledger:
    """An open ledger file; a context manager.

    Args:
        path: the SQLite file, made if it is missing; None keeps everything in memory.

    Attributes: `set_aside`, where a file that is not a ledger of this version was moved to, or
    None; `reason`, what that file is; `is_new`, whether the file was made now.

    Raises:
        FileError: the file cannot be opened or made.

    >>> with Ledger(None) as ledger:
    ...     ledger.records()
    []
    """

    def __init__(self, path: Path | str | None) -> None:
        self.path = None if path is None else Path(path)
        self.is_new = False
        self.set_aside: Path | None = None
        self.reason = ""
        try:
            self._connection = self._open()
        except (OSError, sqlite3.Error) as error:
            rule = f"must be a file that can be opened and written ({error})"
            raise FileError("ledger", 0, rule, str(path)) from None

    def _open(self) -> sqlite3.Connection:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and not self.path.is_file():
                raise OSError("it is not a regular file")
            if self.path.exists() and (reason := _not_current(self.path)):
                self.reason, self.set_aside = reason, _move_aside(self.path)
            self.is_new = not self.path.exists()
        connection = sqlite3.connect(
            ":memory:" if self.path is None else self.path, timeout=PATIENCE, isolation_level=None
        )
        if self.path is not None:
            _write_ahead(connection)
        # IMMEDIATE: a lock that is only asked for later does not wait for other runs
        settled = f"{_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION};"
        connection.executescript(f"BEGIN IMMEDIATE; {settled} COMMIT")
        return connection

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    @contextlib.contextmanager
    def _faults(self, what: str) -> Iterator[None]:
        """A full disk, a damaged page, a limit of files: one line instead of a traceback."""
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            rule = f"cannot be {what} ({error}); nothing else is written to it"
            raise FileError("ledger", 0, rule, str(self.path)) from None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._faults("written"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # it may have been rolled back already
                    self._connection.execute("ROLLBACK")
                raise

    # -- shards -----------------------------------------------------------------------------

    def keep(self, finished: Iterable[tuple[ShardTask, Examined]]) -> None:
        """Append finished shards in one transaction; those that ended in an error are left out."""
        rows = [
            (task.key, task.claim, *task[2:], *examined[:3])
            for task, examined in finished
            if examined.problem is None
        ]
        if not rows:
            return
        marks = ", ".join("?" * len(rows[0]))
        with self._transaction() as connection:
            connection.executemany(f"INSERT OR REPLACE INTO shards VALUES ({marks})", rows)

    def resume(self, track: Track) -> None:
        """Give a track the shards that an earlier run of the same code has finished."""
        for position, stage in enumerate(track.plan):
            track.reuse(position, self._pieces(track, stage))

    def _pieces(self, track: Track, stage: Stage) -> list[tuple[int, int, Examined]]:
        key = (
            track.claim.id,
            track.claim.version,
            track.variant,
            stage.n,
            stage.mode,
            track.seed,
        )
        with self._faults("read"):
            rows = self._connection.execute(
                "SELECT start, stop, cases, failing, seconds FROM shards WHERE claim = ? "
                "AND version = ? AND variant = ? AND n = ? AND mode = ? AND seed = ?",
                key,
            )
            return [(start, stop, Examined(*rest)) for start, stop, *rest in rows]

    def cost(self, claim: str, version: str, n: int) -> float | None:
        """Measured seconds for one index of a claim at n, from its kept shards."""
        with self._faults("read"):
            row = self._connection.execute(
                "SELECT SUM(seconds), SUM(stop - start) FROM shards "
                "WHERE claim = ? AND version = ? AND n = ? AND variant != 'control'",
                (claim, version, n),
            ).fetchone()
        return None if not row[1] else row[0] / row[1]

    def forget_other_versions(self, claim: str, version: str) -> None:
        """Drop the shards of a claim that code now changed has made."""
        with self._transaction() as connection:
            connection.execute(
                "DELETE FROM shards WHERE claim = ? AND version != ?", (claim, version)
            )

    # -- records ----------------------------------------------------------------------------

    def settle(self, record: dict[str, Any], max_n: int) -> None:
        """Keep the record of a claim that a run up to `max_n` has settled."""
        row = (
            record["id"],
            record["version"],
            max_n,
            record["seed"],
            datetime.now(UTC).isoformat(timespec="microseconds"),
            json.dumps(record, ensure_ascii=False),
        )
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)", row)

    def records(self) -> list[dict[str, Any]]:
        """Every settled record, those that reached the largest n last, then the latest last."""
        ordered = "SELECT record FROM records ORDER BY max_n, settled_at"
        with self._faults("read"):
            return [json.loads(text) for (text,) in self._connection.execute(ordered)]


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers and one writer go on together; SQLite itself does not wait for this switch."""
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


def _not_current(path: Path) -> str:
    """Why a file is not a ledger of this schema; empty if it is (an empty file is a new one)."""
    if not path.stat().st_size:
        return ""
    address = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True, timeout=PATIENCE)) as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            named = connection.execute("SELECT name FROM sqlite_master").fetchall()
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return "is not a ledger (it is not an SQLite file, or a damaged one)"
    if not named and version == 0:  # another process is just making it
        return ""
    if version == SCHEMA_VERSION and {("shards",), ("records",)} <= set(named):
        return ""
    return "is from another version"


def _move_aside(path: Path) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    target = path.with_name(f"{path.name}.{stamp}")
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(target.with_name(target.name + suffix))
    return target
