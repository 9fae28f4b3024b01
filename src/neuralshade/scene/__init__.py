"""Path tracer for scenes of meshes with fitted materials."""
