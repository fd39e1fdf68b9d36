"""PyTorch scripts that turn games into the networks of ``nets/``. The brain never imports them."""
