"""
What a line says about its middle point: pattern tables, derived from the rule by enumeration. Compiled.

A *line code* numbers the ten cells around a point on one line, five to each side, from one colour's
view: each cell is empty (0), mine (1) or theirs (2), and a side may be cut short by the edge. With
n cells on a side its cells read ``FIRST[n] + sum(digit * 3 ** (distance - 1))``, 364 codes in all;
the line code is ``left * 364 + right``, 132,496 in all. With the middle cell as a third digit these
are the 397,488 patterns that the line nets know (arXiv 2503.13178).
"""

from __future__ import annotations

import cython
import numpy as np

SIDE_CODES = cython.declare(cython.int, 364)
LINE_CODES = cython.declare(cython.int, 132496)

# What a stone on the middle point would make on the line.
NOTHING = cython.declare(cython.int, 0)
OVERLINE = cython.declare(cython.int, 1)
TWO = cython.declare(cython.int, 2)
OPEN_TWO = cython.declare(cython.int, 3)
THREE = cython.declare(cython.int, 4)
OPEN_THREE = cython.declare(cython.int, 5)
FOUR = cython.declare(cython.int, 6)
DOUBLE_FOUR = cython.declare(cython.int, 7)
OPEN_FOUR = cython.declare(cython.int, 8)
FIVE = cython.declare(cython.int, 9)

# What it would make on all four lines together. SUSPECT is a bit beside these: the point may be forbidden.
POINT_NOTHING = cython.declare(cython.int, 0)
POINT_TWO = cython.declare(cython.int, 1)
POINT_THREE = cython.declare(cython.int, 2)
POINT_OPEN_THREE = cython.declare(cython.int, 3)
POINT_DOUBLE_THREE = cython.declare(cython.int, 4)
POINT_FOUR = cython.declare(cython.int, 5)
POINT_FOUR_THREE = cython.declare(cython.int, 6)
POINT_OPEN_FOUR = cython.declare(cython.int, 7)
POINT_FIVE = cython.declare(cython.int, 8)
SUSPECT = cython.declare(cython.int, 16)

