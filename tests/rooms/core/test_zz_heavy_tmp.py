from hypothesis import settings, HealthCheck
from tests.rooms.core.test_machine import Rooms
TestHeavy = Rooms.TestCase
TestHeavy.settings = settings(max_examples=400, stateful_step_count=200, deadline=None, suppress_health_check=list(HealthCheck), database=None)
