"""Sums of gradients in device memory. Device half: gradients.slang."""

GRADIENTS = {  # by whether sums must have equal bits on every run
    False: ("FloatGradients", "float", 4),
    True: ("FixedGradients", "uint", 8),
}  # type, element of its buffer, bytes per number
