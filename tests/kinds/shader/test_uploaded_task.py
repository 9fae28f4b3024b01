"""shader/received: a task that a page sent is looked through before anything is compiled of it."""

import numpy as np
import pytest
from PIL import Image

import neuralshade
from neuralshade.errors import AssetError
from neuralshade.kinds.shader import trust
from neuralshade.kinds.shader.uploaded_task import uploaded_task

TASK = """import neuralshade.model.trainable;

struct Task : ITask
{
    Picture<float3> photo;
    [Trainable(0.1)] [Start(0.2)] float3 tint;

    [Differentiable]
    float loss(no_diff Thread thread)
    {
        float3 wrong = tint - no_diff(photo.sample(thread.uv()));
        return dot(wrong, wrong);
    }

    float3 render(float2 uv) { return tint; }
}
"""


@pytest.fixture
def sent(tmp_path):
    """Give a function that writes a task beside a picture, and takes both as received."""
    folder = tmp_path / "sent"
    folder.mkdir()
    Image.fromarray(np.full((4, 4, 3), 188, np.uint8)).save(folder / "photo.png")

    def sent(text=TASK):
        (folder / "tint.slang").write_text(text)
        return uploaded_task(folder / "tint.slang", [folder / "photo.png"])

    return sent


def test_it_is_fitted_and_is_no_module_of_this_user(device, sent, tmp_path, monkeypatch):
    monkeypatch.setattr(trust, "_folder", lambda: tmp_path / "own")
    given = sent()
    assert given["task"].foreign and set(given["values"]) == {"photo"}
    result = neuralshade.fit_shader(**given, output=tmp_path / "x.nsh", steps=200, threads="64")
    np.testing.assert_allclose(result.members["tint"], given["values"]["photo"].as_float()[0, 0],
                               atol=0.05)  # fmt: skip
    assert not trust.is_known(given["task"])
    with pytest.raises(AssetError, match="got Slang code that no fit of yours made"):
        neuralshade.render(tmp_path / "x.nsh")


@pytest.mark.parametrize("text, line", [
    (TASK + "Ptr<float> p;\n", "got Ptr in line 17 of tint.slang, need a task without it: such "
     "code can reach all memory and files. Do not trust where it comes from."),
    (TASK + 'float f() { __intrinsic_asm "x"; }\n', "got __intrinsic_asm in line 17 of tint.slang, "
     "need a task without it: such code can reach all memory and files. Do not trust where it "
     "comes from."),
    ('#include "/etc/passwd"\n' + TASK, "got '\"/etc/passwd\"' taken in by line 1 of tint.slang, "
     "need files of the asset or of neuralshade only. Do not trust where it comes from."),
])  # fmt: skip
def test_what_reaches_beyond_arithmetic_is_refused(sent, text, line, tmp_path):
    with pytest.raises(AssetError) as raised:
        sent(text)
    assert str(raised.value) == f"{tmp_path / 'sent' / 'tint.slang'}: {line}"
