"""The generator of damaged posts, and how the reader fares with some of them."""

from functools import cache

import pytest

from lab.corpus import ROOT
from lab.layouts.damage import DAMAGES
from lab.layouts.damaged import Post, Reread, by_damage, drawn_damaged, reread
from lab.layouts.others import reread_others
from lab.layouts.pages import PAGES
from lab.layouts.posts import HEADS, posted, said

LOGS = tuple(ROOT / "p62-slow-poll-42" / name for name in ("consumer-b.app.log.gz", "broker.log.gz"))
SEEDS = range(90_000, 90_060)


@cache
def read_anew(seed: int) -> Reread:
    return reread(drawn_damaged(seed, LOGS))


def undamaged(head: str) -> Post:
    told = tuple(one for family in posted(LOGS).values() for one in family[:1])
    texts = [said(entry, HEADS[head]).text for entry, _ in told]
    heads = [" ".join(said(entry, HEADS[head]).head) for entry, _ in told]
    return Post(1, head, [], None, told, heads, texts, "\n".join(texts) + "\n")


def test_a_seed_is_a_post_for_ever():
    assert drawn_damaged(7, LOGS).data == drawn_damaged(7, LOGS).data
    assert len({drawn_damaged(seed, LOGS).text for seed in range(60)}) > 50


def test_damages_and_pages_have_names_of_their_own():
    names = [one.name for one in (*DAMAGES, *PAGES)]
    assert len(names) == len(set(names)) > 60


@pytest.mark.parametrize("head", [name for name in HEADS if name != "a level"])
def test_what_is_not_damaged_has_no_difference(head):
    found = reread(undamaged(head))
    assert found.wanted > 5
    assert (found.misses, found.extras) == ([], [])


def test_a_difference_is_seen():
    post = undamaged("Kafka's")
    post.text = post.text.replace("clientId=consumer-b", "clientId=consumer-b, x").replace("Revoke", "Rewoke")
    assert reread(post).misses


def test_most_of_what_damaged_posts_say_is_read():
    found = [read_anew(seed) for seed in SEEDS]
    wanted, same = sum(one.wanted for one in found), sum(one.same for one in found)
    assert same / wanted > 0.9, by_damage(found)[:8]
    assert sum(len(one.extras) for one in found) < wanted / 50


def test_most_of_what_damaged_lines_of_other_clients_say_is_read():
    found = list(reread_others(30, 90_000))
    wanted, same = sum(one.wanted for one in found), sum(one.same for one in found)
    assert wanted > 50
    assert same / wanted > 0.9, by_damage(found)[:8]
    assert sum(len(one.extras) for one in found) < wanted / 50
