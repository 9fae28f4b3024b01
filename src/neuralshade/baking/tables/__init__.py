"""What a bake says of its assets: ledger, tables and its page."""
