"""The shared part of every fit: loop, job, options, resuming, callbacks, logs."""
