"""Re-checking logged selections, by code that does not select.

Nothing of the stages, the objectives or the pipeline is imported here: a rule reads the record alone, and computes
what it needs again. Of the project it uses only the nouns of the model, the errors, and the reference kernels (the
written-down definition of the comparison form and of a shingle).
"""

from reparto.verification.log import verify_log
from reparto.verification.record import Violation, verify_record

__all__ = ["Violation", "verify_log", "verify_record"]
