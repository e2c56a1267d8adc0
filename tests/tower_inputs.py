"""What multimodal classes of transformers take beside their tokens: a picture or sound, as large as a workload says.

Each way of giving them is a function of the model, flopsheet's numbers and the workload that returns arguments.
`PICTURES` and `SOUNDS` say which type takes which.
"""

import math

BEFORE, AFTER = 1, 4
"""Tokens of text around the picture or the sound."""


def _torch():
    import torch  # noqa: PLC0415 - the configs are of use without it

    return torch


def _values(*shape):
    """Return values that are not 0, which some classes take for padding."""
    return _torch().ones(*shape)


def _ones(*shape):
    return _torch().ones(*shape, dtype=_torch().long)


def _whole(values):
    return _torch().tensor(values)


def _side(numbers):
    return int(numbers["vision_side"])


def _patches(numbers):
    return (int(numbers[f"vision_{name}"]) for name in ("rows", "columns", "patch"))


def grid(model, numbers, _):
    """Return the rows of all patches of a picture, and how many stand below and beside each other."""
    rows, columns, patch = _patches(numbers)
    frames = getattr(model.config.vision_config, "temporal_patch_size", None) or numbers["vision_frames"]
    values = _values(rows * columns, 3 * int(frames) * patch * patch)
    return {"pixel_values": values, "image_grid_thw": _whole([[1, rows, columns]])}


def grid_of_frames(model, numbers, _):
    """Return the rows of all patches of a video, and how many stand behind, below and beside each other."""
    rows, columns, patch = _patches(numbers)
    frames = getattr(model.config.vision_config, "temporal_patch_size", None) or numbers["vision_frames"]
    joined = int(numbers["vision_pictures"])
    values = _values(joined * rows * columns, 3 * int(frames) * patch * patch)
    return {"pixel_values_videos": values, "video_grid_thw": _whole([[joined, rows, columns]])}


def grid_merged(model, numbers, workload):
    """Return rows of patches, their grid, and that none are merged."""
    return grid(model, numbers, workload) | {"image_merge_sizes": _whole([1])}


def grid_of_pictures(_, numbers, __):
    """Return patches as small pictures, and how many stand below and beside each other."""
    rows, columns, patch = _patches(numbers)
    return {"pixel_values": _values(rows * columns, 3, patch, patch), "image_grid_thw": _whole([[1, rows, columns]])}


