"""Small helpers without knowledge of fits: files, messages, interrupts, plug-ins."""
