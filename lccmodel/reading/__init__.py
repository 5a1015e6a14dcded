"""Reading of files: bytes become text, labels come off, the content is recognised and read.

found.py        `Found`, the result of reading; `Format`, one kind of file
text.py         bytes to `Text`: gzip, UTF-8 and UTF-16, line ends, limits
labels.py       labels that launchers put before every line
recognise.py    the registry of formats; recognition by content alone
hostlist.py     names of hosts: lists, ranges, slots

Networks are built from neutral descriptions above this package; traffic is a value below it.
"""
