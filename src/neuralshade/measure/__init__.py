"""What was gained: quality numbers, the same bytes spent otherwise, and the report page."""
