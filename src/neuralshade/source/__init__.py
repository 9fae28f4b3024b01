"""Sources of fits: pictures and maps, on disk or in memory."""
