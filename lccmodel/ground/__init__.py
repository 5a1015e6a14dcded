"""What every layer stands on: checked arguments, exact numbers, frozen arrays, files, views."""
