"""What a fit learns from: pictures on disk or in memory."""