PATTERN_NAMES = (
    "nothing", "overline", "two", "open two", "three", "open three", "four", "double four", "open four", "five",
)  # fmt: skip
POINT_NAMES = (
    "nothing", "two", "three", "open three", "double three", "four", "four three", "open four", "five",
)  # fmt: skip


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def _fill_sides(digits: cython.char[:, ::1], lengths: cython.char[::1], change: cython.int[:, :, ::1]) -> cython.void:
    """
    digits ``[364, 5]``: the cells of each side code, nearest first, 3 past the edge; lengths ``[364]``.
    change ``[364, 5, 2]``: the side code after the empty cell at a distance turns mine or theirs, else -1.
    """
    code: cython.int = 0
    n: cython.int
    value: cython.int
    rest: cython.int
    k: cython.int
    power: cython.int
    count: cython.int = 1
    for n in range(6):
        for value in range(count):
            rest = value
            power = 1
            lengths[code] = n
            for k in range(5):
                change[code, k, 0] = change[code, k, 1] = -1
                digits[code, k] = 3
                if k < n:
                    digits[code, k] = rest % 3
                    if rest % 3 == 0:
                        change[code, k, 0] = code + power
                        change[code, k, 1] = code + 2 * power
                    rest //= 3
                    power *= 3
            code += 1
        count *= 3


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
@cython.cdivision(True)
def _after(change: cython.int[:, :, ::1], code: cython.int, cell: cython.int, mine: cython.bint) -> cython.int:
    """The line code after a stone on *cell* (0..4 left, 5..9 right, nearest first), or -1 if it is taken."""
    side: cython.int
    if cell < 5:
        side = change[code // SIDE_CODES, cell, 0 if mine else 1]
        return -1 if side < 0 else side * SIDE_CODES + code % SIDE_CODES
    side = change[code % SIDE_CODES, cell - 5, 0 if mine else 1]
    return -1 if side < 0 else code - code % SIDE_CODES + side


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def _exists_after(good: cython.uchar[::1], change: cython.int[:, :, ::1], found: cython.uchar[::1]) -> cython.void:
    """found[c] = whether a further own stone on the line leads from c to a *good* code."""
    code: cython.int
    cell: cython.int
    after: cython.int
    for code in range(LINE_CODES):
        found[code] = 0
        for cell in range(10):
            after = _after(change, code, cell, True)
            if after >= 0 and good[after]:
                found[code] = 1
                break


@cython.boundscheck(False)
@cython.wraparound(False)
@cython.cdivision(True)
def line_table(exact: cython.bint, blockable: cython.bint, straight_only: cython.bint) -> object:
    """
    What a stone on the middle of each line makes: uint8 ``[132496]``, values NOTHING .. FIVE.

    exact: six and more do not win. blockable: a five with enemies at both ends does not win.
    straight_only: only four stones side by side with two winning ends are an open four, other
    lines with two winning points are DOUBLE_FOUR (renju, black).
    """
    i: cython.int
    k: cython.int
    code: cython.int
    cell: cython.int
    after: cython.int
    run: cython.int
    left: cython.int
    right: cython.int
    blocked: cython.int
    digits: cython.char[:, ::1] = np.empty((SIDE_CODES, 5), np.int8)
    lengths: cython.char[::1] = np.empty(SIDE_CODES, np.int8)
    change: cython.int[:, :, ::1] = np.empty((SIDE_CODES, 5, 2), np.int32)
    _fill_sides(digits, lengths, change)
    own: cython.char[::1] = np.zeros(SIDE_CODES, np.int8)
    for i in range(SIDE_CODES):
        for k in range(5):
            if digits[i, k] != 1:
                break
            own[i] = k + 1

    five: cython.uchar[::1] = np.zeros(LINE_CODES, np.uint8)
    table_array = np.zeros(LINE_CODES, np.uint8)
    table: cython.uchar[::1] = table_array
    for left in range(SIDE_CODES):
        for right in range(SIDE_CODES):
            run = 1 + own[left] + own[right]
            code = left * SIDE_CODES + right
            if run > 5 and exact:
                table[code] = OVERLINE
            elif run >= 5:
                blocked = 0
                if blockable and run == 5:
                    if digits[left, own[left]] == 2:
                        blocked += 1
                    if digits[right, own[right]] == 2:
                        blocked += 1
                five[code] = blocked < 2

    four: cython.uchar[::1] = np.zeros(LINE_CODES, np.uint8)
    open_four: cython.uchar[::1] = np.zeros(LINE_CODES, np.uint8)
    double_four: cython.uchar[::1] = np.zeros(LINE_CODES, np.uint8)
    _exists_after(five, change, four)
    for code in range(LINE_CODES):
        if not four[code] or five[code]:
            continue
        open_four[code] = 1  # unless some answer on the line leaves no winning point
        for cell in range(10):
            after = _after(change, code, cell, False)
            if after >= 0 and not four[after]:
                open_four[code] = 0
                break
        if open_four[code] and straight_only:
            left = code // SIDE_CODES
            right = code % SIDE_CODES
            if own[left] + own[right] != 3:
                open_four[code] = 0
                double_four[code] = 1

    open_three: cython.uchar[::1] = np.empty(LINE_CODES, np.uint8)
    three: cython.uchar[::1] = np.empty(LINE_CODES, np.uint8)
    open_two: cython.uchar[::1] = np.empty(LINE_CODES, np.uint8)
    two: cython.uchar[::1] = np.empty(LINE_CODES, np.uint8)
    _exists_after(open_four, change, open_three)
    _exists_after(four, change, three)
    _exists_after(open_three, change, open_two)
    _exists_after(three, change, two)
    for code in range(LINE_CODES):
        if five[code]:
            table[code] = FIVE
        elif table[code] == OVERLINE:
            continue
        elif open_four[code]:
            table[code] = OPEN_FOUR
        elif double_four[code]:
            table[code] = DOUBLE_FOUR
        elif four[code]:
            table[code] = FOUR
        elif open_three[code]:
            table[code] = OPEN_THREE
        elif three[code]:
            table[code] = THREE
        elif open_two[code]:
            table[code] = OPEN_TWO
        elif two[code]:
            table[code] = TWO
    return table_array


@cython.boundscheck(False)
@cython.wraparound(False)
def point_table(forbids: cython.bint) -> object:
    """
    What four line patterns make together: uint8 ``[65536]``, index = four patterns of four bits each.

    forbids: overlines and double-fours count nothing and, like double-threes, get the SUSPECT bit.
    """
    code: cython.int
    line: cython.int
    pattern: cython.int
    twos: cython.int
    threes: cython.int
    open_threes: cython.int
    fours: cython.int
    open_fours: cython.int
    fives: cython.int
    overlines: cython.int
    best: cython.int
    array = np.zeros(65536, np.uint8)
    table: cython.uchar[::1] = array
    for code in range(65536):
        twos = threes = open_threes = fours = open_fours = fives = overlines = 0
        for line in range(4):
            pattern = (code >> (4 * line)) & 15
            if pattern == FIVE:
                fives += 1
            elif pattern == OPEN_FOUR:
                open_fours += 1
            elif pattern == DOUBLE_FOUR:
                fours += 2
            elif pattern == FOUR:
                fours += 1
            elif pattern == OPEN_THREE:
                open_threes += 1
            elif pattern == THREE:
                threes += 1
            elif pattern == OPEN_TWO:
                twos += 1
            elif pattern == OVERLINE:
                overlines += 1
        if fives:
            best = POINT_FIVE
        elif forbids and (overlines or fours + open_fours >= 2):
            best = SUSPECT
        else:
            if open_fours or fours >= 2:
                best = POINT_OPEN_FOUR
            elif fours:
                best = POINT_FOUR_THREE if open_threes else POINT_FOUR
            elif open_threes:
                best = POINT_DOUBLE_THREE if open_threes > 1 else POINT_OPEN_THREE
            elif threes:
                best = POINT_THREE
            elif twos:
                best = POINT_TWO
            else:
                best = POINT_NOTHING
            if forbids and open_threes >= 2:
                best |= SUSPECT
        table[code] = best
    return array
