"""How long a material and its network take on a GPU, by its clock."""
