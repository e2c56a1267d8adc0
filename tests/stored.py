"""Quantized checkpoints as the formats' own libraries lay them out: which tensors take the place of a matrix.

Written down tensor by tensor and compared once with what the libraries pack (compressed-tensors 0.20, bitsandbytes
0.50, MLX 0.32, AutoAWQ 0.2.9, HQQ 0.2.8, AQLM 1.1.7, torchao 0.18 and transformers 5.24), so that no formula of
flopsheet is asked. `matrices` are those of a class that transformers builds on the meta device.
"""

from fnmatch import fnmatchcase
from math import ceil

INT32, INT64, FP32, HALF, BYTE = 4, 8, 4, 2, 1


def gptq(rows, columns, bits=4, group=128):
    """Return the tensors of GPTQModel: elements and bytes of each."""
    groups = ceil(columns / group)
    return [
        (columns * bits // 32 * rows, INT32),
        (groups * ceil(rows * bits / 32), INT32),
        (groups * rows, HALF),
        (columns, INT32),
    ]


def gptq_rows(rows, columns):
    """Return those of GPTQ in 8 bits with one group a row."""
    return gptq(rows, columns, 8, columns)


def awq(rows, columns, group=128):
    """Return the tensors of AutoAWQ's GEMM layout."""
    return [
        (columns * rows // 8, INT32),
        (columns // group * rows // 8, INT32),
        (columns // group * rows, HALF),
    ]


def aqlm(rows, columns):
    """Return the tensors of AQLM 1x16: codes, a codebook and scales."""
    return [(rows * columns // 8, HALF), (2**16 * 8, HALF), (rows, HALF)]


def nf4(rows, columns):
    """Return the tensors of bitsandbytes in 4 bits, without the text of its state."""
    return [(rows * columns // 2, BYTE), (rows * columns // 64, FP32), (16, FP32)]


def nf4_twice(rows, columns):
    """Return those with quantized scales."""
    blocks = rows * columns // 64
    return [(rows * columns // 2, BYTE), (blocks, BYTE), (ceil(blocks / 256), FP32), (16, FP32), (256, FP32)]


def int8(rows, columns):
    """Return the tensors of bitsandbytes in 8 bits."""
    return [(rows * columns, BYTE), (rows, FP32), (1, BYTE)]


def fp8_blocks(rows, columns, scale=FP32):
    """Return the tensors of DeepSeek's format, and of compressed-tensors, whose scales are shorter."""
    return [(rows * columns, BYTE), (ceil(rows / 128) * ceil(columns / 128), scale)]


def fp8_rows(rows, columns, scale=HALF):
    """Return a byte per weight and a scale per row."""
    return [(rows * columns, BYTE), (rows, scale)]


def fp8_matrix(rows, columns, scales=2, scale=FP32):
    """Return a byte per weight and scales per matrix."""
    return [(rows * columns, BYTE), (scales, scale)]


def packed(rows, columns, bits=4, group=128, *, points=False):
    """Return the tensors of compressed-tensors' pack-quantized."""
    groups = ceil(columns / group)
    zero = [(ceil(rows * bits / 32) * groups, INT32)] if points else []
    return [(rows * ceil(columns * bits / 32), INT32), (rows * groups, HALF), (2, INT64), *zero]


def nvfp4(rows, columns, scales=2):
    """Return the tensors of NVFP4: two weights a byte, an 8-bit scale for 16, and scales of the matrix."""
    return [(rows * columns // 2, BYTE), (rows * columns // 16, BYTE), (scales, FP32)]


def mxfp4(rows, columns):
    """Return the tensors of MXFP4: two weights a byte, an 8-bit scale for 32."""
    return [(rows * columns // 2, BYTE), (rows * columns // 32, BYTE)]


def hqq(rows, columns):
    """Return the tensors of HQQ in 4 bits and groups of 64."""
    return [(rows * columns // 2, BYTE), (rows * columns // 64, HALF), (rows * columns // 64, HALF)]


def mlx(rows, columns, bits=4, group=64):
    """Return the tensors of MLX's affine quantization."""
    return [(rows * columns * bits // 32, INT32), (rows * columns // group, HALF), (rows * columns // group, HALF)]


def size(tensors):
    """Return the bytes of some tensors."""
    return sum(elements * width for elements, width in tensors)


def fits(pattern, name):
    """Return whether ModelOpt takes a module out for a pattern."""
    return fnmatchcase(name, pattern)


def matrices(model, *, tables=False):
    """Return the matrices of a class by module name, each with its shape; experts kept in one tensor one by one."""
    import torch  # noqa: PLC0415 - other tests need no torch

    kinds = (torch.nn.Linear, torch.nn.Embedding) if tables else torch.nn.Linear
    tied = set()
    result = {}
    for name, module in model.named_modules():
        if isinstance(module, kinds) and id(module.weight) not in tied:
            tied.add(id(module.weight))
            result[name] = tuple(module.weight.shape)
        for key, parameter in module.named_parameters(recurse=False):
            if parameter.dim() == 3 and "expert" in name:
                result |= dict(_experts(name, key, parameter.shape))
    return result


def _experts(name, key, shape):
    experts, rows, columns = shape
    parts = ("gate_proj", "up_proj") if key == "gate_up_proj" else (key,)
    return [(f"{name}.{i}.{part}", (rows // len(parts), columns)) for i in range(experts) for part in parts]


def stored_size(model, tensors, is_plain=lambda _: False, dtype=2, **options):
    """Return the bytes of a checkpoint whose matrices are stored as `tensors` says, but for the plain ones.

    `tensors` is a function of rows and columns.
    """
    everything = sum(parameter.numel() for parameter in {id(p): p for p in model.parameters()}.values())
    chosen = {name: shape for name, shape in matrices(model, **options).items() if not is_plain(name)}
    plain = everything - sum(rows * columns for rows, columns in chosen.values())
    return plain * dtype + sum(size(tensors(*shape)) for shape in chosen.values())
