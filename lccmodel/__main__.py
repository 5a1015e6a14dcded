"""`python -m lccmodel` is the command `lccmodel`."""

from lccmodel.cli import main

if __name__ == "__main__":
    main()
