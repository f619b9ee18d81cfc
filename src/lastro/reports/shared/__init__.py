"""What several reports share."""
