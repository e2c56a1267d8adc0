"""The lines of Qwen4-Exp: attention that reads chosen pools, delta layers, experts, streams, and tables of n-grams."""

from flopsheet import blocks
from flopsheet_moe.qwen4.attention import ATTENTION
from flopsheet_moe.qwen4.dimensions import DIMENSIONS
from flopsheet_moe.qwen4.ngrams import NGRAMS
from flopsheet_moe.qwen4.streams import STREAMS

STACK = DIMENSIONS + ATTENTION + blocks.DELTA + blocks.EXPERTS + STREAMS + NGRAMS + blocks.EMBEDDING + blocks.HEAD