def grid_of_tokens(model, numbers, _):
    """Return squares of pixels that become one token each, and how many stand below and beside each other."""
    merge, (rows, columns, patch) = model.config.vision_config.spatial_merge_size, _patches(numbers)
    grid = [1, rows // merge, columns // merge]
    pixels = _values(math.prod(grid), patch * merge, patch * merge, 3)
    return {"pixel_values": pixels, "image_grid_thw": _whole([grid])}


def cubes(model, numbers, _):
    """Return a patch with its frames for each token, channels last."""
    rows, columns, patch = _patches(numbers)
    vision = model.config.vision_config
    return {"pixel_values": _values(rows * columns, vision.temporal_patch_size, patch, patch, vision.num_channels)}


def in_one_row(_, numbers, __):
    """Return all patches of a picture in one row, and how many stand below and beside each other."""
    rows, columns, patch = _patches(numbers)
    return {"pixel_values": _values(1, 3, patch, rows * columns * patch), "target_sizes": _whole([[rows, columns]])}


def rows_of_patches(_, numbers, __):
    """Return rows of patches alone."""
    rows, columns, patch = _patches(numbers)
    return {"pixel_values": _values(1, rows * columns, 3 * patch * patch)}


def placed(_, numbers, __):
    """Return rows of patches with the column and row of each, which the class may pool by squares."""
    rows, columns, patch = _patches(numbers)
    where = [[column, row] for row in range(rows) for column in range(columns)]
    return {"pixel_values": _values(1, rows * columns, 3 * patch * patch), "image_position_ids": _whole([where])}


def shaped(_, numbers, __):
    """Return rows of patches, the picture's shape, and that no patch is padding."""
    rows, columns, patch = _patches(numbers)
    result = {"pixel_values": _values(1, rows * columns, 3 * patch * patch)}
    return result | {"spatial_shapes": _whole([[rows, columns]]), "pixel_attention_mask": _ones(1, rows * columns)}


def flattened(model, _, __):
    """Return patches whose first two channels say where they are."""
    part = model.config.vision_config
    count = getattr(part, "max_num_patches", None) or part.seq_len
    return {"flattened_patches": _values(1, count, part.patch_embed_hidden_size + 2)}


def square(_, numbers, __):
    """Return one picture of the tower's own size."""
    return {"pixel_values": _values(1, 3, _side(numbers), _side(numbers))}


def square_of_processor(*_):
    """Return one picture of the size that a processor brings every one to."""
    return {"pixel_values": _values(1, 3, 768, 768)}


def square_of_images(_, numbers, __):
    """Return one picture, for a class that takes videos too."""
    return {"pixel_values_images": _values(1, 3, _side(numbers), _side(numbers))}


def square_in_list(_, numbers, __):
    """Return a list of one picture."""
    return {"pixel_values": _values(1, 1, 3, _side(numbers), _side(numbers))}


def square_of_real_tiles(model, numbers, workload):
    """Return a list of one picture, which is no padding."""
    return square_in_list(model, numbers, workload) | {"pixel_attention_mask": _ones(1, 1).bool()}


def square_twice(model, numbers, workload):
    """Return one picture in two resolutions."""
    high = model.config.high_res_vision_config.image_size
    return square(model, numbers, workload) | {"high_res_pixel_values": _values(1, 3, high, high)}


def square_asked(model, numbers, workload):
    """Return one picture about which nothing is asked."""
    return square(model, numbers, workload) | {"qformer_input_ids": _ones(1, 0)}


def sized(_, numbers, __):
    """Return a picture of any size, and that size."""
    rows, columns, patch = _patches(numbers)
    height, width = rows * patch, columns * patch
    return {"pixel_values": _values(1, 3, height, width), "image_sizes": _whole([[height, width]])}


def tiled(model, numbers, workload):
    """Return the tiles of a picture: itself whole, and two that stand beside each other, which the class may choose."""
    side, tiles = _side(numbers), workload["image_tiles"]
    model.config.image_grid_pinpoints = [[side, (tiles - 1) * side]]
    return {"pixel_values": _values(1, tiles, 3, side, side), "image_sizes": _whole([[side, (tiles - 1) * side]])}


def tiled_apart(_, numbers, __):
    """Return the tiles of a picture that layers of their own look at."""
    side, tiles = _side(numbers), int(numbers["vision_tiles"])
    result = {"pixel_values": _values(1, 1, tiles, 3, side, side), "aspect_ratio_mask": _ones(1, 1, tiles)}
    return result | {"aspect_ratio_ids": _whole([[1]]), "cross_attention_mask": _ones(1, BEFORE + AFTER, 1, tiles)}


def tiled_masked(_, numbers, workload):
    """Return the tiles of a picture whose tiles lie in one row, its size, and that all of it is seen."""
    side, tiles = _side(numbers), workload["image_tiles"]
    across = side // int(numbers["vision_patch"])
    result = {"image_pixel_values": _values(1, tiles, 3, side, side)}
    result["image_sizes"] = _whole([[side, (tiles - 1) * side]])
    return result | {"image_attention_mask": _torch().ones(1, tiles, across, across).bool()}


def _frames(workload):
    return math.ceil(workload["audio_seconds"] * 100)


def _parts(model, numbers, workload):
    """Return how many parts a clip has, and the frames of each: classes with a table for all of a part want it full."""
    part = getattr(model.config.audio_config, "max_source_positions", None)
    return (int(numbers["audio_pictures"]), 2 * part) if numbers["audio_pads_chunks"] else (1, _frames(workload))


def _bands(model):
    part = getattr(model.config, "audio_config", None) or model.config.encoder_config
    names = ("num_mel_bins", "input_feat_size", "input_dim", "input_size", "feature_size")
    return next((getattr(part, name) for name in names if hasattr(part, name)), 128)


def bands(model, numbers, workload):
    """Return the bands of the sound at each hundredth of a second, in parts."""
    count, frames = _parts(model, numbers, workload)
    return {"input_features": _values(count, _bands(model), frames)}


def bands_of_samples(model, numbers, workload):
    """Return bands, as many as fill the positions, and how many samples they are of."""
    samples = int(workload["audio_seconds"] * 16_000)
    features = _values(1, _bands(model), 8 * int(numbers["audio_tokens"]))
    return {"input_features": features, "chunk_sample_lengths": _whole([samples])}


def bands_masked(model, numbers, workload):
    """Return bands, and that all of them are sound."""
    heard = _ones(*_parts(model, numbers, workload))
    return bands(model, numbers, workload) | {"input_features_mask": heard.bool()}


def bands_padded(model, numbers, workload):
    """Return bands, that all of them are sound, and that no part of them is padding."""
    return bands_masked(model, numbers, workload) | {"padding_mask": _ones(1, 1)}


def bands_of_features(model, numbers, workload):
    """Return bands and their mask under the name that Qwen's classes have for it."""
    heard = _ones(*_parts(model, numbers, workload))
    return bands(model, numbers, workload) | {"feature_attention_mask": heard}


def rows(model, _, workload):
    """Return a row of bands for each hundredth of a second, and that all of them are sound."""
    result = {"input_features": _values(1, _frames(workload), _bands(model))}
    return result | {"input_features_mask": _ones(1, _frames(workload)).bool()}


def rows_in_pairs(model, _, workload):
    """Return a row of bands for each fiftieth of a second."""
    return {"input_features": _values(1, _frames(workload) // 2, model.config.encoder_config.input_dim)}


def rows_stacked(model, numbers, _):
    """Return rows of stacked bands, and that all of them are sound."""
    part, count = model.config.audio_config, int(numbers["audio_embedded"])
    result = {"input_features": _values(1, count, part.num_mel_bins * part.num_stacked_frames)}
    return result | {"input_features_mask": _ones(1, count)}


def rows_measured(model, numbers, workload):
    """Return rows of bands, and how many places in the sequence they take."""
    result = {"audio_input_features": _values(1, _frames(workload), _bands(model))}
    return result | {"audio_embed_sizes": _whole([int(numbers["audio_outputs"])])}


def samples(_, __, workload):
    """Return the samples of the sound."""
    return {"input_values": _values(1, 1, int(workload["audio_seconds"] * 24_000))}


def _by_type(ways):
    return {name: way for way, names in ways.items() for name in names.split()}


PICTURES = _by_type(
    {
        grid: "qwen3_vl qwen3_5 qwen2_vl qwen2_5_vl exaone4_5 glm4v glm_ocr minimax_m3_vl qwen3_vl_moe cosmos3_omni"
        " cosmos3_edge muse_glimmer lfm3_vl qwen3_5_moe qwen4_exp glm4v_moe glm46v glmga hyperclovax_vision_v2"
        " qwen2_5_omni_thinker qwen3_omni_moe_thinker ernie4_5_vl_moe glm5_next dots3_note",
        grid_merged: "video_llama_3",
        grid_of_pictures: "kimi_k25 paddleocr_vl",
        grid_of_tokens: "inkling2",
        cubes: "inkling_mm_model",
        in_one_row: "minicpmv4_6 minicpmv4_7 minicpm_ocr",
        rows_of_patches: "fuyu",
        placed: "gemma4 gemma4_unified",
        shaped: "lfm2_vl",
        flattened: "pix2struct kosmos-2.5",
        square: "gemma3 llava vipllava paligemma internvl deepseek_vl cohere2_vision aya_vision janus got_ocr2 aria"
        " pp_formulanet qianfan_ocr pp_chart2table blip-2 blip shieldgemma2 llama4 ovis2 step3p7 kosmos-2",
        square_of_processor: "florence2",
        square_of_images: "video_llava",
        square_in_list: "idefics2 idefics3 smolvlm modernvbert ultravbert",
        square_of_real_tiles: "granite_docling",
        square_twice: "deepseek_vl_hybrid",
        square_asked: "instructblip",
        sized: "mistral3 lighton_ocr",
        tiled: "llava_next llava_onevision llava_next_video",
        tiled_apart: "mllama",
        tiled_masked: "phi4_multimodal",
    }
)
VIDEOS = _by_type(
    {
        grid_of_frames: "qwen3_vl qwen3_5 qwen2_vl qwen2_5_vl exaone4_5 glm4v minimax_m3_vl qwen3_vl_moe cosmos3_edge"
        " muse_glimmer lfm3_vl qwen3_5_moe qwen4_exp glm4v_moe glm46v glmga qwen2_5_omni_thinker"
        " qwen3_omni_moe_thinker dots3_note",
    }
)
SOUNDS = _by_type(
    {
        bands: "voxtral voxtral_realtime",
        bands_masked: "glmasr audioflamingo3 musicflamingo qwen3_asr",
        bands_of_samples: "dots3_note",
        bands_padded: "moss_transcribe_diarize",
        bands_of_features: "qwen2_audio qwen2_5_omni_thinker qwen3_omni_moe_thinker",
        rows: "gemma4 gemma3n",
        rows_in_pairs: "granite_speech granite_speech_plus",
        rows_stacked: "fun_asr_nano",
        rows_measured: "phi4_multimodal",
        samples: "vibevoice_asr",
    }
)
