# The names of the checker: types for an editor, and what `lazy_loader` loads on first use.
from .registry import all_claims as all_claims
from .registry import get_claim as get_claim
from .registry import select as select
from .result import Result as Result
from .runner import Options as Options
from .runner import check as check
from .runner import run as run
