"""Import settings of a texture of words for Unity's texture importer."""

from __future__ import annotations

import hashlib

from neuralshade.verbs.export.engines.word_texture import WIDEST

# Numbers are Unity's: filterMode 0 point, wrap 1 clamp, nPOTScale 0 none, alphaUsage 1 of the file,
# textureType 0 default, textureCompression 0 none. What is missing here gets its default.
META = """fileFormatVersion: 2
guid: {guid}
TextureImporter:
  internalIDToNameTable: []
  externalObjects: {{}}
  serializedVersion: 11
  mipmaps:
    mipMapMode: 0
    enableMipMap: 0
    sRGBTexture: 0
    linearTexture: 0
  isReadable: 0
  streamingMipmaps: 0
  grayScaleToAlpha: 0
  maxTextureSize: {widest}
  textureSettings:
    serializedVersion: 2
    filterMode: 0
    aniso: 1
    mipBias: 0
    wrapU: 1
    wrapV: 1
    wrapW: 1
  nPOTScale: 0
  lightmap: 0
  compressionQuality: 50
  spriteMode: 0
  alphaUsage: 1
  alphaIsTransparency: 0
  textureType: 0
  textureShape: 1
  ignorePngGamma: 1
  platformSettings:
  - serializedVersion: 3
    buildTarget: DefaultTexturePlatform
    maxTextureSize: {widest}
    resizeAlgorithm: 0
    textureFormat: -1
    textureCompression: 0
    compressionQuality: 50
    crunchedCompression: 0
    allowsAlphaSplitting: 0
    overridden: 0
  userData:
  assetBundleName:
  assetBundleVariant:
"""


def numbers_meta(name: str, words: bytes) -> bytes:
    """Return the .meta file of a PNG of words; equal files have equal GUIDs."""
    guid = hashlib.sha256(name.encode() + b"\0" + words).hexdigest()[:32]
    return META.format(guid=guid, widest=WIDEST).encode()
