"""The judge: brains in processes of their own, games between them, matches. It talks only the protocol."""
