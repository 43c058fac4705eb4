"""The pictures of the built site: few colors, and none of them another than in the chapter."""

import base64
import io

import numpy as np
import page_weight
import pytest
from chapters import CHAPTERS, code, is_figure, read
from PIL import Image

FIGURES = {path.stem: next(filter(is_figure, code(read(path))), None) for path in CHAPTERS}


def moved(picture):
    """By how much each pixel's color moves, of 255."""
    return np.abs(np.subtract(page_weight.reduced(picture).convert("RGB"), picture, dtype=int)).max(axis=2)


@pytest.mark.parametrize("chapter", [name for name, cell in FIGURES.items() if cell])
def test_the_first_figure_of_each_chapter_keeps_its_colors_with_a_palette(chapter):
    outputs = [output.get("data", {}) for output in FIGURES[chapter].outputs]
    data = next(output["image/png"] for output in outputs if "image/png" in output)
    picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
    assert page_weight.reduced(picture).mode == "P"
    assert np.sum(moved(picture) > 16) <= 100


def test_a_color_bar_beside_a_large_area_keeps_both_ends():
    ramp = np.linspace(0, 255, 200).astype(np.uint8)
    pixels = np.full((600, 800, 3), 255, np.uint8)
    pixels[:200, :4] = np.stack([ramp, 0 * ramp, 255 - ramp], axis=1)[:, None]  # 800 pixels of 480 000
    pixels[300:] = np.random.default_rng(0).integers(200, 256, (300, 800, 1))  # grey, in many shades
    assert moved(Image.fromarray(pixels)).max() <= 16


def test_a_picture_for_which_256_colors_are_too_few_stays_as_it_is():
    pixels = np.random.default_rng(0).integers(0, 256, (100, 100, 3)).astype(np.uint8)
    assert page_weight.reduced(Image.fromarray(pixels)).mode == "RGB"
    assert moved(Image.fromarray(pixels)).max() == 0


def test_lines_are_told_from_maps_of_colors():
    lines = np.full((100, 100, 3), 255, np.uint8)
    lines[10:20] = 0, 114, 178
    assert page_weight.on_white(Image.fromarray(lines))
    assert not page_weight.on_white(Image.fromarray(np.full((100, 100, 3), 200, np.uint8)))
