"""Spark's hash, by which it puts rows into partitions, and its SQL into buckets: Murmur3 (32 bits) with seed 42."""

from collections.abc import Iterable

SEED = 42
_MASK = 0xFFFFFFFF


def murmur3(words: Iterable[int], length: int) -> int:
    """The hash of some ints, signed (org.apache.spark.unsafe.hash.Murmur3_x86_32). length: in bytes."""
    mixed = SEED
    for word in words:
        key = _rotated(word * 0xCC9E2D51 & _MASK, 15) * 0x1B873593 & _MASK
        mixed = (_rotated(mixed ^ key, 13) * 5 + 0xE6546B64) & _MASK
    mixed ^= length
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _MASK
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _MASK
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & _MASK
