"""Quantities of Kubernetes as exact numbers."""
import fractions
import re

SUFFIXES = {"n": fractions.Fraction(1, 10**9), "u": fractions.Fraction(1, 10**6), "m": fractions.Fraction(1, 1000),
            "": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
QUANTITY = re.compile(r"([+-]?[0-9.]+)(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)")


def quantity(text):
    number, exponent, suffix = QUANTITY.fullmatch(str(text)).groups()
    value = fractions.Fraction(number)
    return value * fractions.Fraction(10) ** int(exponent) if exponent else value * SUFFIXES[suffix or ""]


def ceiling(value):
    return -(-value.numerator // value.denominator)
