"""Networks: positions in, move probabilities and win/draw/loss out."""
