"""All layers. A new one is a class in one of these files: importing it enters it in the registry."""

from . import affine, arrange, choice, distances, elementwise, embedding, forest, linear, norm, pool, steep

__all__ = ["affine", "arrange", "choice", "distances", "elementwise", "embedding", "forest", "linear", "norm", "pool", "steep"]
