"""What towers are given: images, videos and sound, next to the tokens of a sequence."""

from flopsheet.accounting.blocks.kinds import optional, share_of
from flopsheet.accounting.line import Dimension

DIMENSIONS = (
    optional("images", "Images", about="In each sequence, whose length counts their tokens too"),
    Dimension(
        "image_tiles",
        "Tiles per image",
        default=1,
        about="Tiles that a processor cuts an image into, counting the whole image as one more",
    ),
    Dimension("image_width", "Image width", unit="pixels", default=1024, about="Where a tower takes any size"),
    Dimension("image_height", "Image height", unit="pixels", default=1024, about="Where a tower takes any size"),
    optional("video_frames", "Video frames", about="In each sequence, of the images' size"),
    Dimension(
        "audio_seconds", "Sound", unit="s", kind="ratio", default=0, minimum=0, about="In each sequence, as one clip"
    ),
    share_of(
        "towers_frozen",
        "Frozen share of towers",
        about="The share of the towers that training leaves as it is. Nothing runs backward through that share, since"
        " nothing below it is trained. What joins towers to the language model is not frozen with them",
    ),
)
"""Inputs of models with towers; a sequence has no images and no sound unless somebody says so."""
