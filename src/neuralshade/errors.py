"""Exceptions of this package.

NeuralShadeError
  ShapeError     (ValueError)    an array has the wrong shape or dtype
  ConfigError    (ValueError)    a recipe names an unknown or impossible setting
  PictureError   (ValueError)    a file is not a picture that can be fitted
  AssetError     (ValueError)    a file is not an asset, is damaged, or is a newer version
  OutputError    (OSError)       a result cannot be written to its path
  DeviceError    (RuntimeError)  this machine lacks a required feature
  KernelError    (RuntimeError)  Slang refused a kernel; carries its diagnostics

FitInterrupted is no error of these: it is the KeyboardInterrupt of a fit that saved itself.
"""


class NeuralShadeError(Exception):
    """Base of every error above: catch this to catch them all."""


class ShapeError(NeuralShadeError, ValueError):
    """An array has the wrong shape or dtype."""


class ConfigError(NeuralShadeError, ValueError):
    """A recipe names an unknown or impossible setting."""


class PictureError(NeuralShadeError, ValueError):
    """A file is missing, is not a picture, or holds values that cannot be fitted."""


class AssetError(NeuralShadeError, ValueError):
    """A file is not an asset, is damaged, or was written by a newer version."""


class OutputError(NeuralShadeError, OSError):
    """A result cannot be written to its path."""


class DeviceError(NeuralShadeError, RuntimeError):
    """This machine lacks a required device or feature."""


class KernelError(NeuralShadeError, RuntimeError):
    """Slang refused a kernel; the message carries its diagnostics whole."""


class FitInterrupted(KeyboardInterrupt):
    """Ctrl-C, SIGTERM or SIGHUP ended a fit; the message says where its checkpoint is."""
