"""One frozen dataclass per verb; each says what is assembled from stages 1 to 6."""
