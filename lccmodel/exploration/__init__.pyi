from .controls import Control as Control
from .door import explore as explore
from .exploration import Exploration as Exploration
