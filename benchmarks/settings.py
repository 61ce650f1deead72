"""How large a run is."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Settings"]

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Settings:
    """What every benchmark is told.

    Attributes
    ----------
    threads : int
        For pbow, and for every peer that can use several.
    shrink : int
        The large workloads have this many times fewer diagrams.
    seconds : float
        How long a race goes on, once every contender has had its least rounds.
    seeds : int
        Number of starts of each clustering: inertia varies by 1 or 2 % from start to
        start, and it takes thirty to tell a median within half a percent.
    repeats : int
        Number of processes where a process is what is timed.
    output : Path
        Where the report and the plots go.
    """

    threads: int = 2
    shrink: int = 1
    seconds: float = 10.0
    seeds: int = 31
    repeats: int = 7
    output: Path = ROOT / "benchmarks" / "results"
