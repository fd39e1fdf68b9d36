"""The Piskvork protocol: lines in, lines out."""
