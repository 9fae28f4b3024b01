"""Web page of an asset: one file of HTML."""
