from .fitting import Fit as Fit
from .fitting import Segment as Segment
from .fitting import fit as fit
from .machine_file import MachineFile as MachineFile
from .machine_file import read_machine as read_machine
from .machine_file import write_machine as write_machine
from .measurements import Measurements as Measurements
from .measurements import read_measurements as read_measurements
