"""The shipped networks: each ``NAME.onnx`` has its card ``NAME.json``."""
