"""Training from the command line: ``python -m sparrowhall.learn --help``.

The commands have a module of their own, since processes that a ``__main__`` starts do not find
its functions.
"""

from sparrowhall.learn.commands import main

if __name__ == "__main__":
    main()
