"""The claims, one module for each chapter of a paper; the registry imports all of them."""
