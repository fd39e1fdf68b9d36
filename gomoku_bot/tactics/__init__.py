"""The threat solver: exact wins by fours and threes, and the moves that refute them."""
