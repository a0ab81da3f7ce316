"""``python -m masrepro``."""

import sys

from masrepro.cli import main

if __name__ == "__main__":
    sys.exit(main())
