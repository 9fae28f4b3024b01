"""Tasks of strangers, compiled and drawn in a process of their own, which has little to lose."""
