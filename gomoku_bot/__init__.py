"""gomoku_bot: a gomoku and renju brain for Gomocup and the Piskvork manager."""
