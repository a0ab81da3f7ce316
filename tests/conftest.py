"""Properties are tested without a deadline: how long one example takes says nothing on a busy machine."""

from hypothesis import settings

settings.register_profile("any speed", deadline=None)
settings.load_profile("any speed")
