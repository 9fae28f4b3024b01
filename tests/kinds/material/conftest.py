"""What the tests of materials share: documents that are written, and the paint of the fixtures."""

import pytest

HEAD = '<?xml version="1.0"?>\n<materialx version="1.39" colorspace="lin_rec709">\n'
SURFACE = """
<surface name="S" type="surfaceshader">
  <input name="bsdf" type="BSDF" nodename="top"/>
</surface>
<surfacematerial name="M" type="material">
  <input name="surfaceshader" type="surfaceshader" nodename="S"/>
</surfacematerial>
</materialx>
"""


@pytest.fixture
def document(tmp_path):
    """Return what writes a document whose closure is the node ``top``, and returns its path."""

    def write(nodes, surface=SURFACE, name="x.mtlx"):
        path = tmp_path / name
        path.write_text(HEAD + nodes + surface)
        return path

    return write
