"""GGUF files as llama.cpp writes them, without their data: a header is all that is read."""

import math
import struct

LLAMA = {
    "general.architecture": "llama",
    "general.name": "Toy",
    "llama.context_length": 2048,
    "llama.block_count": 3,
    "llama.embedding_length": 256,
    "llama.feed_forward_length": 512,
    "llama.attention.head_count": 8,
    "llama.attention.head_count_kv": 2,
    "llama.rope.dimension_count": 32,
    "llama.rope.freq_base": 10000.0,
    "llama.vocab_size": 1000,
    "tokenizer.ggml.tokens": [f"token {place}" for place in range(5000)],
    "tokenizer.ggml.add_bos_token": True,
}
F32, Q4_K, Q6_K = 0, 12, 14


def llama_tensors():
    """Return the tensors of that model: shape, row length first, and type of each by name."""
    width, rows, keys, wide = 256, 256, 64, 512
    layer = {
        "attn_norm": ((width,), F32),
        "ffn_norm": ((width,), F32),
        "attn_q": ((width, rows), Q4_K),
        "attn_k": ((width, keys), Q4_K),
        "attn_v": ((width, keys), Q6_K),
        "attn_output": ((rows, width), Q4_K),
        "ffn_gate": ((width, wide), Q4_K),
        "ffn_up": ((width, wide), Q4_K),
        "ffn_down": ((wide, width), Q6_K),
    }
    return {
        "token_embd.weight": ((width, 1000), Q4_K),
        "output.weight": ((width, 1000), Q6_K),
        "output_norm.weight": ((width,), F32),
        **{f"blk.{place}.{name}.weight": one for place in range(3) for name, one in layer.items()},
    }


def numbers_of(tensors):
    """Return how many numbers each tensor holds, and its type."""
    return [(math.prod(shape), kind) for shape, kind in tensors.values()]


def text(value):
    """Return a text as GGUF writes it."""
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def value_of(value):
    """Return a value with its type before it."""
    if isinstance(value, list):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    return struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<II", 4, value)


def gguf(metadata, tensors):
    """Return the header of a GGUF file of version 3."""
    keys = b"".join(text(key) + value_of(value) for key, value in metadata.items())
    listed = b"".join(
        text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape) + struct.pack("<IQ", kind, 0)
        for name, (shape, kind) in tensors.items()
    )
    return b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + keys + listed


def write(path, metadata=LLAMA, tensors=None):
    """Write a GGUF file and return its path."""
    path.write_bytes(gguf(metadata, llama_tensors() if tensors is None else tensors))
    return path
