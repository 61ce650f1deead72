from tests.experiment.conftest import make_up

__all__ = ["make_up"]
