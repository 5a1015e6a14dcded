"""Messages on a network, step by step: where they stand and what the channels carry."""

from lccmodel.movement.walk import Walk

__all__ = ["Walk"]
