from .catalogue import FAMILIES as FAMILIES
from .catalogue import family as family
from .contention_formula import RULES as RULES
from .contention_formula import ContentionFormula as ContentionFormula
from .contention_formula import contention as contention
from .family import Family as Family
