from .exploration import Control as Control
from .exploration import Exploration as Exploration
from .exploration import explore as explore
