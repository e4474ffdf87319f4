"""gateway.operations: probes and metrics, and who may read them."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import AsyncClient
from prometheus_client.parser import text_string_to_metric_families

from gateway import conf, live
from gateway.core import closing
from gateway.duties import probe_lag
from gateway.runtime import Runtime
from gateway.testing import VirtualClock
from tests.gateway.house import Client, House

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def house() -> Iterator[House]:
    made = House(METRICS_TOKEN="open sesame", METRICS_NETWORKS=["192.0.2.0/24"])
    live.install(made.runtime)
    yield made
    live.install(None)


async def scrape(**headers: Any) -> Any:
    return await AsyncClient().get("/metrics", headers=headers)


async def numbers(name: str) -> dict[str, float]:
    """The samples of one family, by their first label's value, as Prometheus' own parser reads them."""
    response = await scrape(authorization="Bearer open sesame")
    assert response.status_code == 200, response.content
    families = text_string_to_metric_families(response.content.decode())
    return {
        next(iter(sample.labels.values()), ""): sample.value
        for family in families
        for sample in family.samples
        if sample.name == name
    }


async def test_a_process_that_answers_is_up(house: House) -> None:
    """And no cache may say so for it."""
    response = await AsyncClient().get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert response.headers["Cache-Control"] == "no-store"


async def test_a_server_is_ready_until_it_drains(house: House) -> None:
    """A load balancer sends nobody to a server that is about to stop."""
    assert (await AsyncClient().get("/readyz")).status_code == 200
    house.runtime.drain(lambda: None)
    response = await AsyncClient().get("/readyz")
    assert response.status_code == 503
    assert response.json()["reason"] == "the server is draining: it will stop within seconds"


async def test_a_process_without_a_gateway_is_not_ready() -> None:
    """It says why, instead of breaking."""
    response = await AsyncClient().get("/readyz")
    assert response.status_code == 503
    assert "manage.py serve" in response.json()["reason"]


@pytest.mark.parametrize("token", ["", "Bearer ", "Bearer wrong", "open sesame", "Bearer open sesame "])
async def test_strangers_do_not_see_the_metrics(house: House, token: str) -> None:
    """They are told, in one sentence, who does."""
    response = await scrape(authorization=token)
    assert response.status_code == 403
    assert b"METRICS_TOKEN" in response.content


async def test_without_a_token_in_the_settings_an_empty_one_opens_nothing() -> None:
    """The default is closed."""
    live.install(Runtime(lambda sockets, clock: House().runtime.game, conf.build({}), VirtualClock()))
    assert (await scrape(authorization="Bearer ")).status_code == 403
    live.install(None)


async def test_a_listed_network_needs_no_token(house: House) -> None:
    """Told by the address, as admission sees it."""
    assert (await AsyncClient().get("/metrics")).status_code == 403, "of 127.0.0.1, which is not listed"
    house.runtime.config = conf.build({"METRICS_NETWORKS": ["127.0.0.0/8"]})
    assert (await AsyncClient().get("/metrics")).status_code == 200


@pytest.mark.parametrize(("staff", "status"), [(True, 200), (False, 403)])
async def test_staff_see_the_metrics_and_other_users_do_not(house: House, staff: bool, status: int) -> None:
    """With nothing but their session."""
    user = await get_user_model().objects.acreate(username="mia", is_staff=staff)
    client = AsyncClient()
    await client.aforce_login(user)
    assert (await client.get("/metrics")).status_code == status


async def test_sockets_frames_and_closes_are_counted(house: House) -> None:
    """By type and by code, as a bench and an operator read them."""
    ana = Client(house, "a").open().says("SIT", word="w")
    ben = Client(house, "b").open().says("SIT", word="v")
    ana.says("SAY", text="hello").says("NONSENSE")
    ben.gone(closing.DROPPED)
    assert await numbers("gateway_sockets") == {"": 1}
    assert await numbers("gateway_opened_total") == {"": 2}
    assert await numbers("gateway_closed_total") == {"1006": 1}
    assert await numbers("gateway_frames_in_total") == {"": 4}
    assert await numbers("gateway_commands_total") == {"SIT": 2, "SAY": 1}
    assert await numbers("gateway_errors_total") == {"VALIDATION_ERROR": 1}
    sent = await numbers("gateway_frames_out_total")
    got = [frame["type"] for frame in (*ana.port.sent, *ben.port.sent)]
    assert sent == {type_: got.count(type_) for type_ in set(got)}


async def test_slots_equal_the_open_sockets(house: House) -> None:
    """The invariant of spec 1.2, for everybody to see."""
    Client(house, "a").open()
    Client(house, "b").open().gone()
    assert await numbers("gateway_slots") == await numbers("gateway_sockets") == {"": 1}


async def test_a_frame_over_budget_is_a_drop_with_its_reason(house: House) -> None:
    """The flood itself is visible, though no frame of it was parsed."""
    ana = Client(house, "a").open()
    for _ in range(155):
        ana.says("SIT", word="w")
    assert (await numbers("gateway_dropped_total"))["over_budget"] == 5


async def test_drops_of_sockets_that_live_are_in_the_sum(house: House) -> None:
    """A slow reader is seen while it is slow, not only when it is gone; and not twice then."""
    ana = Client(house, "a").open()
    ana.socket.connection.parts.outbox.dropped = 3
    assert (await numbers("gateway_dropped_total"))["slow_reader"] == 3
    ana.gone()
    assert (await numbers("gateway_dropped_total"))["slow_reader"] == 3


async def test_the_game_adds_its_own_numbers(house: House) -> None:
    """Without an import of the gateway's metrics."""
    Client(house, "a").open().says("SIT", word="w")
    assert await numbers("parlour_seats") == {"parlour": 1}


async def test_round_trips_broadcasts_and_waiting_bytes_are_histograms(house: House) -> None:
    """With a count and a sum."""
    ana, ben = Client(house, "a").open(), Client(house, "b").open()
    ana.says("SIT", word="w")
    ben.says("SIT", word="v")
    ana.says("SAY", text="hello")
    house.clock.advance(7)
    ana.answers_heartbeats()
    ben.port.unread_bytes = 2_000
    assert (await numbers("gateway_rtt_seconds_count"))[""] == 1
    assert (await numbers("gateway_broadcast_seconds_count"))[""] >= 1
    assert (await numbers("gateway_buffered_bytes_gcount"))[""] == 2
    assert (await numbers("gateway_buffered_bytes_bucket"))["16384"] == 2


async def test_the_probe_counts_how_late_the_loop_was(house: House) -> None:
    """Time that passes while it sleeps is virtual here: none, so it was not late."""
    await probe_lag(house.runtime)
    assert (await numbers("gateway_loop_lag_seconds_count"))[""] == 1


async def test_nothing_that_clients_choose_becomes_a_label(house: House) -> None:
    """Types, codes and rooms that they invent would fill the memory of whoever scrapes."""
    ana = Client(house, "a").open()
    for nonsense in ("X1", "X2", "X3"):
        ana.says(nonsense)
    ana.gone(closing.ending_of(4777, "mine", closing.By.CLIENT))
    body = (await scrape(authorization="Bearer open sesame")).content.decode()
    samples = [sample for family in text_string_to_metric_families(body) for sample in family.samples]
    labels = {value for sample in samples for value in sample.labels.values()}
    assert "other" in labels
    assert labels.isdisjoint({"X1", "X2", "X3", "4777", "mine"})
