"""Documents of strangers, loaded in a process of their own, which has little to lose."""
