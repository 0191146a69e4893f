"""What colours mean can be told apart without seeing red and green alike, and on both grounds."""

from itertools import combinations

import pytest

from dashboards.theme import BROKEN, CALM, NOTE, OTHER, QUIET, WARN

# Machado, Oliveira and Fernandes 2009, severity 1.0, of linear RGB.
SEEN_BY = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}
# Timers stand beside each other in these; a difference of 10 in CIELAB is seen at a glance.
BESIDE = {"calm": CALM, "warn": WARN, "broken": BROKEN, "note": NOTE, "quiet": QUIET}
AT_A_GLANCE = 10
GROUNDS = {"light": "#ffffff", "dark": "#242424"}
# WCAG 2.1, 1.4.11: graphical objects.
LEAST_CONTRAST = 3.0


def linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def lab(rgb: list[float]) -> tuple[float, float, float]:
    red, green, blue = (min(max(part, 0.0), 1.0) for part in rgb)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("seen", SEEN_BY.values(), ids=SEEN_BY)
@pytest.mark.parametrize("pair", list(combinations(BESIDE, 2)), ids="-".join)
def test_two_meanings_never_look_alike(pair, seen):
    one, other = (
        lab(
            [
                sum(weight * part for weight, part in zip(row, linear(BESIDE[name]), strict=True))
                for row in seen
            ]
        )
        for name in pair
    )
    assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5 > AT_A_GLANCE


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("colour", [*BESIDE.values(), OTHER])
def test_marks_stand_out_from_both_grounds(colour, ground):
    lighter, darker = sorted((luminance(colour), luminance(GROUNDS[ground])), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= LEAST_CONTRAST
