"""Seeded fuzzing of what takes input from outside: files, arrays and parameters.

``make fuzz`` runs it; ``python -m fuzzing --help`` lists the options. Each input must
give a result, or an error of pbow's own: no crash, no hang over 5 seconds, no more than
1 GB of memory, no exception of another library, no warning but pbow's.
"""
